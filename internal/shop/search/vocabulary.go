package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"vitrine/internal/kit/language"
)

// maxAddedWords is the number of words that a vocabulary gets in addition, beyond half of its size, until the columns
// are to be built again. They are looked up as quickly as the others, but made ready after each refresh that adds one.
const maxAddedWords = 50_000

// vocabulary is the words of a store: of names, descriptions, categories and values. Each has an id. The words that
// were there when the columns were built have their numbers in sorted order as ids, so that the words with a common
// prefix are a range of ids. Words that come later have the following ids, in the order of their coming. A word is
// never removed.
type vocabulary struct {
	stemmer language.Stemmer
	base    *lexicon
	added   []string // the word with the id base.words.Len()+i
	ids     map[string]uint32

	// recent is the lexicon of the added words, for queries. It is made by the first query that needs it.
	recent struct {
		sync.Mutex
		lexicon *lexicon
		ids     []uint32 // by number in lexicon
	}
}

func newVocabulary(stemmer language.Stemmer) *vocabulary {
	return &vocabulary{stemmer: stemmer, base: newLexicon(nil, stemmer), ids: map[string]uint32{}}
}

func (v *vocabulary) len() int { return v.base.words.Len() + len(v.added) }

// intern returns the id of a word and adds the word if it is new. It needs exclusive access.
func (v *vocabulary) intern(word string) uint32 {
	if id, ok := v.find(word); ok {
		return id
	}
	id := uint32(v.len())
	word = strings.Clone(word)
	v.added = append(v.added, word)
	v.ids[word] = id
	return id
}

// find returns the id of a word.
func (v *vocabulary) find(word string) (uint32, bool) {
	if id, ok := v.ids[word]; ok {
		return id, true
	}
	id, ok := v.base.words.Find(word)
	return uint32(id), ok
}

// word returns the word with this id.
func (v *vocabulary) word(id uint32) string {
	if n := v.base.words.Len(); int(id) >= n {
		return v.added[int(id)-n]
	}
	return v.base.words.At(int(id))
}

// sort gives all words new ids, in their sorted order, and returns the new ids by the old ones.
func (v *vocabulary) sort() []uint32 {
	words := make([]string, v.len())
	order := make([]uint32, v.len())
	for id := range words {
		words[id] = v.word(uint32(id))
		order[id] = uint32(id)
	}

	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(words[a], words[b]) })
	newIDs := make([]uint32, len(order))
	sorted := make([]string, len(order))
	for to, from := range order {
		newIDs[from] = uint32(to)
		sorted[to] = words[from]
	}

	*v = vocabulary{stemmer: v.stemmer, base: newLexicon(sorted, v.stemmer), ids: map[string]uint32{}}
	return newIDs
}

// setStemmer makes the forms of words those of another language.
func (v *vocabulary) setStemmer(stemmer language.Stemmer) {
	words := make([]string, v.base.words.Len())
	for i := range words {
		words[i] = v.base.words.At(i)
	}

	v.stemmer = stemmer
	v.base = newLexicon(words, stemmer)
	v.recent.lexicon = nil
}

// needsRebuild reports whether so many words were added that a rebuild pays off.
func (v *vocabulary) needsRebuild() bool { return len(v.added) > v.base.words.Len()/2+maxAddedWords }

// lexicons returns the lexicons of a vocabulary: of the words of the build, and of those that were added since.
func (v *vocabulary) lexicons() []lexiconIDs {
	list := []lexiconIDs{{lexicon: v.base}}
	if len(v.added) == 0 {
		return list
	}

	r := &v.recent
	r.Lock()
	defer r.Unlock()

	if r.lexicon == nil || r.lexicon.words.Len() < len(v.added) {
		words := slices.Sorted(slices.Values(v.added))
		r.lexicon = newLexicon(words, v.stemmer)
		r.ids = make([]uint32, len(words))
		for i, word := range words {
			r.ids[i] = v.ids[word]
		}
	}

	return append(list, lexiconIDs{r.lexicon, r.ids})
}

// lexiconIDs is a lexicon with the ids of its words. Without ids the numbers are the ids.
type lexiconIDs struct {
	*lexicon
	ids []uint32
}

func (x lexiconIDs) id(number uint32) uint32 {
	if x.ids == nil {
		return number
	}
	return x.ids[number]
}

func (v *vocabulary) bytes() int {
	const added = 100 // of a map entry, the string, and its place in the recent lexicon
	return v.base.bytes() + added*len(v.added)
}
