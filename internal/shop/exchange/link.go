package exchange

import (
	"context"

	"vitrine/internal/shop/catalog"
)

// link links what waited for the things of a batch. What a crash keeps from being linked, Run links at the next start.
func (p *pushRun) link(ctx context.Context, a *applied) error {
	if p.rollsBack {
		return nil
	}
	return p.linkAll(ctx, arrivedOf(a))
}

// arrivedOf are the ids of things that a batch made or changed, of those that anything can wait for.
func arrivedOf(a *applied) (ids []string) {
	switch a.run.Entity {
	case VariantOptions, Features, Categories:
	default:
		return nil
	}
	for i, it := range a.items {
		if o := a.outcomes[i].Outcome; o == catalog.Created || o == catalog.Updated {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

func (p *pushRun) linkAll(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var err error
	switch p.run.Entity {
	case VariantOptions:
		_, err = p.s.Catalog.Pushes.LinkAttributes(ctx, p.s.DB, p.storeID, catalog.Option, ids)
	case Features:
		_, err = p.s.Catalog.Pushes.LinkAttributes(ctx, p.s.DB, p.storeID, catalog.Feature, ids)
	case Categories:
		_, err = p.s.Catalog.Pushes.LinkCategories(ctx, p.s.DB, p.storeID, ids)
	}
	return err
}

// linkLeft links what arrived without being linked, since a node stopped in between.
func (s *Service) linkLeft(ctx context.Context) error {
	linked, err := s.Catalog.Pushes.LinkAll(ctx, s.DB)
	if linked > 0 {
		s.Log.Info("references that were left waiting are linked", "count", linked)
	}
	return err
}
