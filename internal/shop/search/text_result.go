package search

import (
	"slices"
	"strings"

	"vitrine/internal/kit/language"
)

// TextResult says how a query for words was understood.
type TextResult struct {
	Query string
	// Matched is the weakest way in which the first product matches.
	Matched Matched
	// Corrected is the query as it was understood, if a word of it was taken for another one, or "".
	Corrected string
	// Dropped are the words that the first product does not match.
	Dropped []string
	// Limited reports that only words and beginnings of words were looked for, in names and codes, since the columns
	// are not ready.
	Limited bool
	// Highlights finds the matched words of names. It is nil unless Query.WithHighlights is set.
	Highlights *Highlights
	// Stage is how far the search went, from MatchedForms to MatchedCorrected, and Hits say how each product of the
	// page matches. They are empty unless Query.WithExplanation is set.
	Stage Matched
	Hits  []Hit
}

// Matched is a way in which a query for words matches.
type Matched string

// The ways in which a query matches, the most trusted first. MatchedPartial means that some words do not match.
const (
	MatchedExact     Matched = "exact"
	MatchedForms     Matched = "forms"
	MatchedPrefix    Matched = "prefix"
	MatchedSynonym   Matched = "synonym"
	MatchedCorrected Matched = "corrected"
	MatchedPartial   Matched = "partial"
	MatchedNone      Matched = "none"
)

// matched returns the name of a kind for responses.
func (k matchKind) matched() Matched {
	switch k {
	case matchExact:
		return MatchedExact
	case matchForm:
		return MatchedForms
	case matchPrefix:
		return MatchedPrefix
	case matchSynonym:
		return MatchedSynonym
	default:
		return MatchedCorrected
	}
}

// slotMatch is how a row matches a slot. The alternative is nil if it does not.
type slotMatch struct {
	*alternative
	level textLevel
}

// explain returns how a row matches each slot.
func (t *textCosts) explain(row uint32) []slotMatch {
	block, bit := row/blockLen, row%blockLen
	matches := make([]slotMatch, len(t.plan.slots))
	alternatives := t.plan.of(t.stage)
	t.startBlock()
	var hits [matchFields]rowBits

	for slot, levels := range t.levels {
		for _, level := range levels {
			a := &alternatives[level.alternative]
			if found := t.alternativeHits(block, a, &hits); found != nil && found[level.field].has(bit) {
				matches[slot] = slotMatch{a, level}
				break
			}
		}
	}
	return matches
}

// result describes how the row that comes first matches. first is nil if nothing was found.
func (m *textMatch) result(t *textCosts, first *uint32, query Query) *TextResult {
	found := &TextResult{Query: query.Text, Matched: MatchedNone, Dropped: []string{}}
	if m.plan == nil {
		return found
	}
	if query.WithHighlights {
		found.Highlights = m.highlights()
	}

	if first == nil {
		for _, s := range m.plan.slots {
			found.Dropped = append(found.Dropped, s.typed)
		}
		found.Dropped = append(found.Dropped, m.plan.dropped...)
		return found
	}

	m.describe(found, *first, t.explain(*first))
	return found
}

// describe fills in how a row matches.
func (m *textMatch) describe(found *TextResult, row uint32, matches []slotMatch) {
	weakest := matchExact
	guessed, partial := false, false
	var read []string
	for slot := 0; slot < len(matches); slot++ {
		match := matches[slot]
		typed := m.plan.slots[slot].typed
		if match.alternative == nil {
			if !m.plan.slots[slot].optional {
				found.Dropped = append(found.Dropped, typed)
				partial = true
			}
			read = append(read, typed)
			continue
		}

		weakest = max(weakest, match.kind)
		if match.kind < matchTypo {
			read = append(read, typed)
			continue
		}

		guessed = true
		read = append(read, m.readingOf(row, match.alternative))
		slot = match.to - 1
	}

	found.Dropped = append(found.Dropped, m.plan.dropped...)
	if guessed {
		found.Corrected = strings.Join(read, " ")
	}
	switch {
	case partial && len(m.plan.pinned) == 0:
		found.Matched = MatchedPartial
	case partial: // a pinned product
		found.Matched = MatchedExact
		found.Dropped = []string{}
	default:
		found.Matched = weakest.matched()
	}
}

// readingOf returns what the slots of an alternative are taken for in a row: for a beginning that is the word of its
// name that has it.
func (m *textMatch) readingOf(row uint32, a *alternative) string {
	if !a.isBeginning {
		return a.read
	}
	for _, word := range m.c.nameWordsOf(row) {
		if id := word &^ lastWord; a.sets[0].contains(id) {
			return m.c.vocabulary.word(id)
		}
	}
	return a.read
}

// Highlights finds the words of a query in names. It is safe for concurrent use.
type Highlights struct {
	words    map[string]bool
	prefixes []string
}

// highlights returns what the alternatives of the plan match in names.
func (m *textMatch) highlights() *Highlights {
	h := &Highlights{words: map[string]bool{}}
	for _, a := range m.plan.of(m.stage) {
		if !m.uses(&a) {
			continue
		}
		for _, set := range a.sets {
			for _, word := range set.words {
				h.words[word] = true
			}
			if set.prefix != "" && !slices.Contains(h.prefixes, set.prefix) {
				h.prefixes = append(h.prefixes, set.prefix)
			}
		}
	}
	return h
}

// Highlight is a matched word of a name, in units of UTF-16.
type Highlight struct{ Start, Length int }

// Of returns the matched words of a name, in their order.
func (h *Highlights) Of(name string) []Highlight {
	found := []Highlight{}
	end := 0
	tokens := language.Tokens(name)
	for i, t := range tokens {
		if t.Start < end || !h.matches(t.Form) {
			continue
		}
		// Of a joined word only the parts that match are shown, unless it matches as a whole: Nike of Nike-15.
		if t.Parts > 1 && !h.words[t.Form] && h.matchesAny(tokens[i+1:i+1+t.Parts]) {
			continue
		}

		end = t.End
		start := language.UTF16(name, t.Start)
		found = append(found, Highlight{start, language.UTF16(name, t.End) - start})
	}
	return found
}

func (h *Highlights) matchesAny(tokens []language.Token) bool {
	return slices.ContainsFunc(tokens, func(t language.Token) bool { return h.matches(t.Form) })
}

func (h *Highlights) matches(word string) bool {
	return h.words[word] || slices.ContainsFunc(h.prefixes, func(prefix string) bool {
		return strings.HasPrefix(word, prefix)
	})
}

// limitedText returns the TextResult of a query that SQL answers, or nil if the query has no text. SQL looks for words
// and the beginnings of words, without telling them apart.
func limitedText(query Query) *TextResult {
	if strings.TrimSpace(query.Text) == "" {
		return nil
	}
	text := &TextResult{Query: query.Text, Matched: MatchedNone, Dropped: strings.Fields(query.Text), Limited: true}
	if query.WithHighlights {
		text.Highlights = &Highlights{prefixes: newSearchFilter(query).words}
	}
	return text
}
