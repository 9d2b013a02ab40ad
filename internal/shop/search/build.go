package search

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"vitrine/internal/shop/catalog"
)

const (
	// chunkLen is how many products a build reads at once.
	chunkLen = 10_000
	// A feature gets a column of its own if at least one product in ownColumnShare has it; all others share one. At most maxOwnColumns do.
	ownColumnShare = 16
	maxOwnColumns  = 64
	// maxSharedColumns is how many columns the features that few products have share. Those of one kind of goods are made one after the other and
	// so lie in different ones: then few of their values meet in a set.
	maxSharedColumns = 8
	// maxChunkText is more than the texts of one stretch take.
	maxChunkText = 1 << 28
	// A sample looks at sampleWindows windows of sampleWidth keys each.
	sampleWindows = 64
	sampleWidth   = 100
)

// errTooLarge says that a store does not fit into the memory.
var errTooLarge = errors.New("the store does not fit into the search memory")

// buildColumns reads a whole store into new columns, or returns errTooLarge once they take more than memory, in bytes. It runs on a snapshot, whose
// state they then show.
func buildColumns(l *loader, memory int64) (*columns, error) {
	c := newColumns()
	var err error
	if c.versions, err = readVersions(l.ctx, l.q, l.storeID); err != nil {
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
	for after := int64(0); ; {
		list, err := l.chunk(after, chunkLen)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			c.cluster()
			return c, nil
		}
		if err := c.loadUnknown(l, list); err != nil {
			return nil, err
		}
		for i := range list {
			c.put(&list[i])
		}
		after = list[len(list)-1].key
		if filters, words := c.size(); int64(filters+words) > memory || len(c.text) > math.MaxUint32-maxChunkText {
			return nil, errTooLarge
		}
	}
}

// chooseColumns gives each feature that takes part in filtering its column, by a sample of the products.
func (c *columns) chooseColumns(l *loader) error {
	first, last, ok, err := l.keyRange()
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
	c.assignColumns(func(key int64) bool { return counts[key]*ownColumnShare >= total && counts[key] > 0 })
	return nil
}

// assignColumns makes the columns: one of its own for each feature for which own says so, and one for all others.
func (c *columns) assignColumns(ownColumn func(key int64) bool) {
	var features []*attribute
	for _, a := range c.attributes {
		if a.kind == catalog.Feature && a.filterable {
			features = append(features, a)
		}
	}
	slices.SortFunc(features, func(a, b *attribute) int { return cmp.Compare(a.key, b.key) })
	var rare []*attribute
	for _, a := range features {
		if len(c.features) < maxOwnColumns && ownColumn(a.key) {
			c.columnOf[a.key] = &setColumn{sets: newSets()}
			c.features = append(c.features, c.columnOf[a.key])
		} else {
			rare = append(rare, a)
		}
	}
	for range max(1, min(maxSharedColumns, len(rare))) {
		c.shared = append(c.shared, &setColumn{sets: newSets()})
	}
	for i, a := range rare {
		c.columnOf[a.key] = c.shared[i%len(c.shared)]
	}
	c.features = append(c.features, c.shared...)
}

// loadUnknown makes known what products name for the first time: values of features, and combinations of options.
func (c *columns) loadUnknown(l *loader, list []productRow) error {
	var unknownValues []int64
	memberID := func(key int64) uint32 {
		id, added := c.values.assign(key)
		if added {
			// Until it is read: a value that is not found was deleted.
			c.values.byID = append(c.values.byID, valueInfo{deleted: true})
			unknownValues = append(unknownValues, key)
		}
		return id
	}
	pending := map[string]bool{}
	var sampleVariants []int64 // variants that have a combination nobody had before
	digests := map[int64]string{}
	for i := range list {
		p := &list[i]
		kept := p.features[:0]
		for _, v := range p.features {
			if c.columnOf[v.attribute] != nil {
				memberID(v.value)
				kept = append(kept, v)
			}
		}
		p.features = kept
		for _, v := range p.variants {
			if _, known := c.combinationCodes[v.combination]; !known && !pending[v.combination] {
				pending[v.combination] = true
				sampleVariants = append(sampleVariants, v.key)
				digests[v.key] = v.combination
			}
		}
	}
	combinations := map[int64][]uint32{}
	err := l.options(sampleVariants, func(variantKey, valueKey int64) {
		combinations[variantKey] = append(combinations[variantKey], memberID(valueKey))
	})
	if err != nil {
		return err
	}
	for _, key := range sampleVariants {
		c.combinationCodes[digests[key]] = c.variantOptions.codeOf(combinations[key])
	}
	return c.loadValues(l, unknownValues)
}

// loadValues reads what is told of values.
func (c *columns) loadValues(l *loader, keys []int64) error {
	return l.values(keys, func(key int64, v valueInfo) { c.values.byID[c.values.ids[key]] = v })
}
