package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// leafCategory is a leaf of the category tree: what its products cost and weigh, and all their features and options.
type leafCategory struct {
	wording
	index, department int     // in the list of categories
	price, weight     float64 // medians
	skuFormat         string  // of the number of a product and of a variant
	modifiers         []string
	brands            []string
	features, options specs
}

// wording names and describes the products of a leaf category.
type wording interface {
	// describe sets the name, the description, the model, the features and the variants of a product.
	describe(b *productBuilder, p *Product)
}

// categoryTree is the list of categories, parents before their children, and the leaves in order of popularity.
type categoryTree struct {
	categories []Category
	leaves     []leafCategory
}

// add appends a category and returns its index. parent is -1 for a department.
func (t *categoryTree) add(prefix, name string, parent int) int {
	externalID := prefix + slug(name)
	if parent >= 0 {
		externalID = t.categories[parent].ExternalID + "-" + slug(name)
	}
	t.categories = append(t.categories, Category{externalID, name, parent})
	return len(t.categories) - 1
}

// addLeaves appends the leaves of all departments: the first one of every department before the second one of any, so
// that each department has popular leaves.
func (t *categoryTree) addLeaves(byDepartment [][]leafCategory) {
	for n := 0; ; n++ {
		before := len(t.leaves)

		for _, leaves := range byDepartment {
			if n < len(leaves) {
				t.leaves = append(t.leaves, leaves[n])
			}
		}

		if len(t.leaves) == before {
			return
		}
	}
}

// allDepartments returns the departments in order of popularity.
func allDepartments() []department {
	return []department{
		clothesDepartment(), electronicsDepartment(), homeDepartment(), foodDepartment(), shoesDepartment(),
		toysDepartment(), sportDepartment(), beautyDepartment(), gardenDepartment(), toolsDepartment(),
		booksDepartment(), petsDepartment(),
	}
}

// buildEnglishTree returns the categories of the English catalogue. With mixed it has Cyrillic brands, too.
func buildEnglishTree(mixed bool) (tree categoryTree) {
	var byDepartment [][]leafCategory
	for _, d := range allDepartments() {
		var leaves []leafCategory
		brands := d.brands
		if mixed {
			brands = slices.Concat(d.brands, d.cyrillicBrands)
		}

		top := tree.add("demo-", d.name, -1)
		for _, sub := range d.subdepartments {
			middle := tree.add("", sub.name, top)
			for _, s := range sub.sections {
				l := newEnglishLeaf(&d, &s, sub.materials)
				l.brands = brands
				l.index = tree.add("", s.name, middle)
				l.department = top
				leaves = append(leaves, l)
			}
		}

		byDepartment = append(byDepartment, leaves)
	}

	tree.addLeaves(byDepartment)
	return tree
}

func newEnglishLeaf(d *department, s *section, defaultMaterials string) leafCategory {
	l := leafCategory{
		wording: englishWording{department: d, nouns: words(s.nouns), cyrillicNouns: words(s.cyrillicNouns),
			adjectives: listOf(d.adjectivesOf, s.name, d.adjectives)},
		price: s.price, weight: s.weight, skuFormat: d.skuPrefix + "-%06d-%d",
		modifiers: listOf(d.modifiersOf, s.name, d.modifiers),
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

// slug returns a name in lower case, with dashes, in Latin letters.
func slug(name string) string {
	parts := strings.FieldsFunc(latin.Replace(strings.ToLower(name)),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(parts, "-")
}

// latin writes Russian letters in Latin ones.
var latin = strings.NewReplacer(
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ё", "e", "ж", "zh", "з", "z", "и", "i", "й", "y",
	"к", "k", "л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f",
	"х", "h", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "sch", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya",
)

// buildFeatures returns all features of the products of a language.
func buildFeatures(v *vocabulary, leaves []leafCategory) []Attribute {
	var all []Attribute
	for _, name := range v.features {
		a := Attribute{Kind: catalog.Feature, Name: name, FieldType: catalog.Select, Filterable: name != careFeature}
		if rangeType, ok := v.ranges[name]; ok {
			a.FieldType = catalog.Range
			a.RangeType = rangeType
		}
		all = append(all, a)
	}

	for _, l := range leaves {
		addValues(all, v.brand, l.brands)
		addSpecs(all, l.features)
	}

	addValues(all, v.weight, weightSteps())

	for _, a := range all {
		if a.FieldType == catalog.Range {
			slices.SortFunc(a.Values, compareNumbers)
		}
	}

	return all
}

func buildOptions(v *vocabulary, leaves []leafCategory) []Attribute {
	var all []Attribute
	for _, name := range v.options {
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
