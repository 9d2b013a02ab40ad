package push

import (
	"slices"
	"sync"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// Unknown stocks are created once, with their ids as their names, even by concurrent transactions.
func TestFindOrCreateStocks_createsEachUnknownStockOnce(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		pushes := New(catalog.New(catalog.Deps{Now: f.Clock.Now}), nil)
		known := catalog.StockPush{ID: "known", Name: new("known"), Digest: catalog.Digest{1}}
		f.Write(func(tx store.Tx) error {
			_, err := pushes.ApplyStocks(f.Context(), tx, []catalog.StockPush{known})
			return err
		})

		var rows [4]map[string]stockRow
		var errs [len(rows)]error
		var wait sync.WaitGroup
		for i := range rows {
			wait.Go(func() {
				errs[i] = f.TryWrite(func(tx store.Tx) (err error) {
					rows[i], err = pushes.findOrCreateStocks(f.Context(), tx, []string{"new", "known", "other"})
					return err
				})
			})
		}

		wait.Wait()

		for i, err := range errs {
			if err != nil {
				f.Fatal(err)
			}
			if len(rows[i]) != 3 || rows[i]["new"] != rows[0]["new"] || rows[i]["known"] != rows[0]["known"] ||
				rows[i]["other"] != rows[0]["other"] {
				f.Errorf("two transactions got different stocks: %v and %v", rows[0], rows[i])
			}
		}

		want := []string{"known known", "new new", "other other"}
		got := f.Texts("SELECT external_id || ' ' || name FROM stocks WHERE store_id = $1 ORDER BY external_id",
			f.Store.ID)
		if !slices.Equal(got, want) {
			f.Errorf("the stocks are %q, want %q", got, want)
		}
	})
}
