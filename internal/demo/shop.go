package demo

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
)

// leaf is a shelf with the department it stands in, its place among the categories, and all its traits.
type leaf struct {
	*shelf
	department *department
	category   int
	traits     []trait
}

// departments are all parts of the shop.
func departments() []department {
	return []department{
		clothes(), electronics(), home(), food(), shoes(), toys(), sport(), beauty(), garden(), tools(), books(), pets(),
	}
}

// plant makes the tree of categories, each behind what is above it, and the leaves by popularity: the first shelf of every department
// before the second of any, so that each department has some that are popular.
func plant(all []department) ([]Category, []leaf) {
	var tree []Category
	rows := make([][]leaf, len(all))
	add := func(name string, parent int) int {
		externalID := "demo-" + slug(name)
		if parent >= 0 {
			externalID = tree[parent].ExternalID + "-" + slug(name)
		}
		tree = append(tree, Category{externalID, name, parent})
		return len(tree) - 1
	}
	for i := range all {
		d := &all[i]
		top := add(d.name, -1)
		for j := range d.aisles {
			middle := add(d.aisles[j].name, top)
			for k := range d.aisles[j].shelves {
				s := &d.aisles[j].shelves[k]
				traits := slices.Concat(d.traits, s.traits)
				if !s.bare {
					traits = append(traits, materials(d.aisles[j].materials))
				}
				rows[i] = append(rows[i], leaf{s, d, add(s.name, middle), traits})
			}
		}
	}
	var leaves []leaf
	for n := 0; ; n++ {
		before := len(leaves)
		for _, row := range rows {
			if n < len(row) {
				leaves = append(leaves, row[n])
			}
		}
		if len(leaves) == before {
			return tree, leaves
		}
	}
}

// slug is a name as a part of an external id.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// stocks are where the goods lie.
func stocks() []Stock {
	return []Stock{{"demo-central", "Central warehouse"}, {"demo-city", "City shop"}, {"demo-harbour", "Harbour outlet"}}
}

// features makes the list of features with the values that any shelf uses.
func features(leaves []leaf) []Attribute {
	choice := func(name string) Attribute {
		return Attribute{Kind: catalog.Feature, Name: name, Filterable: true, FieldType: catalog.Select}
	}
	span := func(name string, numbers catalog.RangeType) Attribute {
		return Attribute{Kind: catalog.Feature, Name: name, Filterable: true, FieldType: catalog.Range, RangeType: numbers}
	}
	all := []Attribute{
		choice(brandFeature), choice(colourFeature), choice(materialFeature), choice(countryFeature), choice(seasonFeature), choice(ratingFeature),
		span(weightFeature, catalog.Float), span(warrantyFeature, catalog.Integer),
		span(screenFeature, catalog.Float), span(powerFeature, catalog.Integer),
		choice(widthFeature), choice(languageFeature), choice(ageFeature), choice(dietFeature), choice(petFeature),
		{Kind: catalog.Feature, Name: careFeature, FieldType: catalog.Select},
	}
	for _, l := range leaves {
		gather(all, brandFeature, l.department.brands)
		gather(all, brandFeature, l.department.cyrillic)
		for _, t := range l.traits {
			gather(all, t.feature, t.values)
		}
	}
	gather(all, weightFeature, weights())
	for i := range all {
		if all[i].FieldType == catalog.Range {
			slices.SortFunc(all[i].Values, byNumber)
		}
	}
	return all
}

// options makes the list of options with the values that any shelf uses.
func options(leaves []leaf) []Attribute {
	all := []Attribute{
		{Kind: catalog.Option, Name: sizeOption, FieldType: catalog.Select}, {Kind: catalog.Option, Name: colourOption, FieldType: catalog.Select},
		{Kind: catalog.Option, Name: capacityOption, FieldType: catalog.Select},
	}
	for _, l := range leaves {
		for _, s := range l.splits() {
			gather(all, s.option, s.values)
		}
	}
	return all
}

// gather adds the values to the attribute of that name which it does not have yet.
func gather(all []Attribute, name string, values []string) {
	a := &all[slices.IndexFunc(all, func(a Attribute) bool { return a.Name == name })]
	for _, v := range values {
		if !slices.Contains(a.Values, v) {
			a.Values = append(a.Values, v)
		}
	}
}

// splits are the options by which the leaf's products have variants.
func (l leaf) splits() []split {
	if l.by != nil {
		return l.by
	}
	return l.department.by
}

// weights are those that products can have, in kilograms: 24 steps from one to ten times as much, as makers of resistors have them.
func weights() []string {
	steps := []int{10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91}
	var texts []string
	for _, unit := range []int{1, 10, 100, 1000} {
		for _, s := range steps {
			d, _ := catalog.ParseDecimal(fmt.Sprintf("%d.%03d", s*unit/1000, s*unit%1000))
			texts = append(texts, d.String())
		}
	}
	return texts
}

// byNumber compares values of range features.
func byNumber(a, b string) int {
	x, _ := catalog.ParseDecimal(a)
	y, _ := catalog.ParseDecimal(b)
	switch {
	case x.Float() < y.Float():
		return -1
	case x.Float() > y.Float():
		return 1
	}
	return 0
}
