package exchange

import (
	"maps"
	"slices"
	"sync"

	"vitrine/internal/shop/store"
)

type runRef struct {
	storeID store.ID
	key     int64
}

// runSet is the set of runs whose pushes this node is reading or applying. It is safe for concurrent use.
type runSet struct {
	mu   sync.Mutex
	runs map[runRef]bool
}

// add adds a run to the set. The function that it returns removes the run again.
func (r *runSet) add(storeID store.ID, key int64) (remove func()) {
	ref := runRef{storeID, key}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		r.runs = map[runRef]bool{}
	}
	r.runs[ref] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.runs, ref)
	}
}

func (r *runSet) list() []runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.runs))
}

// without removes the runs in the set from refs, and returns what is left.
func (r *runSet) without(refs []runRef) []runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(refs, func(ref runRef) bool { return r.runs[ref] })
}
