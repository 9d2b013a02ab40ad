package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word of a text. Words are made of parts: a part is a run of letters, a number, or one sign of a script
// without spaces. Parts that touch, or that only a hyphen, a dot, a slash and the like separate, also make one joined
// word, so that "iPhone15" has the tokens iphone, 15 and iphone15, and "A-1" has a, 1 and a1.
type Token struct {
	// Form is the folded text, of a joined word without what is between its parts.
	Form string
	// Start and End are the byte offsets of the token in the text.
	Start, End int
	// Place is the number of the token's first part. The first part of the text has number 0, and parts of neighbouring
	// words have neighbouring numbers.
	Place int
	// Parts is the number of parts: 1 for a part, more for a joined word.
	Parts int
}

// maxJoinedParts and maxJoinedBytes limit joined words: what is longer is no word.
const (
	maxJoinedParts = 8
	maxJoinedBytes = 64
)

// Tokens returns the tokens of a text in the order of their places; a joined word stands before its parts.
func Tokens(text string) []Token {
	return AppendTokens(nil, text)
}

// AppendTokens appends the tokens of a text to a list and returns it.
func AppendTokens(dst []Token, text string) []Token {
	parts := scanParts(text)
	place := 0
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].touches {
			n++
		}

		counted := 0
		for _, p := range parts[:n] {
			if !p.silent {
				counted++
			}
		}

		if form := joinedForm(parts[:n]); form != "" && counted > 1 {
			dst = append(dst, Token{form, parts[0].start, parts[n-1].end, place, counted})
		}
		for _, p := range parts[:n] {
			if p.silent {
				continue
			}
			dst = append(dst, Token{p.form, p.start, p.end, place, 1})
			place++
		}
		parts = parts[n:]
	}

	return dst
}

// joinedForm returns the joined word of parts that touch, or "" if it is none.
func joinedForm(parts []part) string {
	size := 0
	for i, p := range parts {
		size += len(p.form)
		if i > 0 && !p.joins || size > maxJoinedBytes {
			return ""
		}
	}
	if len(parts) > maxJoinedParts {
		return ""
	}

	var b strings.Builder
	b.Grow(size)
	for _, p := range parts {
		b.WriteString(p.form)
	}

	return b.String()
}

// UTF16 returns the offset in UTF-16 units of a byte offset in a text, which is how JavaScript counts.
func UTF16(text string, offset int) int {
	units := 0
	for _, r := range text[:min(max(offset, 0), len(text))] {
		units++
		if r > 0xffff {
			units++
		}
	}
	return units
}

// part is a part of a word.
type part struct {
	form       string
	start, end int
	class      runeClass
	// touches tells that no space is between the part and the one before; joins, that they may make one word.
	touches, joins bool
	// silent marks the x of 10x20: it is no part of its own, but joined words have it.
	silent bool
}

// runeClass is what a character is to words.
type runeClass int

const (
	classSpace  runeClass = iota // separates words
	classJoiner                  // separates parts of a word
	classLetter
	classDigit
	classSign // a sign that is a part alone: Chinese, Japanese, Thai and their neighbours
	classMark // continues what is before it
	classApostrophe
	classPlus
)

// asciiClasses are the classes of ASCII.
var asciiClasses = func() (classes [utf8.RuneSelf]runeClass) {
	for r := range classes {
		classes[r] = classifyAny(rune(r))
	}
	return classes
}()

func classify(r rune) runeClass {
	switch {
	case r < utf8.RuneSelf:
		return asciiClasses[r]
	case 'А' <= r && r <= 'я':
		return classLetter
	}
	return classifyAny(r)
}

func classifyAny(r rune) runeClass {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return classLetter
	case '0' <= r && r <= '9':
		return classDigit
	case isApostrophe(r):
		return classApostrophe
	case r == '+', r == '＋':
		return classPlus

	case strings.ContainsRune("-.'/&_*×\\‐‑‒–−·", r):
		return classJoiner
	case r < utf8.RuneSelf, unicode.IsSymbol(r) && !unicode.Is(unicode.Sk, r), r == 'ª', r == 'º':
		return classSpace
	case isInvisible(r), unicode.IsMark(r), unicode.Is(unicode.Sk, r):
		return classMark
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar, unicode.Bopomofo) && unicode.IsLetter(r):
		return classSign
	case unicode.IsLetter(r), unicode.Is(unicode.Nl, r):
		return classLetter
	case unicode.IsNumber(r):
		return classDigit
	}
	return classSpace
}

// scanParts returns the parts of a text.
func scanParts(text string) []part {
	s := partScanner{text: text, parts: make([]part, 0, len(text)/6+1)}
	for s.at < len(text) {
		r, size := utf8.DecodeRuneInString(text[s.at:])
		switch class := classify(r); class {
		case classLetter, classDigit, classSign:
			s.scanPart(class)
		case classPlus:
			s.scanPlus(size)
		case classJoiner, classMark, classApostrophe:
			s.gap++
			s.at += size
			if size == 1 && (r == '.' || r == '/' || r == '\\') {
				s.weak = true
			}
		default:
			s.gap = spaceGap
			s.at += size
		}
	}

	s.silenceTimes()
	s.repairModels()
	return s.parts
}

// spaceGap is a gap between two parts that separates words.
const spaceGap = 2

type partScanner struct {
	text  string
	at    int
	parts []part
	// gap counts the characters since the last part; from spaceGap on the words are different ones.
	gap int
	// weak tells that the gap is a dot or a slash, which join only short words.
	weak bool
}

