package audit

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// OfObject returns the last entries about an object, up to limit, the newest first.
func (s *Service) OfObject(
	ctx context.Context, tx store.Tx, kind, objectID string, limit int,
) (_ []StoredEntry, err error) {
	defer fault.AddContext(&err, "read the log of %s %s", kind, objectID)
	return selectOfObject(ctx, tx, kind, objectID, limit)
}
