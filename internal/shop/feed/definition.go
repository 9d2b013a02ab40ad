package feed

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// The limits of a filter.
const (
	maxFilterFeatures = 50
	maxFilterValues   = 1000
)

// Definition says what a feed has.
type Definition struct {
	Format Format `json:"format"`
	Filter Filter `json:"filter"`
	// Mapping says where the members of offers come from, by target. A source is the id of a feature or an option, the
	// name of a member, or a text.
	Mapping map[string]string `json:"mapping"`
	// PriceListID is the price list whose prices the feed has, where it has one; nil for the prices of the variants.
	PriceListID *catalog.PriceListID `json:"price_list_id"`
	// VariantParameter is the parameter in the addresses of the site's product pages that chooses a variant by its id.
	// If it is not empty, the offers of products with several variants have it in their addresses.
	VariantParameter string `json:"variant_parameter,omitempty"`
}

// variantParameter matches the names that VariantParameter may have.
var variantParameter = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// Filter selects offers. Zero fields restrict nothing.
type Filter struct {
	// Category selects the products of this category and its subtree.
	Category *catalog.CategoryID `json:"category"`
	InStock  bool                `json:"in_stock"`
	// PriceFrom and PriceTo are inclusive.
	PriceFrom *money.Money    `json:"price_from"`
	PriceTo   *money.Money    `json:"price_to"`
	Features  []FeatureFilter `json:"features"`
}

// FeatureFilter selects the products that have one of the values.
type FeatureFilter struct {
	ID     catalog.AttributeID `json:"id"`
	Values []catalog.ValueID   `json:"values"`
}

// Targets returns the members of offers that a mapping can fill.
func Targets() []string {
	return []string{"brand", "gtin", "mpn", "color", "size", "material", "pattern", "gender", "age_group",
		"google_product_category", "country_of_origin", "custom_label_0", "custom_label_1", "custom_label_2",
		"custom_label_3", "custom_label_4"}
}

// Members returns the sources that are members of a variant or, for external_id, of the variant or else its product.
func Members() []string { return []string{"barcode", "sku", "external_id", "name"} }

// TextSource is the beginning of a source that is a text, such as "text:Acme".
const TextSource = "text:"

// maxSourceText is the maximum length of such a text, in characters, and maxCategoryText that of a path of Google's
// categories.
const maxSourceText, maxCategoryText = 100, 750

// enumerations are the values that Google knows of some targets.
var enumerations = map[string][]string{
	"gender":    {"male", "female", "unisex"},
	"age_group": {"newborn", "infant", "toddler", "kids", "adult"},
}

// source is where a member of offers comes from. One of its fields is set.
type source struct {
	attribute catalog.AttributeID
	member    string
	text      string
}

// parseSource returns the source of a target, or the broken rule.
func parseSource(target, sent string) (source, *fault.Field) {
	if text, isText := strings.CutPrefix(sent, TextSource); isText {
		text = strings.TrimSpace(text)
		known, limited := enumerations[target]
		switch {
		case text == "":
			return source{}, fault.Broken("required", "There is no text behind %s; write it there.", TextSource)
		case limited && !slices.Contains(known, text):
			return source{}, fault.Broken("unknown_value", "Use one of %s.", strings.Join(known, ", "))
		}

		limit := maxSourceText
		if target == "google_product_category" {
			limit = maxCategoryText
		}
		return source{text: text}, rule.Plain(text, limit)
	}

	if slices.Contains(Members(), sent) {
		return source{member: sent}, nil
	}
	attributeID, err := id.Parse[catalog.Attribute](sent)
	if err != nil {
		return source{}, fault.Broken("unknown_source",
			"A member of offers comes from the feature or option with this id, from one of %s, or from a text that "+
				"begins with %s.", strings.Join(Members(), ", "), TextSource)
	}
	return source{attribute: attributeID}, nil
}

