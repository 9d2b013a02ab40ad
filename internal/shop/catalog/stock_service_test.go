package catalog_test

import (
	"errors"
	"slices"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

func (s *catalogFixture) stock(name string) Stock {
	s.Helper()
	t, err := inTx(s, func(tx store.Tx) (Stock, error) {
		return s.Stocks.Create(s.Context(), tx, StockEdit{Name: &name})
	})
	s.must(err)
	return t
}

func (s *catalogFixture) deleteStock(t Stock) error {
	return s.TryWrite(func(tx store.Tx) error {
		return s.Stocks.Delete(s.Context(), tx, t.ID, nil)
	})
}

// insertRemainders inserts remainders of variants in a stock, and updates the availability of the variants.
func (s *catalogFixture) insertRemainders(t Stock, quantity, reserved money.Quantity, variants ...int64) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := tx.Unscoped().ExecRows(s.Context(), `WITH r(key) AS (ROWS)
			INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved) SELECT $1, key, $2, $3, $4 FROM r`,
			database.BatchOf(database.BigInt, variants), s.Store.ID, t.Key, int64(quantity), int64(reserved))
		if err != nil {
			return err
		}
		return RecomputeAvailable(s.Context(), tx, variants)
	})
}

// availableQuantities returns the availability of each variant, oldest first. It is -1 for a variant without
// remainders.
func (s *catalogFixture) availableQuantities() []int64 {
	s.Helper()
	return s.queryInts("SELECT COALESCE(available, -1) FROM variants WHERE store_id = $1 ORDER BY key", s.Store.ID)
}

// drainChanges returns the products in the change log and clears the log. Key 0 stands for all products.
func (s *catalogFixture) drainChanges() []int64 {
	s.Helper()
	list := s.queryInts("SELECT product_key FROM product_changes WHERE store_id = $1 ORDER BY product_key", s.Store.ID)
	s.Exec("DELETE FROM product_changes WHERE store_id = $1", s.Store.ID)
	return list
}

func (s *catalogFixture) wantStockReserved(err error) {
	s.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Conflict || f.Code != "stock_reserved" {
		s.Errorf("got %v, want stock_reserved", err)
	}
}

// Each remainder adds its quantity minus its reserved quantity, or 0 if that is negative, to the availability of its
// variant. The availability is NULL without remainders.
func TestRecomputeAvailable_sumsUnreservedQuantities(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, b := s.stock("a"), s.stock("b")
		_, variants := s.insertSimpleProducts(5)
		s.insertRemainders(a, 5000, 0, variants[0], variants[1], variants[2])
		s.insertRemainders(b, 1500, 500, variants[1])
		s.insertRemainders(b, 1000, 3000, variants[2], variants[3])

		if got, want := s.availableQuantities(), []int64{5000, 6000, 5000, 0, -1}; !slices.Equal(got, want) {
			s.Errorf("available are %d, want %d", got, want)
		}

		s.Exec("UPDATE remainders SET quantity = 0")
		other := s.otherStore()
		s.Write(func(tx store.Tx) error {
			return RecomputeAvailable(s.Context(), store.In(tx.Unscoped(), other.Store.ID), variants)
		})

		if got, want := s.availableQuantities(), []int64{5000, 6000, 5000, 0, -1}; !slices.Equal(got, want) {
			s.Errorf("another store has changed the availability: %d", got)
		}

		s.Write(func(tx store.Tx) error {
			return RecomputeAvailable(s.Context(), tx, variants)
		})
	})
}

