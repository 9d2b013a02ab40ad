package push

import (
	"context"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// Pushes has the use cases of pushes from accounting.
type Pushes struct {
	*catalog.Core
	// TakenReservations is needed for items with FreeStock.
	TakenReservations catalog.TakenReservations
}

// New returns the use cases of pushes.
func New(c *catalog.Service, taken catalog.TakenReservations) *Pushes {
	return &Pushes{c.Core(), taken}
}

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
	// Part is the key of a remainder's stock, or identifies the list and quantity of a price. Otherwise it is 0.
	Part int64
	// Errors say why the item failed.
	Errors []fault.Field
	// Warnings name the parts of the item that were not applied as sent.
	Warnings []fault.Field
	// ProductWarning is a warning that a push reports once for all items of the product with the key ProductKey.
	ProductWarning *fault.Field
	ProductKey     int64
	// Ignored means that the token does not write what the item of a quick gate has.
	Ignored bool
	// NotOwned has Variants if the item names a variant that its token may not create or restore.
	NotOwned productfield.Set
	// Stale means that the item was left alone, since a newer one was applied before. Outcome is Unchanged then.
	Stale bool

	changedProduct   int64 // key of the product that changed, or 0
	pricesOnly       bool  // nothing but prices and stock of the product changed
	attributeChanged bool  // an attribute was written
}

// fail sets the outcome of an item that failed validation.
func (p *Pushed) fail(fields ...fault.Field) {
	p.Outcome, p.Errors = Failed, append(p.Errors, fields...)
}

func (p *Pushed) warn(field, code, message string, args ...any) {
	p.Warnings = append(p.Warnings, newField(field, code, message, args...))
}

// warnOfProduct sets the warning that is reported once for all items of a product.
func (p *Pushed) warnOfProduct(productKey int64, field, code, message string, args ...any) {
	p.ProductKey, p.ProductWarning = productKey, new(newField(field, code, message, args...))
}

// leaveNotOwned sets the outcome of an item of a quick gate that the token does not write.
func (p *Pushed) leaveNotOwned(productKey int64, what string) {
	p.Outcome = Unchanged
	p.Ignored = true
	p.warnOfProduct(productKey, what, "not_owned", "This token does not write this, so it was ignored: %s.", what)
}

func newField(field, code, message string, args ...any) fault.Field {
	return fault.Field{Field: field, Code: code, Message: fmt.Sprintf(message, args...)}
}

// PushEnd collects the changes of all pushes of one transaction, for Pushes.End.
type PushEnd struct {
	products   catalog.ChangedProducts
	attributes bool
	content    bool // more than prices and stock changed
}

// Add adds the changes of one batch.
func (e *PushEnd) Add(outcomes []Pushed) {
	for i := range outcomes {
		e.attributes = e.attributes || outcomes[i].attributeChanged
		if key := outcomes[i].changedProduct; key != 0 {
			e.products.Add([]int64{key})
			e.content = e.content || !outcomes[i].pricesOnly
		}
	}
}

// AddProducts adds changes of products with these row keys.
func (e *PushEnd) AddProducts(keys []int64) {
	e.products.Add(keys)
	e.content = e.content || len(keys) > 0
}

// End records the changes of the transaction's pushes. It must be the last step of the transaction: it locks version
// rows of the store that every writer locks last, and a transaction that holds them must not wait for products.
func (s *Pushes) End(ctx context.Context, tx store.Tx, e PushEnd) (err error) {
	defer fault.AddContext(&err, "record pushed changes")
	if e.attributes {
		if err := catalog.RaiseAttributesVersion(ctx, tx); err != nil {
			return err
		}
	}
	e.products.PricesOnly = !e.content
	return s.RecordChangedProducts(ctx, tx, e.products)
}
