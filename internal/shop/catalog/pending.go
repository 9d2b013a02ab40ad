package catalog

type PendingKind string

// The kinds of pending references: from a product to a category, from a product to a value of a feature, from a variant
// to a value of an option, and from a category to its parent.
const (
	PendingCategory PendingKind = "category"
	PendingFeature  PendingKind = "feature"
	PendingOption   PendingKind = "option"
	PendingParent   PendingKind = "parent"
)

// pendingKindOf returns the kind of pending references to attributes of the given kind. Both kinds are the same string.
func pendingKindOf(kind Kind) PendingKind { return PendingKind(kind) }

// PendingReference is a reference from a pushed product, variant or category to a target that does not exist yet. ref
// has the accounting system's ids of the target.
type PendingReference struct {
	Kind  PendingKind
	Ref   ReferencePush // for a category, Attribute is its id and Value is empty
	Owner int64         // key of the product, variant or category that refers to the target
}

// Target returns the reference without its owner.
func (p PendingReference) Target() PendingReference {
	return PendingReference{Kind: p.Kind, Ref: p.Ref}
}
