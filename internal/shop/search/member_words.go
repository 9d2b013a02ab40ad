package search

import (
	"slices"

	"vitrine/internal/kit/language"
)

// memberWords finds values and categories by the words of their names. It holds pairs of a word id and a member id,
// sorted.
type memberWords struct {
	pairs []int64 // the word in the upper half
	// indexed is the number of members that were indexed; those with greater ids are new.
	indexed int
}

// update indexes the new members, and the changed ones again. The function name returns the name of a member.
func (m *memberWords) update(v *vocabulary, members int, changed map[uint32]bool, name func(member uint32) string) {
	var fresh []int64
	var tokens []language.Token
	add := func(member uint32) {
		tokens = language.AppendTokens(tokens[:0], name(member))
		for _, t := range tokens {
			fresh = append(fresh, int64(v.intern(t.Form))<<32|int64(member))
		}
	}

	for member := range changed {
		if int(member) < m.indexed {
			add(member)
		}
	}
	for member := m.indexed; member < members; member++ {
		add(uint32(member))
	}

	m.indexed = members
	if len(fresh) == 0 && len(changed) == 0 {
		return
	}

	slices.Sort(fresh)
	fresh = slices.Compact(fresh)
	kept := m.pairs
	if len(changed) > 0 {
		kept = slices.DeleteFunc(slices.Clone(kept), func(pair int64) bool { return changed[uint32(pair)] })
	}
	m.pairs = mergeSorted(kept, fresh)
}

// mergeSorted returns the elements of two sorted lists in order.
func mergeSorted(a, b []int64) []int64 {
	merged := make([]int64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			merged = append(merged, a[0])
			a = a[1:]
		} else {
			merged = append(merged, b[0])
			b = b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// reorder gives the words the new ids.
func (m *memberWords) reorder(newIDs []uint32) {
	for i, pair := range m.pairs {
		m.pairs[i] = int64(newIDs[pair>>32])<<32 | pair&(1<<32-1)
	}
	slices.Sort(m.pairs)
	m.pairs = slices.Clip(m.pairs)
}

// each calls fn for the members with a word in the range. A member may come several times.
func (m *memberWords) each(words idRange, fn func(member uint32)) {
	from, _ := slices.BinarySearch(m.pairs, int64(words.from)<<32)
	for _, pair := range m.pairs[from:] {
		if uint32(pair>>32) >= words.to {
			return
		}
		fn(uint32(pair))
	}
}

func (m *memberWords) bytes() int { return 8 * cap(m.pairs) }
