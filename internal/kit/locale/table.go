package locale

import (
	"strconv"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// phraseTable is a vocabulary prepared for rendering. It is read-only after package initialisation, so goroutines may
// share it.
type phraseTable struct {
	tag     string
	lang    language.Tag
	now     string
	at      [24]string // text between date and time, including spaces, by hour
	forms   [60]plural.Form
	phrases [directionCount][unitCount]phrases
}

// phrases holds the text around a number, by the number's plural form.
type phrases [plural.Many + 1]struct{ before, after string }

var phraseTables = func() []*phraseTable {
	all := make([]*phraseTable, len(vocabularies))
	for i := range vocabularies {
		all[i] = newPhraseTable(&vocabularies[i])
	}
	return all
}()

func newPhraseTable(v *vocabulary) *phraseTable {
	t := &phraseTable{tag: v.tag, lang: language.MustParse(v.tag), now: v.now}
	for hour := range t.at {
		t.at[hour] = " " + v.at + " "
	}

	if v.atSpecial != "" {
		t.at[v.specialHour] = " " + v.atSpecial + " "
	}

	for n := range t.forms {
		t.forms[n] = plural.Cardinal.MatchPlural(t.lang, n, 0, 0, 0, 0)
	}

	nouns := [directionCount]*[unitCount]noun{past: &v.nouns, future: &v.nouns}
	if v.futureNouns != nil {
		nouns[future] = v.futureNouns
	}

	frames := [directionCount]phraseFrame{past: v.past, future: v.future}
	for dir, f := range frames {
		for u, forms := range nouns[dir] {
			for form, word := range forms {
				if word == "" {
					word = forms[plural.Other]
				}
				p := &t.phrases[dir][u][form]
				p.before = f.before
				p.after = " " + word + f.after
			}
		}
	}

	return t
}

// appendPhrase appends a phrase such as "2 hours ago".
func (t *phraseTable) appendPhrase(dst []byte, dir direction, n int, u unit) []byte {
	p := &t.phrases[dir][u][t.pluralForm(n)]
	dst = append(dst, p.before...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, p.after...)
}

// pluralForm returns the CLDR plural form of a count. Counts of all units except years are below 60 and are looked up
// in a table.
func (t *phraseTable) pluralForm(n int) plural.Form {
	if n < len(t.forms) {
		return t.forms[n]
	}
	return plural.Cardinal.MatchPlural(t.lang, n, 0, 0, 0, 0)
}
