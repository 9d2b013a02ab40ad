package order

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// count brings the popularity of the store up to date.
func (s *fixture) count() {
	s.Helper()
	if err := s.counter.countStore(s.Context(), s.Store.ID, s.Now().Add(-popularityPeriod)); err != nil {
		s.Fatal(err)
	}
}

// popularity returns the quantities that were ordered, by the row key of the product, without those of which nothing
// was ordered.
func (s *fixture) popularity() map[int64]int64 {
	s.Helper()
	return s.quantities("SELECT product_key, quantity FROM product_popularity WHERE store_id = $1 AND quantity <> 0")
}

// quantities returns the result of a query for keys and quantities.
func (s *fixture) quantities(sql string) map[int64]int64 {
	s.Helper()
	byKey := map[int64]int64{}
	s.Read(func(tx store.Tx) error {
		return database.QueryEach(s.Context(), tx.Unscoped(), sql, []any{tx.StoreID()}, func(rows database.Rows) error {
			var key, quantity int64
			err := rows.Scan(&key, &quantity)
			byKey[key] = quantity
			return err
		})
	})
	return byKey
}

// searchVersion returns the version of the search of the store.
func (s *fixture) searchVersion() int64 {
	s.Helper()
	var v store.Versions
	s.Read(func(tx store.Tx) (err error) {
		v, err = store.FindVersions(s.Context(), tx)
		return err
	})
	return v.Search
}

func TestPopularity_countsWhatWasOrderedIn90Days(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 1, nil)
		rice := s.createProduct("Rice", 1, nil)
		version := s.searchVersion()

		want := func(what string, shirts, rices int64, raised bool) {
			s.Helper()
			s.count()
			got := s.popularity()
			if got[shirt.Key] != shirts || got[rice.Key] != rices {
				s.Errorf("%s: %d thousandths of shirts and %d of rice, want %d and %d", what, got[shirt.Key],
					got[rice.Key], shirts, rices)
			}

			now := s.searchVersion()
			if now > version != raised {
				s.Errorf("%s: the version of the search was %d and is %d", what, version, now)
			}
			version = now
			rows := fmt.Sprint("product_popularity WHERE version > ", now)
			if n := s.Count(rows + " OR version = 0"); n > 0 {
				s.Errorf("%s: %d rows have a version that is not one of the search", what, n)
			}
		}

		s.createDraft(line(shirt, 5))
		want("a cart", 0, 0, false)

		first := s.createSubmitted(line(shirt, 2), Line{VariantID: rice.Variants[0].ID, Quantity: 300})
		want("an order", 2000, 300, true)
		want("nothing new", 2000, 300, false)

		s.Clock.Advance(24 * time.Hour)
		second := s.createSubmitted(line(shirt, 3))
		third := s.createSubmitted(line(shirt, 7))

		if err := s.changeState(third, Cancelled); err != nil {
			s.Fatal(err)
		}
		want("one order, and one that was cancelled before it was counted", 5000, 300, true)

		for _, to := range []State{Confirmed, Completed} {
			if err := s.changeState(first, to); err != nil {
				s.Fatal(err)
			}
		}
		want("a completed order", 5000, 300, false)

		if err := s.changeState(second, Cancelled); err != nil {
			s.Fatal(err)
		}
		want("a cancelled order", 2000, 300, true)

		if _, err := s.reopen(second); err != nil {
			s.Fatal(err)
		}
		want("a reopened order", 5000, 300, true)
		want("nothing new after the reopened order", 5000, 300, false)
		s.change(second, Cancelled)
		want("an order that was cancelled again", 2000, 300, true)
		want("the same cancelled order", 2000, 300, false)

		s.Clock.Advance(89*24*time.Hour - time.Minute)
		want("almost 90 days after the first order", 2000, 300, false)
		s.Clock.Advance(2 * time.Minute)
		want("more than 90 days after the first order", 0, 0, true)
		s.Clock.Advance(24 * time.Hour)
		want("more than 90 days after the cancelled orders", 0, 0, false)
	})
}

