package search

import (
	"maps"
	"slices"
)

// combinationTable maps the digest of a combination of option values to the code of its set in variantOptions. Only
// changes of products need it. So a table that was read from a file becomes a map when it is first used.
type combinationTable struct {
	byDigest map[string]uint32 // nil if the table was read from a file and is not used yet
	// digests and saved are the table as it is in a file: the digests one after the other, and their codes.
	digests []byte
	saved   []uint32
}

// digestLen is the length of a digest. A variant without options has the digest "", which is always in the table.
const digestLen = 16

func newCombinations() combinationTable {
	return combinationTable{byDigest: map[string]uint32{"": 0}}
}

// codes returns the table as a map, which the caller may change.
func (t *combinationTable) codes() map[string]uint32 {
	if t.byDigest == nil {
		t.byDigest = make(map[string]uint32, len(t.saved)+1)
		t.byDigest[""] = 0
		for i, code := range t.saved {
			t.byDigest[string(t.digests[i*digestLen:(i+1)*digestLen])] = code
		}
		t.digests, t.saved = nil, nil
	}
	return t.byDigest
}

// bytes estimates the memory of the table as a map.
func (t *combinationTable) bytes() int { return 60 * max(len(t.byDigest), len(t.saved)) }

func (t *combinationTable) transfer(f *fieldCodec) {
	digests, saved := t.digests, t.saved
	for _, digest := range slices.Sorted(maps.Keys(t.byDigest)) { // equal columns have equal files
		if len(digest) == digestLen {
			digests = append(digests, digest...)
			saved = append(saved, t.byDigest[digest])
		}
	}

	transferList(f, &digests)
	transferList(f, &saved)

	if !f.reads() || f.err != nil {
		return
	}

	if len(digests) != digestLen*len(saved) {
		f.fail("%d combinations have digests of %d bytes", len(saved), len(digests))
		return
	}

	*t = combinationTable{digests: digests, saved: saved}
}
