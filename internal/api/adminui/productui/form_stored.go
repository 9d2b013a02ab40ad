package productui

import (
	"context"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// variantsPerPage is the number of variants that the grid shows at once. A form with more would be slow to edit.
const variantsPerPage = 100

// allParts are the parts of a product that its page shows.
var allParts = view.Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}

// storedProduct is a product as it is stored, with everything that its page shows.
type storedProduct struct {
	view.ProductRows
	names    productNames
	stocks   []catalog.Stock
	archived []catalog.Variant // variants
}

// productNames are the names that products refer to, by row key.
type productNames struct {
	categories map[int64]view.CategoryName
	attributes map[int64]view.AttributeName
	values     map[int64]view.ValueName
}

// readStored reads a product, or returns fault.NotFound.
func (ui *UI) readStored(ctx context.Context, tx store.Tx, productID catalog.ProductID) (*storedProduct, error) {
	p, err := ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
	if err != nil {
		return nil, err
	}
	rows, _, err := view.ReadRows(ctx, tx, []int64{p.Key}, allParts, catalog.AnyArchived)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("product")
	}

	s := &storedProduct{ProductRows: rows[0]}
	s.Version = p.Version
	s.separateArchived()
	if s.stocks, _, err = ui.Catalog.Stocks.List(ctx, tx, "", maxStocks, 0); err != nil {
		return nil, err
	}

	s.names, err = ui.readNames(ctx, tx, &s.ProductRows)
	return s, err
}

// maxStocks is the number of warehouses that the grid shows.
const maxStocks = 50

// separateArchived moves the archived variants out of the list of variants.
func (s *storedProduct) separateArchived() {
	var variants []catalog.Variant
	var options [][]catalog.ValueKeys
	for i, v := range s.Variants {
		if v.ArchivedAt != nil {
			s.archived = append(s.archived, v)
			continue
		}
		variants = append(variants, v)
		options = append(options, s.OptionKeys[i])
	}
	s.Variants, s.OptionKeys = variants, options
}

// readNames reads the names of everything that a product refers to.
func (ui *UI) readNames(ctx context.Context, tx store.Tx, p *view.ProductRows) (productNames, error) {
	n := productNames{map[int64]view.CategoryName{}, map[int64]view.AttributeName{}, map[int64]view.ValueName{}}
	keys := view.NameKeys{Categories: p.CategoryKeys}
	attributes, values := map[int64]bool{}, map[int64]bool{}
	for _, list := range slices.Concat(p.OptionKeys, [][]catalog.ValueKeys{p.FeatureKeys}) {
		for _, k := range list {
			if !attributes[k.Attribute] {
				attributes[k.Attribute] = true
				keys.Attributes = append(keys.Attributes, k.Attribute)
			}
			if !values[k.Value] {
				values[k.Value] = true
				keys.Values = append(keys.Values, k.Value)
			}
		}
	}

	found, err := view.ReadNames(ctx, tx, keys)
	for _, c := range found.Categories {
		n.categories[c.Key] = c
	}

	for _, a := range found.Attributes {
		n.attributes[a.Key] = a
	}

	for _, v := range found.Values {
		n.values[v.Key] = v
	}

	return n, err
}

// value returns the field of a value, or false if the value or its attribute no longer exists.
func (n productNames) value(keys catalog.ValueKeys) (view.AttributeName, valueField, bool) {
	a, knownAttribute := n.attributes[keys.Attribute]
	v, knownValue := n.values[keys.Value]
	return a, valueField{ID: v.ID.String(), Was: v.Name, Text: v.Name},
		knownAttribute && knownValue && v.AttributeKey == keys.Attribute
}

// form returns the form of the stored product with a page of its variants.
func (s *storedProduct) form(page int64) *productForm {
	total := int64(len(s.Variants))
	pages := max(1, (total+variantsPerPage-1)/variantsPerPage)
	page = min(max(page, 1), pages)
	from := (page - 1) * variantsPerPage
	form := s.formWith(from, min(from+variantsPerPage, total))
	form.VariantPage, form.VariantPages = page, pages
	form.Digest, form.Base = form.digest(), form.baselineText()
	return form
}

