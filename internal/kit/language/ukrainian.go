package language

import "strings"

// ukrainianEndings are the endings of nouns and adjectives with the ways to take them off. The longest one counts.
var ukrainianEndings = map[string][]cut{
	"ами": {{3, ""}}, "ями": {{3, ""}}, "ими": {{3, ""}}, "іми": {{3, ""}}, "ого": {{3, ""}}, "ому": {{3, ""}, {1, ""}},
	"ові": {{3, ""}, {1, ""}}, "еві": {{3, ""}, {1, ""}}, "єві": {{3, ""}}, "ий": {{2, ""}}, "ій": {{2, ""}, {1, ""}},
	"им": {{2, ""}, {0, ""}}, "ім": {{2, ""}, {0, ""}}, "их": {{2, ""}, {0, ""}}, "іх": {{2, ""}, {0, ""}},
	"ів": {{2, ""}, {0, ""}}, "їв": {{2, ""}}, "ам": {{2, ""}, {0, ""}}, "ям": {{2, ""}}, "ах": {{2, ""}, {0, ""}},
	"ях": {{2, ""}}, "ом": {{2, ""}, {0, ""}}, "ем": {{2, ""}, {0, ""}}, "єм": {{2, ""}}, "ою": {{2, ""}}, "ею": {{2,
		""}},
	"єю": {{2, ""}}, "ої": {{2, ""}}, "ей": {{2, ""}, {1, ""}}, "ой": {{2, ""}, {1, ""}}, "ай": {{1, ""}}, "уй": {{1,
		""}},
	"а": {{1, ""}}, "я": {{1, ""}}, "о": {{1, ""}}, "е": {{1, ""}}, "є": {{1, ""}}, "и": {{1, ""}}, "і": {{1, ""}},
	"ї": {{1, ""}}, "у": {{1, ""}}, "ю": {{1, ""}}, "ь": {{1, ""}},
}

const ukrainianVowels = "аеєиіїоуюя"

// appendUkrainianKeys appends the keys of a Ukrainian word: one for each reading of its ending.
func appendUkrainianKeys(dst []string, word string) []string {
	letters := []rune(word)
	before := len(dst)
	for length := min(3, len(letters)-1); length > 0; length-- {
		ending := string(letters[len(letters)-length:])
		for _, c := range ukrainianEndings[ending] {
			stem := letters[:len(letters)-c.letters]
			if len(stem) < 2 || !strings.ContainsAny(string(stem), ukrainianVowels) {
				continue
			}
			dst = appendNew(dst, ukrainianStem(stem))
			if hard := hardened(stem); hard != nil && ending == "і" {
				dst = appendNew(dst, ukrainianStem(hard)) // подушці, книзі
			}
		}
		if len(dst) > before {
			return dst
		}
	}

	return appendNew(dst, ukrainianStem(letters))
}

// hardened returns a stem whose last letter softened before і with the letter that it was, or nil.
func hardened(stem []rune) []rune {
	hard := map[rune]rune{'ц': 'к', 'з': 'г', 'с': 'х'}[stem[len(stem)-1]]
	if hard == 0 {
		return nil
	}
	changed := append([]rune(nil), stem...)
	changed[len(changed)-1] = hard
	return changed
}

// ukrainianStem returns the canonical form of a stem. In its last syllable о, е and і alternate with each other and
// with nothing (стіл and стола, чохол and чохли): they are dropped, or written о if no other vowel is left. Soft signs
// and double consonants go.
func ukrainianStem(stem []rune) string {
	letters := make([]rune, 0, len(stem))
	for _, r := range stem {
		if r != 'ь' && (len(letters) == 0 || letters[len(letters)-1] != r) {
			letters = append(letters, r)
		}
	}

	n := len(letters)
	if n < 3 || isUkrainianVowel(letters[n-1]) || !strings.ContainsRune("оеі", letters[n-2]) ||
		isUkrainianVowel(letters[n-3]) {
		return string(letters)
	}
	if strings.ContainsAny(string(letters[:n-2]), ukrainianVowels) {
		return string(letters[:n-2]) + string(letters[n-1])
	}
	letters[n-2] = 'о'
	return string(letters)
}

func isUkrainianVowel(r rune) bool { return strings.ContainsRune(ukrainianVowels, r) }
