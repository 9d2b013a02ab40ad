package demo

import (
	"strings"
	"unicode"

	"vitrine/internal/shop/catalog"
)

// Sample has the parameters of some requests worth trying: a department filtered by two colours and by weight, and a
// search. An id is zero if the store's feature with that name is not filterable in this way.
type Sample struct {
	Category catalog.CategoryID
	Colour   catalog.AttributeID
	Colours  []catalog.ValueID
	Weight   catalog.AttributeID
	// Word is from the name of a product. It is Cyrillic if one of the first products has a Cyrillic name.
	Word string
}

func (f *filler) sample(refs *references, products int) Sample {
	s := Sample{Category: refs.categories[f.generator.Categories()[0].ExternalID]}
	if colour := refs.features[colourFeature]; colour.Filterable {
		s.Colour, s.Colours = colour.ID, []catalog.ValueID{colour.values["Black"], colour.values["White"]}
	}
	if weight := refs.features[weightFeature]; weight.Filterable && weight.FieldType == catalog.Range {
		s.Weight = weight.ID
	}
	s.Word = f.sampleWord(products)
	return s
}

// sampleWord returns the first word of a product's name in lower case.
func (f *filler) sampleWord(products int) string {
	for i := 1; i <= min(products, 100); i++ {
		if word, _, _ := strings.Cut(f.generator.Product(i).Name, " "); strings.ContainsFunc(word,
			func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			return strings.ToLower(word)
		}
	}
	word, _, _ := strings.Cut(f.generator.Product(1).Name, " ")
	return strings.ToLower(word)
}
