package catalog

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/database"
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

	// groups are the combinations that several variants of one product would share.
	groups map[collisionKey]struct{}
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
) (*Impact, error) {
	var impact *Impact
	err := db.WriteAlone(ctx, func(q database.Querier) error {
		impact = &Impact{groups: map[collisionKey]struct{}{}}
		if _, err := s.edit(ctx, store.In(q, storeID), kind, attributeID, e, nil, impact); err != nil {
			return err
		}
		if err := impact.readCollisions(ctx, store.In(q, storeID)); err != nil {
			return err
		}
		return errImpactRollback
	})
	if !errors.Is(err, errImpactRollback) {
		return nil, err
	}
	return impact, nil
}

// addVariants adds a chunk of variants that lost the option. It does nothing if i is nil.
func (i *Impact) addVariants(ctx context.Context, c *valueCascade, variantKeys []int64) error {
	if i == nil {
		return nil
	}
	err := impactVariants(ctx, c.tx, variantKeys, func(v ImpactVariant) {
		i.VariantsTotal++
		if len(i.Variants) < maxImpact {
			i.Variants = append(i.Variants, v)
		}
	})
	if err != nil {
		return err
	}
	return collidedCombinations(ctx, c.tx, variantKeys, func(key collisionKey) {
		if len(i.groups) < maxImpact {
			i.groups[key] = struct{}{}
		}
	})
}

// readCollisions reads the variants of each group in groups. It runs after all values are removed, so each group is
// read once.
func (i *Impact) readCollisions(ctx context.Context, tx store.Tx) error {
	at := make(map[collisionKey]int, len(i.groups))
	err := collidingVariants(ctx, tx, i.groups, func(key collisionKey, product ProductID, variant VariantID) {
		n, known := at[key]
		if !known {
			n = len(i.Collisions)
			at[key] = n
			i.Collisions = append(i.Collisions, Collision{ProductID: product})
		}
		if ids := &i.Collisions[n].VariantIDs; len(*ids) < maxImpact {
			*ids = append(*ids, variant)
		}
	})
	// On SQLite the rows come in chunks, and only each chunk is sorted.
	slices.SortStableFunc(i.Collisions,
		func(a, b Collision) int { return bytes.Compare(a.ProductID[:], b.ProductID[:]) })
	return err
}

// addProducts adds a chunk of products that lost a value. It does nothing if i is nil.
func (i *Impact) addProducts(ctx context.Context, c *valueCascade, productKeys []int64) error {
	if i == nil {
		return nil
	}
	return impactProducts(ctx, c.tx, productKeys, func(p ImpactProduct) {
		i.ProductsTotal++
		if len(i.Products) < maxImpact {
			i.Products = append(i.Products, p)
		}
	})
}
