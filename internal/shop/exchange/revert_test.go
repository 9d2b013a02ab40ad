package exchange

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// productID returns the id of the product with an external id.
func (s *fixture) productID(external string) (productID catalog.ProductID) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		const sql = "SELECT id FROM products WHERE store_id = $1 AND external_id = $2"
		return database.QueryRow(s.Context(), tx.Unscoped(), sql, []any{s.Store.ID, external}, &productID)
	})
	return productID
}

// queryInt returns the single integer that a query selects.
func (s *fixture) queryInt(sql string, args ...any) (n int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error { return database.QueryRow(s.Context(), tx.Unscoped(), sql, args, &n) })
	return n
}

func TestRevert_restoresProductsStillArchived(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const all = revertChunk + 10
		var items strings.Builder
		for i := range all {
			fmt.Fprintf(&items, "{\"id\": %d, \"name\": \"p\"}\n", i)
		}

		s.push(Products, items.String(), ndjson)
		run := s.push(Products, payload(`{"id": 0}`, `{"id": 1}`), archiveMissing, maxShare(1))
		if run.Archived != all-2 {
			s.Fatalf("%d products were archived, want %d", run.Archived, all-2)
		}

		// After the run, product 5 is restored, 6 is restored and archived again, and 7 is deleted.
		s.Write(func(tx store.Tx) error {
			for _, external := range []string{"5", "6"} {
				if _, err := s.Catalog.Products.Restore(s.Context(), tx, s.productID(external), nil); err != nil {
					return err
				}
			}

			if _, err := s.Catalog.Products.Archive(s.Context(), tx, s.productID("6"), nil); err != nil {
				return err
			}

			return s.Catalog.Products.Delete(s.Context(), tx, s.productID("7"), nil)
		})

		for _, left := range []int64{all - 5, 0} { // the second Revert restores nothing
			s.Read(func(tx store.Tx) error {
				if n, err := s.Runs.Revertible(s.Context(), tx, run); n != left || err != nil {
					s.Errorf("%d products can be restored, want %d: %v", n, left, err)
				}
				return nil
			})
			reverted, err := s.Runs.Revert(s.Context(), s.Store.ID, s.find(run))
			if err != nil || reverted.Reverted != all-5 || s.find(run).Reverted != all-5 {
				s.Fatalf("Revert restored %d products, the run has %d: %v", reverted.Reverted, s.find(run).Reverted,
					err)
			}

			if n := s.queryInt("SELECT COUNT(*) FROM products WHERE store_id = $1 AND archived_at IS NOT NULL",
				s.Store.ID); n != 1 {
				s.Errorf("%d products are still archived, want 1", n)
			}
		}

		// Revert clears the digest of a restored product, so that an equal item is applied again.
		s.wantCounts("2: +0 ~1 =1 !0 ?0", Products, payload(`{"id": 8, "name": "p"}`, `{"id": 0}`))
	})
}
