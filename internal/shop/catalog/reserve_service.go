package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/store"
)

// Wanted is how much of a variant an order asks for.
type Wanted struct {
	Variant  VariantID
	Quantity Quantity
}

// Reserved is how much of a variant an order has reserved in a stock, by the keys of both.
type Reserved struct {
	Variant, Stock int64
	Quantity       Quantity
}

// Reservation is what became of what an order wants, an element for each that is wanted.
type Reservation struct {
	// Offers are the variants as they are at this moment; nil for one that is not in the shop.
	Offers []*Offer
	// Parts say in which stocks they are reserved: nowhere, if no stock is kept of the variant.
	Parts [][]Reserved
	// Short says of which too little is left.
	Short []bool
	// Products are the keys of the products that are changed by it, for RecordChanges.
	Products []int64
}

// Whole reports whether everything was there.
func (r *Reservation) Whole() bool {
	return !slices.Contains(r.Offers, nil) && !slices.Contains(r.Short, true)
}

// Reserve reserves what an order wants in the stocks that have it, all or nothing: where the reservation is not whole, nothing is changed.
// It takes one stock if that has enough, else several; a variant of which no stock is kept can be sold without limit. What is reserved
// never exceeds what a stock has. The products are locked in the order of their keys, so orders never wait for each other in a ring. The
// caller ends the transaction with RecordChanges.
func (s *Stocks) Reserve(ctx context.Context, tx store.Tx, wanted []Wanted) (Reservation, error) {
	ids := make([]VariantID, len(wanted))
	for i, w := range wanted {
		ids[i] = w.Variant
	}
	offers, err := lockOffers(ctx, tx, ids)
	if err != nil {
		return Reservation{}, err
	}
	if err := fillOfferOptions(ctx, tx, offers); err != nil {
		return Reservation{}, err
	}
	var variants []int64
	for _, o := range offers {
		variants = append(variants, o.Key)
	}
	present, err := lockRemainders(ctx, tx, variants)
	if err != nil {
		return Reservation{}, err
	}
	r, changed := allocate(wanted, offers, present)
	if !r.Whole() || len(changed) == 0 {
		return r, nil
	}
	return r, saveReserved(ctx, tx, present, changed, r.Products, raiseProductVersions)
}

// allocate decides which stocks give what is wanted, and brings what is present to that. It returns which remainders are changed by it.
func allocate(wanted []Wanted, offers map[VariantID]*Offer, present map[remainderKey]Remainder) (Reservation, map[remainderKey]bool) {
	r := Reservation{Offers: make([]*Offer, len(wanted)), Parts: make([][]Reserved, len(wanted)), Short: make([]bool, len(wanted))}
	stocks := map[int64][]int64{} // by variant
	for at := range present {
		stocks[at.variant] = append(stocks[at.variant], at.stock)
	}
	changed, products := map[remainderKey]bool{}, map[int64]bool{}
	for i, w := range wanted {
		o := offers[w.Variant]
		if o == nil || !o.Live {
			continue
		}
		r.Offers[i] = o
		slices.Sort(stocks[o.Key])
		parts, missing := allocateFrom(o.Key, w.Quantity, stocks[o.Key], present)
		if r.Short[i] = missing > 0 && len(stocks[o.Key]) > 0; r.Short[i] {
			continue
		}
		r.Parts[i] = parts
		for _, p := range parts {
			at := remainderKey{p.Variant, p.Stock}
			m := present[at]
			m.Reserved += p.Quantity
			present[at], changed[at] = m, true
			products[o.ProductKey] = true
		}
	}
	r.Products = slices.Sorted(maps.Keys(products))
	return r, changed
}

// allocateFrom takes a quantity from the first stock that has all of it, or else from one after the other. missing is what none has.
func allocateFrom(variant int64, quantity Quantity, stocks []int64, present map[remainderKey]Remainder) (parts []Reserved, missing Quantity) {
	for _, stock := range stocks {
		if present[remainderKey{variant, stock}].available() >= quantity {
			return []Reserved{{variant, stock, quantity}}, 0
		}
	}
	for _, stock := range stocks {
		if n := min(quantity, present[remainderKey{variant, stock}].available()); n > 0 {
			parts = append(parts, Reserved{variant, stock, n})
			quantity -= n
		}
	}
	return parts, quantity
}

func (m Remainder) available() Quantity { return max(0, m.Quantity-m.Reserved) }

// Release gives back what an order had reserved, and returns the keys of the products that are changed by it, for RecordChanges. Of a
// remainder that is gone meanwhile there is nothing to give back.
func (s *Stocks) Release(ctx context.Context, tx store.Tx, parts []Reserved) (products []int64, err error) {
	return endReservation(ctx, tx, parts, raiseProductVersions, func(m *Remainder, n Quantity) {
		m.Reserved = max(0, m.Reserved-n)
	})
}

// Take takes what an order had reserved out of the stocks, and returns the keys of the products that are changed by it, for RecordChanges.
// Accounting may have said meanwhile that a stock has less: then nothing is left in it. A product that was pushed counts as changed since,
// so the same push applies again.
func (s *Stocks) Take(ctx context.Context, tx store.Tx, parts []Reserved) (products []int64, err error) {
	return endReservation(ctx, tx, parts, touchProducts, func(m *Remainder, n Quantity) {
		m.Reserved, m.Quantity = max(0, m.Reserved-n), max(0, m.Quantity-n)
	})
}

// endReservation lets end say what becomes of each remainder that something is reserved of.
func endReservation(
	ctx context.Context, tx store.Tx, parts []Reserved, touch versionRaise, end func(m *Remainder, n Quantity),
) (products []int64, err error) {
	variants := map[int64]bool{}
	for _, p := range parts {
		variants[p.Variant] = true
	}
	if len(variants) == 0 {
		return nil, nil
	}
	keys := slices.Sorted(maps.Keys(variants))
	if products, err = productKeysOfVariants(ctx, tx, keys); err != nil {
		return nil, err
	}
	if _, err := lockArchived(ctx, tx, products); err != nil {
		return nil, err
	}
	present, err := lockRemainders(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	changed := map[remainderKey]bool{}
	for _, p := range parts {
		at := remainderKey{p.Variant, p.Stock}
		if m, found := present[at]; found {
			end(&m, p.Quantity)
			present[at], changed[at] = m, true
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return products, saveReserved(ctx, tx, present, changed, products, touch)
}

// RecordChanges ends a transaction that reserved, released or took something of these products: it is its last statement.
func (s *Stocks) RecordChanges(ctx context.Context, tx store.Tx, products []int64) error {
	return s.recordChanges(ctx, tx, products...)
}
