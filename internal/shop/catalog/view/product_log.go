package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// loggedParts are the parts of a product that its log shows.
var loggedParts = Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}

// ReadProductText reads a product as the log shows it. It is for catalog.Deps.
func ReadProductText(ctx context.Context, tx store.Tx, productKey int64) (*catalog.ProductText, error) {
	list, _, err := ReadRows(ctx, tx, []int64{productKey}, loggedParts, catalog.Live)
	if err != nil || len(list) == 0 {
		return &catalog.ProductText{}, err
	}
	names, err := readLoggedNames(ctx, tx, &list[0])
	if err != nil {
		return nil, err
	}
	return list[0].text(names), nil
}

// loggedNames are the names of what a product refers to.
type loggedNames struct {
	categories, attributes, values map[int64]string
	stocks                         map[catalog.StockID]string
	prices                         map[int64][]attributeText // in price lists, by variant key
}

// maxLoggedStocks is the number of warehouses whose quantities the log shows.
const maxLoggedStocks = 1000

// readLoggedNames reads the names of what the product refers to.
func readLoggedNames(ctx context.Context, tx store.Tx, p *ProductRows) (n loggedNames, err error) {
	keys := NameKeys{Categories: p.CategoryKeys}
	for _, list := range slices.Concat(p.OptionKeys, [][]catalog.ValueKeys{p.FeatureKeys}) {
		for _, k := range list {
			keys.Attributes = append(keys.Attributes, k.Attribute)
			keys.Values = append(keys.Values, k.Value)
		}
	}

	slices.Sort(keys.Attributes)
	slices.Sort(keys.Values)
	keys.Attributes = slices.Compact(keys.Attributes)
	keys.Values = slices.Compact(keys.Values)

	found, err := ReadNames(ctx, tx, keys)
	if err != nil {
		return n, err
	}
	stocks, _, err := (&catalog.Stocks{}).List(ctx, tx, "", maxLoggedStocks, 0)
	if err != nil {
		return n, err
	}

	n = loggedNames{map[int64]string{}, map[int64]string{}, map[int64]string{}, map[catalog.StockID]string{}, nil}
	if n.prices, err = listPriceTexts(ctx, tx, p.Key); err != nil {
		return n, err
	}

	for _, c := range found.Categories {
		n.categories[c.Key] = c.Name
	}

	for _, a := range found.Attributes {
		n.attributes[a.Key] = a.Name
	}

	for _, v := range found.Values {
		n.values[v.Key] = v.Name
	}

	for _, t := range stocks {
		n.stocks[t.ID] = t.Name
	}

	return n, nil
}

// text returns the product as the log shows it. Archived variants have none.
func (p *ProductRows) text(names loggedNames) *catalog.ProductText {
	var categories []string
	for _, key := range p.CategoryKeys {
		if name, found := names.categories[key]; found {
			categories = append(categories, name)
		}
	}

	slices.Sort(categories)
	var list []catalog.MemberText
	for _, m := range catalog.ProductScalars {
		list = append(list, catalog.MemberText{Key: m.Name, Field: m.Name, Text: m.Text(&p.Product)})
	}

	list = append(list, catalog.MemberText{Key: "external_id", Field: "external_id", Text: orNone(p.ExternalID)},
		catalog.MemberText{Key: "categories", Field: "categories", Text: strings.Join(categories, ", ")},
		catalog.MemberText{Key: "canonical_category", Field: "canonical_category",
			Text: names.categories[p.CanonicalKey]})

	for _, of := range valuesByAttribute(p.FeatureKeys, names) {
		list = append(list, catalog.MemberText{Key: "features." + of.name, Field: of.name, Text: of.values})
	}

	for i := range p.Variants {
		list = append(list, variantTexts(&p.Variants[i], valuesByAttribute(p.OptionKeys[i], names), names)...)
	}

	list = append(list, catalog.MemberText{Key: "modifiers", Field: "modifiers", Text: modifierText(p.Modifiers)},
		catalog.MemberText{Key: "locks", Field: "locks", Text: p.Locks.String()})

	text := &catalog.ProductText{Members: list}
	for i := range p.Images {
		text.Images = append(text.Images, p.Images[i].ID)
	}
	for i := range p.Variants {
		for _, im := range p.Variants[i].Images {
			text.Images = append(text.Images, im.ID)
		}
	}

	return text
}

