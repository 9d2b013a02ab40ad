package productui

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
)

// baseline says what a form showed when it was filled from the stored product: short hashes of its lines and of their
// keys. By it a form is merged with what somebody else has saved meanwhile, without a copy of all texts in the form.
type baseline map[string]bool

// baselineHash returns the hash of the parts of a line. Hashes have the same length.
func baselineHash(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(h[:6])
}

// baselineText returns the baseline of the form as the text of a form field.
func (form *productForm) baselineText() string {
	var b strings.Builder
	for _, l := range form.lines(english()) {
		if l.Text != "" {
			b.WriteString(baselineHash(l.Key) + baselineHash(l.Key, trimText(l.Text)))
		}
	}
	for _, c := range form.Categories {
		if c.Ticked {
			b.WriteString(baselineHash("category." + c.ID))
		}
	}
	if form.Canonical != "" {
		b.WriteString(baselineHash(canonicalKey+".id") + baselineHash(canonicalKey+".id", form.Canonical))
	}
	return b.String()
}

// maxBaseline is the length of the baseline of the largest page. Browsers send back what was rendered.
const maxBaseline = 2 * maxCells * len("aaaaaaaa")

func parseBaseline(text string) baseline {
	all := baseline{}
	length := len(baselineHash(""))
	text = text[:min(len(text), maxBaseline)]
	for ; len(text) >= length; text = text[length:] {
		all[text[:length]] = true
	}
	return all
}

// untouched reports whether a member has the text with which it was rendered.
func (b baseline) untouched(key, text string) bool {
	if text == "" {
		return !b[baselineHash(key)]
	}
	return b[baselineHash(key, trimText(text))]
}

// merge takes what is stored into the members that the operator has not touched. The argument stored has all variants
// of the product, and page those that the form shows. Variants of the page that the form does not have are added, and
// those that are gone are dropped. Then stored has no other variants than the form.
func (form *productForm) merge(stored, page *productForm) {
	base := parseBaseline(form.Base)
	for _, m := range catalog.ProductScalars {
		if base.untouched(m.Name, canonicalText(form.Texts[m.Name], m.IsNumber)) {
			form.Texts[m.Name] = stored.Texts[m.Name]
		}
	}

	if base.untouched("external_id", form.ExternalID) {
		form.ExternalID = stored.ExternalID
	}

	form.mergeCategories(stored, base)
	if base.untouched(canonicalKey+".id", form.Canonical) {
		form.Canonical = stored.Canonical
	}
	form.mergeFeatures(stored, base)

	if base.untouched("modifiers", form.modifierText()) {
		form.Groups = stored.Groups
	}

	if !form.LocksShown || base.untouched("locks", form.Locks.String()) {
		form.Locks = stored.Locks
	}

	form.mergeVariants(stored, page, base)
	stored.Variants = slices.DeleteFunc(stored.Variants, func(v *variantRow) bool { return !form.hasVariant(v.ID) })
}

func (form *productForm) hasVariant(id string) bool {
	return slices.ContainsFunc(form.Variants, func(v *variantRow) bool { return v.ID == id })
}

// mergeCategories ticks the categories that are stored, except for those whose tick the operator has changed.
func (form *productForm) mergeCategories(stored *productForm, base baseline) {
	ticked := func(in *productForm, id string) bool {
		return slices.ContainsFunc(in.Categories, func(c categoryBox) bool { return c.ID == id && c.Ticked })
	}
	var merged []categoryBox
	for _, c := range slices.Concat(form.Categories, stored.Categories) {
		if slices.ContainsFunc(merged, func(m categoryBox) bool { return m.ID == c.ID }) {
			continue
		}
		if c.Ticked = ticked(form, c.ID); c.Ticked == base[baselineHash("category."+c.ID)] {
			c.Ticked = ticked(stored, c.ID)
		}
		merged = append(merged, c)
	}
	form.Categories = merged
}

