package language

import (
	"strings"

	"github.com/blevesearch/snowballstem/english"
)

// englishIrregular are plurals that no rule gives, and what is stemmed in their place. They also count at the end of
// compounds: bookshelves, snowmen.
var englishIrregular = []struct{ plural, singular string }{
	{"knives", "knife"}, {"wives", "wife"}, {"midlives", "midlife"}, {"shelves", "shelf"}, {"selves", "self"},
	{"elves", "elf"}, {"halves", "half"}, {"calves", "calf"}, {"leaves", "leaf"}, {"sheaves", "sheaf"},
	{"loaves", "loaf"}, {"thieves", "thief"}, {"scarves", "scarf"}, {"dwarves", "dwarf"}, {"wharves", "wharf"},
	{"wolves", "wolf"}, {"hooves", "hoof"}, {"children", "child"}, {"teeth", "tooth"}, {"geese", "goose"},
	{"feet", "foot"}, {"mice", "mouse"}, {"people", "person"}, {"oxen", "ox"}, {"cacti", "cactus"}, {"women", "woman"},
	{"firemen", "fireman"}, {"snowmen", "snowman"}, {"salesmen", "salesman"}, {"postmen", "postman"},
	{"workmen", "workman"}, {"gentlemen", "gentleman"}, {"fishermen", "fisherman"}, {"policemen", "policeman"},
	{"craftsmen", "craftsman"},
}

// englishWhole are irregular plurals that are too short to count at the end of compounds.
var englishWhole = map[string]string{"men": "man", "lives": "life", "lice": "louse", "dice": "die", "menus": "menu"}

// englishSingular are nouns that end in s in the singular. Their plural is in -es, and no s may be taken off them.
var englishSingular = []string{
	"bus", "gas", "lens", "canvas", "iris", "atlas", "christmas", "cosmos", "trellis", "chassis", "tennis", "series",
	"species",
}

// englishKey returns the key of an English word: the stem of its singular.
func englishKey(word string) string {
	if singular, ok := englishWhole[word]; ok {
		word = singular
	}
	for _, noun := range englishIrregular {
		if base, ok := strings.CutSuffix(word, noun.plural); ok {
			word = base + noun.singular
			break
		}
	}

	base := strings.TrimSuffix(word, "es")
	for _, noun := range englishSingular {
		if base == noun || word == noun {
			return noun
		}
	}
	if strings.HasSuffix(base, "zz") && len(base) == len(word)-2 {
		word = base[:len(base)-1] // quizzes
	}

	return snowball(word, english.Stem)
}
