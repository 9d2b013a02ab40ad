package productui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/fault"
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

// formErrors are messages at the rows and fields of a form.
type formErrors struct {
	l    *frame.Language
	list []rowError
	// fields has the messages of the fields that are in no row, by their names.
	fields map[string]*[]string
}

// rowError is a message for the errors of a row.
type rowError struct {
	at      *[]string
	message string
}

// field returns where the messages of a field are that is in no row.
func (e *formErrors) field(name string) *[]string {
	if e.fields == nil {
		e.fields = map[string]*[]string{}
	}
	if e.fields[name] == nil {
		e.fields[name] = &[]string{}
	}
	return e.fields[name]
}

func (e *formErrors) add(at *[]string, message string) {
	e.list = append(e.list, rowError{at, message})
}

// check adds the broken rule of a member of a row, unless broken is nil.
func (e *formErrors) check(at *[]string, member string, broken *fault.Field) {
	if broken != nil {
		e.add(at, labelled(member, e.l.Fault(broken.Message), e.l))
	}
}

func (e *formErrors) notNumber(at *[]string, member, text string) {
	e.add(at, labelled(member, e.l.T("“%s” is not a number. Write it like 1990.50.", text), e.l))
}

// typedText returns the text of a scalar member as its rule reads it: a number without groups of digits and with a
// point. For a text that is no number, typedText adds a message and returns "".
func (e *formErrors) typedText(at *[]string, member, text string, isNumber bool) string {
	if !isNumber || text == "" {
		return text
	}
	number, ok := parseNumber(text)
	if !ok {
		e.notNumber(at, member, text)
		return ""
	}
	return number
}

// errFormInvalid reports that the form has messages at its fields.
var errFormInvalid = errors.New("the form has errors")

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
		*w.at = append(*w.at, w.message)
	}

	for name, messages := range wrong.fields {
		for _, message := range *messages {
			form.addError(name, message, sent, l)
		}
	}

	return e, sent, errFormInvalid
}

