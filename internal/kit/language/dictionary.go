package language

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"sort"
	"unicode/utf8"
)

// Dictionary is a sorted set of distinct words, packed: beyond the bytes of the words it takes a little more than 8
// bytes per word. It is read-only and safe for concurrent use.
type Dictionary struct {
	text []byte
	ends []uint32 // where each word ends in text
	// letters has, for each word, a bit per letter. It tells of most words that they cannot be near another one.
	letters []uint32
	// shared has, for each block of words, the length of the beginning that all of them share, in bytes; same that of
	// the beginning that the first words of the block and of the block before share.
	shared, same []uint8
}

// blockWords is the number of words for which Dictionary.shared and same have an element.
const blockWords = 16

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
	blocks := (len(d.ends) + blockWords - 1) / blockWords
	d.shared = make([]uint8, 0, blocks)
	d.same = make([]uint8, 0, blocks)
	for first := 0; first < len(d.ends); first += blockWords {
		d.shared = append(d.shared, sharedLength(d.word(first), d.word(min(first+blockWords, len(d.ends))-1)))
		d.same = append(d.same, sharedLength(d.word(max(first-blockWords, 0)), d.word(first)))
	}

	return d
}

// sharedLength returns the number of bytes with which both words begin, in whole runes.
func sharedLength(a, b []byte) uint8 {
	n := 0
	for n < min(len(a), len(b), math.MaxUint8) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return uint8(n)
}

// Len returns the number of words.
func (d *Dictionary) Len() int { return len(d.ends) }

// Bytes returns the memory that the dictionary takes.
func (d *Dictionary) Bytes() int {
	return cap(d.text) + 4*(cap(d.ends)+cap(d.letters)) + cap(d.shared) + cap(d.same)
}

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

// Splits returns the words of the dictionary that make a word together, two at a time: кроссовкинайк is кроссовки and
// найк. Each of them has at least three letters.
func (d *Dictionary) Splits(word string) [][2]int {
	const least = 3
	if len(word) > utf8.UTFMax*maxTypoRunes || !utf8.ValidString(word) {
		return nil
	}

	var found [][2]int
	letters := utf8.RuneCountInString(word)
	before := 0
	for at := range word {
		if before >= least && letters-before >= least {
			first, ok := d.Find(word[:at])
			second, both := d.Find(word[at:])
			if ok && both {
				found = append(found, [2]int{first, second})
			}
		}
		before++
	}

	return found
}
