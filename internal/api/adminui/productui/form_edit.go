package productui

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/productapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// sentRows are the rows of the form by their position in the lists of the edit, for messages.
type sentRows struct {
	variants []*variantRow
	features []*featureRow
}

// errFormInvalid reports that the form has messages at its fields.
var errFormInvalid = errors.New("the form has errors")

// edit turns the form into an edit, by the rules of the bodies of the public API. The argument stored is nil for a new
// product. It returns errFormInvalid if there are messages at the fields of the form.
func (ui *UI) edit(
	ctx context.Context, tx store.Tx, form *productForm, stored *storedProduct, l *frame.Language,
) (_ catalog.ProductEdit, sent sentRows, err error) {
	wrong := &formErrors{l: l}
	if err := ui.resolveValues(ctx, tx, form, wrong); err != nil {
		return catalog.ProductEdit{}, sent, err
	}

	body := form.appendBody(nil, stored, &sent, wrong)
	in := wire.NewReader(bytes.NewReader(body))
	e := productapi.ReadProduct(in)

	err = in.End()
	if len(wrong.FieldErrors) == 0 && err == nil {
		return e, sent, nil
	}

	form.addErrors(err, sent, l)

	for field, messages := range wrong.FieldErrors {
		for _, message := range messages {
			form.addError(field, message, sent, l)
		}
	}

	return e, sent, errFormInvalid
}

// appendBody appends the JSON body that PUT /v2/products/{id} takes. A list that is as it is stored is left out, so
// that the operator does not count as its writer.
func (form *productForm) appendBody(b []byte, stored *storedProduct, sent *sentRows, wrong *formErrors) []byte {
	was := &productForm{}
	if stored != nil {
		was = stored.formOfAll()
	}

	b = append(b, '{')
	for _, name := range catalog.ProductScalars.Names("") {
		b = wire.AppendString(appendMember(b, name), form.Texts[name])
	}

	b = appendExternalID(append(b, `,"external_id":`...), form.ExternalID)
	if categories := form.categoryIDs(); stored == nil || !slices.Equal(categories, was.categoryIDs()) {
		b = append(b, `,"categories":[`...)
		for _, id := range categories {
			b = wire.AppendString(appendComma(b), id)
		}
		b = append(b, ']')
	}

	if stored == nil || !slices.Equal(form.featureValues(), was.featureValues()) {
		b = append(b, `,"features":[`...)
		for i := range form.Features {
			f := &form.Features[i]
			if f.Value.Text == "" {
				continue
			}
			sent.features = append(sent.features, f)
			b = appendValueRef(appendComma(b), "feature_id", f.FeatureID, f.Value.ID)
		}

		b = append(b, ']')
	}

	b = append(b, `,"variants":[`...)
	known := map[string]bool{}
	for _, v := range form.Variants {
		known[v.ID] = true
		if v.Removed || v.isBlank() {
			continue
		}
		sent.variants = append(sent.variants, v)
		b = v.appendBody(appendComma(b), form, was, stored, index(len(sent.variants)-1), wrong)
	}

	if stored != nil { // the variants of other pages stay
		for i := range stored.Variants {
			if id := stored.Variants[i].ID.String(); !known[id] {
				b = append(wire.AppendString(append(appendComma(b), `{"id":`...), id), '}')
			}
		}
	}

	b = append(b, ']')
	if stored == nil || form.modifierText() != was.modifierText() {
		b = form.appendModifiers(append(b, `,"modifiers":`...), wrong)
	}

	if form.LocksShown {
		b = append(b, `,"locks":[`...)
		for _, word := range form.Locks.Words() {
			b = wire.AppendString(appendComma(b), word)
		}
		b = append(b, ']')
	}

	return append(b, '}')
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

// featureValues returns the ids of the features with those of their values, sorted.
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

// appendComma appends a comma unless the list is empty.
func appendComma(b []byte) []byte {
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	return b
}

func appendExternalID(b []byte, externalID string) []byte {
	if externalID == "" {
		return append(b, "null"...)
	}
	return wire.AppendString(b, externalID)
}

// appendValueRef appends a reference to a value. A value that was not found has a message at its field; its id stands
// in for it, so that the body has no error of its own there.
func appendValueRef(b []byte, member, attributeID, valueID string) []byte {
	if valueID == "" {
		valueID = catalog.ValueID{}.String()
	}
	b = wire.AppendString(append(append(append(b, `{"`...), member...), `":`...), attributeID)
	return append(wire.AppendString(append(b, `,"value_id":`...), valueID), '}')
}

// isBlank reports whether the row is one that was added and not filled in.
func (v *variantRow) isBlank() bool {
	return v.IsNew() && v.Name == "" && v.SKU == "" && v.ExternalID == "" && v.Price == "" &&
		!slices.ContainsFunc(v.Options, func(o valueField) bool { return o.Text != "" }) &&
		!slices.ContainsFunc(v.Stocks, func(quantity string) bool { return quantity != "" })
}

func (v *variantRow) appendBody(
	b []byte, form, was *productForm, stored *storedProduct, at string, wrong *formErrors,
) []byte {
	b = append(b, '{')
	if !v.IsNew() {
		b = wire.AppendString(appendMember(b, "id"), v.ID)
	}

	b = wire.AppendString(appendMember(b, "name"), v.Name)
	b = wire.AppendString(appendMember(b, "sku"), v.SKU)
	b = appendExternalID(appendMember(b, "external_id"), v.ExternalID)
	if v.Price == "" {
		b = append(appendMember(b, "price"), "null"...) // not for sale
	}

	b = appendNumber(b, "price", v.Price, "variants"+at, wrong)
	b = append(appendMember(b, "options"), '[')
	for i, o := range v.Options {
		if o.Text != "" {
			b = appendValueRef(appendComma(b), "option_id", form.Options[i].ID, o.ID)
		}
	}

	b = append(b, ']')
	if i := slices.IndexFunc(was.Variants, func(row *variantRow) bool { return row.ID == v.ID }); i >= 0 &&
		maps.Equal(v.quantities(form), was.Variants[i].quantities(was)) {
		return append(b, '}')
	}

	b = append(b, `,"remainders":[`...)
	for i, quantity := range v.Stocks {
		if quantity == "" {
			continue
		}
		b = wire.AppendString(append(appendComma(b), `{"stock_id":`...), form.Stocks[i].ID)
		b = append(appendNumber(b, "quantity", quantity, "variants"+at, wrong), '}')
	}

	for _, m := range stored.otherRemainders(v.ID, form.Stocks) {
		b = wire.AppendString(append(appendComma(b), `{"stock_id":`...), m.StockID.String())
		b = append(append(b, `,"quantity":`+quantityText(m.Quantity)...), '}')
	}

	return append(b, "]}"...)
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

// addErrors puts the messages of a fault at the fields of the form.
func (form *productForm) addErrors(err error, sent sentRows, l *frame.Language) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return
	}
	for _, field := range f.Fields {
		form.addError(field.Field, l.Fault(field.Message), sent, l)
	}
}

