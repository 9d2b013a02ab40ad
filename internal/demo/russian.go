package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// russianNoun is a noun with what belongs to it, as a name begins: Лампа настольная.
type russianNoun struct {
	text   string
	head   string // what a sentence calls the product, in lower case: лампа
	gender gender
}

// russianBrandModels is a brand with its models, in which # stands for a digit.
type russianBrandModels struct {
	brand  string
	models []string
}

// russianWording words the products of a section of the Russian catalogue. In its pattern %N is the noun, %A an
// adjective, %B the brand, %M the model, %D the detail, %C the colour, %T a title and %W an author. What is not known
// is left out.
type russianWording struct {
	pattern                       string
	nouns, titles                 []russianNoun
	adjectives, titleAdjectives   []string
	brands                        []russianBrandModels
	details, authors              []string
	fits                          string // a feature, or ""
	praise, uses, facts           []string
	colours, materials, countries []string
}

const russianPattern = "%N %A %B %M %D %C"

// buildRussianTree returns the categories of the Russian catalogue.
func buildRussianTree() (tree categoryTree) {
	var byDepartment [][]leafCategory
	for _, d := range parseRussianDepartments() {
		top := tree.add("demo-ru-", d.top.name, -1)
		groups := map[*russianBlock]int{}
		var leaves []leafCategory

		for _, s := range d.sections {
			middle, ok := groups[s.above]
			if !ok {
				middle = tree.add("", s.above.name, top)
				groups[s.above] = middle
			}

			l := newRussianLeaf(s)
			l.index = tree.add("", s.name, middle)
			l.department = top
			leaves = append(leaves, l)
		}

		byDepartment = append(byDepartment, leaves)
	}

	tree.addLeaves(byDepartment)
	return tree
}

func newRussianLeaf(s *russianBlock) leafCategory {
	w := &russianWording{
		pattern: russianPattern, nouns: parseNouns(s.list("nouns")), titles: parseNouns(s.list("titles")),
		adjectives: s.list("adjectives"), titleAdjectives: s.list("title adjectives"), details: s.list("details"),
		authors: s.list("authors"), fits: s.lookup("fits"), praise: s.list("praise"), uses: s.list("uses"),
		facts: s.list("facts"), colours: s.list("colours"), materials: s.list("materials"),
		countries: s.list("countries"),
	}
	if pattern := s.lookup("name"); pattern != "" {
		w.pattern = pattern
	}

	l := leafCategory{
		wording: w, price: s.price, weight: s.weight, skuFormat: s.lookup("sku"), features: s.allFeatures(),
	}
	if m := s.lookup("modifiers"); m != "" {
		l.modifiers = []string{m}
	}

	for _, b := range s.list("brands") {
		brand, models, _ := strings.Cut(b, ":")
		brand = strings.TrimSpace(brand)
		w.brands = append(w.brands, russianBrandModels{brand, splitList(strings.TrimSpace(models), ",")})
		l.brands = append(l.brands, brand)
	}

	for _, o := range s.nearestOptions() {
		if o.name == russianColour {
			o.values = w.colours
		}
		if len(o.values) > 0 {
			l.options = append(l.options, o)
		}
	}

	l.addListedFeatures(w)
	return l
}

// addListedFeatures adds the values of the features that describe chooses itself, with a share of 0.
func (l *leafCategory) addListedFeatures(w *russianWording) {
	add := func(name string, values []string) {
		if len(values) > 0 {
			l.features = append(l.features, attributeSpec{name: name, values: values})
		}
	}
	add(russianColour, w.colours)
	add(russianMaterial, w.materials)
	add(russianCountry, append(slices.Clone(w.countries), homeCountry))
	add(russianGender, []string{"Мужской", "Женский", "Детский"})
	if w.fits == "" {
		return
	}

	var fits []string
	for _, d := range w.details {
		fits = append(fits, fitOf(d))
	}
	add(w.fits, fits)
}

// homeCountry is where most products of brands with Cyrillic names are made.
const homeCountry = "Россия"

// fitOf returns the device or car that a detail names.
func fitOf(detail string) string { return strings.TrimPrefix(detail, "для ") }

// parseNouns parses nouns such as "f Лампа настольная". The first word is the head, or all of it
// after a star.
func parseNouns(list []string) (nouns []russianNoun) {
	for _, item := range list {
		code, text, _ := strings.Cut(item, " ")
		if len(code) != 1 || gender(code[0]).index() < 0 {
			panic(fmt.Errorf("the noun %q has no gender", item))
		}

		text, whole := strings.CutPrefix(text, "*")
		head := text
		if !whole {
			head, _, _ = strings.Cut(text, " ")
		}
		nouns = append(nouns, russianNoun{text: text, head: lowerFirst(head), gender: gender(code[0])})
	}

	return nouns
}