// mergeFeatures takes the stored values of the features that the operator has not touched.
func (form *productForm) mergeFeatures(stored *productForm, base baseline) {
	mine := map[string]string{}
	for _, l := range form.featureLines() {
		mine[l.Key] = l.Text
	}
	untouched := func(f featureRow) bool {
		key := "features." + f.FeatureID
		return base.untouched(key, mine[key])
	}
	merged := slices.DeleteFunc(form.Features, func(f featureRow) bool { return f.Value.Text != "" && untouched(f) })
	for _, f := range stored.Features {
		if untouched(f) {
			merged = append(merged, f)
		}
	}
	form.Features = merged
}

// mergeVariants merges the rows of the grid. The grid gets the columns that are stored and that it does not have.
func (form *productForm) mergeVariants(stored, page *productForm, base baseline) {
	options := addColumnsOf(&form.Options, stored.Options)
	stocks := addColumnsOf(&form.Stocks, stored.Stocks)
	theirs := make(map[string]*variantRow, len(stored.Variants))
	for _, v := range stored.Variants {
		theirs[v.ID] = form.withColumns(v, options, stocks)
	}

	kept := form.Variants[:0]
	for _, v := range form.Variants {
		if !v.IsNew() && theirs[v.ID] == nil {
			continue
		}

		kept = append(kept, v)
		v.Options = append(v.Options, make([]valueField, len(form.Options)-len(v.Options))...)
		v.Stocks = append(v.Stocks, make([]string, len(form.Stocks)-len(v.Stocks))...)
		v.Reserved = append(v.Reserved, make([]string, len(form.Stocks)-len(v.Reserved))...)

		if !v.IsNew() {
			v.merge(theirs[v.ID], form, base)
			delete(theirs, v.ID)
		}
	}

	for _, v := range page.Variants {
		if theirs[v.ID] != nil {
			kept = append(kept, theirs[v.ID])
		}
	}

	form.Variants = kept
}

// addColumnsOf adds the columns that a list does not have, and returns the position of each in the list.
func addColumnsOf(list *[]choice, more []choice) []int {
	at := make([]int, len(more))
	for i, c := range more {
		at[i] = slices.IndexFunc(*list, func(have choice) bool { return have.ID == c.ID })
		if at[i] < 0 {
			at[i] = len(*list)
			*list = append(*list, c)
		}
	}
	return at
}

// withColumns returns a row of another form with the columns of this one.
func (form *productForm) withColumns(v *variantRow, options, stocks []int) *variantRow {
	row := *v
	row.Texts = maps.Clone(v.Texts)
	columns := form.newVariant()
	row.Options = columns.Options
	row.Stocks = columns.Stocks
	row.Reserved = columns.Reserved
	for i, at := range options {
		row.Options[at] = v.Options[i]
	}
	for i, at := range stocks {
		row.Stocks[at], row.Reserved[at] = v.Stocks[i], v.Reserved[i]
	}
	return &row
}

// merge takes what is stored into the members of the row that the operator has not touched.
func (v *variantRow) merge(stored *variantRow, form *productForm, base baseline) {
	key := "variants." + v.ID + "."
	take := func(name string, mine *string, text, theirs string) {
		if base.untouched(key+name, text) {
			*mine = theirs
		}
	}
	for _, m := range catalog.VariantScalars {
		if base.untouched(key+m.Name, canonicalText(v.Texts[m.Name], m.IsNumber)) {
			v.Texts[m.Name] = stored.Texts[m.Name]
		}
	}
	take("external_id", &v.ExternalID, v.ExternalID, stored.ExternalID)

	for i, o := range form.Options {
		if base.untouched(key+"options."+o.ID, v.Options[i].Text) {
			v.Options[i] = stored.Options[i]
		}
	}

	for i, s := range form.Stocks {
		take("stocks."+s.ID, &v.Stocks[i], canonicalNumber(v.Stocks[i]), stored.Stocks[i])
	}

	v.Reserved = stored.Reserved
	v.Pictures.merge(stored.Pictures)
}
