package search

import "vitrine/internal/shop/catalog"

// tree is the categories of a store.
type tree struct {
	vocabulary
	nodes []node // by number
}

// node is one category. missing says that it was deleted: it stays in the sets, and counts no more.
type node struct {
	id      catalog.CategoryID
	name    string
	parent  uint32 // none at the root
	missing bool
}

func newTree() tree { return tree{vocabulary: newVocabulary()} }

// below tells of each category whether it is the one with this key or stands somewhere below it.
func (t *tree) below(key int64) []bool {
	inside := make([]bool, len(t.nodes))
	root, ok := t.index[key]
	if !ok {
		return inside
	}
	known := make([]bool, len(t.nodes))
	inside[root], known[root] = true, true
	var path []uint32
	for n := range t.nodes {
		path = path[:0]
		at := uint32(n)
		for at != none && !known[at] {
			path = append(path, at)
			at = t.nodes[at].parent
		}
		found := at != none && inside[at]
		for _, p := range path {
			inside[p], known[p] = found, true
		}
	}
	return inside
}

// load reads the categories. Those that are not there any more stay known, and count no more.
func (t *tree) load(l *loader) error {
	for i := range t.nodes {
		t.nodes[i].missing, t.nodes[i].parent = true, none
	}
	parents := map[uint32]int64{}
	err := l.categories(func(key int64, n node, parent *int64) {
		if number, ok := t.index[key]; ok && t.nodes[number].id != n.id {
			t.forget(key)
		}
		number, added := t.number(key)
		n.parent = none
		if added {
			t.nodes = append(t.nodes, n)
		} else {
			t.nodes[number] = n
		}
		if parent != nil {
			parents[number] = *parent
		}
	})
	if err != nil {
		return err
	}
	for number, key := range parents {
		t.nodes[number].parent = t.index[key]
	}
	for number := range t.nodes {
		if key := t.keys[number]; t.nodes[number].missing && t.index[key] == uint32(number) {
			t.forget(key)
		}
	}
	return nil
}

// treeCount counts by category with its subtree.
type treeCount struct {
	*tree
	counts []int64
	seen   []int64 // the last that was counted
}

func (t *tree) counter() *treeCount {
	return &treeCount{t, make([]int64, len(t.nodes)), make([]int64, len(t.nodes))}
}

// add counts n for a category and all above it, once for each who. All of one who, which is not 0, must come one after the other.
func (t *treeCount) add(number uint32, who, n int64) {
	if t.nodes[number].missing {
		return
	}
	for at := number; at != none && t.seen[at] != who; at = t.nodes[at].parent {
		t.seen[at] = who
		t.counts[at] += n
	}
}

func (t *treeCount) tally(to *tally) {
	for number, n := range t.counts {
		if n > 0 {
			to.category(CategoryCount{ID: t.nodes[number].id, Name: t.nodes[number].name, Count: n, key: t.keys[number]})
		}
	}
}

func (t *tree) bytes() int {
	n := t.vocabulary.bytes() + 48*cap(t.nodes)
	for i := range t.nodes {
		n += len(t.nodes[i].name)
	}
	return n
}