// scanPart reads the part that begins here.
func (s *partScanner) scanPart(class runeClass) {
	start := s.at
	end := start
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		next := classify(r)
		if next == classApostrophe && class == classLetter && s.apostropheContinues(start, size) {
			s.at += size
			continue
		}
		if next != class && next != classMark || class == classSign && next == classSign && s.at > start {
			break
		}
		s.at += size
		end = s.at
	}

	s.at = end
	if class == classDigit {
		end = s.decimalEnd(start, end)
		s.at = end
	}
	s.add(class, start, end)
}

// apostropheContinues reports whether an apostrophe here is inside a word: between letters, and not after an article
// that French and Italian write so (l'eau, d'or), which is a part of its own.
func (s *partScanner) apostropheContinues(start, size int) bool {
	after, afterSize := utf8.DecodeRuneInString(s.text[s.at+size:])
	if classify(after) != classLetter {
		return false
	}

	before := s.text[start:s.at]
	if len(before) > 2 || before[0] >= utf8.RuneSelf {
		return true
	}
	third := s.text[s.at+size+afterSize:]
	_, thirdSize := utf8.DecodeRuneInString(third)
	r, _ := utf8.DecodeRuneInString(third[thirdSize:])
	return classify(r) != classLetter
}

// decimalEnd returns the end of the number at [start, end): 1.5 and 1,5 are one, 1.2.3 and 1,2,3 are several.
func (s *partScanner) decimalEnd(start, end int) int {
	if !startsFraction(s.text[end:]) || start > 1 && isPoint(s.text[start-1]) && isASCIIDigit(s.text[start-2]) {
		return end
	}
	stop := end + 1
	for stop < len(s.text) && isASCIIDigit(s.text[stop]) {
		stop++
	}
	if startsFraction(s.text[stop:]) {
		return end
	}
	return stop
}

func startsFraction(s string) bool { return len(s) > 1 && isPoint(s[0]) && isASCIIDigit(s[1]) }

func isPoint(c byte) bool { return c == '.' || c == ',' }

func isASCIIDigit(c byte) bool { return '0' <= c && c <= '9' }

// scanPlus reads a plus sign: after a word it is the word plus, as in "S23+".
func (s *partScanner) scanPlus(size int) {
	start := s.at
	s.at += size
	next, _ := utf8.DecodeRuneInString(s.text[s.at:])
	class := classify(next)
	if len(s.parts) == 0 || s.gap > 0 || class == classLetter || class == classDigit {
		s.gap = spaceGap
		return
	}
	s.append(part{form: "plus", start: start, end: s.at, class: classLetter})
}

// add appends the part at [start, end), or several if a word changes its script.
func (s *partScanner) add(class runeClass, start, end int) {
	if class == classDigit {
		form := strings.ReplaceAll(Fold(s.text[start:end]), ",", ".")
		s.append(part{form: form, start: start, end: end, class: class})
		return
	}

	change := scriptChange(s.text[start:end])
	if change > 0 && end-start <= maxJoinedBytes {
		if repaired, ok := repairScript(s.text[start:end]); ok {
			s.append(part{form: Fold(repaired), start: start, end: end, class: class})
			return
		}
	}
	for ; change > 0; change = scriptChange(s.text[start:end]) {
		s.append(part{form: Fold(s.text[start : start+change]), start: start, end: start + change, class: class})
		start += change
	}
	s.append(part{form: Fold(s.text[start:end]), start: start, end: end, class: class})
}

func (s *partScanner) append(p part) {
	if p.form != "" {
		p.touches = len(s.parts) > 0 && s.gap < spaceGap
		p.joins = p.touches && s.mayJoin(p)
		s.parts = append(s.parts, p)
	}
	s.gap = 0
	s.weak = false
}

// mayJoin reports whether a part may make one word with the one before. A dot or a slash joins only if one of them is
// short: "Dr.Martens", but not "кроссовки/ботинки". Decimal numbers do not join with other numbers, nor do signs.
func (s *partScanner) mayJoin(p part) bool {
	before := s.parts[len(s.parts)-1]
	const shortBytes = 6
	switch {
	case p.class == classSign || before.class == classSign:
		return false
	case p.class == classDigit && before.class == classDigit:
		return !strings.Contains(p.form+before.form, ".")
	case s.weak && p.class == classLetter && before.class == classLetter:
		return len(p.form) <= shortBytes || len(before.form) <= shortBytes
	}
	return true
}

// silenceTimes finds the x between two numbers, "10x20" or "10 x 20", in either script.
func (s *partScanner) silenceTimes() {
	for i := 1; i+1 < len(s.parts); i++ {
		p := &s.parts[i]
		if (p.form == "x" || p.form == "х") && s.parts[i-1].class == classDigit && s.parts[i+1].class == classDigit {
			p.form = "x"
			p.silent = true
		}
	}
}

// repairModels writes the Cyrillic letters of models in Latin where they look the same: А52, М8, USB-С. They are one or
// two letters before a number or beside a Latin part; after a number they are a unit (5м), unless a digit follows at
// once (5м2).
func (s *partScanner) repairModels() {
	const most = 4 // bytes
	for i := range s.parts {
		p := &s.parts[i]
		if p.class != classLetter || len(p.form) > most || wordScript(p.form) != cyrillicScript {
			continue
		}

		before := i > 0 && p.joins && s.parts[i-1].class == classLetter && wordScript(s.parts[i-1].form) == latinScript
		after := i+1 < len(s.parts) && s.parts[i+1].joins &&
			(s.parts[i+1].class == classDigit || wordScript(s.parts[i+1].form) == latinScript)
		unit := i > 0 && p.joins && s.parts[i-1].class == classDigit && (!after || s.parts[i+1].start > p.end)
		latin := Fold(replaceTwins(strings.ToUpper(p.form), cyrillicTwins))
		if (before || after && !unit) && scriptChange(latin) == 0 && wordScript(latin) == latinScript {
			p.form = latin
		}
	}
}
