package relevance

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vitrine/internal/demo"
)

// document is a product as a label sees it: the words of its parts.
type document struct {
	number  int
	product demo.Product
	words   map[string][]text // by the name of the part
}

// text is a list of words that stand together: a name, or a value of a feature.
type text []string

// catalogue has the documents of a store, by number minus one.
type catalogue struct {
	language  string
	generator *demo.Generator
	documents []document
}

func newCatalogue(language string, of demo.Language, products int) *catalogue {
	c := &catalogue{language: language, generator: demo.NewGeneratorIn(of, demoSeed)}
	for i := 1; i <= products; i++ {
		c.documents = append(c.documents, newDocument(c.generator, i))
	}
	return c
}

// demoLanguage returns the catalogue of a language. Some judged queries name Cyrillic products of the English one.
func demoLanguage(language string) demo.Language {
	if language == "en" {
		return demo.Mixed
	}
	return demo.Language(language)
}

// brandFeatures and colourFeatures are the names of features and options in the languages.
const (
	brandFeatures  = " Brand Бренд "
	colourFeatures = " Colour Цвет "
)

func newDocument(g *demo.Generator, number int) document {
	d := document{number: number, product: g.Product(number), words: map[string][]text{}}
	add := func(part, value string) {
		words := fold(value)
		d.words[part] = append(d.words[part], words)
		d.words["text"] = append(d.words["text"], words)
	}
	addChoice := func(part string, list []demo.Attribute, c demo.Choice) {
		name := " " + list[c.Attribute].Name + " "
		value := list[c.Attribute].Values[c.Value]
		add(part, value)
		if strings.Contains(brandFeatures, name) {
			add("brand", value)
		}
		if strings.Contains(colourFeatures, name) {
			add("colour", value)
		}
	}

	add("name", d.product.Name)
	add("description", d.product.Description)
	for _, c := range d.product.Categories {
		for ; c >= 0; c = g.Categories()[c].Parent {
			add("category", g.Categories()[c].Name)
		}
	}
	for _, c := range d.product.Features {
		addChoice("value", g.Features(), c)
	}
	for _, v := range d.product.Variants {
		for _, c := range v.Options {
			addChoice("option", g.Options(), c)
		}
	}

	return d
}

// fold returns the words of a text in lower case, without ё and diacritics. An apostrophe is no separator.
func fold(value string) text {
	var b strings.Builder
	last := ' '
	for _, r := range norm.NFD.String(strings.ToLower(value)) {
		switch {
		case unicode.Is(unicode.Mn, r) && last != 'и' || r == '\'' || r == '’':
			continue // й is a letter of its own
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
		last = r
	}
	return strings.Fields(norm.NFC.String(b.String()))
}