// check adds the rules that the definition breaks whatever is stored.
func (d *Definition) check(wrong *rule.Violations) {
	switch {
	case d.Format == "":
		wrong.Add("format", "required", "Name the format: yml, google or csv.")
	case !slices.Contains(Formats(), d.Format):
		wrong.Add("format", "unknown_format", "There is no such format. Use yml, google or csv.")
	}

	known := Targets()
	for _, target := range slices.Sorted(maps.Keys(d.Mapping)) {
		if !slices.Contains(known, target) {
			wrong.Add("mapping."+target, "unknown_target", "Offers have no such member. Use some of %s.",
				strings.Join(known, ", "))
			continue
		}
		_, broken := parseSource(target, d.Mapping[target])
		wrong.Check("mapping", target, broken)
	}

	if d.VariantParameter != "" && !variantParameter.MatchString(d.VariantParameter) {
		wrong.Add("variant_parameter", "invalid_parameter", "The name of a parameter in an address has 1 to 40 Latin "+
			"letters, digits, hyphens and underscores, such as variant.")
	}
	d.Filter.check(wrong)
}

// check adds the rules that the filter breaks whatever is stored.
func (f *Filter) check(wrong *rule.Violations) {
	if f.PriceFrom != nil && f.PriceTo != nil && *f.PriceFrom > *f.PriceTo {
		wrong.Add("filter.price_to", "out_of_range", "The highest price is below the lowest.")
	}
	if len(f.Features) > maxFilterFeatures {
		wrong.Add("filter.features", "too_many", "There are %d features; at most %d are allowed.", len(f.Features),
			maxFilterFeatures)
	}

	first := map[catalog.AttributeID]bool{}
	for i, feature := range f.Features {
		at := rule.FieldPath("filter").Element("features", i)
		switch n := len(feature.Values); {
		case first[feature.ID]:
			wrong.Add(at.Member("id"), "duplicate", "This feature is named twice; name it once, with all its values.")
		case n == 0:
			wrong.Add(at.Member("values"), "required", "Name the values of which products have one.")
		case n > maxFilterValues:
			wrong.Add(at.Member("values"), "too_many", "There are %d values; at most %d are allowed.", n,
				maxFilterValues)
		}
		first[feature.ID] = true
	}
}

// changes returns what the log says about the change of a definition.
func (d *Definition) changes(to *Definition) []audit.Change {
	listOf := func(d *Definition) string {
		if d.PriceListID == nil {
			return ""
		}
		return d.PriceListID.String()
	}
	list := audit.AppendChange(nil, "format", string(d.Format), string(to.Format))
	list = audit.AppendChange(list, "filter", d.Filter.text(), to.Filter.text())
	list = audit.AppendChange(list, "mapping", mappingText(d.Mapping), mappingText(to.Mapping))
	list = audit.AppendChange(list, "price_list_id", listOf(d), listOf(to))
	return audit.AppendChange(list, "variant_parameter", d.VariantParameter, to.VariantParameter)
}

// text returns the filter as the log shows it.
func (f *Filter) text() string {
	var parts []string
	add := func(name, value string) { parts = append(parts, name+"="+value) }
	if f.Category != nil {
		add("category", f.Category.String())
	}
	if f.InStock {
		add("in_stock", "true")
	}
	if f.PriceFrom != nil {
		add("price_from", money.NewPrice(*f.PriceFrom).Text())
	}
	if f.PriceTo != nil {
		add("price_to", money.NewPrice(*f.PriceTo).Text())
	}

	for _, feature := range f.Features {
		values := make([]string, 0, len(feature.Values))
		for _, valueID := range feature.Values {
			values = append(values, valueID.String())
		}
		add("feature "+feature.ID.String(), strings.Join(values, ","))
	}
	return strings.Join(parts, "; ")
}

// mappingText returns a mapping as the log shows it.
func mappingText(mapping map[string]string) string {
	var parts []string
	for _, target := range slices.Sorted(maps.Keys(mapping)) {
		parts = append(parts, target+"="+mapping[target])
	}
	return strings.Join(parts, "; ")
}
