package language

import (
	"bytes"
	"iter"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"
)

// Dictionary is a sorted set of distinct words, packed: beyond the bytes of the words it takes 8 bytes per word, and 4
// per 64 words. It is read-only and safe for concurrent use.
type Dictionary struct {
	text []byte
	ends []uint32 // where each word ends in text
	// letters has, for each word, a bit per letter, and common the letters that all words of a block have. They tell of
	// most words that they cannot be near another one without reading them.
	letters []uint32
	common  []uint32
}

// blockWords is the number of words for which Dictionary.common has an element.
const blockWords = 64

// Match is a word of a dictionary that is near another one.
type Match struct {
	Word   int // its number
	Errors int // its Distance
}

// NewDictionary returns a dictionary of words that come in ascending order of their bytes, each once. Their bytes must
// be fewer than 4 GiB. It panics if they are not in order.
func NewDictionary(words iter.Seq[string]) *Dictionary {
	d := &Dictionary{}
	last := ""
	for word := range words {
		if len(d.ends) > 0 && word <= last {
			panic("language: the words of a dictionary are not in order")
		}
		last = word
		d.text = append(d.text, word...)
		d.ends = append(d.ends, uint32(len(d.text)))
		d.letters = append(d.letters, letterMask(word))
	}

	d.text = slices.Clip(d.text)
	d.ends = slices.Clip(d.ends)
	d.letters = slices.Clip(d.letters)
	for block := range slices.Chunk(d.letters, blockWords) {
		common := ^uint32(0)
		for _, mask := range block {
			common &= mask
		}
		d.common = append(d.common, common)
	}

	return d
}

// Len returns the number of words.
func (d *Dictionary) Len() int { return len(d.ends) }

// Bytes returns the memory that the dictionary takes.
func (d *Dictionary) Bytes() int { return cap(d.text) + 4*(cap(d.ends)+cap(d.letters)+cap(d.common)) }

// At returns the word with this number.
func (d *Dictionary) At(i int) string { return string(d.word(i)) }

// word returns the bytes of a word, which must not be changed.
func (d *Dictionary) word(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.text[start:d.ends[i]]
}

// Find returns the number of a word.
func (d *Dictionary) Find(word string) (int, bool) {
	i := d.search(word)
	return i, i < len(d.ends) && string(d.word(i)) == word
}

// search returns the number of the first word that is not less than word.
func (d *Dictionary) search(word string) int {
	return sort.Search(len(d.ends), func(i int) bool { return string(d.word(i)) >= word })
}

// Prefix returns the words that begin with prefix, as the half-open range of their numbers.
func (d *Dictionary) Prefix(prefix string) (from, to int) {
	from = d.search(prefix)
	beginning := []byte(prefix)
	n := sort.Search(len(d.ends)-from, func(i int) bool { return !bytes.HasPrefix(d.word(from+i), beginning) })
	return from, from + n
}

// Near returns the words with at most maxErrors typing errors, in the order of their numbers; more than two errors are
// not looked for. Words whose digits are others do not count, since another number is another product. At most budget
// words are compared; complete tells whether that was enough. The work beside it is one step per word of the
// dictionary, or per 64 words where these begin in another way.
func (d *Dictionary) Near(word string, maxErrors, budget int) (found []Match, complete bool) {
	var typed, runes [maxTypoRunes]rune
	maxErrors = min(maxErrors, 2)
	n, ok := decode(&typed, word)
	if !ok || maxErrors < 0 {
		return nil, true
	}

	mask := letterMask(word)
	digits := digitsOf(word)
	for block, common := range d.common {
		if bits.OnesCount32(common&^mask) > maxErrors {
			continue
		}

		first := block * blockWords
		for i, letters := range d.letters[first:min(first+blockWords, len(d.letters))] {
			if bits.OnesCount32(letters&^mask) > maxErrors || bits.OnesCount32(mask&^letters) > maxErrors {
				continue
			}

			other := d.word(first + i)
			if len(other) > utf8.UTFMax*(n+maxErrors) || utf8.UTFMax*len(other) < n-maxErrors {
				continue
			}
			if budget--; budget < 0 {
				return found, false
			}

			length, fits := decode(&runes, string(other))
			if !fits || length-n > maxErrors || n-length > maxErrors {
				continue
			}
			errors := boundedDistance(typed[:n], runes[:length], maxErrors)
			if errors <= maxErrors && digitsOf(string(other)) == digits {
				found = append(found, Match{first + i, errors})
			}
		}
	}

	return found, true
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
