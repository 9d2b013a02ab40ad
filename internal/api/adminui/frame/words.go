package frame

import "cmp"

// LanguageName returns the English name of a language of the API.
func LanguageName(tag string) string {
	return cmp.Or(map[string]string{"de": "German", "en": "English", "es": "Spanish", "fr": "French", "kk": "Kazakh",
		"ru": "Russian", "uk": "Ukrainian"}[tag], tag)
}
