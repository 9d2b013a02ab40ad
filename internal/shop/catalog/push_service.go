package catalog

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Outcome is the result of applying a pushed item.
type Outcome int

// The outcomes. A failed item changes nothing.
const (
	Created Outcome = iota + 1
	Updated
	Unchanged
	Failed
)

// Pushed is the result of a pushed item. Errors and Warnings name fields by paths such as variants[1].price.
type Pushed struct {
	Outcome Outcome
	// Key is the key of the row that the item changes, which is the variant for prices and remainders. It is 0 if the
	// item failed and no row was found.
	Key int64
	// Part is the key of a remainder's stock.
	Part int64
	// Errors say why the item failed.
	Errors []fault.Field
	// Warnings name the parts of the item that were not applied as sent.
	Warnings []fault.Field

	changedProduct   int64 // key of the product that changed, or 0
	attributeChanged bool  // an attribute was written
}

// fail sets the outcome of an item that failed validation.
func (p *Pushed) fail(fields ...fault.Field) {
	p.Outcome, p.Errors = Failed, append(p.Errors, fields...)
}

func (p *Pushed) warn(field, code, message string, args ...any) {
	p.Warnings = append(p.Warnings, newField(field, code, message, args...))
}

func newField(field, code, message string, args ...any) fault.Field {
	return fault.Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)}
}

// PushEnd collects the changes of all pushes of one transaction, for Pushes.End.
type PushEnd struct {
	products   changedProducts
	attributes bool
}

// Add adds the changes of one batch.
func (e *PushEnd) Add(outcomes []Pushed) {
	for i := range outcomes {
		e.attributes = e.attributes || outcomes[i].attributeChanged
		if key := outcomes[i].changedProduct; key != 0 {
			e.products.add([]int64{key})
		}
	}
}

// End records the changes of the transaction's pushes. It must be the last step of the transaction: it locks version
// rows of the store that every writer locks last, and a transaction that holds them must not wait for products.
func (s *Pushes) End(ctx context.Context, tx store.Tx, e PushEnd) (err error) {
	defer fault.AddContext(&err, "record pushed changes")
	if e.attributes {
		if err := raiseAttributesVersion(ctx, tx); err != nil {
			return err
		}
	}
	return s.recordChangedProducts(ctx, tx, e.products)
}

// laterTime returns the later of two times.
func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Digest is a hash of the content of a pushed item. An item with the same digest as at its last push changes nothing.
type Digest [16]byte

// orNull returns the digest as a column value, or NULL if d is nil.
func (d *Digest) orNull() any {
	if d == nil {
		return nil
	}
	return d[:]
}

// ReferencePush refers to a value of an attribute by the accounting system's ids.
type ReferencePush struct {
	Attribute string
	Value     string
}