// Deleting a stock deletes its remainders and updates the availability of their variants. Only the products of those
// variants change.
func TestDeleteStock_recomputesAvailability(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		gone, kept := s.stock("gone"), s.stock("kept")
		products, variants := s.insertSimpleProducts(5)
		s.insertRemainders(gone, 5000, 0, variants[0], variants[1], variants[2])
		s.insertRemainders(kept, 2000, 500, variants[1])
		s.insertRemainders(kept, 1000, 3000, variants[2])
		s.insertRemainders(kept, 7000, 0, variants[3])
		s.drainChanges()

		s.must(s.deleteStock(gone))
		if got, want := s.availableQuantities(), []int64{-1, 1500, 0, 7000, -1}; !slices.Equal(got, want) {
			s.Errorf("available are %d, want %d", got, want)
		}
		if got, want := s.queryInts(productVersionsSQL), []int64{2, 2, 2, 1, 1}; !slices.Equal(got, want) {
			s.Errorf("the products have the versions %d, want %d", got, want)
		}
		if got := s.queryInts("SELECT DISTINCT updated_at FROM products"); !slices.Equal(got, []int64{5}) {
			s.Errorf("the update times of the products have changed: %d", got)
		}

		if got := s.drainChanges(); !slices.Equal(got, products[:3]) {
			s.Errorf("%d are recorded as changed, want %d", got, products[:3])
		}
		if n := s.Count("stocks") + s.Count("remainders"); n != 1+3 {
			s.Errorf("there are %d stocks and remainders, want 4", n)
		}
		if err := s.deleteStock(gone); fault.KindOf(err) != fault.NotFound {
			s.Errorf("deleted twice: %v", err)
		}
	})
}

func TestDeleteStock_refusedWhileQuantityIsReserved(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.stock("a")
		_, variants := s.insertSimpleProducts(3)
		s.insertRemainders(a, 5000, 0, variants[0], variants[2])
		s.insertRemainders(a, 5000, 1, variants[1])
		s.wantStockReserved(s.deleteStock(a))
		if got := s.availableQuantities(); !slices.Equal(got, []int64{5000, 4999, 5000}) ||
			s.Count("remainders") != 3 || s.Count("stocks") != 1 {
			s.Errorf("the refused deletion has changed the availability to %d", got)
		}
		s.Exec("UPDATE remainders SET reserved = 0")
		if err := s.deleteStock(a); err != nil {
			s.Error(err)
		}
	})
}

// The deletion of a stock is refused if a concurrent transaction reserves something in the stock. SQLite has one writer
// at a time, so this cannot happen there.
func TestDeleteStock_refusedOnConcurrentReservation(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		if s.DB.Engine() != database.Postgres {
			return
		}

		a := s.stock("a")
		_, variants := s.insertSimpleProducts(1)
		s.insertRemainders(a, 5000, 0, variants...)

		deleted := make(chan error, 1)

		s.Write(func(tx store.Tx) error {
			if _, err := tx.Unscoped().Exec(s.Context(), "UPDATE remainders SET reserved = 1"); err != nil {
				return err
			}

			go func() { deleted <- s.deleteStock(a) }()

			// Loop until the deletion waits for this transaction.
			for waiting := int64(0); waiting == 0 && len(deleted) == 0; {
				err := database.QueryRow(s.Context(), tx.Unscoped(),
					"SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid",
					nil, &waiting)
				if err != nil {
					return err
				}
			}

			return nil
		})

		s.wantStockReserved(<-deleted)
		s.Write(func(tx store.Tx) error {
			return RecomputeAvailable(s.Context(), tx, variants)
		})
	})
}

func TestDeleteStock_recomputesAvailabilityOfManyVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		gone, kept := s.stock("gone"), s.stock("kept")
		products, variants := s.insertSimpleProducts(write.ChunkSize + 1)
		s.insertRemainders(gone, 2000, 0, variants...)
		s.insertRemainders(kept, 1000, 0, variants...)
		s.drainChanges()
		s.must(s.deleteStock(gone))

		if got := s.drainChanges(); !slices.Equal(got, products) {
			s.Errorf("%d products are recorded as changed, want %d", len(got), len(products))
		}

		s.completeDeletions()
		if got := slices.Compact(s.availableQuantities()); !slices.Equal(got, []int64{1000}) {
			s.Errorf("available are %d, want 1000 everywhere", got[:min(len(got), 10)])
		}
		if n := s.Count("remainders"); n != int64(len(variants)) {
			s.Errorf("there are %d remainders, want %d", n, len(variants))
		}
		if got := slices.Compact(s.queryInts(productVersionsSQL)); !slices.Equal(got, []int64{2}) {
			s.Errorf("the versions of the products are %d", got[:min(len(got), 10)])
		}
	})
}

