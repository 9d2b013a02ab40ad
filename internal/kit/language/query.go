package language

import (
	"strings"
	"unicode"
)

// QueryField is what stands between two spaces of a query.
type QueryField struct {
	// Raw is the field as typed. OtherLayouts takes it, since its punctuation may be letters of another layout.
	Raw   string
	Start int // byte offset in the query
	// Words are the words of the field. There is none if the field is only punctuation.
	Words []QueryWord
}

// QueryWord is a word of a query with the two ways to read it.
type QueryWord struct {
	// Joined is the word read as one: iphone15.
	Joined string
	// Parts is the word read apart: iphone and 15. All of them have to match, at neighbouring places. A word of one
	// part has Joined only.
	Parts      []string
	Start, End int // byte offsets in the query
}

// ParseQuery splits a query into fields and words. Each word has to match something; a word matches if Joined does, or
// all its Parts do.
func ParseQuery(query string) []QueryField {
	var fields []QueryField
	start := -1
	for i, r := range query + " " {
		switch {
		case !unicode.IsSpace(r):
			if start < 0 {
				start = i
			}
		case start >= 0:
			raw := query[start:i]
			fields = append(fields, QueryField{Raw: raw, Start: start})
			start = -1
		}
	}

	return addQueryWords(fields, query)
}

// FoldQuery returns the words of a query, folded and read apart, with a space between them: "iPhone15" and "iphone 15"
// are the same query. It returns "" for a query without words.
func FoldQuery(query string) string {
	var b strings.Builder
	for _, t := range Tokens(query) {
		if t.Parts > 1 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Form)
	}
	return b.String()
}

// addQueryWords adds the words of the whole query to its fields, since numbers and the x of "10 x 20" depend on their
// neighbours.
func addQueryWords(fields []QueryField, query string) []QueryField {
	tokens := Tokens(query)
	field := 0
	for len(tokens) > 0 {
		word := QueryWord{Joined: tokens[0].Form, Start: tokens[0].Start, End: tokens[0].End}
		n := tokens[0].Parts
		tokens = trimJoined(tokens, n)
		if n > 1 {
			for _, t := range tokens[:n] {
				word.Parts = append(word.Parts, t.Form)
			}
		}
		tokens = tokens[n:]

		for field+1 < len(fields) && fields[field+1].Start <= word.Start {
			field++
		}
		fields[field].Words = append(fields[field].Words, word)
	}

	return fields
}

// trimJoined returns the tokens without the joined word that stands before its parts.
func trimJoined(tokens []Token, parts int) []Token {
	if parts > 1 {
		return tokens[1:]
	}
	return tokens
}

// IsNumber reports whether a word has only digits and the point of a decimal number.
func IsNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.") == ""
}
