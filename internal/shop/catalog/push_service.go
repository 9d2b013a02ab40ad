package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Outcome is what became of a pushed item.
type Outcome int

// The outcomes. An item that failed has changed nothing.
const (
	Created Outcome = iota + 1
	Updated
	Unchanged
	Failed
)

// Pushed is what became of one pushed item, and what there is to say of it. Fields are places inside the item, such as variants[1].price.
type Pushed struct {
	Outcome Outcome
	// Key is the row of the thing that the item is about (of a price or a remainder, the variant); 0 if it failed and is not known.
	Key int64
	// Part is the row of the stock of a remainder.
	Part int64
	// Errors are why it failed.
	Errors []fault.Field
	// Warnings are what was applied otherwise than it was sent.
	Warnings []fault.Field

	changedProduct   int64 // the product that changed, if one did
	attributeChanged bool  // whether an attribute changed
}

// fail makes it the outcome of an item that breaks rules.
func (p *Pushed) fail(fields ...fault.Field) {
	p.Outcome, p.Errors = Failed, append(p.Errors, fields...)
}

// PushEnd gathers what the pushes of one transaction changed, for Pushes.End.
type PushEnd struct {
	products   changedProducts
	attributes bool
}

// Add notes what items came to.
func (e *PushEnd) Add(outcomes []Pushed) {
	var products []int64
	for i := range outcomes {
		e.attributes = e.attributes || outcomes[i].attributeChanged
		if key := outcomes[i].changedProduct; key != 0 {
			products = append(products, key)
		}
	}
	e.products.add(products)
}

// End tells of what pushes changed. It is the last thing that their transaction does: it locks rows of the store which everybody who
// writes wants at the end, and who holds them may wait for nobody's products any more.
func (s *Pushes) End(ctx context.Context, tx store.Tx, e PushEnd) error {
	if e.attributes {
		if err := raiseAttributesVersion(ctx, tx); err != nil {
			return err
		}
	}
	return s.recordChangedProducts(ctx, tx, e.products)
}

// Digest is that of what a pushed item says. An item with the digest of the last push of that thing changes nothing.
type Digest [16]byte

// orNull is how the digest of a push is kept; of no push, nothing is.
func (d *Digest) orNull() any {
	if d == nil {
		return nil
	}
	return d[:]
}

// ReferencePush names a value by accounting's ids.
type ReferencePush struct {
	Attribute string
	Value     string
}
