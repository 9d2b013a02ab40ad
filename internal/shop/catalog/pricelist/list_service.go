package pricelist

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Find returns one price list, or fault.NotFound.
func (s *Lists) Find(
	ctx context.Context, tx store.Tx, listID catalog.PriceListID,
) (_ catalog.PriceList, err error) {
	defer fault.AddContext(&err, "find price list %s", listID)
	return selectList(ctx, tx, listID, "")
}

// Create creates a price list, in the currency of the store unless the edit names another one. It returns fault.Invalid
// naming each broken rule, or fault.Conflict if the external id is taken or the store has MaxLists; the caller then
// rolls back.
func (s *Lists) Create(ctx context.Context, tx store.Tx, e ListEdit) (_ catalog.PriceList, err error) {
	defer fault.AddContext(&err, "create price list")

	currency, err := lockLists(ctx, tx)
	if err != nil {
		return catalog.PriceList{}, err
	}

	now := s.Now().UTC().Truncate(time.Microsecond)
	l := catalog.PriceList{ID: id.New[catalog.PriceList](), Currency: currency, Version: 1, CreatedAt: now,
		UpdatedAt: now}
	var wrong rule.Violations
	if e.apply(&l, &wrong); wrong.Fault() != nil {
		return catalog.PriceList{}, wrong.Fault()
	}

	if err := checkCount(ctx, tx, 1); err != nil {
		return catalog.PriceList{}, err
	}
	if err := insertList(ctx, tx, &l); err != nil {
		return catalog.PriceList{}, err
	}

	err = audit.Record(ctx, tx, listEntry(&l, audit.PriceListCreated))
	return l, err
}

// Edit applies an edit. It returns fault.NotFound, fault.Stale, fault.Invalid naming each broken rule, or
// fault.Conflict if the external id is taken or the currency of a list in use would change; the caller then rolls back.
func (s *Lists) Edit(
	ctx context.Context, tx store.Tx, listID catalog.PriceListID, e ListEdit, pre fault.Precondition,
) (_ catalog.PriceList, err error) {
	defer fault.AddContext(&err, "edit price list %s", listID)

	if _, err := lockLists(ctx, tx); err != nil {
		return catalog.PriceList{}, err
	}
	l, err := selectList(ctx, tx, listID, tx.Dialect().ForUpdate)
	if err != nil {
		return catalog.PriceList{}, err
	}
	if err := pre.Check(l.Version); err != nil {
		return catalog.PriceList{}, err
	}

	was := l
	var wrong rule.Violations
	if e.apply(&l, &wrong); wrong.Fault() != nil {
		return catalog.PriceList{}, wrong.Fault()
	}
	if l.Currency != was.Currency {
		if err := checkUnused(ctx, tx, &l); err != nil {
			return catalog.PriceList{}, err
		}
	}

	l.Version++
	l.UpdatedAt = s.UpdateTimeAfter(l.UpdatedAt)
	if err := updateList(ctx, tx, &l); err != nil {
		return catalog.PriceList{}, err
	}
	if err := s.IDChanged(ctx, tx, catalog.PriceListEntity, was.ExternalID, l.ExternalID); err != nil {
		return catalog.PriceList{}, err
	}

	err = audit.Record(ctx, tx, listEditEntry(&was, &l))
	return l, err
}

// Delete deletes a price list with its prices. Groups and the setting of old prices lose the list. It returns
// fault.NotFound or fault.Stale; the caller then rolls back.
func (s *Lists) Delete(
	ctx context.Context, tx store.Tx, listID catalog.PriceListID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "delete price list %s", listID)

	l, err := selectList(ctx, tx, listID, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(l.Version); err != nil {
		return err
	}

	if err := audit.Record(ctx, tx, listEntry(&l, audit.PriceListDeleted)); err != nil {
		return err
	}
	if err := removeFromGroups(ctx, tx, l, s.Now()); err != nil {
		return err
	}
	if err := s.IDGone(ctx, tx, catalog.PriceListEntity, l.ExternalID); err != nil {
		return err
	}
	if err := s.MarkReferences(ctx, tx); err != nil {
		return err
	}

	return s.deletePrices(ctx, tx, l.Key)
}

// checkCount returns fault.Conflict if the store would have more than MaxLists with some more lists. The caller has
// locked the lists.
func checkCount(ctx context.Context, tx store.Tx, more int64) error {
	n, err := countLists(ctx, tx)
	if err != nil || n+more <= MaxLists {
		return err
	}
	return fault.New(fault.Conflict, "too_many_price_lists",
		"A store has at most %d price lists. Delete one that is not used any more.", MaxLists)
}

// checkUnused returns fault.Conflict if a group or the setting of old prices uses the list.
func checkUnused(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	used, err := isListUsed(ctx, tx, *l)
	if err != nil || !used {
		return err
	}
	return fault.New(fault.Conflict, "price_list_in_use",
		"Groups of customers or the old prices use this price list, so its currency has to be the store's. Take the "+
			"list out of them first.")
}
