package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Find returns one stock, or fault.NotFound.
func (s *Stocks) Find(ctx context.Context, tx store.Tx, stockID StockID) (_ Stock, err error) {
	defer fault.AddContext(&err, "find stock %s", stockID)
	return SelectStock(ctx, tx, stockID, "")
}

// Create creates a stock. It returns fault.Invalid naming each broken rule, or fault.Conflict if the external id is
// taken; the caller then rolls back.
func (s *Stocks) Create(ctx context.Context, tx store.Tx, e StockEdit) (_ Stock, err error) {
	defer fault.AddContext(&err, "create stock")
	now := s.Now().UTC().Truncate(time.Microsecond)
	t := Stock{ID: id.New[Stock](), Version: 1, CreatedAt: now, UpdatedAt: now}
	var wrong rule.Violations
	if t.Apply(e, &wrong); wrong.Fault() != nil {
		return Stock{}, wrong.Fault()
	}
	if err := insertStock(ctx, tx, &t); err != nil {
		return Stock{}, err
	}
	return t, audit.Record(ctx, tx, t.entry(audit.StockCreated))
}

// Edit applies an edit. It returns fault.NotFound, fault.Stale, fault.Invalid naming each broken rule, or
// fault.Conflict if the external id is taken; the caller then rolls back.
func (s *Stocks) Edit(
	ctx context.Context, tx store.Tx, stockID StockID, e StockEdit, pre fault.Precondition,
) (_ Stock, err error) {
	defer fault.AddContext(&err, "edit stock %s", stockID)

	t, err := SelectStock(ctx, tx, stockID, tx.Dialect().ForUpdate)
	if err != nil {
		return Stock{}, err
	}
	if err := pre.Check(t.Version); err != nil {
		return Stock{}, err
	}

	was := t
	var wrong rule.Violations
	if t.Apply(e, &wrong); wrong.Fault() != nil {
		return Stock{}, wrong.Fault()
	}

	t.Version++
	t.UpdatedAt = s.UpdateTimeAfter(t.UpdatedAt)

	if err := updateStock(ctx, tx, &t); err != nil {
		return Stock{}, err
	}
	if err := s.IDChanged(ctx, tx, StockEntity, was.ExternalID, t.ExternalID); err != nil {
		return Stock{}, err
	}

	return t, audit.Record(ctx, tx, t.editEntry(&was))
}

// Delete deletes a stock with its remainders, and updates the availability of their variants. If there are very many,
// it hides them, and Deletions.Run deletes them later. It returns fault.NotFound, fault.Stale, or fault.Conflict if
// something in the stock is reserved; the caller then rolls back. The versions of the products increase, but their
// update times stay.
func (s *Stocks) Delete(ctx context.Context, tx store.Tx, stockID StockID, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "delete stock %s", stockID)

	t, err := SelectStock(ctx, tx, stockID, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(t.Version); err != nil {
		return err
	}
	if err := checkReserved(ctx, tx, t.Key); err != nil {
		return err
	}

	if err := audit.Record(ctx, tx, t.entry(audit.StockDeleted)); err != nil {
		return err
	}

	products, deleted, err := deleteRemainders(ctx, tx, t.Key, s.MaxDirectLinks)
	if err != nil {
		return err
	}
	if err := s.IDGone(ctx, tx, StockEntity, t.ExternalID); err != nil {
		return err
	}
	if err := s.MarkReferences(ctx, tx); err != nil {
		return err
	}

	if deleted {
		if err := deleteStock(ctx, tx, t.Key); err != nil {
			return err
		}
		return s.RecordPriceChanges(ctx, tx, products...)
	}

	return s.hide(ctx, tx, t.Key)
}

// hide hides a stock and its remainders. It records the changed products or, if they are too many, the key of the stock
// with a minus sign: it stands for all products with remainders in the stock. These are still stored, and when they are
// deleted, RemoveHiddenLinks adds their products to the change log, under the same version. So a reader finds all of
// them at any time.
func (s *Stocks) hide(ctx context.Context, tx store.Tx, stockKey int64) error {
	if err := hideStock(ctx, tx, stockKey, s.Now().UnixMicro()); err != nil {
		return err
	}

	products, listed, err := productsOfStock(ctx, tx, stockKey, s.maxStockChanges)
	if err != nil {
		return err
	}

	hidden := deletion{kind: deletedStock, target: stockKey}
	if listed {
		if err := s.addDeletions(ctx, tx, hidden); err != nil {
			return err
		}
		return s.RecordPriceChanges(ctx, tx, products...)
	}

	if hidden.attribute, err = insertChanges(ctx, tx, priceChange, []int64{-stockKey}, s.Now()); err != nil {
		return err
	}

	return s.addDeletions(ctx, tx, hidden)
}
