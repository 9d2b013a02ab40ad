package language

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Beginning is the beginning of words of a dictionary that may have been meant by the beginning of a word with typing
// errors.
type Beginning struct {
	Text string
	// Errors is the Distance from what was typed, and Nearness says how improbable the errors are.
	Errors, Nearness int
}

// Beginnings returns the beginnings of words that may have been meant by a word that is being typed and has typing
// errors, the most probable first: by Errors, then Nearness, then Text. There are at least one error and at most
// MaxErrors of what was typed. Of each word only the most probable beginning counts, and words that begin with what was
// typed are left out. Digits have to be the same. At most budget words are compared, of those that begin alike only
// one; complete tells whether that was enough.
func (d *Dictionary) Beginnings(typed string, budget int) (found []Beginning, complete bool) {
	s := beginningSearch{nearSearch: nearSearch{dictionary: d, maxErrors: MaxErrors(typed), budget: budget,
		digits: digitsOf(typed), ofBeginnings: true}, word: typed, seen: map[string]bool{}}
	n, ok := decode(&s.runes, typed)
	if !ok || s.maxErrors == 0 || n+s.maxErrors > maxTypoRunes {
		return nil, true
	}

	s.typed = s.runes[:n]
	s.mask = letterMask(typed)
	s.start()
	complete = true
	for block := 0; block < len(d.shared) && complete; {
		if failed := s.failedPrefix(block); failed > 0 {
			block = d.skipPrefix(block, failed)
			continue
		}
		complete = s.compareBeginnings(block)
		block++
	}

	slices.SortFunc(s.beginnings, func(a, b Beginning) int {
		return cmp.Or(a.Errors-b.Errors, a.Nearness-b.Nearness, cmp.Compare(a.Text, b.Text))
	})
	return s.beginnings, complete
}

// beginningSearch is one search of Dictionary.Beginnings.
type beginningSearch struct {
	nearSearch
	word       string
	beginnings []Beginning
	seen       map[string]bool
	// last is what of the word before was compared. Words that begin with it have the same result.
	last []byte
}

// compareBeginnings adds the beginnings of a block's words that are near. It returns false if the budget is used up.
func (s *beginningSearch) compareBeginnings(block int) bool {
	d := s.dictionary
	first := block * blockWords
	for i, letters := range d.letters[first:min(first+blockWords, len(d.letters))] {
		missing := s.mask &^ letters // an error takes at most one letter out of what was typed
		for range s.maxErrors {
			missing &= missing - 1
		}
		word := firstRunes(d.word(first+i), len(s.typed)+s.maxErrors)
		if missing != 0 || len(s.last) > 0 && string(word) == string(s.last) {
			continue
		}

		if s.budget == 0 {
			return false
		}
		s.budget--
		s.last = word
		s.compareBeginning(string(word))
	}
	return true
}

// compareBeginning adds the most probable beginning of a word, if it is near.
func (s *beginningSearch) compareBeginning(word string) {
	var runes [maxTypoRunes]rune
	n, _ := decode(&runes, word)
	least := s.maxErrors + 1
	var ends [2*maxBeginningErrors + 1]int // the ends of the beginnings with the fewest errors
	kept := 0
	for end := max(1, len(s.typed)-s.maxErrors); end <= n; end++ {
		errors := boundedDistance(s.typed, runes[:end], s.maxErrors)
		if errors < least {
			least = errors
			kept = 0
		}
		if errors == least && errors <= s.maxErrors {
			ends[kept] = end
			kept++
		}
	}
	if kept == 0 || least == 0 {
		return
	}

	best := Beginning{Errors: least}
	for i, end := range ends[:kept] {
		text := string(runes[:end])
		if cost := Nearness(s.word, text); i == 0 || cost < best.Nearness {
			best.Text = text
			best.Nearness = cost
		}
	}
	if !s.seen[best.Text] && digitsOf(best.Text) == s.digits {
		s.seen[best.Text] = true
		s.beginnings = append(s.beginnings, best)
	}
}

// maxBeginningErrors is the greatest result of MaxErrors.
const maxBeginningErrors = 2

// firstRunes returns the first n runes of a word.
func firstRunes(word []byte, n int) []byte {
	at := 0
	for range n {
		if at == len(word) {
			break
		}
		_, size := utf8.DecodeRune(word[at:])
		at += size
	}
	return word[:at]
}
