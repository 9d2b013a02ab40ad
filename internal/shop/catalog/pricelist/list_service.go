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

	room, err := e.lockRoom(ctx, tx)
	if err != nil {
		return catalog.PriceList{}, err
	}

	now := s.Now().UTC().Truncate(time.Microsecond)
	l := catalog.PriceList{ID: id.New[catalog.PriceList](), Currency: room.Currency, Version: 1, CreatedAt: now,
		UpdatedAt: now}
	var wrong rule.Violations
	if e.apply(&l, &wrong); wrong.Fault() != nil {
		return catalog.PriceList{}, wrong.Fault()
	}

	if room.Lists == 0 {
		return catalog.PriceList{}, conflict(TooMany())
	}
	if err := s.insertOrClaim(ctx, tx, &l); err != nil {
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

	if _, err := e.lockRoom(ctx, tx); err != nil {
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
	if err := s.takeAwaited(ctx, tx, &l, was.ExternalID); err != nil {
		return catalog.PriceList{}, err
	}
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

	if err := removeFromGroups(ctx, tx, l, s.Now()); err != nil {
		return err
	}
	return s.delete(ctx, tx, &l)
}

// DeleteAwaited deletes a price list that was not pushed yet, with the prices that wait for it. It returns
// fault.NotFound if no list with the external id is awaited. The caller has called LockPushes.
func (s *Lists) DeleteAwaited(ctx context.Context, tx store.Tx, externalID string) (err error) {
	defer fault.AddContext(&err, "delete awaited price list %s", externalID)
	l, err := selectAwaitedList(ctx, tx, externalID)
	if err != nil {
		return err
	}
	return s.delete(ctx, tx, &l)
}

// delete deletes a price list that no group uses, with its prices.
func (s *Lists) delete(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	if err := audit.Record(ctx, tx, listEntry(l, audit.PriceListDeleted)); err != nil {
		return err
	}
	if err := s.IDGone(ctx, tx, catalog.PriceListEntity, l.ExternalID); err != nil {
		return err
	}
	if err := s.MarkReferences(ctx, tx); err != nil {
		return err
	}

	return s.DeletePriceList(ctx, tx, l.Key)
}

// Room says how many more price lists a store may have, and in which currency it sells.
type Room struct {
	Currency string
	Lists    int64
}

// LockRoom locks the store as lockLists does.
func LockRoom(ctx context.Context, tx store.Tx) (room Room, err error) {
	if room.Currency, err = lockLists(ctx, tx); err != nil {
		return room, err
	}
	n, err := countLists(ctx, tx)
	room.Lists = max(0, MaxLists-n)
	return room, err
}

// lockRoom does the same for an edit. Lock order: an edit that sets an external id, which prices may wait for, locks
// out pushes first.
func (e ListEdit) lockRoom(ctx context.Context, tx store.Tx) (Room, error) {
	if e.ExternalID != nil {
		if err := catalog.LockPushes(ctx, tx); err != nil {
			return Room{}, err
		}
	}
	return LockRoom(ctx, tx)
}

// conflict returns the fault of a broken rule that depends on other things than the request.
func conflict(broken *fault.Field) error {
	return fault.New(fault.Conflict, broken.Code, "%s", broken.Message)
}

// checkUnused returns fault.Conflict if a group or the setting of old prices uses the list.
func checkUnused(ctx context.Context, tx store.Tx, l *catalog.PriceList) error {
	used, err := isListUsed(ctx, tx, *l)
	if err != nil || !used {
		return err
	}
	return conflict(InUse())
}
