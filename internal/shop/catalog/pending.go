package catalog

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

// pendingKindOf is the kind of references that wait for attributes of a kind, by the same word.
func pendingKindOf(kind Kind) pendingKind { return pendingKind(kind) }

// pendingReference is something pushed that refers to what is not there yet, by accounting's ids.
type pendingReference struct {
	kind       pendingKind
	externalID string // of the category or the attribute
	valueID    string // of the value; empty where it is about a category
	// One of these says what waits; the others are 0.
	productKey, variantKey, categoryKey int64
}
