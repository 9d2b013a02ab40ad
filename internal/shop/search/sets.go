package search

import "slices"

// sets assigns codes to sets of member ids, such as the values of a feature that a product has, its categories, or the
// option values of a variant. Products have few different sets. So a row stores only the code of its set, and a query
// evaluates each set once instead of each row. The empty set has code 0.
type sets struct {
	// members concatenates the members of all sets. The set with code c is members[starts[c]:starts[c+1]].
	members []uint32
	starts  []uint32
	// lookup maps the hash of a set to its code. A set whose hash is taken uses the next free hash.
	lookup map[uint64]uint32
}

func newSets() *sets {
	return &sets{starts: []uint32{0, 0}, lookup: map[uint64]uint32{}}
}

func (s *sets) len() int { return len(s.starts) - 1 }

// of returns the sorted members of a set. The caller must not modify them.
func (s *sets) of(code uint32) []uint32 { return s.members[s.starts[code]:s.starts[code+1]] }

// codeOf returns the code of the set of these members and adds the set if it is new. It sorts members.
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

// hash mixes the members by multiplication with an odd constant, the golden ratio scaled to 64 bits.
func hash(members []uint32) uint64 {
	h := uint64(len(members))
	for _, m := range members {
		h = (h ^ uint64(m)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// bytes estimates the memory of the sets. A map entry takes about 20 bytes, including its share of empty slots.
func (s *sets) bytes() int { return 4*cap(s.members) + 4*cap(s.starts) + 20*len(s.lookup) }

// containsAny returns, by set code, 1 if the mask over all member ids selects one of the set's members, else 0.
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

// memberIDs maps row keys to dense ids, the members of sets. SQLite may reuse the key of a deleted row. After forget
// the key gets a new id, and existing sets keep the old one.
type memberIDs struct {
	keys []int64
	ids  map[int64]uint32
}

// assign returns the id of a key, and whether it is new.
func (v *memberIDs) assign(key int64) (id uint32, added bool) {
	id, ok := v.ids[key]
	if !ok {
		id = uint32(len(v.keys))
		v.keys = append(v.keys, key)
		if v.ids == nil {
			v.ids = map[int64]uint32{}
		}
		v.ids[key] = id
	}
	return id, !ok
}

func (v *memberIDs) forget(key int64) { delete(v.ids, key) }

func (v *memberIDs) bytes() int { return 8*cap(v.keys) + 30*len(v.ids) }
