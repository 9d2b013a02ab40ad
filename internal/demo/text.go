package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// englishWording words the products of a section of an English department.
type englishWording struct {
	*department
	nouns, cyrillicNouns, adjectives []string
}

// describe generates the features, a name and a description that mention them, and the variants.
func (w englishWording) describe(b *productBuilder, p *Product) {
	brands := w.brands
	nouns := w.nouns
	if b.cyrillic {
		brands = w.cyrillicBrands
		nouns = w.cyrillicNouns
	}

	text := productText{
		noun: b.pickPopular(nouns), adjective: b.pickUniform(w.adjectives), brand: b.pickPopular(brands),
		use: b.pickUniform(w.uses), number: 1 + b.skewed(99, 30),
	}
	text.model = modelName(b.pickUniform(w.models), text.number)
	p.Noun, p.Brand = text.noun, text.brand
	p.Features = append(p.Features, b.g.features.choice(brandFeature, text.brand))
	for _, spec := range b.leaf.features {
		p.Features = b.addFeature(p.Features, spec, &text)
	}

	if b.chance(0.97) {
		p.Features = append(p.Features, b.weight())
	}

	if b.cyrillic {
		p.Name, p.Description = text.russian(b.productRand)
	} else {
		p.Model = text.model
		if w.name == "Books" {
			p.Title = "The " + text.adjective + " " + text.noun
		}
		p.Name, p.Description = text.english(b.productRand, w.department)
	}

	p.Variants = b.variants()
	b.matchColours(p)
	for i := range p.Variants {
		p.Variants[i].Barcode = barcode(germanPrefix, b.number, i)
	}
}

// matchColours makes the colours of a product those of its variants, if they have colours.
func (b *productBuilder) matchColours(p *Product) {
	names := b.g.variantColours(*p)
	if names == nil {
		return
	}

	attribute := b.g.features.attribute[colourFeature]
	p.Features = slices.DeleteFunc(p.Features, func(c Choice) bool { return c.Attribute == attribute })
	for _, name := range names {
		if _, known := b.g.features.value[colourFeature][name]; known {
			p.Features = append(p.Features, b.g.features.choice(colourFeature, name))
		}
	}
}

// modelName returns the name of a model. A short prefix is joined with the number.
func modelName(prefix string, number int) string {
	if len(prefix) <= 2 || strings.HasSuffix(prefix, "-") {
		return fmt.Sprintf("%s%d", prefix, number)
	}
	return fmt.Sprintf("%s %d", prefix, number)
}

type productText struct {
	brand, adjective, noun, model, use string
	number                             int    // of the model
	material, country                  string // empty if not known
}

// english returns the name by the department's pattern, and a description of one to three sentences.
func (t productText) english(rng productRand, dep *department) (name, description string) {
	name = strings.NewReplacer("%B", t.brand, "%A", t.adjective, "%N", t.noun, "%M", t.model).
		Replace(cmp.Or(dep.namePattern, defaultNamePattern))
	sentences := []string{rng.pickUniform([]string{
		"Made for " + t.use + ".",
		"A good companion for " + t.use + ".",
		"Chosen by our team for " + t.use + ".",
		t.brand + " made it with " + t.use + " in mind.",
	})}
	if t.material != "" && rng.chance(0.7) {
		sentences = append(sentences, fmt.Sprintf(cmp.Or(dep.materialFormat, defaultMaterialFormat), t.material))
	}

	if t.country != "" && rng.chance(0.5) {
		sentences = append(sentences,
			rng.pickUniform([]string{"Comes from " + t.country + ".", "Country of origin: " + t.country + "."}))
	}

	return name, strings.Join(sentences, " ")
}

// russian returns a name and a description in Russian. The sentences do not depend on the gender of the noun.
func (t productText) russian(rng productRand) (name, description string) {
	lines := []string{"Север", "Заря", "Волна", "Луч", "Восток", "Родник", "Байкал", "Тайга", "Рассвет", "Мечта"}
	name = t.noun + " «" + rng.pickUniform(lines) + "» " + t.brand + " № " + strconv.Itoa(t.number)
	sentences := []string{rng.pickUniform([]string{
		"Для дома и для подарка.", "Надёжный выбор на каждый день.", "То, что часто советуют друзьям.",
		"Хорошее качество по разумной цене.",
	})}
	if rng.chance(0.6) {
		sentences = append(sentences, rng.pickUniform(
			[]string{"Марка «" + t.brand + "» хорошо известна нашим покупателям.", "Проверено в нашем магазине."}))
	}
	if rng.chance(0.4) {
		sentences = append(sentences,
			rng.pickUniform([]string{"Доставим за два дня.", "Есть в наличии в нескольких магазинах города."}))
	}
	return name, strings.Join(sentences, " ")
}
