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

// combine digests the option values of a variant; the keys must be sorted. A variant without any has no combination.
// A digest, since a variant may carry any number of options and an index entry has a size limit.
func combine(sortedValueKeys []int64) []byte {
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

// combineWaiting is combine for a variant that also waits for options, in any order: variants that differ only in what they wait for are
// different. Without any it is combine.
func combineWaiting(sortedValueKeys []int64, waiting []ReferencePush) []byte {
	if len(waiting) == 0 {
		return combine(sortedValueKeys)
	}
	waiting = slices.SortedFunc(slices.Values(waiting), func(a, b ReferencePush) int {
		if n := strings.Compare(a.Attribute, b.Attribute); n != 0 {
			return n
		}
		return strings.Compare(a.Value, b.Value)
	})
	h := sha256.New()
	h.Write(combine(sortedValueKeys))
	var b [8]byte
	for _, w := range waiting {
		for _, s := range []string{w.Attribute, w.Value} {
			// The length before each keeps two texts apart from two others that read the same one after the other.
			binary.BigEndian.PutUint64(b[:], uint64(len(s)))
			h.Write(b[:])
			h.Write([]byte(s))
		}
	}
	return h.Sum(nil)[:16]
}

// combination digests links, and what is waited for beside them, as combineWaiting does.
func combination(links []link, waiting []ReferencePush) string {
	keys := make([]int64, len(links))
	for i, l := range links {
		keys[i] = l.value
	}
	slices.Sort(keys)
	return string(combineWaiting(keys, waiting))
}

// recombine computes the combinations of variants anew after what they carry or wait for has changed. Those that became equal to another of
// the same product are kept as twins of it.
func recombine(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) error {
	values, err := variantValues(ctx, q, storeID, variantKeys)
	if err != nil {
		return err
	}
	waiting, err := waitedOptions(ctx, q, storeID, variantKeys)
	if err != nil {
		return err
	}
	batch := database.NewBatch(database.BigInt, database.Bytes, database.BigInt)
	for _, key := range variantKeys {
		// As its own twin a variant equals nobody, so the unique index holds while the pieces are written.
		if combination := combineWaiting(values[key], waiting[key]); combination != nil {
			batch.Add(key, combination, key)
		} else {
			batch.Add(key, nil, int64(0))
		}
	}
	products, err := setCombinations(ctx, q, storeID, batch)
	if err != nil {
		return err
	}
	_, err = q.ExecRows(ctx, settleTwinsSQL, keyBatch(products), storeID)
	return err
}
