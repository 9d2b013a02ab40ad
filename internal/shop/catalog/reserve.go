package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Offer is a variant as an order shows it. A submitted order keeps a copy.
type Offer struct {
	Key, ProductKey int64
	ID              VariantID
	ProductID       ProductID
	ProductName     string
	VariantName     string // empty if the variant has none
	SKU             string
	Barcode         string // the first one; empty if the variant has none
	Unit            Unit
	VATRate         money.VATRate
	Price           money.Price
	// Available is the sum over all stocks; nil if the variant has no remainders.
	Available *money.Quantity
	// HasModifiers reports whether the product has modifiers, which EachModifiers reads.
	HasModifiers bool
	// Live reports whether the variant can be bought: neither it nor its product is archived.
	Live bool
	// Options are in the order in which the options were created.
	Options []AttributeValue
}

// Name returns the full name of the variant, which contains the product's name.
func (o *Offer) Name() string {
	switch {
	case o.VariantName == "":
		return o.ProductName
	case strings.Contains(strings.ToLower(o.VariantName), strings.ToLower(o.ProductName)):
		return o.VariantName
	}
	return o.ProductName + ", " + o.VariantName
}

// OptionText returns the values of the variant's options, separated by slashes. Without options it is the name of the
// variant.
func (o *Offer) OptionText() string {
	values := make([]string, len(o.Options))
	for i := range o.Options {
		values[i] = o.Options[i].Value.Name
	}
	return cmp.Or(strings.Join(values, " / "), o.VariantName)
}

// Offers returns variants with their options, archived ones included. Ids that the store does not have are left out.
func (s *Products) Offers(ctx context.Context, tx store.Tx, ids []VariantID) (_ map[VariantID]*Offer, err error) {
	defer fault.AddContext(&err, "read %d offers", len(ids))
	return OffersOf(ctx, tx, ids, "")
}

// EachModifiers calls fn with the modifiers of products, one product after the other, since they may be large. Products
// that the store does not have are left out.
func (s *Products) EachModifiers(
	ctx context.Context, tx store.Tx, productKeys []int64, fn func(productKey int64, groups []modifier.Group),
) (err error) {
	defer fault.AddContext(&err, "read the modifiers of %d products", len(productKeys))
	return eachModifiers(ctx, tx, productKeys, func(key int64, stored string) { fn(key, modifier.Parse(stored)) })
}

// Wanted is the quantity of a variant that an order asks for.
type Wanted struct {
	Variant  VariantID
	Quantity money.Quantity
}

// Reserved is the quantity of a variant that an order has reserved in a stock. Variant and Stock are row keys.
type Reserved struct {
	Variant, Stock int64
	Quantity       money.Quantity
}

// Reservation is the result of Reserve. Offers, Parts, Short and Left have one element for each element of the argument
// wanted.
type Reservation struct {
	// Offers are the current variants. An element is nil if the variant is archived or does not exist.
	Offers []*Offer
	// Parts are the quantities reserved in each stock. An element is empty if no stock has a remainder of the variant.
	Parts [][]Reserved
	// Short reports whether too little of the variant is available. Left is then the available quantity.
	Short []bool
	Left  []money.Quantity
	// Products are the keys of the changed products, for RecordChanges.
	Products []int64
}

// Complete reports whether everything wanted is available.
func (r *Reservation) Complete() bool {
	return !slices.Contains(r.Offers, nil) && !slices.Contains(r.Short, true)
}

