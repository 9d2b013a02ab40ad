package search

import (
	"math"
	"slices"
)

// sets assigns codes to sets of member ids, such as the values of a feature that a product has, its categories, or the
// option values of a variant. Products have few different sets. So a row stores only the code of its set, and a query
// evaluates each set once instead of each row. The empty set has code 0.
type sets struct {
	// members concatenates the members of all sets. The set with code c is members[starts[c]:starts[c+1]].
	members []uint32
	starts  []uint32
	// lookup maps the hash of a set to its code. If another set has the same hash, the next free hash is used. It is
	// nil after the sets were read from a file, until codeOf first uses it.
	lookup map[uint64]uint32
}

func newSets() *sets { return &sets{starts: []uint32{0, 0}, lookup: map[uint64]uint32{}} }

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

	if s.lookup == nil {
		s.makeLookup()
	}

	h, code, ok := s.find(members)
	if ok {
		return code
	}

	code = uint32(s.len())
	s.members = append(s.members, members...)
	s.starts = append(s.starts, uint32(len(s.members)))
	s.lookup[h] = code

	return code
}

// find looks up the set of these sorted members. If there is none, it returns the hash for it.
func (s *sets) find(members []uint32) (hash uint64, code uint32, ok bool) {
	for h := hashSetMembers(members); ; h++ {
		code, ok := s.lookup[h]
		if !ok {
			return h, 0, false
		}
		if slices.Equal(s.of(code), members) {
			return h, code, true
		}
	}
}

func (s *sets) makeLookup() {
	s.lookup = make(map[uint64]uint32, s.len())
	for code := uint32(1); int(code) < s.len(); code++ { // the empty set is not in it
		h, _, _ := s.find(s.of(code))
		s.lookup[h] = code
	}
}

// hashSetMembers mixes the members by multiplication with an odd constant, the golden ratio scaled to 64 bits.
func hashSetMembers(members []uint32) uint64 {
	h := uint64(len(members))
	for _, m := range members {
		h = (h ^ uint64(m)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// bytes estimates the memory of the sets. A map entry takes about 20 bytes, including its share of empty slots.
func (s *sets) bytes() int { return 4*cap(s.members) + 4*cap(s.starts) + 20*s.len() }

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

// codeColumn holds one code per row, in the narrowest integer type that fits the largest code.
type codeColumn struct {
	narrow []uint8
	middle []uint16
	wide   []uint32
	width  int // 0 narrow, 1 middle, 2 wide
}

// rows returns the number of rows.
func (c *codeColumn) rows() int { return len(c.narrow) + len(c.middle) + len(c.wide) }

func (c *codeColumn) at(row uint32) uint32 {
	switch c.width {
	case 0:
		return uint32(c.narrow[row])
	case 1:
		return uint32(c.middle[row])
	default:
		return c.wide[row]
	}
}

func (c *codeColumn) widenFor(code uint32) {
	if c.width == 0 && code > math.MaxUint8 {
		c.middle = convertCodes[uint16](c.narrow)
		c.narrow = nil
		c.width = 1
	}
	if c.width == 1 && code > math.MaxUint16 {
		c.wide = convertCodes[uint32](c.middle)
		c.middle = nil
		c.width = 2
	}
}

func convertCodes[To, From uint8 | uint16 | uint32](from []From) []To {
	to := make([]To, len(from), cap(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

func (c *codeColumn) set(row, code uint32) {
	c.widenFor(code)
	switch c.width {
	case 0:
		c.narrow[row] = uint8(code)
	case 1:
		c.middle[row] = uint16(code)
	default:
		c.wide[row] = code
	}
}

func (c *codeColumn) add(code uint32) {
	c.widenFor(code)
	switch c.width {
	case 0:
		c.narrow = append(c.narrow, uint8(code))
	case 1:
		c.middle = append(c.middle, uint16(code))
	default:
		c.wide = append(c.wide, code)
	}
}

func (c *codeColumn) bytes() int { return cap(c.narrow) + 2*cap(c.middle) + 4*cap(c.wide) }

// reorder returns a copy of the column in which row i has the code of row order[i].
func (c *codeColumn) reorder(order []uint32) codeColumn {
	return codeColumn{reorder(c.narrow, order), reorder(c.middle, order), reorder(c.wide, order), c.width}
}

// reorder returns a copy of the column in which element i is column[order[i]], with little spare capacity.
func reorder[T any](column []T, order []uint32) []T {
	if len(column) == 0 {
		return nil
	}
	to := make([]T, len(order), len(order)+len(order)/32)
	for i, row := range order {
		to[i] = column[row]
	}
	return to
}
