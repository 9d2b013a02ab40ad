package frame

import (
	"context"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// FindProducts runs a search and calls read on the snapshot that the result belongs to. It may call read several times,
// of which the last one counts.
func FindProducts(
	f *Frame, r *httpapi.Request, s *search.Service, query search.Query,
	read func(ctx context.Context, tx store.Tx, found search.Result) error,
) error {
	if err := r.Err(); err != nil {
		return err
	}

	admitSQL := func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassHeavy) }
	return s.Find(r.Context(), query, admitSQL, func(lookup search.Lookup) error {
		_, err := InStore(r, f.Snapshot(r), func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
			current, err := s.Versions(ctx, tx)
			if err != nil {
				return none, err
			}
			found, err := lookup(ctx, tx, current)
			if err != nil {
				return none, err
			}

			return none, read(ctx, tx, found)
		})

		return err
	})
}
