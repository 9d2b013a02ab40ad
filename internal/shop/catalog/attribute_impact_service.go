package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// maxImpact is the maximum number of elements of each list in an impact. The totals are exact.
const maxImpact = 1000

// Impact is what an edit would do to the variants and products in the shop. Archived ones are left out.
type Impact struct {
	Variants      []ImpactVariant
	VariantsTotal int64
	Products      []ImpactProduct
	ProductsTotal int64
	Collisions    []Collision
}

// ImpactVariant is a variant that would lose the option.
type ImpactVariant struct {
	ID        VariantID
	ProductID ProductID
	SKU       string
}

// ImpactProduct is a product that would lose a value of the feature.
type ImpactProduct struct {
	ID   ProductID
	Name string
}

// Collision is a set of variants of one product that would carry the same combination.
type Collision struct {
	ProductID  ProductID
	VariantIDs []VariantID
}

// errImpactRollback makes the transaction of an impact roll back.
var errImpactRollback = errors.New("roll back the transaction of an impact")

// Impact returns what an edit would do. It applies the edit in a transaction of its own and rolls that back. So it
// returns the same errors as the edit, and cannot differ from what the edit would do.
func (s *Attributes) Impact(
	ctx context.Context, db *database.DB, storeID store.ID, kind Kind, attributeID AttributeID, e AttributeEdit,
) (_ *Impact, err error) {
	defer fault.AddContext(&err, "read impact of an edit of %s %s", kind.Noun(), attributeID)
	var impact *Impact
	err = db.WriteAlone(ctx, func(q database.Querier) error {
		r := &impactReader{tx: store.In(q, storeID), collided: map[collisionKey]bool{}}
		impact = &r.Impact
		add := r.addProducts
		if kind == Option {
			add = r.addVariants
		}
		if _, err := s.edit(ctx, r.tx, kind, attributeID, e, nil, add); err != nil {
			return err
		}
		if err := r.addCollisions(ctx); err != nil {
			return err
		}
		return errImpactRollback
	})
	if !errors.Is(err, errImpactRollback) {
		return nil, err
	}
	return impact, nil
}