// Up to 10,000 products are recorded as changed by key, each once. If there are more, key 0 stands for all products.
func TestRecordChangedProducts_listsProductsOrAll(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		keys := make([]int64, MaxListedChanges+1)
		for i := range keys {
			keys[i] = int64(i + 1)
		}

		for _, c := range []struct{ touched, want []int64 }{
			{nil, nil},
			{[]int64{7, 5, 7}, []int64{5, 7}},
			{keys[1:], keys[1:]},
			{keys, []int64{0}},
		} {
			var products ChangedProducts
			for piece := range slices.Chunk(c.touched, 3000) {
				products.Add(piece)
				products.Add(piece[:1])
			}

			s.Write(func(tx store.Tx) error {
				return s.Products.RecordChangedProducts(s.Context(), tx, products)
			})
			if got := s.drainChanges(); !slices.Equal(got, c.want) {
				s.Errorf("%d products: %d are recorded as changed, want %d", len(c.touched), len(got), len(c.want))
			}
		}
	})
}

// Deleting a stock failed if the products of its variants were repeated in different statements of a batch.
func TestRegression_recordsRepeatedProductsOnce(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for n := range 20 {
			var repeated, want []int64
			for i := range n {
				repeated = append(repeated, int64(n-i/2))
				want = append(want, int64(n-i/2))
			}

			slices.Sort(want)
			s.Write(func(tx store.Tx) error { return s.Products.RecordChanges(s.Context(), tx, repeated...) })

			if got := s.drainChanges(); !slices.Equal(got, slices.Compact(want)) {
				s.Errorf("the products %d are recorded as changed, want %d", got, slices.Compact(want))
			}
			if n == 0 {
				continue
			}

			s.Write(func(tx store.Tx) error { return s.Products.RecordChanges(s.Context(), tx, repeated[1:]...) })
			s.drainChanges()
		}
	})
}

// A product is created while its category and its stock are deleted. Either the product is created and then loses both,
// or it is refused because one of them no longer exists.
func TestDeleteCategoryAndStock_whileProductsAreCreatedInThem(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for range 5 {
			shelf := s.category("shelf")
			stock := s.stock("stock")
			remainder := VariantEdit{Price: new(money.NewPrice(1)),
				Remainders: &[]RemainderEdit{{Stock: stock.ID, Quantity: 1000}}}
			for i, err := range concurrently(5, func(i int) error {
				switch i {
				case 0:
					return s.deleteCategory(shelf)
				case 1:
					return s.deleteStock(stock)
				}

				_, err := s.tryCreate(withName("p",
					ProductEdit{Categories: &[]CategoryID{shelf.ID}, Variants: &[]VariantEdit{remainder}}))
				return err
			}) {
				var f *fault.Error
				switch {
				case err == nil:
				case i < 2 || !errors.As(err, &f) || f.Kind != fault.Invalid:
					s.Errorf("%d: %v", i, err)
				default:
					for _, field := range f.Fields {
						if field.Code != "unknown_category" && field.Code != "unknown_stock" {
							s.Errorf("%s %s", field.Field, field.Code)
						}
					}
				}
			}
		}

		if n := s.Count("product_categories") + s.Count("remainders"); n != 0 {
			s.Errorf("%d links to the deleted category and stock exist", n)
		}
		if left := s.queryInts("SELECT key FROM variants WHERE available IS NOT NULL"); len(left) > 0 {
			s.Errorf("the variants %d have an availability without a stock", left)
		}
	})
}
