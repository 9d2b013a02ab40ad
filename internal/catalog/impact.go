package catalog

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/id"
	"vitrine/internal/store"
)

// impactMax is how many of each kind an impact lists; the totals are exact.
const impactMax = 1000

// Impact is what an edit would do to the catalogue.
type Impact struct {
	Variants      []ImpactVariant
	VariantsTotal int64
	Products      []ImpactProduct
	ProductsTotal int64
	Collisions    []Collision

	groups map[collisionKey]int
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
	product     ProductID
	combination [16]byte
}

// VariantID and ProductID name a variant and a product.
type (
	VariantID = id.Of[Variant]
	ProductID = id.Of[Product]
)

// errOnlyLooking rolls the transaction of an impact back.
var errOnlyLooking = errors.New("an impact changes nothing")

// AttributeImpact answers what an edit would do. It runs the edit itself in a transaction of its own that is then rolled back,
// so it refuses what the edit would refuse, and cannot tell anything else than the edit would do.
func (s *Service) AttributeImpact(ctx context.Context, db *database.DB, storeID store.ID, kind Kind, attributeID AttributeID, e Edit) (*Impact, error) {
	var seen *Impact
	err := db.WriteAlone(ctx, func(q database.Querier) error {
		seen = &Impact{groups: map[collisionKey]int{}}
		if _, err := s.edit(ctx, q, storeID, kind, attributeID, e, nil, seen); err != nil {
			return err
		}
		return errOnlyLooking
	})
	if !errors.Is(err, errOnlyLooking) {
		return nil, err
	}
	return seen, nil
}

// variants notes a piece of variants that lost the option. A nil Impact notes nothing.
func (i *Impact) variants(ctx context.Context, c *change, variants *database.Batch) error {
	if i == nil {
		return nil
	}
	i.VariantsTotal += int64(variants.Len())
	if len(i.Variants) < impactMax {
		err := c.q.QueryRows(ctx, impactVariantsSQL, variants, func(rows database.Rows) error {
			var v ImpactVariant
			if err := rows.Scan(&v.ID, &v.ProductID, &v.SKU); err != nil {
				return err
			}
			if len(i.Variants) < impactMax {
				i.Variants = append(i.Variants, v)
			}
			return nil
		}, c.storeID)
		if err != nil {
			return err
		}
	}
	return c.q.QueryRows(ctx, impactCollisionsSQL, variants, func(rows database.Rows) error {
		var key collisionKey
		var combination []byte
		var variant VariantID
		if err := rows.Scan(&key.product, &combination, &variant); err != nil {
			return err
		}
		copy(key.combination[:], combination)
		at, known := i.groups[key]
		if !known {
			if len(i.Collisions) >= impactMax {
				return nil
			}
			at = len(i.Collisions)
			i.groups[key] = at
			i.Collisions = append(i.Collisions, Collision{ProductID: key.product})
		}
		if ids := &i.Collisions[at].VariantIDs; len(*ids) < impactMax && !slices.Contains(*ids, variant) {
			*ids = append(*ids, variant)
		}
		return nil
	}, c.storeID)
}

// products notes a piece of products that lost a value. A nil Impact notes nothing.
func (i *Impact) products(ctx context.Context, c *change, products *database.Batch) error {
	if i == nil {
		return nil
	}
	return c.q.QueryRows(ctx, impactProductsSQL, products, func(rows database.Rows) error {
		var p ImpactProduct
		if err := rows.Scan(&p.ID, &p.Name); err != nil {
			return err
		}
		i.ProductsTotal++
		if len(i.Products) < impactMax {
			i.Products = append(i.Products, p)
		}
		return nil
	}, c.storeID)
}
