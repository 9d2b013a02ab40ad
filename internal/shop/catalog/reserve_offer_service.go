package catalog

import (
	"context"
	"strings"

	"vitrine/internal/shop/store"
)

// Offer is a variant as an order shows it, and keeps it once it is submitted.
type Offer struct {
	Key, ProductKey int64
	ID              VariantID
	ProductID       ProductID
	ProductName     string
	VariantName     string // empty where it has none
	SKU             string
	Price           Money
	// Live says that neither the variant nor its product is archived: it can be bought.
	Live bool
	// Options stand in the order of the options' making.
	Options []Carried
}

// Name is what the variant is called where its product is not beside it.
func (o *Offer) Name() string {
	switch {
	case o.VariantName == "":
		return o.ProductName
	case strings.Contains(strings.ToLower(o.VariantName), strings.ToLower(o.ProductName)):
		return o.VariantName
	}
	return o.ProductName + ", " + o.VariantName
}

// Offers returns variants by their ids, archived ones too, each with its options. Ids that no variant of the store has are left out.
func (s *Products) Offers(ctx context.Context, tx store.Tx, ids []VariantID) (map[VariantID]*Offer, error) {
	offers, err := offersOf(ctx, tx, ids, unlocked)
	if err != nil {
		return nil, err
	}
	return offers, fillOfferOptions(ctx, tx, offers)
}
