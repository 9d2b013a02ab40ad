package catalog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// maxImpact is the maximum length of each list in an Impact. The totals in an Impact are exact.
const maxImpact = 1000

// Impact lists the variants and products that an edit of an attribute would change, without the archived ones.
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

// Collision is a set of variants of one product that would have the same combination of option values.
type Collision struct {
	ProductID  ProductID
	VariantIDs []VariantID
}

// errImpactRollback makes Impact's transaction roll back.
var errImpactRollback = errors.New("roll back the transaction of an impact")

// Impact returns what an edit would change. It applies the edit in a transaction of its own, which write runs, and
// rolls the transaction back. So it returns the same errors as the edit and exactly the edit's changes.
func (s *Attributes) Impact(
	ctx context.Context, write func(context.Context, func(database.Querier) error) error, storeID store.ID, kind Kind,
	attributeID AttributeID, e AttributeEdit,
) (_ *Impact, err error) {
	defer fault.AddContext(&err, "read impact of an edit of %s %s", kind.Noun(), attributeID)
	return impactOf(ctx, write, storeID, kind, func(tx store.Tx, detached func(context.Context, []int64) error) error {
		_, _, err := s.edit(ctx, tx, kind, attributeID, e, nil, detached)
		return err
	})
}

// impactOf applies a change in a transaction that write runs and that is rolled back. The function change gets a
// function to call with the keys of the variants or products that it changes.
func impactOf(
	ctx context.Context, write func(context.Context, func(database.Querier) error) error, storeID store.ID, kind Kind,
	change func(tx store.Tx, changed func(ctx context.Context, ownerKeys []int64) error) error,
) (*Impact, error) {
	var impact *Impact

	err := write(ctx, func(q database.Querier) error {
		r := &impactReader{tx: store.In(q, storeID), collided: map[collisionKey]bool{}}
		impact = &r.Impact
		add := r.addProducts
		if kind == Option {
			add = r.addVariants
		}

		if err := change(r.tx, add); err != nil {
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
