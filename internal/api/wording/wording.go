// Package wording has the messages of faults in the languages of people. The pages of the administration and the
// answers to 1C show them. It does not choose the language.
package wording

import (
	"embed"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed messages
var embedded embed.FS

// Languages returns the tags of the languages. English is the first: its texts are the keys of the others.
func Languages() []string { return []string{"en", "ru"} }

// Text is a text by its plural form. A text without a number has only the form plural.Other.
type Text map[plural.Form]string

// UnmarshalJSON reads a text, or an object with a text for each plural form.
func (m *Text) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*m = Text{plural.Other: text}
		return nil
	}

	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}

	*m = Text{}
	for name, text := range forms {
		form, ok := pluralForms()[name]
		if !ok {
			return fmt.Errorf("%q is not a plural form of CLDR", name)
		}
		(*m)[form] = text
	}

	return nil
}

func pluralForms() map[string]plural.Form {
	return map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few,
		"many": plural.Many, "other": plural.Other}
}

// loadFaults returns the messages of all languages by tag. It reads them once, and they never change.
var loadFaults = sync.OnceValue(func() map[string]*Faults {
	all := map[string]*Faults{}
	for _, tag := range Languages() {
		content, err := embedded.ReadFile("messages/" + tag + ".json")
		if err != nil {
			panic("wording: " + err.Error())
		}
		var texts map[string]Text
		if err := json.Unmarshal(content, &texts); err != nil {
			panic("wording: messages of " + tag + ": " + err.Error())
		}
		all[tag] = newFaults(language.MustParse(tag), texts)
	}
	return all
})

// OnPages returns the messages of a language for pages, whose English differs from the API's in places. A language
// without messages is English.
func OnPages(tag string) *Faults {
	all := loadFaults()
	if faults, ok := all[tag]; ok {
		return faults
	}
	return all["en"]
}

// Answer returns a message in the language of a store, for a program that shows it to people. In English and in
// languages without messages it stays as it is.
func Answer(tag, message string) string {
	if tag == "en" {
		return message
	}
	if faults, ok := loadFaults()[tag]; ok {
		return faults.Find(message)
	}
	return message
}
