package search

import (
	"context"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

type categoryTree struct {
	memberIDs
	nodes []categoryNode // by member id
	// renamed are the categories with another name since the last call of takeRenamed.
	renamed map[uint32]bool
}

// categoryNode is one category. A deleted category remains a member of its sets but is no longer counted.
type categoryNode struct {
	id      catalog.CategoryID
	name    string
	slug    slug.Slug
	parent  uint32 // member id; noIndex for a root
	deleted bool
}

// subtreeMask returns a mask over all member ids that selects the category with this key and its descendants.
func (t *categoryTree) subtreeMask(key int64) []bool {
	inside := make([]bool, len(t.nodes))
	root, ok := t.ids[key]
	if !ok {
		return inside
	}

	known := make([]bool, len(t.nodes))
	inside[root], known[root] = true, true
	var path []uint32
	for n := range t.nodes {
		path = path[:0]
		at := uint32(n)
		for at != noIndex && !known[at] {
			path = append(path, at)
			at = t.nodes[at].parent
		}

		inSubtree := at != noIndex && inside[at]
		for _, p := range path {
			inside[p] = inSubtree
			known[p] = true
		}
	}

	return inside
}

// load reads all categories and marks those that no longer exist as deleted.
func (t *categoryTree) load(ctx context.Context, tx store.Tx) error {
	for i := range t.nodes {
		t.nodes[i].deleted = true
		t.nodes[i].parent = noIndex
	}

	parents := map[uint32]int64{}

	err := eachCategory(ctx, tx, func(key int64, n categoryNode, parent *int64) {
		if id, ok := t.ids[key]; ok && t.nodes[id].id != n.id {
			t.forget(key)
		}

		id, added := t.assign(key)
		n.parent = noIndex
		if added {
			t.nodes = append(t.nodes, n)
		} else {
			if t.nodes[id].name != n.name {
				t.noteRenamed(id)
			}
			t.nodes[id] = n
		}

		if parent != nil {
			parents[id] = *parent
		}
	})
	if err != nil {
		return err
	}

	for id, key := range parents {
		t.nodes[id].parent = t.ids[key]
	}

	for id := range t.nodes {
		if key := t.keys[id]; t.nodes[id].deleted && t.ids[key] == uint32(id) {
			t.forget(key)
		}
	}

	return nil
}

func (t *categoryTree) noteRenamed(id uint32) {
	if t.renamed == nil {
		t.renamed = map[uint32]bool{}
	}
	t.renamed[id] = true
}

// takeRenamed returns the categories that were renamed since its last call.
func (t *categoryTree) takeRenamed() map[uint32]bool {
	renamed := t.renamed
	t.renamed = nil
	return renamed
}

// subtreeCounts counts products by category, including its subtree.
type subtreeCounts struct {
	*categoryTree
	counts    []int64
	lastGroup []int64 // by member id: the group that was counted last
}

func (t *categoryTree) newCounts() *subtreeCounts {
	return &subtreeCounts{t, make([]int64, len(t.nodes)), make([]int64, len(t.nodes))}
}

// add adds n to a category and its ancestors, but only once per group to each of them. A group is the categories of the
// same products. Its number must not be 0, and calls for one group must be consecutive.
func (t *subtreeCounts) add(id uint32, group, n int64) {
	if t.nodes[id].deleted {
		return
	}
	for at := id; at != noIndex && t.lastGroup[at] != group; at = t.nodes[at].parent {
		t.lastGroup[at] = group
		t.counts[at] += n
	}
}

func (t *subtreeCounts) addTo(b *facetBuilder) {
	for id, n := range t.counts {
		if n > 0 {
			b.categories[t.keys[id]] = CategoryCount{t.nodes[id].id, t.nodes[id].name, t.nodes[id].slug, n, t.keys[id]}
		}
	}
}

func (t *categoryTree) bytes() int {
	n := t.memberIDs.bytes() + 48*cap(t.nodes)
	for i := range t.nodes {
		n += len(t.nodes[i].name)
	}
	return n
}

// includeDescendants selects the descendants of the selected categories, too. The mask is by member id.
func (t *categoryTree) includeDescendants(mask []bool) {
	known := make([]bool, len(t.nodes))
	var path []uint32
	for n := range t.nodes {
		path = path[:0]
		at := uint32(n)
		for at != noIndex && !known[at] && !mask[at] {
			path = append(path, at)
			at = t.nodes[at].parent
		}

		inside := at != noIndex && mask[at]
		for _, p := range path {
			mask[p] = inside
			known[p] = true
		}
	}
}
