package exchange

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// lateNumberOffset is added to the numbers of late warnings, so that they sort after the warnings of the items. The
// latter may still become more while the push runs.
const lateNumberOffset = 1 << 40

// WarnLate adds a warning about an item of a run, in the caller's transaction, unless the run has been deleted.
func (s *Service) WarnLate(
	ctx context.Context, tx store.Tx, from catalog.Origin, externalID *string, f fault.Field,
) (err error) {
	defer fault.AddContext(&err, "add a late warning to a run of store %s", tx.StoreID())
	number, err := incrementLateWarnings(ctx, tx, from.RunKey)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	n := RunNote{
		Number: lateNumberOffset + number, Index: from.Item, ID: externalID,
		Field: f.Field, Code: f.Code, Message: f.Message,
	}
	return insertNotes(ctx, tx, from.RunKey, Warning, []RunNote{n})
}
