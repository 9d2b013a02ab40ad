package catalog

import "context"

// pushedTree is the tree of categories as a push would leave it. Its nodes are the keys of rows, and negative numbers for categories that
// are new; 0 is above the roots.
type pushedTree struct {
	stored map[int64]int64 // parents, of all that the push names and of all above them
	moved  map[int64]int64 // parents, where the push says them
}

func (t *pushedTree) parent(node int64) int64 {
	if parent, moved := t.moved[node]; moved {
		return parent
	}
	return t.stored[node]
}

// cycles returns those nodes that would lie above themselves and were moved: what was stored has no rings.
func (t *pushedTree) cycles() []int64 {
	var found []int64
	metBy := make(map[int64]int64, len(t.moved)) // by node, the start of the way up that met it first
	for start := range t.moved {
		node := start
		for node != 0 && metBy[node] == 0 {
			metBy[node] = start
			node = t.parent(node)
		}
		if node == 0 || metBy[node] != start {
			continue
		}
		for at, first := node, true; first || at != node; at, first = t.parent(at), false {
			if parent, moved := t.moved[at]; moved && parent != t.stored[at] {
				found = append(found, at)
			}
		}
	}
	return found
}

// placeItems puts the items into the tree, which is held. Those that would lie above themselves fail and stay where they are; that may close
// another ring, or take a parent from its children, so the tree is looked at until it has none.
func (b *categoryPushes) placeItems(ctx context.Context) (err error) {
	keys := make([]int64, 0, len(b.known))
	for _, c := range b.known {
		keys = append(keys, c.key)
	}
	if b.tree.stored, err = ancestorsOf(ctx, b.tx, keys); err != nil {
		return err
	}
	at := make(map[int64]int, len(b.items))
	for i := range b.items {
		at[b.node(i)] = i
	}
	for {
		b.tree.moved = make(map[int64]int64, len(b.items))
		for i := range b.items {
			if b.written(i) && b.items[i].namesParent() && !b.parentPending(i) {
				b.tree.moved[b.node(i)] = b.parentOf(i)
			}
		}
		cycles := b.tree.cycles()
		if len(cycles) == 0 {
			return nil
		}
		var wrong breaches
		wrong.add("parent_id", "category_cycle", "This is the category itself or one that lies below it; a category may not become its own ancestor.")
		for _, node := range cycles {
			b.outcomes[at[node]].fail(wrong.fields...)
		}
	}
}

// node is that of the i-th item.
func (b *categoryPushes) node(i int) int64 {
	if key := b.outcomes[i].Key; key != 0 {
		return key
	}
	return -int64(i + 1)
}

// parentOf is the node that the i-th item names as its parent, 0 for the root.
func (b *categoryPushes) parentOf(i int) int64 {
	if b.items[i].Root {
		return 0
	}
	return b.nodeOf(*b.items[i].Parent)
}

// nodeOf is the node of a category that the store has or that comes with the items, 0 for one that is not there.
func (b *categoryPushes) nodeOf(externalID string) int64 {
	if c, found := b.known[externalID]; found {
		return c.key
	}
	if i, found := b.at[externalID]; found && b.written(i) {
		return b.node(i)
	}
	return 0
}
