package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

func stockPush(externalID, name string) StockPush {
	return StockPush{ID: externalID, Digest: digestOf(externalID, name), Name: &name}
}

// stockLines returns the stocks of the store as "external_id name vVersion", in the order of their creation.
func (s *catalogFixture) stockLines() (lines []string) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, _, err := s.Stocks.List(s.Context(), tx, "", 1000, 0)
		lines = nil
		for _, t := range list {
			lines = append(lines, fmt.Sprintf("%s %s v%d", *t.ExternalID, t.Name, t.Version))
		}
		return err
	})
	return lines
}

func (s *catalogFixture) wantStocks(want ...string) {
	s.Helper()
	if got := s.stockLines(); !slices.Equal(got, want) {
		s.Errorf("the stocks are %q, want %q", got, want)
	}
}

func TestPushStocks_createsUpdatesAndSkipsUnchanged(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.otherStore().pushStock("a", "created")
		expectPush(s, s.Pushes.ApplyStocks,
			[]StockPush{stockPush("a", "Main"), {ID: "c", Digest: digestOf("c")}, stockPush("b", "Far")},
			"created", "failed name:required", "created")
		s.wantStocks("a Main v1", "b Far v1")

		first := expectPush(s, s.Pushes.ApplyStocks,
			[]StockPush{stockPush("a", "Main"), stockPush("b", "Farther"), stockPush("d", "New")},
			"unchanged", "updated", "created")
		s.wantStocks("a Main v1", "b Farther v2", "d New v1")

		if got := s.Texts("SELECT external_id FROM stocks WHERE store_id = $1 AND updated_at > created_at",
			s.Store.ID); !slices.Equal(got, []string{"b"}) {
			s.Errorf("%q were updated, want only b", got)
		}

		var found []Stock
		s.Read(func(tx store.Tx) (err error) {
			found, _, err = s.Stocks.List(s.Context(), tx, "farther", 10, 0)
			return err
		})
		if len(found) != 1 || found[0].Key != first[1].Key {
			s.Errorf("a search by the new name found %v, want the stock %d", found, first[1].Key)
		}

		// A name that is not sent keeps its value.
		expectPush(s, s.Pushes.ApplyStocks, []StockPush{{ID: "a", Digest: digestOf("a")}}, "updated")
		s.wantStocks("a Main v2", "b Farther v2", "d New v1")

		// An edit clears the digest of the last push.
		s.Write(func(tx store.Tx) error {
			_, err := s.Stocks.Edit(s.Context(), tx, found[0].ID, StockEdit{Name: new("Mine")}, nil)
			return err
		})
		expectPush(s, s.Pushes.ApplyStocks, []StockPush{stockPush("b", "Farther"), stockPush("d", "New")},
			"updated", "unchanged")
		s.wantStocks("a Main v2", "b Farther v4", "d New v1")

		// A push updates a stock that was created through the API with the same external id.
		s.Write(func(tx store.Tx) error {
			_, err := s.Stocks.Create(s.Context(), tx,
				StockEdit{Name: new("By hand"), ExternalID: new("e")})
			return err
		})
		expectPush(s, s.Pushes.ApplyStocks, []StockPush{stockPush("e", "By push")}, "updated")
		expectPush(s, s.Pushes.ApplyStocks, []StockPush{stockPush("e", "By push")}, "unchanged")
	})
}

// pushStock pushes one stock.
func (s *catalogFixture) pushStock(externalID, want string) {
	s.Helper()
	expectPush(s, s.Pushes.ApplyStocks, []StockPush{stockPush(externalID, externalID)}, want)
}
