package language

import (
	"strings"
	"unicode/utf8"
)

// letterTable says what groups of letters may stand for.
type letterTable struct {
	anywhere, start, end map[string][]string // in the whole word, at its beginning only, at its end only
	// longest has the length in bytes of the longest group by the last byte of its first letter. Latin letters have one
	// byte, Cyrillic ones two.
	longest [256]uint8
}

// parseLetters returns the table that a text describes. Each word of it is a group, "=" and the choices with commas,
// the most probable one first. "^" before a group: at the beginning of a word; "$" after it: at the end.
func parseLetters(text string) *letterTable {
	t := &letterTable{anywhere: map[string][]string{}, start: map[string][]string{}, end: map[string][]string{}}
	for _, entry := range strings.Fields(text) {
		group, choices, _ := strings.Cut(entry, "=")
		list := t.anywhere
		if base, ok := strings.CutPrefix(group, "^"); ok {
			group = base
			list = t.start
		}
		if base, ok := strings.CutSuffix(group, "$"); ok {
			group = base
			list = t.end
		}

		list[group] = strings.Split(choices, ",")
		_, size := utf8.DecodeRuneInString(group)
		t.longest[group[size-1]] = max(t.longest[group[size-1]], uint8(len(group)))
	}
	return t
}

// at returns the choices of the longest group that begins at a byte of a word, and its length in bytes. What the table
// does not know stands for nothing.
func (t *letterTable) at(word string, i int) (choices []string, size int) {
	_, letter := utf8.DecodeRuneInString(word[i:])
	longest := int(t.longest[word[i+letter-1]])
	for n := min(longest, len(word)-i); n >= letter; n -= letter {
		group := word[i : i+n]
		if i == 0 {
			if known, ok := t.start[group]; ok {
				return known, n
			}
		} else if i+n == len(word) {
			if known, ok := t.end[group]; ok {
				return known, n
			}
		}
		if known, ok := t.anywhere[group]; ok {
			return known, n
		}
	}

	return []string{""}, letter
}
