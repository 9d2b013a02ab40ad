package storeapi

import (
	"sync"

	"vitrine/internal/shop/catalog"
)

// fragmentBudget limits the memory of the cache, in bytes.
const fragmentBudget = 8 << 20

// fragmentKey identifies the rendered values of an option. They depend on the id and the version only, so a cached
// entry is never stale, on any node.
type fragmentKey struct {
	id      catalog.AttributeID
	version int64
}

// fragments caches the rendered values of options in two generations. When the young generation is full, it becomes the
// old one, and the previous old one is dropped. An entry of the old generation that is used is added to the young one
// again.
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
