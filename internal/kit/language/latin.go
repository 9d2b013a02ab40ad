package language

import (
	"strings"
	"unicode"
)

// Latin returns a text in small Latin letters, digits and the signs of ASCII, as people write names of their language
// in addresses: Fold, and then one reading for each letter. Letters of scripts other than Cyrillic and Greek, such as
// Arabic or Chinese, are left out. Unlike Readings, which lists what a word may be, it gives one text, which must never
// change for a letter: addresses of things are made of it.
func Latin(s string) string {
	s = Fold(s)
	letters := latinLetters
	if isUkrainian(s) {
		letters = ukrainianLetters
	}

	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			b.WriteString(letters[r])
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isUkrainian reports whether a folded text has letters that Ukrainian has, and none that Ukrainian lacks and Russian,
// Belarusian or Kazakh have.
func isUkrainian(s string) bool {
	return strings.ContainsAny(s, "іїєґ") && !strings.ContainsAny(s, "ыэъўәғқңөұүһ")
}

// The readings of letters that are not Latin. Those of Russian are the ones of passports and maps, without ъ and ь.
var (
	latinLetters = parseRunes(`а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f
		х=kh ц=ts ч=ch ш=sh щ=shch ы=y э=e ю=yu я=ya і=i ї=yi є=ye ґ=g ў=u ә=a ғ=g қ=q ң=n ө=o ұ=u ү=u һ=h ђ=dj ѓ=g
		ѕ=dz ј=j љ=lj њ=nj ћ=c ќ=k џ=dz α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s τ=t
		υ=y φ=f χ=ch ψ=ps ω=o`)

	ukrainianLetters = withRunes(latinLetters, `г=h и=y`)
)

// parseRunes returns the readings that a text describes: words, each with a letter, "=" and what it stands for.
func parseRunes(text string) map[rune]string {
	return withRunes(nil, text)
}

// withRunes returns the readings of a table with those that a text describes in their place.
func withRunes(table map[rune]string, text string) map[rune]string {
	m := make(map[rune]string, len(table)+len(text)/4)
	for letter, latin := range table {
		m[letter] = latin
	}
	for _, entry := range strings.Fields(text) {
		letter, latin, _ := strings.Cut(entry, "=")
		m[[]rune(letter)[0]] = latin
	}
	return m
}
