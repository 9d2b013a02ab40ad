package language

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Match is a word of a dictionary that is near another one.
type Match struct {
	Word   int // its number
	Errors int // its Distance
}

// Near returns the words with at most maxErrors typing errors, in the order of their numbers; more than two errors are
// not looked for. Words whose digits are others do not count, since another number is another product. The first letter
// may be wrong, too. At most budget words are compared; complete tells whether that was enough. Of a million words some
// 100 are compared for one error, 5,000 for two, and 20,000 at most.
func (d *Dictionary) Near(word string, maxErrors, budget int) (found []Match, complete bool) {
	s := nearSearch{dictionary: d, maxErrors: min(maxErrors, 2), budget: budget, digits: digitsOf(word)}
	n, ok := decode(&s.runes, word)
	if !ok || maxErrors < 0 {
		return nil, true
	}

	s.typed = s.runes[:n]
	s.mask = letterMask(word)
	s.start()
	for block := 0; block < len(d.shared); {
		if failed := s.failedPrefix(block); failed > 0 {
			block = d.skipPrefix(block, failed)
			continue
		}
		if !s.compareBlock(block) {
			return s.found, false
		}
		block++
	}

	return s.found, true
}

// Corrections returns the words that may have been meant by a word with typing errors, the most probable first: by
// Distance, then Nearness, then number. A word has at most MaxErrors; a word of six or seven letters may have two if
// the one that was meant has eight. See Near for budget and complete.
func (d *Dictionary) Corrections(word string, budget int) (found []Match, complete bool) {
	const twoErrors = 8
	allowed := MaxErrors(word)
	if allowed == 0 {
		return nil, true
	}

	tried := allowed
	if utf8.RuneCountInString(word) >= twoErrors-2 {
		tried = 2
	}
	found, complete = d.Near(word, tried, budget)
	found = slices.DeleteFunc(found, func(m Match) bool {
		return m.Errors > allowed && utf8.RuneCount(d.word(m.Word)) < twoErrors
	})

	costs := make(map[int]int, len(found))
	for _, m := range found {
		costs[m.Word] = Nearness(word, d.At(m.Word))
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(a.Errors-b.Errors, costs[a.Word]-costs[b.Word], a.Word-b.Word)
	})

	return found, complete
}

// skipPrefix returns the first block after this one that may have words without the first n bytes of its first word.
func (d *Dictionary) skipPrefix(block, n int) int {
	next := block + 1
	for next < len(d.same) && int(d.same[next]) >= n {
		next++
	}

	// The last block that begins with the prefix may end without it.
	if last := next - 1; last > block && int(d.shared[last]) < n {
		return last
	}
	return next
}

// nearSearch is one search of Dictionary.Near. The sorted words are walked as a trie: the beginning that the words of a
// block share is compared first, letter by letter, and rows keeps the table of distances of each of its letters, so
// that the next block goes on where its beginning differs.
type nearSearch struct {
	dictionary *Dictionary
	runes      [maxTypoRunes]rune
	typed      []rune
	mask       uint32
	digits     string
	maxErrors  int
	budget     int
	found      []Match

	path  [maxTypoRunes]rune // the letters of the current beginning
	depth int                // how many of them have rows
	rows  [maxTypoRunes + 1][maxTypoRunes + 1]uint8

	// ofBeginnings searches for words of which only a beginning is near. Then whole tells of each of the letters of the
	// path whether the beginning before it, or a shorter one, is near.
	ofBeginnings bool
	whole        [maxTypoRunes + 1]bool
}

func (s *nearSearch) start() {
	for j := range s.typed {
		s.rows[0][j+1] = uint8(min(j+1, s.maxErrors+1))
	}
}

// failedPrefix returns the length in bytes of the shortest beginning of the block's words that is too far from every
// beginning of the typed word, or 0 if there is none.
func (s *nearSearch) failedPrefix(block int) int {
	beginning := s.dictionary.word(block * blockWords)[:s.dictionary.shared[block]]
	same := true
	at := 0
	for i := 0; at < len(beginning) && i < maxTypoRunes; i++ {
		if s.ofBeginnings && s.whole[i] {
			return 0
		}
		r, size := utf8.DecodeRune(beginning[at:])
		at += size
		if same && i < s.depth && s.path[i] == r {
			continue
		}

		same = false
		s.path[i] = r
		s.depth = i
		if s.addRow(i) > s.maxErrors {
			return at
		}
		s.depth = i + 1
		s.whole[i+1] = i+1+s.maxErrors >= len(s.typed) && int(s.rows[i+1][len(s.typed)]) <= s.maxErrors
	}

	return 0
}

// addRow computes the row of the letter path[i] and returns its least distance.
func (s *nearSearch) addRow(i int) int {
	tooFar := uint8(s.maxErrors + 1)
	row, previous := &s.rows[i+1], &s.rows[i]
	from, to := max(1, i+1-s.maxErrors), min(len(s.typed), i+1+s.maxErrors)
	if from > max(to, 1) {
		return s.maxErrors + 1
	}

	least := tooFar
	row[from-1] = tooFar
	if from == 1 {
		row[0] = min(uint8(i+1), tooFar)
		least = row[0]
	}

	letter := s.path[i]
	for j := from; j <= to; j++ {
		cost := previous[j-1]
		if s.typed[j-1] != letter {
			cost = min(cost, row[j-1])
			if j <= i+s.maxErrors {
				cost = min(cost, previous[j])
			}
			cost++
			if i > 0 && j > 1 && s.typed[j-2] == letter && s.typed[j-1] == s.path[i-1] {
				cost = min(cost, s.rows[i-1][j-2]+1)
			}
		}
		row[j] = min(cost, tooFar)
		least = min(least, row[j])
	}

	return int(least)
}

// compareBlock adds the words of a block that are near. It returns false if the budget is used up.
func (s *nearSearch) compareBlock(block int) bool {
	d := s.dictionary
	first := block * blockWords
	for i, letters := range d.letters[first:min(first+blockWords, len(d.letters))] {
		// An error takes at most one letter out of the set and puts at most one into it.
		extra, missing := letters&^s.mask, s.mask&^letters
		for range s.maxErrors {
			extra &= extra - 1
			missing &= missing - 1
		}
		if extra|missing != 0 {
			continue
		}

		if s.budget == 0 {
			return false
		}
		s.budget--
		s.compare(first+i, string(d.word(first+i)))
	}

	return true
}

// compare adds a word if it is near.
func (s *nearSearch) compare(number int, word string) {
	var runes [maxTypoRunes]rune
	n, ok := decode(&runes, word)
	if !ok || n-len(s.typed) > s.maxErrors || len(s.typed)-n > s.maxErrors {
		return
	}
	errors := boundedDistance(s.typed, runes[:n], s.maxErrors)
	if errors <= s.maxErrors && digitsOf(word) == s.digits {
		s.found = append(s.found, Match{number, errors})
	}
}

// letterMask returns a set of the letters of a word. Different letters may share a bit.
func letterMask(word string) uint32 {
	mask := uint32(0)
	for _, r := range word {
		mask |= 1 << (uint32(r) & 31)
	}
	return mask
}

// digitsOf returns the digits of a word.
func digitsOf(word string) string {
	var digits []byte
	for i := range len(word) {
		if isASCIIDigit(word[i]) {
			digits = append(digits, word[i])
		}
	}
	return string(digits)
}
