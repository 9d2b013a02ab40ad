package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
)

// pendingKind says what a reference that waits is about.
type pendingKind string

// The kinds of references that wait: a category of a product, a value of a feature of a product, a value of an option of a variant, and
// the parent of a category.
const (
	pendingCategory pendingKind = "category"
	pendingFeature  pendingKind = "feature"
	pendingOption   pendingKind = "option"
	pendingParent   pendingKind = "parent"
)

// pendingOf is the kind of references that wait for attributes of a kind, by the same word.
func pendingOf(kind Kind) pendingKind { return pendingKind(kind) }

// pendingReference is something pushed that refers to what is not there yet, by accounting's ids.
type pendingReference struct {
	kind       pendingKind
	externalID string // of the category or the attribute
	valueID    string // of the value; empty where it is about a category
	// One of these says what waits; the others are 0.
	productKey, variantKey, categoryKey int64
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