// The worker adds, removes and subtracts orders in any batches, on any node, while products come and go.
func TestPopularity_agreesWithTheOrdersAfterRandomChanges(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		random := rand.New(rand.NewPCG(1, 2))
		s.counter.batch = 2
		var products []catalog.Product
		var open []Order
		differed := 0

		for range 40 {
			for range random.IntN(5) {
				switch step := random.IntN(10); {
				case step == 0 || len(products) < 3:
					products = append(products, s.createProduct(fmt.Sprint("p", len(products)), 1, nil))
				case step == 1:
					i := random.IntN(len(products))
					s.Write(func(tx store.Tx) error {
						return s.catalog.Products.Delete(s.Context(), tx, products[i].ID, nil)
					})
					products = slices.Delete(products, i, i+1)

				case step < 4 && len(open) > 0:
					i := random.IntN(len(open))
					if err := s.changeState(open[i], Cancelled); err != nil {
						s.Fatal(err)
					}
					open = slices.Delete(open, i, i+1)
				default:
					open = append(open, s.createSubmitted(line(products[random.IntN(len(products))], 1+random.IntN(3)),
						line(products[random.IntN(len(products))], 1+random.IntN(3))))
				}
				s.Clock.Advance(time.Duration(random.IntN(3*24)) * time.Hour)
			}

			s.count()
			want := s.quantities(fmt.Sprintf(`
				SELECT p.key, CAST(SUM(i.quantity) AS BIGINT)
				FROM orders o
				JOIN order_items i ON i.store_id = o.store_id AND i.order_key = o.key
				JOIN products p ON p.store_id = i.store_id AND p.id = i.product_id
				WHERE o.store_id = $1 AND o.state IN ('submitted', 'confirmed', 'completed') AND o.submitted_at >= %d
				GROUP BY p.key`, s.Now().Add(-popularityPeriod).UnixMicro()))
			got := s.popularity()
			if !maps.Equal(got, want) {
				s.Fatalf("the popularity is %v, want %v", got, want)
			}
			if len(want) > 0 {
				differed++
			}
		}

		if n := s.Count("orders WHERE popularity_removed = TRUE AND state <> 'cancelled'"); n > 0 || differed < 20 {
			s.Errorf("%d orders are removed without being cancelled; %d rounds had popular products", n, differed)
		}
	})
}

// Before the upgrade the database had orders, and nothing counted them.
func TestPopularity_beginsWithTheOrdersOfTheLast90Days(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 1, nil)
		cancel := func(o Order) {
			s.Helper()
			if err := s.changeState(o, Cancelled); err != nil {
				s.Fatal(err)
			}
		}

		old := s.createSubmitted(line(shirt, 1))
		cancel(s.createSubmitted(line(shirt, 2)))
		s.Clock.Advance(popularityPeriod + time.Hour)
		s.count()
		if got := s.popularity(); len(got) > 0 {
			s.Errorf("only old orders: the popularity is %v", got)
		}

		s.Exec("DELETE FROM popularity_progress WHERE store_id = $1", s.Store.ID)
		s.createSubmitted(line(shirt, 4))
		cancel(s.createSubmitted(line(shirt, 8)))
		s.count()
		cancel(old)
		s.count()
		if got := s.popularity()[shirt.Key]; got != 4000 {
			s.Errorf("the popularity is %d thousandths, want 4000", got)
		}
		if n := s.Count("orders WHERE state = 'cancelled' AND popularity_removed = FALSE"); n > 0 {
			s.Errorf("%d cancelled orders are looked at again and again", n)
		}
	})
}

// A worker that was killed, or whose transaction failed, has counted all of a batch or nothing.
func TestPopularity_countsEachOrderOnceAfterAFailure(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 1, nil)
		o := s.createSubmitted(line(shirt, 2))
		since := s.Now().Add(-popularityPeriod)
		fail := func() {
			s.Helper()
			err := s.TryWrite(func(tx store.Tx) error {
				if _, err := s.counter.countBatch(s.Context(), tx, since); err != nil {
					return err
				}
				return fmt.Errorf("killed")
			})
			if err == nil || !strings.Contains(err.Error(), "killed") {
				s.Fatal(err)
			}
		}

		fail()
		s.count()
		s.count()
		if got := s.popularity()[shirt.Key]; got != 2000 {
			s.Errorf("the popularity is %d thousandths, want 2000", got)
		}

		if err := s.changeState(o, Cancelled); err != nil {
			s.Fatal(err)
		}
		fail()
		s.count()
		if got := s.popularity()[shirt.Key]; got != 0 {
			s.Errorf("the popularity is %d thousandths after the cancellation, want 0", got)
		}
	})
}

// The worker asks for the stores with work at once, whatever their number.
func TestStoresToCount_hasOnlyStoresWithWork(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 1, nil)
		want := func(what string, hasWork bool) {
			s.Helper()
			var list []store.ID
			s.Read(func(tx store.Tx) (err error) {
				list, err = storesToCount(s.Context(), tx.Unscoped(), s.Now().Add(-popularityPeriod))
				return err
			})
			if slices.Contains(list, s.Store.ID) != hasWork {
				s.Errorf("%s: the store has work: %v, want %v", what, !hasWork, hasWork)
			}
			s.count()
		}

		want("no orders", false)
		o := s.createSubmitted(line(shirt, 1))
		want("an order", true)
		want("a counted order", false)

		if err := s.changeState(o, Cancelled); err != nil {
			s.Fatal(err)
		}
		want("a cancelled order", true)
		want("an order that is removed", false)

		s.Clock.Advance(popularityPeriod + time.Second)
		want("an old order", true)
		want("no order counts", false)
	})
}
