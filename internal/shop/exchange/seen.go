package exchange

import "hash/maphash"

// seen remembers which things a push was about, by their rows: a bit each, since the keys of a store's things lie close together.
type seen struct {
	parts map[int64]map[int64]*[seenWords]uint64
}

// hashes remembers texts by their hashes: two that have the same are taken for one, which nobody will see.
type hashes struct {
	seed maphash.Seed
	set  map[uint64]struct{}
}

func newHashes() *hashes { return &hashes{maphash.MakeSeed(), map[uint64]struct{}{}} }

func (h *hashes) add(text string) { h.set[maphash.String(h.seed, text)] = struct{}{} }

func (h *hashes) has(text string) bool {
	_, found := h.set[maphash.String(h.seed, text)]
	return found
}

// seenWords is how many words of 64 keys lie in a block.
const seenWords = 128

// has reports whether the thing is known; part is 0 but for a remainder, where it is the stock.
func (s *seen) has(key, part int64) bool {
	block := s.parts[part][key/(seenWords*64)]
	return block != nil && block[key/64%seenWords]&(1<<(key%64)) != 0
}

// add makes the thing known.
func (s *seen) add(key, part int64) {
	if s.parts == nil {
		s.parts = map[int64]map[int64]*[seenWords]uint64{}
	}
	blocks := s.parts[part]
	if blocks == nil {
		blocks = map[int64]*[seenWords]uint64{}
		s.parts[part] = blocks
	}
	block := blocks[key/(seenWords*64)]
	if block == nil {
		block = &[seenWords]uint64{}
		blocks[key/(seenWords*64)] = block
	}
	block[key/64%seenWords] |= 1 << (key % 64)
}
