package catalog_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

// insertOldChanges inserts n changes from an hour ago, seven per version, and returns the last version.
func (s *catalogFixture) insertOldChanges(n int) (last int64) {
	s.Helper()
	rows := database.NewBatch(database.BigInt, database.BigInt)
	for i := range n {
		last = versionOfChange(i)
		rows.Add(last, int64(i))
	}
	s.Write(func(tx store.Tx) error {
		_, err := tx.Unscoped().ExecRows(s.Context(), `WITH r(version, product_key) AS (ROWS)
			INSERT INTO product_changes (store_id, version, product_key, changed_at) SELECT $1, version, product_key, $2 FROM r`,
			rows, s.Store.ID, s.Clock.Now().Add(-time.Hour).UnixMicro())
		return err
	})
	s.Exec("INSERT INTO catalog_versions (store_id, version, categories, floor) VALUES ($1, $2, 0, 0)", s.Store.ID,
		last)
	return last
}

// versionOfChange returns the version of the i-th change of insertOldChanges.
func versionOfChange(i int) int64 { return int64(1 + i/7) }

// changeLogState returns the floor and the number of changes. It returns an error if a version above the floor has no
// changes.
func (s *catalogFixture) changeLogState() (floor, changes int64, err error) {
	err = s.TryRead(func(tx store.Tx) error {
		var version, above int64
		err := database.QueryRow(s.Context(), tx.Unscoped(), `
			SELECT floor, version,
				(SELECT COUNT(*) FROM product_changes WHERE store_id = $1),
				(SELECT COUNT(DISTINCT p.version) FROM product_changes p WHERE p.store_id = $1 AND p.version > catalog_versions.floor)
			FROM catalog_versions
			WHERE store_id = $1`, []any{s.Store.ID}, &floor, &version, &changes, &above)
		if err == nil && above != version-floor {
			err = fmt.Errorf("%d versions have changes between %d and %d", above, floor, version)
		}
		return err
	})
	return floor, changes, err
}

func (s *catalogFixture) wantChangeLog(floor, changes int64) {
	s.Helper()
	gotFloor, gotChanges, err := s.changeLogState()
	if err != nil || gotFloor != floor || gotChanges != changes {
		s.Errorf("%d changes, floor %d (%v), want %d changes, floor %d", gotChanges, gotFloor, err, changes, floor)
	}
}

// Deleting a stock failed if products had several variants in it: SQLite inserts a batch with several statements.
func TestRecordChanges_recordsAProductOnce(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.Write(func(tx store.Tx) error {
			return s.Products.RecordChanges(s.Context(), tx, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1)
		})
		s.wantChangeLog(0, 3)
	})
}

func TestPruneChanges_deletesChunksWithoutGaps(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const old = 2*PruneChunkSize + 2001
		other := s.otherStore()
		s.Products.SetKeptChanges(0)
		last := s.insertOldChanges(old)
		theirs := other.insertOldChanges(8) // of two versions
		s.Write(func(tx store.Tx) error {
			upTo, n, err := PruneChunk(s.Context(), tx, 0, last, s.Clock.Now().UnixMicro())
			if upTo != versionOfChange(PruneChunkSize-1) || n != PruneChunkSize {
				s.Errorf("deleted %d changes up to version %d", n, upTo)
			}
			return err
		})

		// The version that is now the floor still has some of its seven changes.
		s.wantChangeLog(versionOfChange(PruneChunkSize-1), old-PruneChunkSize)

		const writers, forgetters, rounds = 2, 2, 10
		for _, err := range concurrently(writers+forgetters+1, func(i int) error {
			switch {
			case i < forgetters: // two concurrent calls, as on two nodes
				return s.Products.PruneChanges(s.Context(), s.DB)
			case i < forgetters+writers:
				for range rounds {
					if _, err := s.tryCreate(withName("p", ProductEdit{})); err != nil {
						return err
					}
				}
				return nil

			default:
				var errs []error
				for range rounds {
					_, _, err := s.changeLogState()
					errs = append(errs, err)
				}
				return errors.Join(errs...)
			}
		}) {
			if err != nil {
				s.Error(err)
			}
		}

		// Each of the concurrent calls may have stopped early, since the other one had deleted a part of its chunk.
		if err := s.Products.PruneChanges(s.Context(), s.DB); err != nil {
			s.Fatal(err)
		}

		s.wantChangeLog(last, writers*rounds)
		other.wantChangeLog(theirs-1, 1) // the last version is kept
	})
}

func TestPruneChanges_keepsRecentChanges(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for range 5 {
			s.mustCreate(ProductEdit{})
		}

		for _, c := range []struct {
			later                time.Duration
			kept, floor, changes int64
		}{
			{ChangeTTL, 0, 0, 5},
			{ChangeTTL + time.Microsecond, 5, 0, 5},
			{ChangeTTL + time.Microsecond, 3, 2, 3},
			{ChangeTTL + time.Microsecond, 0, 4, 1},
		} {
			at := s.Clock.Now().Add(c.later)
			later := New(Deps{Now: func() time.Time { return at }}).Products
			later.SetKeptChanges(c.kept)
			for range 2 {
				if err := later.PruneChanges(s.Context(), s.DB); err != nil {
					s.Fatal(err)
				}
				s.wantChangeLog(c.floor, c.changes)
			}
		}

		// A store is looked at again after it has changed.
		s.Products.SetKeptChanges(1)
		later := s.Clock.Now().Add(2 * ChangeTTL)
		for range 2 {
			s.Clock.Set(later)
			if err := s.Products.PruneChanges(s.Context(), s.DB); err != nil {
				s.Fatal(err)
			}
			s.wantChangeLog(4, 1)
		}

		s.mustCreate(ProductEdit{})
		s.Clock.Advance(2 * ChangeTTL)

		if err := s.Products.PruneChanges(s.Context(), s.DB); err != nil {
			s.Fatal(err)
		}

		s.wantChangeLog(5, 1)
	})
}
