package search

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"vitrine/internal/shop/catalog"
)

const (
	// stretchLen is how many products a build reads at once.
	stretchLen = 10_000
	// A feature gets a column of its own if at least one product in ownShare has it; all others share one. At most ownMost do.
	ownShare = 16
	ownMost  = 64
	// sharedMost is how many columns the features that few products have share. Those of one kind of goods are made one after the other and
	// so lie in different ones: then few of their values meet in a set.
	sharedMost = 8
	// maxTexts is more than the texts of one stretch take.
	maxTexts = 1 << 28
	// A sample looks at sampleWindows windows of sampleWidth keys each.
	sampleWindows = 64
	sampleWidth   = 100
)

// errTooLarge says that a store does not fit into the memory.
var errTooLarge = errors.New("the store is too large for the memory")

// build reads a whole store into new columns, or returns errTooLarge once they take more than memory, in bytes. It runs on a snapshot, whose
// state they then show.
func build(l *loader, memory int64) (*columns, error) {
	c := newColumns()
	var err error
	if c.at, err = readVersions(l.ctx, l.q, l.storeID); err != nil {
		return nil, err
	}
	if err := l.attributes(func(a attribute) { c.attributes[a.key] = &a }); err != nil {
		return nil, err
	}
	if err := c.tree.load(l); err != nil {
		return nil, err
	}
	if err := c.chooseColumns(l); err != nil {
		return nil, err
	}
	for behind := int64(0); ; {
		list, err := l.stretch(behind, stretchLen)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			c.cluster()
			return c, nil
		}
		if err := c.learn(l, list); err != nil {
			return nil, err
		}
		for i := range list {
			c.put(&list[i])
		}
		behind = list[len(list)-1].key
		if filters, words := c.size(); int64(filters+words) > memory || len(c.text) > math.MaxUint32-maxTexts {
			return nil, errTooLarge
		}
	}
}

// chooseColumns gives each feature that takes part in filtering its column, by a sample of the products.
func (c *columns) chooseColumns(l *loader) error {
	first, last, ok, err := l.edges()
	if err != nil {
		return err
	}
	counts := map[int64]int64{}
	total := int64(0)
	if ok {
		step := max(sampleWidth, (last-first)/sampleWindows+1)
		for from := first; from <= last; from += step {
			n, err := l.sample(from, from+sampleWidth, counts)
			if err != nil {
				return err
			}
			total += n
		}
	}
	c.arrange(func(key int64) bool { return counts[key]*ownShare >= total && counts[key] > 0 })
	return nil
}

// arrange makes the columns: one of its own for each feature for which own says so, and one for all others.
func (c *columns) arrange(own func(key int64) bool) {
	var features []*attribute
	for _, a := range c.attributes {
		if a.kind == catalog.Feature && a.filterable {
			features = append(features, a)
		}
	}
	slices.SortFunc(features, func(a, b *attribute) int { return cmp.Compare(a.key, b.key) })
	var rare []*attribute
	for _, a := range features {
		if len(c.features) < ownMost && own(a.key) {
			c.columnOf[a.key] = &column{sets: newSets()}
			c.features = append(c.features, c.columnOf[a.key])
		} else {
			rare = append(rare, a)
		}
	}
	for range max(1, min(sharedMost, len(rare))) {
		c.shared = append(c.shared, &column{sets: newSets()})
	}
	for i, a := range rare {
		c.columnOf[a.key] = c.shared[i%len(c.shared)]
	}
	c.features = append(c.features, c.shared...)
}

// learn makes known what products name for the first time: values of features, and combinations of options.
func (c *columns) learn(l *loader, list []product) error {
	var unknown []int64
	see := func(key int64) uint32 {
		n, added := c.values.number(key)
		if added {
			// Until it is read: a value that is not found was deleted.
			c.values.known = append(c.values.known, value{missing: true})
			unknown = append(unknown, key)
		}
		return n
	}
	unseen := map[string]bool{}
	var examples []int64 // variants that have a combination nobody had before
	digests := map[int64]string{}
	for i := range list {
		p := &list[i]
		kept := p.features[:0]
		for _, v := range p.features {
			if c.columnOf[v.attribute] != nil {
				see(v.value)
				kept = append(kept, v)
			}
		}
		p.features = kept
		for _, v := range p.variants {
			if _, known := c.combination[v.combination]; !known && !unseen[v.combination] {
				unseen[v.combination] = true
				examples = append(examples, v.key)
				digests[v.key] = v.combination
			}
		}
	}
	combinations := map[int64][]uint32{}
	err := l.options(examples, func(variantKey, valueKey int64) {
		combinations[variantKey] = append(combinations[variantKey], see(valueKey))
	})
	if err != nil {
		return err
	}
	for _, key := range examples {
		c.combination[digests[key]] = c.combos.number(combinations[key])
	}
	return c.loadValues(l, unknown)
}

// loadValues reads what is told of values.
func (c *columns) loadValues(l *loader, keys []int64) error {
	return l.values(keys, func(key int64, v value) { c.values.known[c.values.index[key]] = v })
}
