package search

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

const (
	// chunkLen is the number of products that a build reads at once.
	chunkLen = 10_000
	// A feature that at least one in ownColumnShare products has gets its own column, as long as there are fewer than
	// maxOwnColumns. The other features share columns.
	ownColumnShare = 16
	maxOwnColumns  = 64
	// maxSharedColumns limits the columns that rare features share. Features of one kind of goods usually have adjacent
	// keys. Distributing them over several columns keeps the number of different sets in each column low.
	maxSharedColumns = 8
	// maxChunkText is an upper bound of the text of one chunk, in bytes. Offsets of texts have 32 bits, so a build
	// fails if less than maxChunkText is left below 1<<32 bytes.
	maxChunkText = 1 << 28
	// maxVocabulary limits the words of a store, whose ids have 31 bits, and their bytes, whose offsets have 32 bits.
	maxVocabulary = 1 << 24
	// maxTextColumns is the number of columns that the features share which are not filterable.
	maxTextColumns = 4
	// buildSlack is how much the estimate of the memory may exceed the limit during a build, in bytes. The columns take
	// less when they are clustered.
	buildSlack = 1 << 20
	// chooseColumns samples sampleWindows windows of sampleWidth row keys each.
	sampleWindows = 64
	sampleWidth   = 100
	// chainWindow is the number of row keys of products whose prices are read at once for a chain of price lists.
	chainWindow = 50_000
)

// errTooLarge reports that the columns of a store exceed the memory limit.
var errTooLarge = errors.New("the store does not fit into the search memory")

// buildColumns reads a whole store into new columns. It returns errTooLarge if they exceed memory, which
// is in bytes. They have the prices of the chains.
func buildColumns(
	ctx context.Context, tx store.Tx, memory int64, chains []pricing.Chain,
) (*searchColumns, error) {
	c := newColumns()
	c.building = &buildWords{}
	for _, chain := range chains {
		c.addChain(chain)
	}

	current, err := readVersions(ctx, tx)
	if err != nil {
		return nil, err
	}

	c.state = current.State
	if c.attributes, err = readAttributes(ctx, tx); err != nil {
		return nil, err
	}
	if err := c.tree.load(ctx, tx); err != nil {
		return nil, err
	}
	if err := c.chooseColumns(ctx, tx); err != nil {
		return nil, err
	}
	if err := c.readTerms(ctx, tx); err != nil {
		return nil, err
	}

	for after := int64(0); ; {
		list, err := readProductsAfter(ctx, tx, after, chunkLen, c.lists)
		if err != nil {
			return nil, err
		}

		if len(list) == 0 {
			c.cluster()
			if filters, words := c.size(); int64(filters+words) > memory {
				return nil, errTooLarge
			}
			return c, nil
		}

		if err := c.loadUnknown(ctx, tx, list); err != nil {
			return nil, err
		}

		for i := range list {
			c.put(&list[i])
		}

		after = list[len(list)-1].key
		filters, words := c.size()
		if int64(filters+words) > memory+buildSlack || len(c.text) > math.MaxUint32-maxChunkText ||
			c.vocabulary.len() > maxVocabulary {
			return nil, errTooLarge
		}
	}
}

// chooseColumns assigns a column to each filterable feature, depending on its frequency in a sample of the products.
func (c *searchColumns) chooseColumns(ctx context.Context, tx store.Tx) error {
	first, last, err := keyRange(ctx, tx)
	if err != nil {
		return err
	}

	counts := map[int64]int64{}
	total := int64(0)
	if first != nil {
		step := max(sampleWidth, (*last-*first)/sampleWindows+1)
		for from := *first; from <= *last; from += step {
			n, err := sampleFeatures(ctx, tx, from, from+sampleWidth, counts)
			if err != nil {
				return err
			}
			total += n
		}
	}

	c.assignColumns(func(key int64) bool { return counts[key]*ownColumnShare >= total && counts[key] > 0 })
	return nil
}

// assignColumns creates a column for each feature that ownColumn selects, and shared columns for the others.
func (c *searchColumns) assignColumns(ownColumn func(key int64) bool) {
	unfiltered := 0
	var rare []int64
	for _, key := range slices.Sorted(maps.Keys(c.attributes)) {
		switch a := c.attributes[key]; {
		case a.kind != catalog.Feature:
		case !a.filterable:
			unfiltered++
		case len(c.features) < maxOwnColumns && ownColumn(key):
			c.columnOf[key] = &setColumn{sets: newSets()}
			c.features = append(c.features, c.columnOf[key])
		default:
			rare = append(rare, key)
		}
	}

	for range max(1, min(maxSharedColumns, len(rare))) {
		c.shared = append(c.shared, &setColumn{sets: newSets()})
	}

	for i, key := range rare {
		c.columnOf[key] = c.shared[i%len(c.shared)]
	}

	c.features = append(c.features, c.shared...)
	for range max(1, min(maxTextColumns, unfiltered)) {
		c.textFeatures = append(c.textFeatures, &setColumn{sets: newSets()})
	}
}

// loadUnknown loads the values of features and the combinations of options that the products refer to and the columns
// do not have yet. It also removes values of unknown features from the products.
func (c *searchColumns) loadUnknown(ctx context.Context, tx store.Tx, list []productRow) error {
	var unknownValues []int64

	memberID := func(key int64) uint32 {
		id, added := c.values.assign(key)
		if added {
			// The value counts as deleted until it is found in the database.
			c.values.byID = append(c.values.byID, valueInfo{deleted: true})
			unknownValues = append(unknownValues, key)
		}
		return id
	}

	pending := map[string]bool{}
	var sampleVariants []int64 // one variant of each new combination
	digests := map[int64]string{}
	known := c.combinations.codes()

	for i := range list {
		p := &list[i]
		features := p.features[:0]
		for _, v := range p.features {
			if a := c.attributes[v.attribute]; a != nil && a.kind == catalog.Feature {
				memberID(v.value)
				features = append(features, v)
			}
		}

		p.features = features

		for _, v := range p.variants {
			if _, ok := known[v.combination]; !ok && !pending[v.combination] {
				pending[v.combination] = true
				sampleVariants = append(sampleVariants, v.key)
				digests[v.key] = v.combination
			}
		}
	}

	combinations := map[int64][]uint32{}
	err := eachOption(ctx, tx, sampleVariants, func(variantKey, valueKey int64) {
		combinations[variantKey] = append(combinations[variantKey], memberID(valueKey))
	})
	if err != nil {
		return err
	}

	for _, key := range sampleVariants {
		known[digests[key]] = c.variantOptions.codeOf(combinations[key])
	}

	return eachValue(ctx, tx, unknownValues, func(key int64, v valueInfo) { c.values.byID[c.values.ids[key]] = v })
}

// indexTexts makes the changed texts ready for queries. It indexes the blocks again that have more than maxStale stale
// rows.
func (c *searchColumns) indexTexts(maxStale int) {
	c.indexNames()
	c.indexCodes(maxStale)
	c.indexWords(maxStale)
}

// indexNames indexes the words of the names of new values and categories, and again those of renamed ones.
func (c *searchColumns) indexNames() {
	renamed := c.renamedValues
	c.renamedValues = nil
	c.valueWords.update(c.vocabulary, len(c.values.byID), renamed,
		func(member uint32) string { return c.values.byID[member].name })
	c.categoryWords.update(c.vocabulary, len(c.tree.nodes), c.tree.takeRenamed(),
		func(member uint32) string { return c.tree.nodes[member].name })
}
