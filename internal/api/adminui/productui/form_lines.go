package productui

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// line is a member of a product as text. Lines are compared to find what two forms differ in.
type line struct {
	Key   string // identifies the member, whatever the language
	Label string // for people
	Text  string
	// Shown is the text for people, if it is not Text.
	Shown string
}

// shown returns the text of the line for people.
func (l line) shown() string { return cmp.Or(l.Shown, l.Text) }

// variantPictures ends the keys of the lines with the images of variants.
const variantPictures = ".images"

// english returns the language of what does not depend on the operator: digests and the audit log.
func english() *frame.Language { return &frame.Language{} }

// lines returns the members of the product in the order of the form. Variants that are to be archived have no lines.
func (form *productForm) lines(l *frame.Language) []line {
	var list []line
	for _, m := range catalog.ProductScalars {
		list = append(list, line{Key: m.Name, Label: l.T(m.Field.Label()),
			Text: canonicalText(form.Texts[m.Name], m.IsNumber)})
	}

	add := func(key, label, text string) { list = append(list, line{Key: key, Label: label, Text: text}) }
	add("external_id", l.T("Code in accounting"), form.ExternalID)
	var categories []string
	for _, c := range form.Categories {
		if c.Ticked {
			categories = append(categories, c.Name)
		}
	}

	slices.Sort(categories)
	add("categories", l.T("Categories"), strings.Join(categories, ", "))
	add(canonicalKey, l.T("Main category"), form.canonicalName())
	list = append(list, form.featureLines()...)
	for _, v := range form.Variants {
		if !v.Removed && !v.isBlank() {
			list = append(list, v.lines(form, l)...)
		}
	}

	add("modifiers", l.T("Modifiers"), form.modifierText())
	add("locks", l.T("Pushes do not change"), form.Locks.String())
	return list
}

// canonicalKey is the key of the canonical category.
const canonicalKey = "canonical_category"

// canonicalName returns the name of the canonical category, or "" for the default.
func (form *productForm) canonicalName() string {
	i := slices.IndexFunc(form.Categories, func(c categoryBox) bool { return c.ID == form.Canonical })
	if i < 0 {
		return ""
	}
	return form.Categories[i].Name
}

// featureLines returns a line for each feature with all its values.
func (form *productForm) featureLines() (list []line) {
	at := map[string]int{}
	for _, f := range form.Features {
		if f.Value.Text == "" {
			continue
		}
		if i, known := at[f.FeatureID]; known {
			list[i].Text += ", " + f.Value.Text
			continue
		}
		at[f.FeatureID] = len(list)
		list = append(list, line{Key: "features." + f.FeatureID, Label: f.FeatureName, Text: f.Value.Text})
	}
	return list
}

func (v *variantRow) lines(form *productForm, l *frame.Language) []line {
	label := v.Label()
	key := "variants." + v.ID
	if v.IsNew() {
		key += label
	}

	var list []line
	add := func(name, title, text string) {
		if text != "" || name == "price" { // a variant without other members has a line, too
			list = append(list, line{Key: key + "." + name, Label: title, Text: text})
		}
	}
	for _, m := range slices.Backward(catalog.VariantScalars) { // the name is the least important
		add(m.Name, l.T("%s: "+m.Words, label), canonicalText(v.Texts[m.Name], m.IsNumber))
		if _, isNumber := parseNumber(v.Texts[m.Name]); isNumber && m.Field == productfield.Price {
			last := &list[len(list)-1]
			last.Shown = withTwoDecimals(last.Text)
		}
	}
	add("external_id", l.T("%s: code in accounting", label), v.ExternalID)

	for i, o := range v.Options {
		add("options."+form.Options[i].ID, label+": "+form.Options[i].Name, o.Text)
	}

	for i, quantity := range v.Stocks {
		add("stocks."+form.Stocks[i].ID, label+": "+form.Stocks[i].Name, canonicalNumber(quantity))
	}

	if ids := strings.Join(v.Pictures.Ticked, " "); ids != "" {
		list = append(list, line{key + variantPictures, l.T("%s: images", label), ids, form.pictureNames(v, l)})
	}

	return list
}

// canonicalText returns the text of a scalar member as it is compared.
func canonicalText(text string, isNumber bool) string {
	if isNumber {
		return canonicalNumber(text)
	}
	return text
}

// canonicalNumber returns a typed number in the form in which stored ones are shown, or the text if it is not a number.
func canonicalNumber(text string) string {
	number, ok := parseNumber(text)
	if !ok {
		return text
	}
	if strings.Contains(number, ".") {
		number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	}
	return number
}

func (form *productForm) modifierText() string {
	var b strings.Builder
	for i, g := range form.Groups {
		if i > 0 {
			b.WriteString("; ")
		}

		b.WriteString(g.Name)
		if g.Min != "" || g.Max != "" {
			b.WriteString(" (" + g.Min + "–" + g.Max + ")")
		}

		if g.Required {
			b.WriteString(" *")
		}

		for k, item := range g.Items {
			b.WriteString([]string{": ", ", "}[min(k, 1)] + item.Name)
			if item.Price != "" {
				b.WriteString(" " + canonicalNumber(item.Price))
			}
		}
	}

	return b.String()
}

// digest returns a digest of what the form shows of the stored product. A form is saved only if the product still has
// it: reservations of orders raise the version of a product, but they are no reason to refuse a form. The images of
// variants are compared by picturesChanged, since the buttons of images change them beside the form.
func (form *productForm) digest() string {
	h := sha256.New()
	for _, l := range form.lines(english()) {
		if strings.HasSuffix(l.Key, variantPictures) {
			continue
		}
		h.Write([]byte(strconv.Itoa(len(l.Key)) + " " + l.Key + strconv.Itoa(len(l.Text)) + " " + l.Text))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// difference is a member that the operator's form and the stored product have different texts of.
type difference struct{ Label, Mine, Stored string }

// differences returns the members in which the form differs from the stored product.
func (form *productForm) differences(stored *productForm, l *frame.Language) (list []difference) {
	theirs := map[string]line{}
	for _, l := range stored.lines(l) {
		theirs[l.Key] = l
	}

	for _, l := range form.lines(l) {
		other := theirs[l.Key]
		delete(theirs, l.Key)
		if l.Text != other.Text {
			list = append(list, difference{l.Label, l.shown(), other.shown()})
		}
	}

	for _, l := range stored.lines(l) { // in their order
		if _, left := theirs[l.Key]; left && l.Text != "" {
			list = append(list, difference{l.Label, "", l.shown()})
		}
	}

	return list
}
