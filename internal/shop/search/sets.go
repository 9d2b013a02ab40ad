package search

import "slices"

// sets numbers the sets of members that rows have: the values of a feature that a product carries, its categories, the option values of a
// variant. There are few different ones, so a row needs only the number of its set, and whatever is asked about sets is worked out once
// for each and then looked up. The empty set is number 0.
type sets struct {
	// members are those of all sets, one after the other; starts has one more element than there are sets.
	members []uint32
	starts  []uint32
	// lookup finds a set by the hash of its members; another one with the same hash takes the next free number.
	lookup map[uint64]uint32
}

func newSets() *sets {
	return &sets{starts: []uint32{0, 0}, lookup: map[uint64]uint32{}}
}

func (s *sets) len() int { return len(s.starts) - 1 }

// of returns the members of a set, sorted.
func (s *sets) of(code uint32) []uint32 { return s.members[s.starts[code]:s.starts[code+1]] }

// codeOf returns the number of the set of these members, which it sorts.
func (s *sets) codeOf(members []uint32) uint32 {
	if len(members) == 0 {
		return 0
	}
	slices.Sort(members)
	members = slices.Compact(members)
	h := hash(members)
	for {
		code, ok := s.lookup[h]
		if !ok {
			break
		}
		if slices.Equal(s.of(code), members) {
			return code
		}
		h++
	}
	code := uint32(s.len())
	s.members = append(s.members, members...)
	s.starts = append(s.starts, uint32(len(s.members)))
	s.lookup[h] = code
	return code
}

// hash mixes the members by multiplications with odd numbers.
func hash(members []uint32) uint64 {
	h := uint64(len(members))
	for _, m := range members {
		h = (h ^ uint64(m)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// bytes is about the memory that the sets take; an entry of the map is about 20 bytes with its share of empty slots.
func (s *sets) bytes() int { return 4*cap(s.members) + 4*cap(s.starts) + 20*len(s.lookup) }

// containsAny tells for each set whether one of its members is among those asked for, which has an element for each member there is.
func (s *sets) containsAny(mask []bool) []uint8 {
	table := make([]uint8, s.len())
	for code := range table {
		for _, member := range s.of(uint32(code)) {
			if mask[member] {
				table[code] = 1
				break
			}
		}
	}
	return table
}

// memberIDs numbers row keys: the members of sets. SQLite gives the key of a deleted row to a new one: then forget lets the key have a
// new number, and the old number stays with the sets that have it.
type memberIDs struct {
	keys []int64
	ids  map[int64]uint32
}

func newMemberIDs() memberIDs { return memberIDs{ids: map[int64]uint32{}} }

// assign returns that of a key, and whether it is new.
func (v *memberIDs) assign(key int64) (id uint32, added bool) {
	id, ok := v.ids[key]
	if !ok {
		id = uint32(len(v.keys))
		v.keys = append(v.keys, key)
		v.ids[key] = id
	}
	return id, !ok
}

func (v *memberIDs) forget(key int64) { delete(v.ids, key) }

func (v *memberIDs) bytes() int { return 8*cap(v.keys) + 30*len(v.ids) }