// fieldPath matches the path of a field in a list, such as variants[2].price.
var fieldPath = regexp.MustCompile(`^(variants|features|modifiers)\[(\d+)\]\.?(.*)$`)

// addError puts a message at the field with this path in the body.
func (form *productForm) addError(path, message string, sent sentRows, l *frame.Language) {
	at := fieldPath.FindStringSubmatch(path)
	if at == nil {
		wrong := formErrors{FieldErrors: form.Errors}
		wrong.add(path, message)
		form.Errors = wrong.FieldErrors
		return
	}

	i, _ := strconv.Atoi(at[2])
	if label := memberLabel(at[3], l); label != "" {
		message = label + ": " + message
	}

	switch {
	case at[1] == "variants" && i < len(sent.variants):
		sent.variants[i].Errors = append(sent.variants[i].Errors, message)
	case at[1] == "features" && i < len(sent.features):
		sent.features[i].Errors = append(sent.features[i].Errors, message)
	case at[1] == "modifiers" && i < len(form.Groups):
		form.Groups[i].Errors = append(form.Groups[i].Errors, message)
	}
}

// memberLabel returns the label of a member of a variant or a modifier, or "" if it needs none.
func memberLabel(path string, l *frame.Language) string {
	switch {
	case path == "price":
		return l.T("Price")
	case path == "sku":
		return l.T("SKU")
	case path == "name":
		return l.T("Name")
	case path == "external_id":
		return l.T("Code in accounting")
	case len(path) > 9 && path[:9] == "remainder", path == "quantity":
		return l.T("Stock")
	case len(path) > 6 && path[:6] == "items[":
		return l.T("Choice")
	}
	return ""
}

// valueUse is a field of a value that has to be looked up by name.
type valueUse struct {
	attribute catalog.Attribute
	field     *valueField
	path      string
}

// resolveValues finds the values of fields in which the operator has typed a name. If the form says so, it creates
// values that do not exist.
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

		if !form.AddValues || round == 1 {
			for _, u := range unknown {
				if u.attribute.Kind == catalog.Feature {
					form.UnknownFeatures = true
				} else {
					form.UnknownOptions = true
				}
				wrong.add(u.path, wrong.l.T("%s has no value “%s”.", u.attribute.Name, u.field.Text))
			}

			return nil
		}

		if err := ui.addValues(ctx, tx, unknown); err != nil {
			return err
		}
	}

	return nil
}

// typedValues returns the fields whose values are not known. Positions of rows count those that are sent.
func (form *productForm) typedValues(features, options map[string]catalog.Attribute) (uses []valueUse) {
	add := func(attributes map[string]catalog.Attribute, id string, field *valueField, path string) {
		if a, ok := attributes[id]; ok && field.Text != "" && (field.ID == "" || field.Text != field.Was) {
			field.ID = ""
			uses = append(uses, valueUse{a, field, path})
		}
	}
	sent := 0
	for i := range form.Features {
		f := &form.Features[i]
		if f.Value.Text != "" {
			add(features, f.FeatureID, &f.Value, "features"+index(sent))
			sent++
		}
	}

	sent = 0
	for _, v := range form.Variants {
		if v.Removed || v.isBlank() {
			continue
		}
		for i := range v.Options {
			add(options, form.Options[i].ID, &v.Options[i], "variants"+index(sent))
		}
		sent++
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

	found, err := ui.Catalog.Attributes.ValuesByName(ctx, tx, wanted)
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