// attributeText is an option or a feature with its values, separated by commas.
type attributeText struct{ name, values string }

// valuesByAttribute returns the attributes that still exist, in the order of the keys.
func valuesByAttribute(keys []catalog.ValueKeys, names loggedNames) (list []attributeText) {
	at := map[int64]int{}
	for _, k := range keys {
		name, known := names.attributes[k.Attribute]
		value, valueKnown := names.values[k.Value]
		if !known || !valueKnown {
			continue
		}
		if i, has := at[k.Attribute]; has {
			list[i].values += ", " + value
			continue
		}
		at[k.Attribute] = len(list)
		list = append(list, attributeText{name, value})
	}
	return list
}

// variantTexts returns the members of the variant. The names of its options tell it from the other variants.
func variantTexts(v *catalog.Variant, options []attributeText, names loggedNames) []catalog.MemberText {
	var chosen []string
	for _, o := range options {
		chosen = append(chosen, o.values)
	}

	label := cmp.Or(strings.Join(chosen, ", "), v.SKU, v.Name)
	key := "variants." + v.ID.String()
	var list []catalog.MemberText
	add := func(name, field, text string) {
		if text != "" || name == "price" { // a variant without other members has a line, too
			list = append(list, catalog.MemberText{Key: key + "." + name, Field: label + ": " + field, Text: text})
		}
	}
	for _, m := range slices.Backward(catalog.VariantScalars) { // the name is the least important
		add(m.Name, m.Words, m.Text(v))
	}
	add("external_id", "code in accounting", orNone(v.ExternalID))

	for _, o := range options {
		add("options."+o.name, o.name, o.values)
	}

	for _, m := range v.Remainders {
		if name, known := names.stocks[m.StockID]; known {
			add("stocks."+m.StockID.String(), name, m.Quantity.Text())
		}
	}

	for _, p := range names.prices[v.Key] {
		add("prices."+p.name, p.name, p.values)
	}

	return list
}

// modifierText returns the modifiers of a product in one line: Sauce (0–2): Ketchup 10.5, Mustard; Size *: Large.
func modifierText(modifiers string) string {
	var groups []struct {
		Name     string         `json:"name"`
		Min      jsontext.Value `json:"min"`
		Max      jsontext.Value `json:"max"`
		Required bool           `json:"required"`
		Items    []struct {
			Name  string         `json:"name"`
			Price jsontext.Value `json:"price"`
		} `json:"items"`
	}
	if modifiers == "" || json.Unmarshal([]byte(modifiers), &groups) != nil {
		return modifiers
	}

	var b strings.Builder
	for i, g := range groups {
		if i > 0 {
			b.WriteString("; ")
		}

		b.WriteString(g.Name)
		if least, most := numberText(g.Min), numberText(g.Max); least != "" || most != "" {
			b.WriteString(" (" + least + "–" + most + ")")
		}

		if g.Required {
			b.WriteString(" *")
		}

		for k, item := range g.Items {
			b.WriteString([]string{": ", ", "}[min(k, 1)] + item.Name)
			if price := numberText(item.Price); price != "" {
				b.WriteString(" " + price)
			}
		}
	}

	return b.String()
}

// numberText returns a JSON number without trailing zeros, or "" for null.
func numberText(number jsontext.Value) string {
	text := strings.Trim(string(number), `"`)
	if text == "null" {
		return ""
	}
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// orNone returns the text of an optional member.
func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
