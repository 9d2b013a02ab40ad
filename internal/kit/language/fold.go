package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text without the differences that people do not type: case, diacritics, full-width and other
// compatibility forms, apostrophes, soft hyphens, ё for е, ß for ss. Letters of their own stay: й, і, ї, ў, Kazakh ә.
// Punctuation and spaces stay. Invalid bytes are dropped. A text that is folded already is returned as it is, without
// an allocation.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' || c == '\'' || c == '`' {
				return foldFrom(s, i)
			}
			continue
		}

		if i+1 == len(s) || !isFoldedCyrillic(s[i], s[i+1]) {
			return foldFrom(s, i)
		}
		i++
	}

	return s
}

// isFoldedCyrillic reports whether two bytes are one of а to я, є, і, ї or ґ.
func isFoldedCyrillic(a, b byte) bool {
	switch a {
	case 0xd0:
		return 0xb0 <= b && b <= 0xbf
	case 0xd1:
		return 0x80 <= b && b <= 0x8f || b == 0x94 || b == 0x96 || b == 0x97
	case 0xd2:
		return b == 0x91
	}
	return false
}

// foldFrom folds a text whose first n bytes are folded.
func foldFrom(s string, n int) string {
	if !isPlain(s[n:]) {
		s = norm.NFKC.String(strings.Map(dropUnwritten, s))
		n = 0
	}

	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:n])
	for _, r := range s[n:] {
		foldRune(&b, r)
	}

	return b.String()
}

// isPlain reports whether a text has only ASCII and precomposed Cyrillic, so that it need not be normalised.
func isPlain(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf && (r < 0x400 || r > 0x52f || 0x483 <= r && r <= 0x489) {
			return false
		}
	}
	return true
}

// dropUnwritten drops what must not take part in normalisation: apostrophes, of which some are accents with a space in
// compatibility forms, and invisible characters, invalid bytes among them.
func dropUnwritten(r rune) rune {
	if isApostrophe(r) || isInvisible(r) || r == utf8.RuneError {
		return -1
	}
	return r
}

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '`', '´', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ˈ', '‘', '’', '‛', '′', '＇':
		return true
	}
	return false
}

// isInvisible reports whether a character only controls how its neighbours are shown, such as a soft hyphen.
func isInvisible(r rune) bool { return r >= 0xad && unicode.Is(unicode.Cf, r) }

// isDroppedMark reports whether a mark is a diacritic, not a vowel of its script as in Thai or Hindi.
func isDroppedMark(r rune) bool {
	switch {
	case 0x300 <= r && r <= 0x36f, 0x483 <= r && r <= 0x489, 0x1ab0 <= r && r <= 0x1aff, 0x1dc0 <= r && r <= 0x1dff,
		0x20d0 <= r && r <= 0x20ff, 0xfe00 <= r && r <= 0xfe0f, 0xfe20 <= r && r <= 0xfe2f, // diacritics, variants
		0x591 <= r && r <= 0x5c7 && r != 0x5be,           // points of Hebrew
		0x640 == r, 0x64b <= r && r <= 0x65f, r == 0x670: // points of Arabic, the dash that makes words longer
		return true
	}
	return false
}

// letterForms are letters with other spellings in their language, which no decomposition gives.
var letterForms = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n",
	'ĸ': "k", 'ŧ': "t", 'ə': "e", 'ς': "σ", 'ё': "е", 'ѐ': "е", 'ѝ': "и",
}

func foldRune(b *strings.Builder, r rune) {
	switch {
	case 'a' <= r && r <= 'z' || r == ' ' || '0' <= r && r <= '9':
		b.WriteByte(byte(r))
		return
	case 'а' <= r && r <= 'я':
		b.WriteRune(r)
		return
	case 'А' <= r && r <= 'Я':
		b.WriteRune(r + 'а' - 'А')
		return
	}

	r = unicode.ToLower(r)
	switch {
	case isApostrophe(r) || isInvisible(r) || isDroppedMark(r) || r == utf8.RuneError:
		return
	case r < utf8.RuneSelf:
		b.WriteRune(r)
		return
	}

	if form, ok := letterForms[r]; ok {
		b.WriteString(form)
		return
	}
	if unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Greek, r) {
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		r = base
	}
	if form, ok := letterForms[r]; ok { // ǿ, ǽ
		b.WriteString(form)
		return
	}
	b.WriteRune(r)
}
