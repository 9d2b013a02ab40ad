package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// hashOptionValues returns the combination of a variant: a digest of its sorted option values, or nil if it has none. A
// digest is used because a variant may have any number of options, and the size of an index entry is limited.
func hashOptionValues(sortedValueKeys []int64) []byte {
	if len(sortedValueKeys) == 0 {
		return nil
	}
	h := sha256.New()
	var b [8]byte
	for _, k := range sortedValueKeys {
		binary.BigEndian.PutUint64(b[:], uint64(k))
		h.Write(b[:])
	}
	return h.Sum(nil)[:16]
}

// hashCombination is like hashOptionValues, for a variant that may also have pending options, in any order. Variants
// that differ only in pending options have different combinations.
func hashCombination(sortedValueKeys []int64, pending []ReferencePush) []byte {
	if len(pending) == 0 {
		return hashOptionValues(sortedValueKeys)
	}

	pending = slices.SortedFunc(slices.Values(pending), func(a, b ReferencePush) int {
		return cmp.Or(strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.Value, b.Value))
	})
	h := sha256.New()
	h.Write(hashOptionValues(sortedValueKeys))
	var b [8]byte

	for _, w := range pending {
		for _, s := range []string{w.Attribute, w.Value} {
			// The length prefix makes the encoding unambiguous.
			binary.BigEndian.PutUint64(b[:], uint64(len(s)))
			h.Write(b[:])
			h.Write([]byte(s))
		}
	}

	return h.Sum(nil)[:16]
}

// combinationOf returns the combination of option values and pending options.
func combinationOf(links []ValueKeys, pending []ReferencePush) string {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.Value
	}
	slices.Sort(keys)
	return string(hashCombination(keys, pending))
}

// updateCombinations recomputes the combinations of variants after their options or pending options have changed.
// Variants that become equal to another variant of the product are marked as duplicates.
func updateCombinations(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	values, err := variantValues(ctx, tx, variantKeys)
	if err != nil {
		return err
	}
	pending, err := pendingOptions(ctx, tx, variantKeys)
	if err != nil {
		return err
	}

	batch := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	for _, key := range variantKeys {
		// For now duplicateMark is the variant's own key, so that no intermediate state violates the unique index.
		// resolveDuplicates then sets it to 0 for the first variant with each combination.
		if combination := hashCombination(values[key], pending[key]); combination != nil {
			batch.Add(key, combination, key)
		} else {
			batch.Add(key, nil, int64(0))
		}
	}

	products, err := setCombinations(ctx, tx, batch)
	if err != nil {
		return err
	}

	return resolveDuplicates(ctx, tx, products)
}

// RecomputeCombinations computes the combinations of variants again after all keys of a store have changed in the same
// way, as an import of a store does. Which variants are duplicates stays.
func RecomputeCombinations(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	values, err := variantValues(ctx, tx, variantKeys)
	if err != nil {
		return err
	}
	pending, err := pendingOptions(ctx, tx, variantKeys)
	if err != nil {
		return err
	}

	batch := database.NewBatch(database.BigInt, database.Bytes)
	for _, key := range variantKeys {
		batch.Add(key, hashCombination(values[key], pending[key]))
	}
	return writeCombinations(ctx, tx, batch)
}
