package catalog

import (
	"slices"
	"strings"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/slug"
)

// CategoryNode is a category in a CategoryTree.
type CategoryNode struct {
	ID         CategoryID
	ExternalID *string
	Name       string
	Slug       slug.Slug // empty until the worker has given an old category one
	Version    int64
	Parent     *CategoryNode // nil for a root category
	Children   []*CategoryNode

	Key       int64
	ParentKey *int64
}

// CategoryTree has all categories of a store. Siblings are in their order.
type CategoryTree struct {
	Roots []*CategoryNode
	Total int
	byID  map[CategoryID]*CategoryNode
}

// newCategoryTree returns the tree of categories that are sorted as siblings are.
func newCategoryTree(sorted []*CategoryNode) *CategoryTree {
	t := &CategoryTree{Total: len(sorted), byID: make(map[CategoryID]*CategoryNode, len(sorted))}
	byKey := make(map[int64]*CategoryNode, len(sorted))
	for _, n := range sorted {
		t.byID[n.ID], byKey[n.Key] = n, n
	}

	for _, n := range sorted {
		if n.ParentKey != nil {
			n.Parent = byKey[*n.ParentKey]
		}
		if n.Parent == nil {
			t.Roots = append(t.Roots, n)
			continue
		}
		n.Parent.Children = append(n.Parent.Children, n)
	}

	return t
}

// Find returns the category with this id, or nil.
func (t *CategoryTree) Find(id CategoryID) *CategoryNode { return t.byID[id] }

// Siblings returns the category and those with the same parent.
func (t *CategoryTree) Siblings(n *CategoryNode) []*CategoryNode {
	if n.Parent == nil {
		return t.Roots
	}
	return n.Parent.Children
}

// Place returns the place of a category among its siblings, counted from 1.
func (t *CategoryTree) Place(n *CategoryNode) int { return slices.Index(t.Siblings(n), n) + 1 }

// Step is a direction in which a category can be moved by one step.
type Step string

// The steps: to the place before or after, below the sibling before, and behind the parent.
const (
	StepUp   Step = "up"
	StepDown Step = "down"
	StepIn   Step = "in"
	StepOut  Step = "out"
)

// Step returns the parent and the place of a category after a step. The place 0 means the last. It returns false if
// there is nothing in that direction.
func (t *CategoryTree) Step(n *CategoryNode, step Step) (parent *CategoryNode, place int, ok bool) {
	siblings := t.Siblings(n)
	at := slices.Index(siblings, n)
	switch {
	case step == StepUp && at > 0:
		return n.Parent, at, true
	case step == StepDown && at < len(siblings)-1:
		return n.Parent, at + 2, true
	case step == StepIn && at > 0:
		return siblings[at-1], 0, true
	case step == StepOut && n.Parent != nil:
		return n.Parent.Parent, t.Place(n.Parent) + 1, true
	}
	return nil, 0, false
}

// Path returns the ancestors of the category and the category itself, the root first.
func (n *CategoryNode) Path() (path []*CategoryNode) {
	for ; n != nil; n = n.Parent {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// PathSeparator stands between the names of a path.
const PathSeparator = " › "

// PathNames returns the names of the categories of the path, joined for people.
func (n *CategoryNode) PathNames() string {
	names := make([]string, 0, 4)
	for _, up := range n.Path() {
		names = append(names, up.Name)
	}
	return strings.Join(names, PathSeparator)
}

// Contains reports whether other is the category or lies below it.
func (n *CategoryNode) Contains(other *CategoryNode) bool { return slices.Contains(other.Path(), n) }

// Search returns the categories whose names match, in the order of the tree, at most limit, and the number of all.
// Each word of the search must begin some word of the name.
func (t *CategoryTree) Search(search string, limit int) (found []*CategoryNode, total int) {
	words, nothing := locale.QueryWords(search)
	if nothing {
		return nil, 0
	}
	t.Walk(func(n *CategoryNode) {
		if matchesWords(n.Name, words) {
			if total++; len(found) < limit {
				found = append(found, n)
			}
		}
	})
	return found, total
}

// Walk calls fn for each category, before those below it. The tree has no cycles: every category of one is left out of
// it, since none of them is below a root.
func (t *CategoryTree) Walk(fn func(*CategoryNode)) { walkCategories(t.Roots, fn) }

func walkCategories(list []*CategoryNode, fn func(*CategoryNode)) {
	for _, n := range list {
		fn(n)
		walkCategories(n.Children, fn)
	}
}
