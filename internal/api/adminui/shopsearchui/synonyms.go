package shopsearchui

import (
	"math"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/searchrule"
)

// synonymsPage is the data of the page with the synonyms.
type synonymsPage struct {
	Tabs  []tab
	Q     string
	Rows  []entryRow
	Pager frame.Pager
	// Total is the number of all entries.
	Total int
}

// entryRow is a group of synonyms, or a rule in one direction, with the addresses of its form and of the page with what
// its first phrase finds.
type entryRow struct {
	entry
	URL, Why string
}

// entry is a group of synonyms, or a rule in one direction, whose first phrase finds the others.
type entry struct {
	OneWay  bool
	Phrases []string
}

// entriesOf returns all entries: the groups, then the rules in one direction.
func entriesOf(s searchrule.Synonyms) (list []entry) {
	for _, group := range s.Groups {
		list = append(list, entry{Phrases: group})
	}
	for _, rule := range s.OneWay {
		list = append(list, entry{OneWay: true, Phrases: append([]string{rule.From}, rule.To...)})
	}
	return list
}

// synonymsOf returns the synonyms that have these entries.
func synonymsOf(list []entry) searchrule.SynonymEdit {
	groups := [][]string{}
	oneWay := []searchrule.OneWay{}
	for _, e := range list {
		switch {
		case !e.OneWay:
			groups = append(groups, e.Phrases)
		case len(e.Phrases) > 0:
			oneWay = append(oneWay, searchrule.OneWay{From: e.Phrases[0], To: e.Phrases[1:]})
		default:
			oneWay = append(oneWay, searchrule.OneWay{})
		}
	}
	return searchrule.SynonymEdit{Groups: &groups, OneWay: &oneWay}
}

func (ui *UI) synonymsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Synonyms", navItem, nil)
	page := frame.PositiveParam(r, "page", math.MaxInt32)
	b := &synonymsPage{Tabs: tabs(&v, synonymsPath), Q: strings.TrimSpace(r.Query.SearchText())}
	list, err := ui.readSynonyms(r)
	if err != nil {
		return v, err
	}

	var rows []entryRow
	for i, e := range entriesOf(list.Synonyms) {
		b.Total++
		if matches(b.Q, e.Phrases...) {
			rows = append(rows, entryRow{e, frame.Address(entryPath, "n", strconv.Itoa(i+1)),
				frame.Address(whyPath, "q", e.Phrases[0])})
		}
	}

	b.Rows, b.Pager = pageOf(rows, page, func(page string) string {
		return frame.Address(synonymsPath, "q", b.Q, "page", page)
	})
	v.Body = b
	return v, nil
}

// matches reports whether one of the texts has the search in it, as the search of the shop reads both.
func matches(q string, texts ...string) bool {
	folded := language.FoldQuery(q)
	for _, text := range texts {
		if strings.Contains(language.FoldQuery(text), folded) {
			return true
		}
	}
	return false
}
