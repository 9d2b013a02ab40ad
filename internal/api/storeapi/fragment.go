package storeapi

import (
	"sync"

	"vitrine/internal/shop/catalog"
)

// fragmentBudget is how many bytes of rendered values are kept in memory.
const fragmentBudget = 8 << 20

// fragmentKey names rendered values: they depend on nothing else, so an entry is never wrong, on whichever node.
type fragmentKey struct {
	id      catalog.AttributeID
	version int64
}

// fragments keeps rendered lists of values in two generations: when the young one is full it becomes the old one, and what was
// not asked for since is forgotten.
type fragments struct {
	mu         sync.Mutex
	young, old map[fragmentKey][]byte
	size       int
}

func newFragments() *fragments { return &fragments{young: map[fragmentKey][]byte{}} }

func (f *fragments) get(key fragmentKey) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, ok := f.young[key]
	if !ok {
		if b, ok = f.old[key]; ok {
			f.add(key, b)
		}
	}
	return b, ok
}

func (f *fragments) put(key fragmentKey, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.young[key]; !ok {
		f.add(key, b)
	}
}

func (f *fragments) add(key fragmentKey, b []byte) {
	const overhead = 96
	if f.size += len(b) + overhead; f.size > fragmentBudget/2 {
		f.old, f.young = f.young, map[fragmentKey][]byte{}
		f.size = len(b) + overhead
	}
	f.young[key] = b
}
