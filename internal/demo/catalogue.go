package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// leafCategory is a section with its department, its index in the list of categories, its lists of nouns, and all
// features and options of its products.
type leafCategory struct {
	*section
	department           *department
	index                int
	nouns, cyrillicNouns []string
	features, options    specs
}

// allDepartments returns the departments in order of popularity.
func allDepartments() []department {
	return []department{
		clothesDepartment(), electronicsDepartment(), homeDepartment(), foodDepartment(), shoesDepartment(),
		toysDepartment(), sportDepartment(), beautyDepartment(), gardenDepartment(), toolsDepartment(),
		booksDepartment(), petsDepartment(),
	}
}

// buildCategoryTree returns the category tree, parents before their children, and the leaves in order of popularity:
// the first section of every department before the second one of any, so that each department has popular sections.
func buildCategoryTree(all []department) ([]Category, []leafCategory) {
	var tree []Category
	var byDepartment [][]leafCategory
	add := func(name string, parent int) int {
		externalID := "demo-" + slug(name)
		if parent >= 0 {
			externalID = tree[parent].ExternalID + "-" + slug(name)
		}
		tree = append(tree, Category{externalID, name, parent})
		return len(tree) - 1
	}
	for _, d := range all {
		var leaves []leafCategory
		top := add(d.name, -1)
		for _, sub := range d.subdepartments {
			middle := add(sub.name, top)
			for _, s := range sub.sections {
				leaves = append(leaves, newLeafCategory(&d, &s, sub.materials, add(s.name, middle)))
			}
		}

		byDepartment = append(byDepartment, leaves)
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

func newLeafCategory(d *department, s *section, defaultMaterials string, index int) leafCategory {
	l := leafCategory{
		section: s, department: d, index: index, nouns: words(s.nouns), cyrillicNouns: words(s.cyrillicNouns),
	}
	l.features, l.options = d.specs.split()
	features, options := s.specs.split()
	l.features = append(l.features, features...)
	if !slices.ContainsFunc(s.specs, func(a attributeSpec) bool { return a.name == materialFeature }) {
		l.features = append(l.features, materials(defaultMaterials))
	}
	if options != nil {
		l.options = options
	}
	return l
}

// split separates the features from the options. It drops noMaterial.
func (s specs) split() (features, options specs) {
	for _, a := range s {
		switch {
		case a.isOption:
			options = append(options, a)
		case a.values != nil:
			features = append(features, a)
		}
	}
	return features, options
}

func slug(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(parts, "-")
}

func buildFeatures(leaves []leafCategory) []Attribute {
	all := []Attribute{
		{Name: brandFeature}, {Name: colourFeature}, {Name: materialFeature}, {Name: countryFeature},
		{Name: seasonFeature}, {Name: ratingFeature}, {Name: weightFeature, RangeType: catalog.Float},
		{Name: warrantyFeature, RangeType: catalog.Integer}, {Name: screenFeature, RangeType: catalog.Float},
		{Name: powerFeature, RangeType: catalog.Integer}, {Name: widthFeature}, {Name: languageFeature},
		{Name: ageFeature}, {Name: dietFeature}, {Name: petFeature}, {Name: careFeature},
	}
	for i := range all {
		a := &all[i]
		a.Kind = catalog.Feature
		a.FieldType = catalog.Select
		a.Filterable = a.Name != careFeature
		if a.RangeType != "" {
			a.FieldType = catalog.Range
		}
	}

	for _, l := range leaves {
		addValues(all, brandFeature, l.department.brands)
		addValues(all, brandFeature, l.department.cyrillicBrands)
		addSpecs(all, l.features)
	}

	addValues(all, weightFeature, weightSteps())

	for _, a := range all {
		if a.FieldType == catalog.Range {
			slices.SortFunc(a.Values, compareNumbers)
		}
	}

	return all
}

func buildOptions(leaves []leafCategory) []Attribute {
	var all []Attribute
	for _, name := range []string{sizeOption, colourOption, capacityOption} {
		all = append(all, Attribute{Kind: catalog.Option, Name: name, FieldType: catalog.Select})
	}
	for _, l := range leaves {
		addSpecs(all, l.options)
	}
	return all
}

func addSpecs(all []Attribute, list specs) {
	for _, spec := range list {
		addValues(all, spec.name, spec.values)
	}
}

func addValues(all []Attribute, name string, values []string) {
	a := &all[slices.IndexFunc(all, func(a Attribute) bool { return a.Name == name })]
	for _, v := range values {
		if !slices.Contains(a.Values, v) {
			a.Values = append(a.Values, v)
		}
	}
}

// weightSteps returns the possible weights in kilograms: 24 steps per decade, as in the E24 series.
func weightSteps() []string {
	steps := []int{10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91}
	var texts []string
	for _, unit := range []int{1, 10, 100, 1000} {
		for _, s := range steps {
			d, _ := money.ParseDecimal(fmt.Sprintf("%d.%03d", s*unit/1000, s*unit%1000))
			texts = append(texts, d.String())
		}
	}
	return texts
}

func compareNumbers(a, b string) int {
	x, _ := money.ParseDecimal(a)
	y, _ := money.ParseDecimal(b)
	return cmp.Compare(x.Float(), y.Float())
}
