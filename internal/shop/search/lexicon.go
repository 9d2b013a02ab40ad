package search

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"vitrine/internal/kit/language"
)

// lexicon is a sorted set of words, with what finds them in other ways than by their beginning. It is read-only. Words
// are identified by their numbers in the order of the words.
type lexicon struct {
	words *language.Dictionary
	// keys are the stems of the words; see language.Stemmer. The words of the key i are
	// keyWords[keyEnds[i-1]:keyEnds[i]].
	keys     *language.Dictionary
	keyEnds  []uint32
	keyWords []uint32
	// sounds are the sound keys of the words, sorted.
	sounds []soundWord
}

// soundWord is a sound key of the word with this number.
type soundWord struct {
	sound language.SoundKey
	word  uint32
}

// keyWord is a stem of the word with this number.
type keyWord struct {
	key  string
	word uint32
}

// newLexicon returns the lexicon of words that are sorted and distinct.
func newLexicon(words []string, stemmer language.Stemmer) *lexicon {
	x := &lexicon{words: language.NewDictionary(slices.Values(words))}
	x.addKeys(words, stemmer)
	x.addSounds(words)
	return x
}

// addKeys fills keys. A word that is its only key has none: whoever looks for its forms finds it as it is.
func (x *lexicon) addKeys(words []string, stemmer language.Stemmer) {
	var pairs []keyWord
	var keys []string
	for number, word := range words {
		if !hasForms(word) {
			continue
		}
		keys = stemmer.AppendKeys(keys[:0], word)
		for _, key := range keys {
			pairs = append(pairs, keyWord{key, uint32(number)})
		}
	}

	slices.SortFunc(pairs, func(a, b keyWord) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.word, b.word))
	})

	var distinct []string
	x.keyWords = make([]uint32, 0, len(pairs))
	for i, p := range pairs {
		if i > 0 && pairs[i-1].key == p.key {
			x.keyEnds[len(x.keyEnds)-1]++
		} else {
			distinct = append(distinct, p.key)
			x.keyEnds = append(x.keyEnds, uint32(len(x.keyWords)+1))
		}
		x.keyWords = append(x.keyWords, p.word)
	}

	x.keyEnds = slices.Clip(x.keyEnds)
	x.keys = language.NewDictionary(slices.Values(distinct))
}

// addSounds fills sounds.
func (x *lexicon) addSounds(words []string) {
	var keys []language.SoundKey
	for number, word := range words {
		if !hasForms(word) {
			continue
		}
		keys = language.AppendSoundKeys(keys[:0], word)
		for _, key := range keys {
			x.sounds = append(x.sounds, soundWord{key, uint32(number)})
		}
	}

	x.sounds = slices.Clip(x.sounds)
	slices.SortFunc(x.sounds, func(a, b soundWord) int {
		return cmp.Or(cmp.Compare(a.sound, b.sound), cmp.Compare(a.word, b.word))
	})
}

// hasForms reports whether a folded word may have other forms and a sound. Models and numbers have none, nor have the
// words of two letters.
func hasForms(word string) bool {
	const least = 3
	if utf8.RuneCountInString(word) < least {
		return false
	}
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			return false
		}
	}
	return true
}

// wordsOfKey returns the numbers of the words with this stem.
func (x *lexicon) wordsOfKey(key string) []uint32 {
	i, ok := x.keys.Find(key)
	if !ok {
		return nil
	}
	return x.wordsOfKeyNumber(i)
}

// wordsOfKeyNumber returns the numbers of the words with the stem of this number.
func (x *lexicon) wordsOfKeyNumber(i int) []uint32 {
	from := uint32(0)
	if i > 0 {
		from = x.keyEnds[i-1]
	}
	return x.keyWords[from:x.keyEnds[i]]
}

// wordsOfSound returns the words with this sound key.
func (x *lexicon) wordsOfSound(sound language.SoundKey) []soundWord {
	compare := func(w soundWord, sound language.SoundKey) int { return cmp.Compare(w.sound, sound) }
	from, _ := slices.BinarySearchFunc(x.sounds, sound, compare)
	to := from
	for to < len(x.sounds) && x.sounds[to].sound == sound {
		to++
	}
	return x.sounds[from:to]
}

func (x *lexicon) bytes() int {
	return x.words.Bytes() + x.keys.Bytes() + 4*cap(x.keyEnds) + 4*cap(x.keyWords) + 8*cap(x.sounds)
}