// edit returns the edit that the form asks for, without modifiers. A list that is as it is stored is left out, so that
// the operator does not count as its writer.
func (form *productForm) edit(
	was *productForm, stored *storedProduct, sent *sentRows, wrong *formErrors,
) (e catalog.ProductEdit) {
	var unplaced []string // messages that only a forged form gets
	for _, m := range catalog.ProductScalars {
		at := wrong.field(m.Name)
		text := wrong.typedText(at, m.Name, form.Texts[m.Name], m.IsNumber)
		wrong.check(at, m.Name, catalog.ProductScalars.SetText(&e, m.Name, text))
	}

	e.ExternalID = &form.ExternalID
	if form.LocksShown {
		e.Locks = &form.Locks
	}

	if categories := form.categoryIDs(); stored == nil || !slices.Equal(categories, was.categoryIDs()) {
		e.Categories = &[]catalog.CategoryID{}
		for _, text := range categories {
			*e.Categories = append(*e.Categories, parseID[catalog.Category](text, &unplaced, wrong))
		}
	}

	if canonical := form.canonicalAfter(was); canonical != was.Canonical {
		e.CanonicalCategory = &catalog.CategoryID{}
		if canonical != "" {
			at := wrong.field("canonical_category_id")
			*e.CanonicalCategory = parseID[catalog.Category](canonical, at, wrong)
		}
	}

	if stored == nil || !slices.Equal(form.featureValues(), was.featureValues()) {
		e.Features = &[]catalog.ValueRef{}
		for i := range form.Features {
			f := &form.Features[i]
			if f.Value.Text != "" {
				sent.features = append(sent.features, f)
				*e.Features = append(*e.Features, valueRef(f.FeatureID, f.Value.ID, &f.Errors, wrong))
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

// parseID returns the id that a field of the form has. If it is none, it adds a message at a row.
func parseID[Thing any](text string, at *[]string, wrong *formErrors) id.Of[Thing] {
	parsed, broken := wire.ParseID[Thing](text)
	wrong.check(at, "", broken)
	return parsed
}

// valueRef returns a reference to a value. A value that was not found has a message at its row already.
func valueRef(attributeID, valueID string, at *[]string, wrong *formErrors) (ref catalog.ValueRef) {
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
		e.ID = parseID[catalog.Variant](v.ID, &v.Errors, wrong)
	}

	for _, m := range catalog.VariantScalars {
		text := wrong.typedText(&v.Errors, m.Name, v.Texts[m.Name], m.IsNumber)
		wrong.check(&v.Errors, m.Name, catalog.VariantScalars.SetText(&e, m.Name, text))
	}

	e.Options = &[]catalog.ValueRef{}
	for i, o := range v.Options {
		if o.Text != "" {
			*e.Options = append(*e.Options, valueRef(form.Options[i].ID, o.ID, &v.Errors, wrong))
		}
	}

	if stored != nil {
		e.Images = v.Pictures.edit(&v.Errors, wrong)
	}

	if i := slices.IndexFunc(was.Variants, func(row *variantRow) bool { return row.ID == v.ID }); i >= 0 &&
		maps.Equal(v.quantities(form), was.Variants[i].quantities(was)) {
		return e
	}

	e.Remainders = &[]catalog.RemainderEdit{}
	for i, quantity := range v.Stocks {
		if quantity != "" {
			*e.Remainders = append(*e.Remainders, catalog.RemainderEdit{
				Stock:    parseID[catalog.Stock](form.Stocks[i].ID, &v.Errors, wrong),
				Quantity: parseQuantity(quantity, &v.Errors, wrong)})
		}
	}

	for _, m := range stored.otherRemainders(v.ID, form.Stocks) {
		*e.Remainders = append(*e.Remainders, catalog.RemainderEdit{Stock: m.StockID, Quantity: m.Quantity})
	}

	return e
}

// parseQuantity returns the quantity that an operator has typed. If it is none, or breaks a rule, parseQuantity adds a
// message at a row.
func parseQuantity(text string, at *[]string, wrong *formErrors) money.Quantity {
	number, ok := parseNumber(text)
	if !ok {
		wrong.notNumber(at, "quantity", text)
		return 0
	}
	quantity, broken := money.ParseQuantity(number)
	if wrong.check(at, "quantity", broken); broken != nil {
		return 0
	}
	return quantity
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

// addError puts a message at the field with this path, such as variants[2].price.
func (form *productForm) addError(path, message string, sent sentRows, l *frame.Language) {
	list, rest, _ := strings.Cut(path, "[")
	number, member, _ := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	message = labelled(strings.TrimPrefix(member, "."), message, l)

	switch {
	case err == nil && list == "variants" && i < len(sent.variants):
		sent.variants[i].Errors = append(sent.variants[i].Errors, message)
	case err == nil && list == "features" && i < len(sent.features):
		sent.features[i].Errors = append(sent.features[i].Errors, message)
	case err == nil && list == "modifiers" && i < len(form.Groups):
		form.Groups[i].Errors = append(form.Groups[i].Errors, message)
	case err == nil && slices.Contains([]string{"variants", "features", "modifiers"}, list):
	default:
		if form.Errors == nil {
			form.Errors = frame.FieldErrors{}
		}
		form.Errors[path] = append(form.Errors[path], message)
	}
}

// labelled returns a message after the label of the member of a row that it is about, if that has one.
func labelled(member, message string, l *frame.Language) string {
	if label := memberLabel(member, l); label != "" {
		return label + ": " + message
	}
	return message
}

// memberLabel returns the label of a member of a variant or a modifier, or "" if it needs none.
func memberLabel(path string, l *frame.Language) string {
	for _, m := range catalog.VariantScalars {
		if m.Name == path {
			return l.T(m.Label())
		}
	}

	switch {
	case path == "external_id":
		return l.T("Code in accounting")
	case strings.HasPrefix(path, "remainders"), path == "quantity":
		return l.T("Stock")
	case strings.HasPrefix(path, "items["):
		return l.T("Choice")
	case strings.HasPrefix(path, "images"):
		return l.T("Images")
	}

	return ""
}

// valueUse is a field of a value that has to be looked up by name.
type valueUse struct {
	attribute catalog.Attribute
	field     *valueField
	errors    *[]string // of its row
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
				wrong.add(u.errors, wrong.l.T("%s has no value “%s”.", u.attribute.Name, u.field.Text))
			}

			return nil
		}

		if err := ui.addValues(ctx, tx, unknown); err != nil {
			return err
		}
	}

	return nil
}

// typedValues returns the fields whose values are not known.
func (form *productForm) typedValues(features, options map[string]catalog.Attribute) (uses []valueUse) {
	add := func(attributes map[string]catalog.Attribute, id string, field *valueField, errors *[]string) {
		if a, ok := attributes[id]; ok && field.Text != "" && (field.ID == "" || field.Text != field.Was) {
			field.ID = ""
			uses = append(uses, valueUse{a, field, errors})
		}
	}

	for i := range form.Features {
		f := &form.Features[i]
		add(features, f.FeatureID, &f.Value, &f.Errors)
	}

	for _, v := range form.Variants {
		if v.Removed || v.isBlank() {
			continue
		}
		for i := range v.Options {
			add(options, form.Options[i].ID, &v.Options[i], &v.Errors)
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