// Reserve reserves what an order wants, or changes nothing if not all of it is available. For each variant it uses a
// single stock if one has enough, else several. A variant without remainders can be sold without limit. The reserved
// quantity never exceeds the quantity of a stock. Products are locked in key order, so that orders do not deadlock. The
// caller ends the transaction with RecordChanges.
func (s *Stocks) Reserve(ctx context.Context, tx store.Tx, wanted []Wanted) (_ Reservation, err error) {
	defer fault.AddContext(&err, "reserve %d variants", len(wanted))

	ids := make([]VariantID, len(wanted))
	for i, w := range wanted {
		ids[i] = w.Variant
	}

	offers, err := OffersOf(ctx, tx, ids, tx.Dialect().ForUpdate)
	if err != nil {
		return Reservation{}, err
	}

	var variants []int64
	for _, o := range offers {
		variants = append(variants, o.Key)
	}

	present, err := lockLiveRemainders(ctx, tx, variants)
	if err != nil {
		return Reservation{}, err
	}
	r, changed := allocateStocks(wanted, offers, present)
	if !r.Complete() || len(changed) == 0 {
		return r, nil
	}

	return r, saveReserved(ctx, tx, present, changed, r.Products, raiseProductVersions)
}

// allocateStocks chooses the stocks to reserve from, and updates present. It returns the remainders that it changed.
func allocateStocks(
	wanted []Wanted, offers map[VariantID]*Offer, present map[RemainderKey]Remainder,
) (Reservation, map[RemainderKey]bool) {
	r := Reservation{Offers: make([]*Offer, len(wanted)), Parts: make([][]Reserved, len(wanted)),
		Short: make([]bool, len(wanted)), Left: make([]money.Quantity, len(wanted))}
	stocks := map[int64][]int64{} // by variant
	for at := range present {
		stocks[at.Variant] = append(stocks[at.Variant], at.Stock)
	}

	changed, products := map[RemainderKey]bool{}, map[int64]bool{}
	for i, w := range wanted {
		o := offers[w.Variant]
		if o == nil || !o.Live {
			continue
		}

		r.Offers[i] = o
		slices.Sort(stocks[o.Key])
		parts, missing := allocateVariant(o.Key, w.Quantity, stocks[o.Key], present)
		if r.Short[i] = missing > 0 && len(stocks[o.Key]) > 0; r.Short[i] {
			r.Left[i] = w.Quantity - missing
			continue
		}

		r.Parts[i] = parts

		for _, p := range parts {
			at := RemainderKey{p.Variant, p.Stock}
			m := present[at]
			m.Reserved += p.Quantity
			present[at] = m
			changed[at] = true
			products[o.ProductKey] = true
		}
	}

	r.Products = write.SortedKeys(products)
	return r, changed
}

// allocateVariant allocates a quantity from the first stock that has all of it, or else from several stocks in order.
// missing is the quantity that the stocks do not have.
func allocateVariant(
	variant int64, quantity money.Quantity, stocks []int64, present map[RemainderKey]Remainder,
) (parts []Reserved, missing money.Quantity) {
	for _, stock := range stocks {
		if present[RemainderKey{variant, stock}].available() >= quantity {
			return []Reserved{{variant, stock, quantity}}, 0
		}
	}
	for _, stock := range stocks {
		if n := min(quantity, present[RemainderKey{variant, stock}].available()); n > 0 {
			parts = append(parts, Reserved{variant, stock, n})
			quantity -= n
		}
	}
	return parts, quantity
}

func (m Remainder) available() money.Quantity { return max(0, m.Quantity-m.Reserved) }

// Release undoes the reservations of an order and returns the keys of the changed products, for RecordChanges.
// Remainders that were deleted in the meantime are skipped.
func (s *Stocks) Release(ctx context.Context, tx store.Tx, parts []Reserved) (products []int64, err error) {
	defer fault.AddContext(&err, "release reservations")
	return endReservation(ctx, tx, parts, raiseProductVersions, func(m *Remainder, p Reserved) {
		m.Reserved = max(0, m.Reserved-p.Quantity)
	})
}

// Withdraw removes the reserved quantities of an order from the stocks and returns the keys of the changed products,
// for RecordChanges. A stock's quantity that accounting has lowered in the meantime does not fall below 0. The digests
// of the products' last pushes are cleared, so that repeating such a push applies it again.
func (s *Stocks) Withdraw(ctx context.Context, tx store.Tx, parts []Reserved) (products []int64, err error) {
	defer fault.AddContext(&err, "withdraw reserved quantities")
	return endReservation(ctx, tx, parts, touchProductsAt(s.Now()), func(m *Remainder, p Reserved) {
		m.Reserved, m.Quantity = max(0, m.Reserved-p.Quantity), max(0, m.Quantity-p.Quantity)
	})
}

