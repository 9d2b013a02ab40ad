package catalog

import (
	"bytes"
	"context"
	"errors"
	"slices"

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

type collisionKey struct {
	productKey  int64
	combination [16]byte
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

// impactReader reads the impact of an edit while the edit is applied in tx.
type impactReader struct {
	Impact
	tx store.Tx
	// collided are the combinations that several variants of one product have after the edit, at most maxImpact.
	collided map[collisionKey]bool
}

// addVariants adds a chunk of variants that lost the option.
func (r *impactReader) addVariants(ctx context.Context, variantKeys []int64) error {
	variants, err := impactVariants(ctx, r.tx, variantKeys)
	if err != nil {
		return err
	}
	r.VariantsTotal += int64(len(variants))
	r.Variants = append(r.Variants, variants[:min(len(variants), maxImpact-len(r.Variants))]...)
	collided, err := collidedCombinations(ctx, r.tx, variantKeys)
	for _, key := range collided {
		if len(r.collided) < maxImpact {
			r.collided[key] = true
		}
	}
	return err
}

// addProducts adds a chunk of products that lost a value.
func (r *impactReader) addProducts(ctx context.Context, productKeys []int64) error {
	products, err := impactProducts(ctx, r.tx, productKeys)
	r.ProductsTotal += int64(len(products))
	r.Products = append(r.Products, products[:min(len(products), maxImpact-len(r.Products))]...)
	return err
}

// addCollisions reads the variants of each combination in collided. It runs after all values are removed, so each
// combination is read once.
func (r *impactReader) addCollisions(ctx context.Context) error {
	at := make(map[collisionKey]int, len(r.collided))
	err := collidingVariants(ctx, r.tx, r.collided, func(key collisionKey, product ProductID, variant VariantID) {
		n, known := at[key]
		if !known {
			n = len(r.Collisions)
			at[key] = n
			r.Collisions = append(r.Collisions, Collision{ProductID: product})
		}
		if ids := &r.Collisions[n].VariantIDs; len(*ids) < maxImpact {
			*ids = append(*ids, variant)
		}
	})
	// On SQLite the rows come in chunks, and only each chunk is sorted.
	slices.SortStableFunc(r.Collisions,
		func(a, b Collision) int { return bytes.Compare(a.ProductID[:], b.ProductID[:]) })
	return err
}
