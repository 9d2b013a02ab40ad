package search

import (
	"slices"

	"vitrine/internal/kit/language"
)

// synonymTable finds the synonyms of phrases by their first word.
type synonymTable struct {
	// phrases are found by the stems of their first words, and by these words.
	phrases map[string][]synonymPhrase
}

// synonymPhrase is a phrase with the phrases that it also stands for. All are lists of folded words.
type synonymPhrase struct {
	words   []string
	targets [][]string
}

// add adds a phrase that stands for targets, too.
func (t *synonymTable) add(stemmer language.Stemmer, words []string, targets [][]string) {
	if len(words) == 0 || len(targets) == 0 {
		return
	}
	if t.phrases == nil {
		t.phrases = map[string][]synonymPhrase{}
	}
	for _, key := range firstKeys(stemmer, words[0]) {
		t.phrases[key] = append(t.phrases[key], synonymPhrase{words, targets})
	}
}

// addGroup adds phrases that all stand for each other.
func (t *synonymTable) addGroup(stemmer language.Stemmer, group [][]string) {
	for i, words := range group {
		t.add(stemmer, words, slices.Delete(slices.Clone(group), i, i+1))
	}
}

// startingWith returns the phrases whose first word may be a form of the given one.
func (t *synonymTable) startingWith(stemmer language.Stemmer, word string) (found []synonymPhrase) {
	if len(t.phrases) == 0 {
		return nil
	}
	for _, key := range firstKeys(stemmer, word) {
		found = append(found, t.phrases[key]...)
	}
	return found
}

func firstKeys(stemmer language.Stemmer, word string) []string {
	keys := stemmer.Keys(word)
	if !slices.Contains(keys, word) {
		keys = append(keys, word)
	}
	return keys
}

// phraseWords returns the folded words of a phrase.
func phraseWords(phrase string) (words []string) {
	for _, f := range language.ParseQuery(phrase) {
		for _, word := range f.Words {
			words = append(words, word.Joined)
		}
	}
	return words
}

func (t *synonymTable) bytes() int {
	const phrase = 120
	return phrase * len(t.phrases)
}
