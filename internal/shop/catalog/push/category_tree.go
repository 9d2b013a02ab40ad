package push

import (
	"context"
	"slices"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/slug"
)

// pushedTree is the category tree as the push would leave it. A node is the key of a row, or a negative number for a
// new category. The parent of a root is 0.
type pushedTree struct {
	stored map[int64]int64 // stored parents, by node, of the categories that the push names and of their ancestors
	moved  map[int64]int64 // pushed parents, by node
}

func (t *pushedTree) parent(node int64) int64 {
	if parent, moved := t.moved[node]; moved {
		return parent
	}
	return t.stored[node]
}

// cycles returns the moved nodes that are on a cycle. Each cycle has at least one, since the stored tree has no cycles.
func (t *pushedTree) cycles() []int64 {
	var found []int64
	reachedFrom := make(map[int64]int64, len(t.moved)) // by node, the start of the walk that reached it first
	for start := range t.moved {
		node := start
		for node != 0 && reachedFrom[node] == 0 {
			reachedFrom[node] = start
			node = t.parent(node)
		}

		if node == 0 || reachedFrom[node] != start {
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

// placeItems builds the tree that the push would leave and fails the items that are on a cycle. The caller has locked
// the tree. A failed item is not applied: a stored category keeps its old parent, which may close another cycle, and a
// new category is missing as the parent of other items. So the check is repeated until there is no cycle.
func (b *categoryPushes) placeItems(ctx context.Context) (err error) {
	keys := make([]int64, 0, len(b.known))
	for _, c := range b.known {
		keys = append(keys, c.key)
	}

	if b.tree.stored, err = catalog.AncestorsOf(ctx, b.tx, keys); err != nil {
		return err
	}

	at := make(map[int64]int, len(b.items))
	for i := range b.items {
		at[b.node(i)] = i
	}

	for {
		b.tree.moved = make(map[int64]int64, len(b.items))

		for i := range b.items {
			if b.written(i) && b.items[i].NamesParent() && !b.parentPending(i) {
				b.tree.moved[b.node(i)] = b.parentOf(i)
			}
		}

		cycles := b.tree.cycles()
		if len(cycles) == 0 {
			return nil
		}

		var wrong rule.Violations
		wrong.Add("parent_id", "category_cycle",
			"This is the category itself or one that lies below it; a category may not become its own ancestor.")
		for _, node := range cycles {
			b.outcomes[at[node]].fail(wrong.Fields...)
		}
	}
}

// node returns the node of the i-th item.
func (b *categoryPushes) node(i int) int64 {
	if key := b.outcomes[i].Key; key != 0 {
		return key
	}
	return -int64(i + 1)
}

// parentOf returns the node of the parent that the i-th item names, or 0 for the root.
func (b *categoryPushes) parentOf(i int) int64 {
	if b.items[i].Root {
		return 0
	}
	return b.nodeOf(*b.items[i].Parent)
}

// nodeOf returns the node of a category that is stored or that an applied item creates, or 0 if there is none.
func (b *categoryPushes) nodeOf(externalID string) int64 {
	if c, found := b.known[externalID]; found {
		return c.key
	}
	if i, found := b.at[externalID]; found && b.written(i) {
		return b.node(i)
	}
	return 0
}

// placeAndAddress calls placeItems and chooseSlugs until neither fails an item: one that fails is missing for others.
func (b *categoryPushes) placeAndAddress(ctx context.Context) error {
	for failed := -1; failed != b.failed(); {
		failed = b.failed()
		if err := b.chooseSlugs(ctx); err != nil {
			return err
		}
		if err := b.placeItems(ctx); err != nil {
			return err
		}
	}
	return nil
}

// failed returns the number of failed items.
func (b *categoryPushes) failed() (n int) {
	for i := range b.outcomes {
		if b.outcomes[i].Outcome == Failed {
			n++
		}
	}
	return n
}

// chooseSlugs decides which slugs the categories get that ask for one or have none, and fails the items whose slugs
// others have.
func (b *categoryPushes) chooseSlugs(ctx context.Context) error {
	b.slugs = map[int]*slug.Claim{}
	var claims []*slug.Claim
	for i, item := range b.items {
		c := b.known[item.ID]
		if !b.written(i) || c.slug != "" && (item.Slug == nil || *item.Slug == c.slug) {
			continue
		}

		claim := &slug.Claim{Key: c.key, ID: c.id, Name: c.name, Present: c.slug}
		if c.key == 0 {
			claim.ID = id.New[catalog.Category]()
		}
		write.Assign(&claim.Name, item.Name)
		write.Assign(&claim.Given, item.Slug)
		b.slugs[i] = claim
		claims = append(claims, claim)
	}

	if err := slug.Choose(ctx, b.tx, slug.Category, claims); err != nil {
		return err
	}
	for i, claim := range b.slugs {
		if claim.IsTaken {
			b.outcomes[i].fail(slug.Taken(claim.Given).At("slug"))
		}
	}
	return nil
}

// saveSlugs records the slugs that the written categories have got.
func (b *categoryPushes) saveSlugs(ctx context.Context) error {
	var claims []*slug.Claim
	for i, claim := range b.slugs {
		if b.written(i) {
			claim.Key = b.outcomes[i].Key
			claims = append(claims, claim)
		}
	}
	if err := slug.Save(ctx, b.tx, slug.Category, claims); err != nil {
		return err
	}
	if slices.ContainsFunc(claims, func(c *slug.Claim) bool { return c.IsTaken }) {
		return ErrOvertaken
	}
	return nil
}
