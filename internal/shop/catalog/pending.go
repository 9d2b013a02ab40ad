package catalog

// pendingKind is the kind of a pending reference.
type pendingKind string

// The kinds of pending references: from a product to a category, from a product to a value of a feature, from a variant
// to a value of an option, and from a category to its parent.
const (
	pendingCategory pendingKind = "category"
	pendingFeature  pendingKind = "feature"
	pendingOption   pendingKind = "option"
	pendingParent   pendingKind = "parent"
)

// pendingKindOf returns the kind of the pending references to attributes of a kind. Both have the same name.
func pendingKindOf(kind Kind) pendingKind { return pendingKind(kind) }

// pendingReference is a reference from something pushed to something that does not exist yet, by the accounting
// system's ids.
type pendingReference struct {
	kind  pendingKind
	ref   ReferencePush // for a category, Attribute is its id and Value is empty
	owner int64         // key of the product, variant or category that refers to the target
}
