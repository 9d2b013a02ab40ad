package catalog

type pendingKind string

// The kinds of pending references: from a product to a category, from a product to a value of a feature, from a variant
// to a value of an option, and from a category to its parent.
const (
	PendingCategory pendingKind = "category"
	PendingFeature  pendingKind = "feature"
	PendingOption   pendingKind = "option"
	pendingParent   pendingKind = "parent"
)

// pendingKindOf returns the kind of pending references to attributes of the given kind. Both kinds are the same string.
func pendingKindOf(kind Kind) pendingKind { return pendingKind(kind) }

// PendingReference is a reference from a pushed product, variant or category to a target that does not exist yet. ref
// has the accounting system's ids of the target.
type PendingReference struct {
	Kind  pendingKind
	Ref   ReferencePush // for a category, Attribute is its id and Value is empty
	Owner int64         // key of the product, variant or category that refers to the target
}

// target returns the reference without its owner.
func (p PendingReference) target() PendingReference {
	return PendingReference{Kind: p.Kind, Ref: p.Ref}
}
