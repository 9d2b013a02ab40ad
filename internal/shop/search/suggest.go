package search

import (
	"cmp"
	"slices"
	"strings"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// maxRankedSuggestions is how many products are put in order for suggestions. A single letter matches up to half of the
// products of a store.
const maxRankedSuggestions = 20_000

// maxSuggestedMembers bounds the values, and the categories, that are looked at for one word of a query.
const maxSuggestedMembers = 10_000

// Suggestions are what a store has for the beginning of a query.
type Suggestions struct {
	Result     // the products
	Categories []CategoryCount
	Values     []SuggestedValue
}

// SuggestedValue is a value of a filterable feature with the number of products that have it.
type SuggestedValue struct {
	FeatureID catalog.AttributeID
	ValueID   catalog.ValueID
	Name      string
	Count     int64
}

// SuggestInMemory finds the products of a query with Text, and the categories and values with names that match its
// words, at most query.Limit of each. It needs no database: see FindInMemory.
func (s *Service) SuggestInMemory(
	storeID store.ID, query Query, atLeast State,
) (found Suggestions, state State, ok bool) {
	query.maxRanked = maxRankedSuggestions
	state, ok = findInMemory(s, storeID, query, atLeast,
		func(c *searchColumns, f *searchFilter, prices *priceColumn) {
			var text *textMatch
			found.Result, text = c.findText(f, prices, query)
			if text == nil || text.plan == nil {
				return
			}
			m := text.forMembers()
			found.Categories = m.suggestCategories(int(query.Limit))
			found.Values = m.suggestValues(int(query.Limit))
		})
	return found, state, ok
}

// forMembers returns a match with the same plan for the names of categories and values: with beginnings of words, and
// with guesses if neither a product nor one of these names matches without.
func (m *textMatch) forMembers() *textMatch {
	end := stageGuess
	if m.count == 0 || m.stage == stageGuess {
		end = textStages
	}

	s := &textMatch{c: m.c, plan: m.plan, lone: noSlot}
	for stage := range end {
		if int(stage) == len(s.plan.ends) {
			s.plan.addStage()
		}
		s.stage = stage
		if stage >= stagePrefix && (len(s.members(&m.c.categoryWords)) > 0 || len(s.members(&m.c.valueWords)) > 0) {
			break
		}
	}
	return s
}

// candidates returns those of the matching rows, which are sorted, that are worth ranking for a short list: the newest
// ones, and of the others those that are pinned, have the query as a code, or were ordered. It reorders rows.
func (m *textMatch) candidates(rows []uint32, newest int) []uint32 {
	if len(rows) <= newest {
		return rows
	}

	coded := m.codedRows()
	older, kept := rows[:len(rows)-newest], 0
	for _, row := range older {
		if m.c.popularity[row] > 0 || slices.Contains(m.plan.pinned, row) || coded[row] {
			older[kept] = row
			kept++
		}
	}
	return append(older[:kept], rows[len(rows)-newest:]...)
}

// codedRows returns the rows of which the whole query is a code.
func (m *textMatch) codedRows() map[uint32]bool {
	coded := map[uint32]bool{}
	if m.plan.code == "" {
		return coded
	}
	for block := range m.c.blocks {
		var found rowBits
		m.c.findCode(uint32(block), m.plan.code, false, &found)
		for row := range found.rows {
			row += uint32(block) * blockLen
			if m.c.hasCode(row, m.plan.code, false, wholeCode) {
				coded[row] = true
			}
		}
	}
	return coded
}

// members returns the values, or categories, whose names match all required words, sorted.
func (m *textMatch) members(words *memberWords) (found []uint32) {
	first := true
	for slot := range m.plan.slots {
		if m.plan.slots[slot].optional {
			continue
		}

		var inSlot []uint32
		for _, a := range m.plan.of(m.stage) {
			if a.from <= slot && slot < a.to && m.uses(&a) {
				inSlot = append(inSlot, a.members(words)...)
			}
		}

		inSlot = sortDistinct(inSlot)
		if first {
			found = inSlot
			first = false
			continue
		}
		found = slices.DeleteFunc(found, func(member uint32) bool {
			_, ok := slices.BinarySearch(inSlot, member)
			return !ok
		})
	}
	return found
}

// members returns the members whose names have words of all sets.
func (a *alternative) members(words *memberWords) (found []uint32) {
	for i, set := range a.sets {
		var inSet []uint32
		for _, r := range set.ranges {
			words.each(r, func(member uint32) {
				if len(inSet) < maxSuggestedMembers {
					inSet = append(inSet, member)
				}
			})
		}

		inSet = sortDistinct(inSet)
		if i == 0 {
			found = inSet
			continue
		}
		found = slices.DeleteFunc(found, func(member uint32) bool {
			_, ok := slices.BinarySearch(inSet, member)
			return !ok
		})
	}
	return found
}

// suggestCategories returns the matching categories with products, those with the most first.
func (m *textMatch) suggestCategories(limit int) (list []CategoryCount) {
	c := m.c
	members := m.members(&c.categoryWords)
	if len(members) == 0 {
		return nil
	}

	counts := c.tree.newCounts()
	for code, n := range c.categories.totals {
		for _, member := range c.categories.of(uint32(code)) {
			counts.add(member, int64(code)+1, n)
		}
	}
	for _, member := range members {
		node := &c.tree.nodes[member]
		if n := counts.counts[member]; n > 0 && !node.deleted {
			list = append(list, CategoryCount{node.id, node.name, node.slug, n, c.tree.keys[member]})
		}
	}

	slices.SortFunc(list, func(a, b CategoryCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name), cmp.Compare(a.key, b.key))
	})
	return list[:min(len(list), limit)]
}

// suggestValues returns the matching values of filterable features with products, those with the most first.
func (m *textMatch) suggestValues(limit int) (list []SuggestedValue) {
	c := m.c
	members := m.members(&c.valueWords)
	columns := map[*setColumn][]int64{} // the counts by member
	for _, member := range members {
		v := &c.values.byID[member]
		a := c.attributes[v.attribute]
		if v.deleted || a == nil || a.kind != catalog.Feature || !a.filterable {
			continue
		}

		column := c.columnOf[v.attribute]
		if column == nil {
			continue
		}
		counts := columns[column]
		if counts == nil {
			counts = make([]int64, len(c.values.keys))
			column.addMemberCounts(column.totals, counts, nil)
			columns[column] = counts
		}
		if n := counts[member]; n > 0 {
			list = append(list, SuggestedValue{a.id, v.id, v.name, n})
		}
	}

	slices.SortFunc(list, func(a, b SuggestedValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name),
			slices.Compare(a.ValueID[:], b.ValueID[:]))
	})
	return list[:min(len(list), limit)]
}
