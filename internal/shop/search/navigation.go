package search

// Branch is what a store has in a category and below it: the number of products, and the row key of the first of them,
// which is the one that was created first.
type Branch struct{ Count, First int64 }

// Navigation has the categories with products, by row key.
type Navigation map[int64]Branch

// branchBuilder adds up branches over the subtrees of categories.
type branchBuilder struct {
	*subtreeCounts
	first []int64 // by member id; 0 for none
}

func (t *categoryTree) newBranches() *branchBuilder {
	return &branchBuilder{t.newCounts(), make([]int64, len(t.nodes))}
}

// addFirst makes a product the first one of a category and of its ancestors, unless they have one that came before it.
func (b *branchBuilder) addFirst(id uint32, key int64) {
	for at := id; at != noIndex && (b.first[at] == 0 || key < b.first[at]); at = b.nodes[at].parent {
		b.first[at] = key
	}
}

func (b *branchBuilder) navigation() Navigation {
	n := Navigation{}
	for id, count := range b.counts {
		if count > 0 && !b.nodes[id].deleted {
			n[b.keys[id]] = Branch{count, b.first[id]}
		}
	}
	return n
}

// navigation counts the products of all categories. It looks at each set of categories, and at rows until each set has
// its first product.
func (c *searchColumns) navigation() Navigation {
	branches := c.tree.newBranches()
	first := make([]int64, c.categories.len()) // by set code
	wanted := 0
	for code, n := range c.categories.totals {
		if code == 0 || n == 0 {
			continue
		}
		wanted++
		for _, member := range c.categories.of(uint32(code)) {
			branches.add(member, int64(code), n)
		}
	}

	for _, row := range c.rowsByKey {
		if wanted == 0 {
			break
		}
		if code := c.categories.at(row); code != 0 && first[code] == 0 && !c.deleted[row] {
			first[code] = c.keys[row]
			wanted--
		}
	}
	for key, row := range c.outOfOrder {
		if code := c.categories.at(row); !c.deleted[row] && (first[code] == 0 || key < first[code]) {
			first[code] = key
		}
	}

	for code, key := range first {
		if key == 0 {
			continue
		}
		for _, member := range c.categories.of(uint32(code)) {
			branches.addFirst(member, key)
		}
	}

	return branches.navigation()
}