// describe generates the variants, the features, and a name and a description that agree with them.
func (w *russianWording) describe(b *productBuilder, p *Product) {
	p.Variants = b.variants()
	for i := range p.Variants {
		if b.chance(0.85) {
			p.Variants[i].Barcode = barcode(russianPrefix, b.number, i)
		}
	}

	t := w.pickText(b)
	p.Model, p.Noun, p.Brand, p.Title = t.model, t.noun.text, t.brand, t.title
	p.Features = append(p.Features, b.g.features.choice(russianBrand, t.brand))
	w.addColours(b, p, &t)
	w.addOrigin(b, p, &t)

	if g := genderOf(t.noun.text + " " + t.adjective); g != "" {
		p.Features = append(p.Features, b.g.features.choice(russianGender, g))
	}
	if w.fits != "" && t.detail != "" {
		p.Features = append(p.Features, b.g.features.choice(w.fits, fitOf(t.detail)))
	}

	for _, spec := range b.leaf.features {
		if spec.share > 0 && b.chance(spec.share) {
			value := b.pickPopular(spec.values)
			p.Features = append(p.Features, b.g.features.choice(spec.name, value))
			if spec.name == russianWarranty {
				t.warranty, _ = strconv.Atoi(value)
			}
		}
	}
	if b.chance(0.9) {
		p.Features = append(p.Features, b.weight())
	}

	p.Name = t.name(w.pattern)
	p.Description = w.description(b.productRand, &t)
}

// pickText picks the words of a product that do not depend on its variants.
func (w *russianWording) pickText(b *productBuilder) russianText {
	t := russianText{noun: w.nouns[b.skewed(len(w.nouns), 3)]}
	t.adjective = w.pickAdjective(b, t.noun)
	brand := w.brands[b.skewed(len(w.brands), 3)]
	t.brand = brand.brand
	if len(brand.models) > 0 {
		t.model = fillDigits(b.productRand, b.pickUniform(brand.models))
	}
	if len(w.details) > 0 {
		t.detail = b.pickPopular(w.details)
	}
	if len(w.titles) > 0 {
		t.title = w.pickTitle(b)
		t.author = b.pickUniform(w.authors)
	}
	return t
}

// pickAdjective returns an adjective for most products, in the masculine. It does not repeat or contradict the noun.
func (w *russianWording) pickAdjective(b *productBuilder, noun russianNoun) string {
	if len(w.adjectives) == 0 || b.chance(0.15) {
		return ""
	}
	a := b.pickPopular(w.adjectives)
	if stem, _, ok := splitAdjective(a); ok && strings.Contains(strings.ToLower(noun.text), stem) {
		return ""
	}
	if genderOf(a) != "" && genderOf(noun.text) != "" {
		return ""
	}
	return a
}

// genderOf returns the value of the feature "Пол" that a name says, or "".
func genderOf(name string) string {
	name = strings.ToLower(name)
	for _, g := range []string{"Мужской", "Женский", "Детский"} {
		if stem, _, _ := splitAdjective(strings.ToLower(g)); strings.Contains(name, stem) {
			return g
		}
	}
	return ""
}

func (w *russianWording) pickTitle(b *productBuilder) string {
	noun := w.titles[b.IntN(len(w.titles))]
	return upperFirst(noun.gender.agree(b.pickUniform(w.titleAdjectives))) + " " + noun.text
}

// addColours adds the colours of the variants, or one colour if the variants have none. The name may have the colour if
// it is the only one. An adjective that is a colour is the colour.
func (w *russianWording) addColours(b *productBuilder, p *Product, t *russianText) {
	if len(w.colours) == 0 {
		return
	}

	var all []string
	attribute := b.g.options.attribute[russianColour]
	for _, v := range p.Variants {
		for _, o := range v.Options {
			if o.Attribute != attribute {
				continue
			}
			if c := b.g.options.list[attribute].Values[o.Value]; !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}

	named := upperFirst(t.adjective)
	isColour := slices.Contains(w.colours, named)
	switch {
	case len(all) == 0 && isColour:
		all = []string{named}
	case len(all) == 0:
		all = []string{b.pickPopular(w.colours)}
	case isColour:
		t.adjective = ""
	}

	if len(all) == 1 && (!isColour || t.adjective == "") && b.chance(0.6) {
		t.colour = all[0]
	}
	for _, c := range all {
		p.Features = append(p.Features, b.g.features.choice(russianColour, c))
	}
}

// addOrigin adds the material and the country of most products. An adjective may say what the material is.
func (w *russianWording) addOrigin(b *productBuilder, p *Product, t *russianText) {
	if len(w.materials) > 0 && b.chance(0.9) {
		t.material = b.pickPopular(w.materials)
		if said := materialOf(t.adjective); slices.Contains(w.materials, said) {
			t.material = said
		} else if said != "" {
			t.material = ""
		}
	}
	if t.material != "" {
		p.Features = append(p.Features, b.g.features.choice(russianMaterial, t.material))
	}

	if !b.chance(0.93) {
		return
	}
	t.country = b.pickPopular(w.countries)
	if isCyrillic(t.brand) && b.chance(0.9) {
		t.country = homeCountry
	}
	p.Features = append(p.Features, b.g.features.choice(russianCountry, t.country))
}

func isCyrillic(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
}

// fillDigits replaces each # by a digit. A number does not begin with 0.
func fillDigits(rng productRand, pattern string) string {
	digits := []byte(pattern)
	for i, c := range digits {
		if c != '#' {
			continue
		}
		digits[i] = byte('0' + rng.IntN(10))
		if digits[i] == '0' && (i == 0 || digits[i-1] < '0' || digits[i-1] > '9') {
			digits[i] = byte('1' + rng.IntN(9))
		}
	}
	return string(digits)
}

// Prefixes of barcodes by country.
const (
	germanPrefix  = "400"
	russianPrefix = "460"
)

// barcode returns the EAN-13 of a variant.
func barcode(prefix string, number, variant int) string {
	digits := fmt.Sprintf("%s%09d", prefix, (number*10+variant)%1_000_000_000)
	sum := 0
	for i, d := range digits {
		sum += int(d-'0') * (1 + i%2*2)
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}
