package frame

import (
	"cmp"
	"strings"
)

// Capitalize returns an enum value of the API, such as a status, with an upper-case first letter.
func Capitalize[T ~string](word T) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(string(word[:1])) + string(word[1:])
}

// LanguageName returns the English name of a language of the API.
func LanguageName(tag string) string {
	return cmp.Or(map[string]string{"de": "German", "en": "English", "es": "Spanish", "fr": "French", "kk": "Kazakh",
		"ru": "Russian", "uk": "Ukrainian"}[tag], tag)
}
