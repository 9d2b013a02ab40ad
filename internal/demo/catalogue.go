package demo

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
)

// leafCategory is a section with its department, its index in the list of categories, and all its features.
type leafCategory struct {
	*section
	department   *department
	index        int
	featureSpecs []featureSpec
}

// allDepartments returns the departments in order of popularity.
func allDepartments() []department {
	return []department{
		clothesDepartment(), electronicsDepartment(), homeDepartment(), foodDepartment(), shoesDepartment(),
		toysDepartment(), sportDepartment(), beautyDepartment(), gardenDepartment(), toolsDepartment(),
		booksDepartment(), petsDepartment(),
	}
}

// buildTree returns the category tree, parents before their children, and the leaves in order of popularity: the first
// section of every department before the second one of any, so that each department has popular sections.
func buildTree(all []department) ([]Category, []leafCategory) {
	var tree []Category
	byDepartment := make([][]leafCategory, len(all))
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
		for j := range d.subdepartments {
			middle := add(d.subdepartments[j].name, top)
			for k := range d.subdepartments[j].sections {
				s := &d.subdepartments[j].sections[k]
				traits := slices.Concat(d.featureSpecs, s.featureSpecs)
				if !s.noMaterial {
					traits = append(traits, materialSpec(d.subdepartments[j].materials))
				}
				byDepartment[i] = append(byDepartment[i], leafCategory{s, d, add(s.name, middle), traits})
			}
		}
	}
	var leaves []leafCategory
	for n := 0; ; n++ {
		before := len(leaves)
		for _, leavesOf := range byDepartment {
			if n < len(leavesOf) {
				leaves = append(leaves, leavesOf[n])
			}
		}
		if len(leaves) == before {
			return tree, leaves
		}
	}
}

// slug converts a name to a part of an external id.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// allStocks returns the stocks.
func allStocks() []Stock {
	return []Stock{
		{"demo-central", "Central warehouse"}, {"demo-city", "City shop"}, {"demo-harbour", "Harbour outlet"},
	}
}

// buildFeatures returns the features with the values of all sections.
func buildFeatures(leaves []leafCategory) []Attribute {
	selectFeature := func(name string) Attribute {
		return Attribute{Kind: catalog.Feature, Name: name, Filterable: true, FieldType: catalog.Select}
	}
	rangeFeature := func(name string, numbers catalog.RangeType) Attribute {
		return Attribute{
			Kind: catalog.Feature, Name: name, Filterable: true, FieldType: catalog.Range, RangeType: numbers,
		}
	}
	all := []Attribute{
		selectFeature(brandFeature), selectFeature(colourFeature), selectFeature(materialFeature),
		selectFeature(countryFeature), selectFeature(seasonFeature), selectFeature(ratingFeature),
		rangeFeature(weightFeature, catalog.Float), rangeFeature(warrantyFeature, catalog.Integer),
		rangeFeature(screenFeature, catalog.Float), rangeFeature(powerFeature, catalog.Integer),
		selectFeature(widthFeature), selectFeature(languageFeature), selectFeature(ageFeature),
		selectFeature(dietFeature), selectFeature(petFeature),
		{Kind: catalog.Feature, Name: careFeature, FieldType: catalog.Select},
	}
	for _, l := range leaves {
		addValues(all, brandFeature, l.department.brands)
		addValues(all, brandFeature, l.department.cyrillicBrands)
		for _, t := range l.featureSpecs {
			addValues(all, t.feature, t.values)
		}
	}
	addValues(all, weightFeature, weightSteps())
	for i := range all {
		if all[i].FieldType == catalog.Range {
			slices.SortFunc(all[i].Values, compareNumbers)
		}
	}
	return all
}

// buildOptions returns the options with the values of all sections.
func buildOptions(leaves []leafCategory) []Attribute {
	all := []Attribute{
		{Kind: catalog.Option, Name: sizeOption, FieldType: catalog.Select},
		{Kind: catalog.Option, Name: colourOption, FieldType: catalog.Select},
		{Kind: catalog.Option, Name: capacityOption, FieldType: catalog.Select},
	}
	for _, l := range leaves {
		for _, s := range l.effectiveOptions() {
			addValues(all, s.option, s.values)
		}
	}
	return all
}

// addValues adds new values to the attribute with this name.
func addValues(all []Attribute, name string, values []string) {
	a := &all[slices.IndexFunc(all, func(a Attribute) bool { return a.Name == name })]
	for _, v := range values {
		if !slices.Contains(a.Values, v) {
			a.Values = append(a.Values, v)
		}
	}
}

// effectiveOptions returns the options of the leaf's products.
func (l leafCategory) effectiveOptions() []optionSpec {
	if l.optionSpecs != nil {
		return l.optionSpecs
	}
	return l.department.optionSpecs
}

// weightSteps returns the possible weights in kilograms: 24 steps per decade, as in the E24 series of preferred
// numbers.
func weightSteps() []string {
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

// compareNumbers compares two values of a range feature.
func compareNumbers(a, b string) int {
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
