package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// Exports of what changed tell which things are gone. So an external id that nothing has any more is recorded: the id
// of a deleted thing, and the old id of a thing which got another. If the id is used again, its record stays and is
// ignored.

// Entity is the path segment of the exchange gate for one kind of things.
type Entity string

// The entities whose external ids are recorded.
const (
	ProductEntity   Entity = "products"
	OptionEntity    Entity = "variant-options"
	FeatureEntity   Entity = "features"
	CategoryEntity  Entity = "categories"
	StockEntity     Entity = "stocks"
	PriceListEntity Entity = "price-lists"
)

// ListPriceEntity is the entity of the records of prices that were removed from price lists: a push of a product leaves
// the prices that it does not name. The parent id is the row key of the variant, the external id the row key of the
// list and the quantity, in thousandths. A key that was used again is that of a variant or list without the price, too,
// unless it has got one.
const ListPriceEntity Entity = "list-prices"

// Entity returns the entity of a kind of attributes.
func (k Kind) Entity() Entity {
	if k == Option {
		return OptionEntity
	}
	return FeatureEntity
}

// IDGone records that nothing has an external id any more, unless it is nil.
func (c *Core) IDGone(ctx context.Context, tx store.Tx, entity Entity, externalID *string) error {
	if externalID == nil {
		return nil
	}
	batch := database.NewBatch(database.Text, database.Text, database.Text)
	batch.Add(string(entity), "", *externalID)
	return InsertDeletedIDs(ctx, tx, batch, c.Now())
}

// IDChanged records the change of the external id of something that products refer to.
func (c *Core) IDChanged(ctx context.Context, tx store.Tx, entity Entity, was, is *string) error {
	if write.EqualStrings(was, is) {
		return nil
	}
	if err := c.IDGone(ctx, tx, entity, was); err != nil {
		return err
	}
	return c.MarkReferences(ctx, tx)
}

// MarkReferences records that products may be exported in another way than before although they were not written:
// something that they refer to was deleted, or got or lost an external id.
func (c *Core) MarkReferences(ctx context.Context, tx store.Tx) error {
	return insertReferencesMark(ctx, tx, c.Now())
}

// PruneDeletedIDs deletes the records that are older than DeletedIDRetention.
func (s *Products) PruneDeletedIDs(ctx context.Context, db *database.DB) (err error) {
	defer fault.AddContext(&err, "prune deleted ids")
	before := s.Now().Add(-DeletedIDRetention).UnixMicro()
	for n := int64(pruneChunkSize); n == pruneChunkSize; {
		err := db.WriteAlone(ctx, func(q database.Querier) (err error) {
			n, err = pruneDeletedIDs(ctx, q, before)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
