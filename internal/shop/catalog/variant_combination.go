package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// hashValues digests the option values of a variant; the keys must be sorted. A variant without any has no combination.
// A digest, since a variant may carry any number of options and an index entry has a size limit.
func hashValues(sortedValueKeys []int64) []byte {
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

// hashCombination is combine for a variant that also waits for options, in any order: variants that differ only in what they wait for are
// different. Without any it is combine.
func hashCombination(sortedValueKeys []int64, pending []ReferencePush) []byte {
	if len(pending) == 0 {
		return hashValues(sortedValueKeys)
	}
	pending = slices.SortedFunc(slices.Values(pending), func(a, b ReferencePush) int {
		if n := strings.Compare(a.Attribute, b.Attribute); n != 0 {
			return n
		}
		return strings.Compare(a.Value, b.Value)
	})
	h := sha256.New()
	h.Write(hashValues(sortedValueKeys))
	var b [8]byte
	for _, w := range pending {
		for _, s := range []string{w.Attribute, w.Value} {
			// The length before each keeps two texts apart from two others that read the same one after the other.
			binary.BigEndian.PutUint64(b[:], uint64(len(s)))
			h.Write(b[:])
			h.Write([]byte(s))
		}
	}
	return h.Sum(nil)[:16]
}

// combinationOf digests links, and what is waited for beside them, as hashCombination does.
func combinationOf(links []valueKeys, pending []ReferencePush) string {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.value
	}
	slices.Sort(keys)
	return string(hashCombination(keys, pending))
}

// updateCombinations computes the combinations of variants anew after what they carry or wait for has changed. Those that became equal to another of
// the same product are kept as twins of it.
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
		// As its own twin a variant equals nobody, so the unique index holds while the pieces are written.
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