// Restore undoes Withdraw: it puts quantities back into the stocks, where they are reserved again. What is available
// stays the same. It returns the remainders that it changed, and the keys of the changed products, for RecordChanges.
// Remainders that were deleted in the meantime are skipped.
func (s *Stocks) Restore(
	ctx context.Context, tx store.Tx, parts []Reserved,
) (present map[RemainderKey]bool, products []int64, err error) {
	defer fault.AddContext(&err, "put withdrawn quantities back")
	present = map[RemainderKey]bool{}
	products, err = endReservation(ctx, tx, parts, touchProductsAt(s.Now()), func(m *Remainder, p Reserved) {
		m.Quantity += p.Quantity
		m.Reserved += p.Quantity
		present[RemainderKey{p.Variant, p.Stock}] = true
	})
	return present, products, err
}

// ForgetPushedQuantities makes the next push of the quantities of variants count, even if it is the same as the last
// one: an order that accounting has taken, or that ended, changes what they mean. See FreeStock.
func (s *Stocks) ForgetPushedQuantities(ctx context.Context, tx store.Tx, parts []Reserved) (err error) {
	defer fault.AddContext(&err, "forget pushed quantities")
	variants := make([]int64, len(parts))
	for i, p := range parts {
		variants[i] = p.Variant
	}
	return ForgetPushedQuantities(ctx, tx, variants)
}

// ForgetPushedQuantities locks the products of variants and clears the digests of pushes with quantities.
func ForgetPushedQuantities(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	products, err := lockProductsOfVariants(ctx, tx, variantKeys)
	if err != nil || len(products) == 0 {
		return err
	}
	return clearQuantityDigests(ctx, tx, products)
}

// Lock locks the products of variants in key order, for a caller that releases and reserves in one transaction.
func (s *Stocks) Lock(ctx context.Context, tx store.Tx, variantKeys []int64) (err error) {
	defer fault.AddContext(&err, "lock the products of %d variants", len(variantKeys))
	_, err = lockProductsOfVariants(ctx, tx, variantKeys)
	return err
}

// lockProductsOfVariants locks the products of variants in key order and returns their keys.
func lockProductsOfVariants(ctx context.Context, tx store.Tx, variantKeys []int64) ([]int64, error) {
	if len(variantKeys) == 0 {
		return nil, nil
	}
	variantKeys = slices.Compact(slices.Sorted(slices.Values(variantKeys)))
	productOf, err := productsOfVariants(ctx, tx, variantKeys)
	if err != nil {
		return nil, err
	}
	products := slices.Compact(slices.Sorted(maps.Values(productOf)))
	return products, lockProductRows(ctx, tx, products, func(int64, *int64) {})
}

// endReservation locks the remainders of parts and updates each of them with the function end.
func endReservation(
	ctx context.Context, tx store.Tx, parts []Reserved, touch versionRaise, end func(m *Remainder, p Reserved),
) (products []int64, err error) {
	variants := map[int64]bool{}
	for _, p := range parts {
		variants[p.Variant] = true
	}

	if len(variants) == 0 {
		return nil, nil
	}

	keys := write.SortedKeys(variants)
	productOf, err := productsOfVariants(ctx, tx, keys)
	if err != nil {
		return nil, err
	}

	products = slices.Compact(slices.Sorted(maps.Values(productOf)))
	if err := lockProductRows(ctx, tx, products, func(int64, *int64) {}); err != nil {
		return nil, err
	}

	present, err := LockRemainders(ctx, tx, keys)
	if err != nil {
		return nil, err
	}

	changed := map[RemainderKey]bool{}
	for _, p := range parts {
		at := RemainderKey{p.Variant, p.Stock}
		if m, found := present[at]; found {
			end(&m, p)
			present[at] = m
			changed[at] = true
		}
	}

	if len(changed) == 0 {
		return nil, nil
	}

	return products, saveReserved(ctx, tx, present, changed, products, touch)
}
