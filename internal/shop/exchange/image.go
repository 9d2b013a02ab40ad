package exchange

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// lateNumbers is the first number of late warnings: far above those of the items, of which more may come while a push
// runs.
const lateNumbers = 1 << 40

// WarnLate adds a warning about an item of a run, which may be running or finished, in the caller's transaction. It does
// nothing if the run does not exist any more.
func (s *Service) WarnLate(ctx context.Context, tx store.Tx, from catalog.Origin, externalID *string, f fault.Field) error {
	number, found, err := countLate(ctx, tx, from.RunKey)
	if err != nil || !found {
		return err
	}
	n := RunNote{Number: lateNumbers + number, Index: from.Item, ID: externalID, Field: f.Field, Code: f.Code, Message: f.Message}
	return insertNotes(ctx, tx, from.RunKey, Warning, []RunNote{n})
}
