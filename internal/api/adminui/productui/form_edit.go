package productui

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// sentRows are the rows of the form by their position in the lists of the edit, for messages.
type sentRows struct {
	variants []*variantRow
	features []*featureRow
}

// edit turns the form into an edit. The argument stored is nil for a new product. It returns errFormInvalid if there
// are messages at the fields of the form.
func (ui *UI) edit(
	ctx context.Context, tx store.Tx, form *productForm, stored *storedProduct, l *frame.Language,
) (e catalog.ProductEdit, sent sentRows, err error) {
	wrong := &formErrors{l: l}
	if err := ui.resolveValues(ctx, tx, form, wrong); err != nil {
		return e, sent, err
	}

	was := &productForm{}
	if stored != nil {
		was = stored.formOfAll()
	}

	e = form.edit(was, stored, &sent, wrong)
	broken := e.Check()
	var brokenModifiers error
	if stored == nil || form.modifierText() != was.modifierText() {
		e.Modifiers, brokenModifiers = form.modifiers(wrong)
	}

	if broken == nil && brokenModifiers == nil && len(wrong.list) == 0 {
		return e, sent, nil
	}

	form.addErrors(broken, sent, l)
	form.addErrors(brokenModifiers, sent, l)
	for _, w := range wrong.list {
		form.put(w.place, w.message)
	}

	return e, sent, errFormInvalid
}

// edit returns the edit that the form asks for, without modifiers. A list that is as it is stored is left out, so that
// the operator does not count as its writer.
func (form *productForm) edit(
	was *productForm, stored *storedProduct, sent *sentRows, wrong *formErrors,
) (e catalog.ProductEdit) {
	for _, m := range catalog.ProductScalars {
		at := place{member: m.Name}
		text := wrong.typedText(at, form.Texts[m.Name], m.IsNumber)
		wrong.check(at, catalog.ProductScalars.SetText(&e, m.Name, text))
	}

	e.ExternalID = &form.ExternalID
	if form.LocksShown {
		e.Locks = &form.Locks
	}

	if categories := form.categoryIDs(); stored == nil || !slices.Equal(categories, was.categoryIDs()) {
		e.Categories = &[]catalog.CategoryID{}
		for _, text := range categories {
			*e.Categories = append(*e.Categories, parseID[catalog.Category](text, place{member: "categories"}, wrong))
		}
	}

	if canonical := form.canonicalAfter(was); canonical != was.Canonical {
		e.CanonicalCategory = &catalog.CategoryID{}
		if canonical != "" {
			at := place{member: "canonical_category_id"}
			*e.CanonicalCategory = parseID[catalog.Category](canonical, at, wrong)
		}
	}

	if stored == nil || !slices.Equal(form.featureValues(), was.featureValues()) {
		e.Features = &[]catalog.ValueRef{}
		for i := range form.Features {
			f := &form.Features[i]
			if f.Value.Text != "" {
				sent.features = append(sent.features, f)
				*e.Features = append(*e.Features, valueRef(f.FeatureID, f.Value.ID, place{row: &f.Errors}, wrong))
			}
		}
	}

	e.Variants = &[]catalog.VariantEdit{}
	known := map[string]bool{}
	for _, v := range form.Variants {
		known[v.ID] = true
		if !v.Removed && !v.isBlank() {
			sent.variants = append(sent.variants, v)
			*e.Variants = append(*e.Variants, v.edit(form, was, stored, wrong))
		}
	}

	if stored != nil { // the variants of other pages stay
		for i := range stored.Variants {
			if id := stored.Variants[i].ID; !known[id.String()] {
				*e.Variants = append(*e.Variants, catalog.VariantEdit{ID: id})
			}
		}
	}

	return e
}

// parseID returns the id that a field of the form has. If it is none, it adds a message.
func parseID[Thing any](text string, at place, wrong *formErrors) id.Of[Thing] {
	parsed, broken := wire.ParseID[Thing](text)
	wrong.check(at, broken)
	return parsed
}

// valueRef returns a reference to a value. A value that was not found has a message at its row already.
func valueRef(attributeID, valueID string, at place, wrong *formErrors) (ref catalog.ValueRef) {
	ref.Attribute = parseID[catalog.Attribute](attributeID, at, wrong)
	if valueID != "" {
		ref.Value = parseID[catalog.Value](valueID, at, wrong)
	}
	return ref
}

