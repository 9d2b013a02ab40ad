package exchange

import (
	"context"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// linkReferences links pending references to the options, features or categories with these external ids, in
// transactions of its own. They must be committed before.
func (s *Service) linkReferences(ctx context.Context, storeID store.ID, entity string, ids []string) (err error) {
	if len(ids) == 0 {
		return nil
	}
	switch entity {
	case VariantOptions:
		_, err = s.Catalog.Pushes.LinkAttributes(ctx, s.DB, storeID, catalog.Option, ids)
	case Features:
		_, err = s.Catalog.Pushes.LinkAttributes(ctx, s.DB, storeID, catalog.Feature, ids)
	case Categories:
		_, err = s.Catalog.Pushes.LinkCategories(ctx, s.DB, storeID, ids)
	}
	return err
}

// linkPending links the pending references of all stores whose targets exist. Such references are left behind when a
// node stops between the commit of a batch and link.
func (s *Service) linkPending(ctx context.Context) error {
	linked, err := s.Catalog.Pushes.LinkAll(ctx, s.DB)
	if linked > 0 {
		s.Log.InfoContext(ctx, "linked pending references", "count", linked)
	}
	return err
}
