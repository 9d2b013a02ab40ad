package catalog

import (
	"context"
	"strings"

	"vitrine/internal/shop/store"
)

// Offer is a variant as an order shows it. A submitted order keeps a copy.
type Offer struct {
	Key, ProductKey int64
	ID              VariantID
	ProductID       ProductID
	ProductName     string
	VariantName     string // empty if it has none
	SKU             string
	Price           Money
	// Live reports whether the variant can be bought: neither it nor its product is archived.
	Live bool
	// Options are in the order in which the options were created.
	Options []AttributeValue
}

// Name returns the name under which the variant is listed on its own, with the product's name in it.
func (o *Offer) Name() string {
	switch {
	case o.VariantName == "":
		return o.ProductName
	case strings.Contains(strings.ToLower(o.VariantName), strings.ToLower(o.ProductName)):
		return o.VariantName
	}
	return o.ProductName + ", " + o.VariantName
}

// Offers returns variants with their options, archived ones included. Ids that the store does not have are left out.
func (s *Products) Offers(ctx context.Context, tx store.Tx, ids []VariantID) (map[VariantID]*Offer, error) {
	return offersOf(ctx, tx, ids, unlocked)
}