// formOfAll returns a form with all variants, to compare others with.
func (s *storedProduct) formOfAll() *productForm { return s.formWith(0, int64(len(s.Variants))) }

// formWith returns a form with the variants from one position up to another.
func (s *storedProduct) formWith(from, to int64) *productForm {
	form := &productForm{ID: s.ID.String(), Texts: map[string]string{}, Stocks: stockChoices(s.stocks),
		Locks: s.Locks, LocksShown: true, Pictures: pictureViews(s.Images), PicturesShown: true}
	for _, m := range catalog.ProductScalars {
		form.Texts[m.Name] = m.Text(&s.Product)
	}

	if s.ExternalID != nil {
		form.ExternalID = *s.ExternalID
	}

	for _, key := range s.CategoryKeys {
		if c, ok := s.names.categories[key]; ok {
			form.Categories = append(form.Categories, categoryBox{ID: c.ID.String(), Name: c.Name, Ticked: true})
			if key == s.CanonicalKey {
				form.Canonical = c.ID.String()
			}
		}
	}

	for _, keys := range s.FeatureKeys {
		if a, v, ok := s.names.value(keys); ok {
			form.Features = append(form.Features, featureRow{FeatureID: a.ID.String(), FeatureName: a.Name, Value: v})
		}
	}

	s.addVariants(form, from, to)
	form.Groups = parseModifiers(s.Modifiers)
	return form
}

func stockChoices(stocks []catalog.Stock) []choice {
	list := make([]choice, len(stocks))
	for i, s := range stocks {
		list[i] = choice{ID: s.ID.String(), Name: s.Name}
	}
	return list
}

// addVariants adds the columns of options and the variants from one position up to another.
func (s *storedProduct) addVariants(form *productForm, from, to int64) {
	columns := map[int64]int{} // by the key of the option
	for _, list := range s.OptionKeys {
		for _, keys := range list {
			columns[keys.Attribute] = 0
		}
	}

	for _, key := range slices.Sorted(maps.Keys(columns)) { // the oldest option first
		if a, known := s.names.attributes[key]; known {
			columns[key] = len(form.Options)
			form.Options = append(form.Options, choice{ID: a.ID.String(), Name: a.Name})
		}
	}

	for i := from; i < to; i++ {
		v := &s.Variants[i]
		row := &variantRow{ID: v.ID.String(), Texts: variantTexts(v),
			Options: make([]valueField, len(form.Options)), Stocks: make([]string, len(form.Stocks)),
			Reserved: make([]string, len(form.Stocks))}
		if v.ExternalID != nil {
			row.ExternalID = *v.ExternalID
		}

		for _, keys := range s.OptionKeys[i] {
			if _, value, ok := s.names.value(keys); ok {
				row.Options[columns[keys.Attribute]] = value
			}
		}

		for _, m := range v.Remainders {
			at := slices.IndexFunc(form.Stocks, func(c choice) bool { return c.ID == m.StockID.String() })
			if at < 0 {
				continue
			}
			row.Stocks[at] = quantityText(m.Quantity)
			if m.Reserved > 0 {
				row.Reserved[at] = quantityText(m.Reserved)
			}
		}

		s.addPictures(v, row)
		form.Variants = append(form.Variants, row)
	}
}

// variantTexts returns the texts of the scalar members of a variant. They do not depend on the language.
func variantTexts(v *catalog.Variant) map[string]string {
	texts := map[string]string{}
	for _, m := range catalog.VariantScalars {
		texts[m.Name] = m.Text(v)
		if m.Field == productfield.Price && texts[m.Name] != "" {
			texts[m.Name] = withTwoDecimals(texts[m.Name])
		}
	}
	return texts
}

// withTwoDecimals returns an amount with at least the two decimals with which amounts are shown elsewhere.
func withTwoDecimals(text string) string {
	_, fraction, pointed := strings.Cut(text, ".")
	if !pointed {
		text += "."
	}
	return text + strings.Repeat("0", max(0, 2-len(fraction)))
}

// quantityText returns the text of a field, which does not depend on the language.
func quantityText(q money.Quantity) string {
	return string(wire.AppendFixed(nil, int64(q), money.QuantityDecimals))
}