// categoryIDs returns the ids of the ticked categories, sorted.
func (form *productForm) categoryIDs() (ids []string) {
	for _, c := range form.Categories {
		if c.Ticked {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// canonicalAfter returns the id of the chosen canonical category, or "" for the default: also if the product loses the
// category that was chosen before.
func (form *productForm) canonicalAfter(was *productForm) string {
	if form.Canonical == was.Canonical && !slices.Contains(form.categoryIDs(), form.Canonical) {
		return ""
	}
	return form.Canonical
}

// featureValues returns the id of each feature with the id of its value, sorted.
func (form *productForm) featureValues() (ids []string) {
	for _, f := range form.Features {
		if f.Value.Text != "" {
			ids = append(ids, f.FeatureID+" "+f.Value.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// quantities returns the quantities of the row by the ids of their stocks.
func (v *variantRow) quantities(form *productForm) map[string]string {
	counted := map[string]string{}
	for i, quantity := range v.Stocks {
		if quantity != "" {
			counted[form.Stocks[i].ID] = canonicalNumber(quantity)
		}
	}
	return counted
}

// isBlank reports whether the row is one that was added and not filled in.
func (v *variantRow) isBlank() bool {
	return v.IsNew() && v.ExternalID == "" && strings.Join(slices.Collect(maps.Values(v.Texts)), "") == "" &&
		!slices.ContainsFunc(v.Options, func(o valueField) bool { return o.Text != "" }) &&
		!slices.ContainsFunc(v.Stocks, func(quantity string) bool { return quantity != "" })
}

func (v *variantRow) edit(
	form, was *productForm, stored *storedProduct, wrong *formErrors,
) (e catalog.VariantEdit) {
	e.ExternalID = &v.ExternalID
	if !v.IsNew() {
		e.ID = parseID[catalog.Variant](v.ID, place{row: &v.Errors}, wrong)
	}

	for _, m := range catalog.VariantScalars {
		at := place{&v.Errors, m.Name, wrong.l.T(m.Label())}
		text := wrong.typedText(at, v.Texts[m.Name], m.IsNumber)
		wrong.check(at, catalog.VariantScalars.SetText(&e, m.Name, text))
	}

	e.Options = &[]catalog.ValueRef{}
	for i, o := range v.Options {
		if o.Text != "" {
			*e.Options = append(*e.Options, valueRef(form.Options[i].ID, o.ID, v.optionPlace(i), wrong))
		}
	}

	if stored != nil {
		e.Images = v.Pictures.edit(place{&v.Errors, "image", wrong.l.T("Images")}, wrong)
	}

	if i := slices.IndexFunc(was.Variants, func(row *variantRow) bool { return row.ID == v.ID }); i >= 0 &&
		maps.Equal(v.quantities(form), was.Variants[i].quantities(was)) {
		return e
	}

	e.Remainders = &[]catalog.RemainderEdit{}
	for i, quantity := range v.Stocks {
		if quantity != "" {
			at := place{&v.Errors, "stock." + strconv.Itoa(i), form.Stocks[i].Name}
			*e.Remainders = append(*e.Remainders, catalog.RemainderEdit{
				Stock:    parseID[catalog.Stock](form.Stocks[i].ID, at, wrong),
				Quantity: parseQuantity(quantity, at, wrong)})
		}
	}

	for _, m := range stored.otherRemainders(v.ID, form.Stocks) {
		*e.Remainders = append(*e.Remainders, catalog.RemainderEdit{Stock: m.StockID, Quantity: m.Quantity})
	}

	return e
}

// parseQuantity returns the quantity that an operator has typed. If it is none, or breaks a rule, parseQuantity adds a
// message.
func parseQuantity(text string, at place, wrong *formErrors) money.Quantity {
	number, ok := parseNumber(text)
	if !ok {
		wrong.notNumber(at, text)
		return 0
	}
	quantity, broken := money.ParseQuantity(number)
	if wrong.check(at, broken); broken != nil {
		return 0
	}
	return quantity
}

// optionPlace returns the place of the messages of an option. They name it.
func (v *variantRow) optionPlace(i int) place {
	return place{row: &v.Errors, member: "option." + strconv.Itoa(i)}
}

// otherRemainders returns what warehouses have of a variant that the form does not show.
func (s *storedProduct) otherRemainders(variantID string, shown []choice) (list []catalog.Remainder) {
	if s == nil {
		return nil
	}
	for i := range s.Variants {
		if s.Variants[i].ID.String() != variantID {
			continue
		}
		for _, m := range s.Variants[i].Remainders {
			if !slices.ContainsFunc(shown, func(c choice) bool { return c.ID == m.StockID.String() }) {
				list = append(list, m)
			}
		}
	}
	return list
}

// valueUse is a field of a value that has to be looked up by name.
type valueUse struct {
	attribute catalog.Attribute
	field     *valueField
	at        place
}

// resolveValues finds the values of fields in which the operator has typed a name. It creates those that do not exist
// if the operator has said that they are new.
func (ui *UI) resolveValues(ctx context.Context, tx store.Tx, form *productForm, wrong *formErrors) error {
	features, err := ui.attributes(ctx, tx, catalog.Feature, form.featureIDs())
	if err != nil {
		return err
	}
	options, err := ui.attributes(ctx, tx, catalog.Option, form.optionIDs())
	if err != nil {
		return err
	}

	uses := form.typedValues(features, options)
	for round := range 2 {
		unknown, err := ui.findValues(ctx, tx, uses)
		if err != nil || len(unknown) == 0 {
			return err
		}

		refused := slices.DeleteFunc(slices.Clone(unknown), func(u valueUse) bool {
			return round == 0 && (form.AddValues || u.field.IsNew)
		})
		if len(refused) > 0 {
			form.refuseValues(refused, wrong)
			return nil
		}

		if err := ui.addValues(ctx, tx, unknown); err != nil {
			return err
		}
	}

	return nil
}

// refuseValues adds messages at fields that name values which do not exist.
func (form *productForm) refuseValues(refused []valueUse, wrong *formErrors) {
	for _, u := range refused {
		wrong.add(u.at, wrong.l.T("%s has no value “%s”.", u.attribute.Name, u.field.Text))
		unknown := unknownValue{u.attribute.Name, u.field.Text}
		if !slices.Contains(form.Unknown, unknown) && len(form.Unknown) < maxProblems {
			form.Unknown = append(form.Unknown, unknown)
		}
	}
}

// typedValues returns the fields whose values are not known.
func (form *productForm) typedValues(features, options map[string]catalog.Attribute) (uses []valueUse) {
	add := func(attributes map[string]catalog.Attribute, id string, field *valueField, at place) {
		if a, ok := attributes[id]; ok && field.Text != "" && (field.ID == "" || field.Text != field.Was) {
			field.ID = ""
			uses = append(uses, valueUse{a, field, at})
		}
	}

	for i := range form.Features {
		f := &form.Features[i]
		add(features, f.FeatureID, &f.Value, place{row: &f.Errors})
	}

	for _, v := range form.Variants {
		if v.Removed || v.isBlank() {
			continue
		}
		for i := range v.Options {
			add(options, form.Options[i].ID, &v.Options[i], v.optionPlace(i))
		}
	}

	return uses
}

// findValues sets the ids of fields whose values exist, and returns the other fields.
func (ui *UI) findValues(ctx context.Context, tx store.Tx, uses []valueUse) (unknown []valueUse, err error) {
	if len(uses) == 0 {
		return nil, nil
	}

	wanted := map[int64][]string{}
	for _, u := range uses {
		wanted[u.attribute.Key] = append(wanted[u.attribute.Key], u.field.Text)
	}

	found, err := view.ValuesByName(ctx, tx, ui.Catalog.Attributes, wanted)
	if err != nil {
		return nil, err
	}

	for _, u := range uses {
		v, ok := found[u.attribute.Key][u.field.Text]
		if !ok {
			unknown = append(unknown, u)
			continue
		}
		*u.field = valueField{ID: v.ID.String(), Was: v.Name, Text: v.Name}
	}

	return unknown, nil
}

// addValues creates the values that fields name.
func (ui *UI) addValues(ctx context.Context, tx store.Tx, unknown []valueUse) error {
	names := map[catalog.AttributeID][]string{}
	kinds := map[catalog.AttributeID]catalog.Kind{}
	for _, u := range unknown {
		id := u.attribute.ID
		if kinds[id] = u.attribute.Kind; !slices.Contains(names[id], u.field.Text) {
			names[id] = append(names[id], u.field.Text)
		}
	}
	for id, list := range names {
		if _, err := ui.Catalog.Attributes.AddValues(ctx, tx, kinds[id], id, list, nil); err != nil {
			return err
		}
	}
	return nil
}
