package customer

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

// A group with very many customers is gone at once: its customers get the prices of the key they came by, and show no
// group, under the version that they keep when their rows are cleared later. A new group gets none of them.
func TestCustomers_loseALargeGroupAtOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		c := catalogtest.New(f.Fixture)
		prices := pricelist.New(c.Core())
		newGroup := func(name string) (g pricelist.Group, chain pricing.Chain) {
			f.Write(func(tx store.Tx) error {
				list, err := prices.Lists.Create(f.Context(), tx, pricelist.ListEdit{Name: &name})
				if err != nil {
					return err
				}
				edit := pricelist.GroupEdit{Name: &name, PriceLists: &[]catalog.PriceListID{list.ID}}
				if g, err = prices.Groups.Create(f.Context(), tx, edit); err != nil {
					return err
				}
				chain, err = prices.Groups.Chain(f.Context(), tx, &g)
				return err
			})
			return g, chain
		}
		find := func(customerID ID) (found Customer) {
			f.Read(func(tx store.Tx) (err error) {
				found, err = f.Customer(f.Context(), tx, customerID)
				return err
			})
			return found
		}

		ofKey, keyChain := newGroup("Site")
		club, clubChain := newGroup("Club")
		var key access.Key
		keys := access.New(access.Deps{DB: f.DB, Stores: f.Stores, Now: f.Clock.Now})
		login, code := f.mustRequestLogin("anna@shop.example")
		proof, err := f.CheckCode(f.Context(), f.Store.ID, login.ID, code)
		if err != nil {
			f.Fatal(err)
		}
		var session Session
		f.Write(func(tx store.Tx) (err error) {
			key, _, err = keys.CreateKey(f.Context(), tx, access.NewKey{Kind: access.PublishableKey, Name: "Site",
				GroupID: new(access.GroupID(ofKey.ID))})
			if err != nil {
				return err
			}
			if session, err = f.SignIn(f.Context(), tx, ID{}, proof, &key.ID); err != nil {
				return err
			}
			return database.Exec(f.Context(), tx, `
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO customers (store_id, id, name, words, version, created_at, updated_at)
SELECT $1, `+map[bool]string{true: "randomblob(16)", false: "gen_random_uuid()"}[tx.Dialect().SkipLocked == ""]+
				`, 'A', 'a', 1, i, i FROM n`)
		})
		f.Write(func(tx store.Tx) error {
			return database.Exec(f.Context(), tx, `UPDATE customers SET group_key = $2 WHERE store_id = $1`, club.Key)
		})
		wantChain := func(what string, want pricing.Chain) {
			f.Helper()
			p, err := f.Authenticate(f.Context(), session.Token)
			if err != nil || p.Prices != want {
				f.Errorf("%s: the price lists are %q, %v, want %q", what, p.Prices, err, want)
			}
		}

		anna := find(session.Customer.ID)
		wantChain("in the group", clubChain)
		f.Write(func(tx store.Tx) error { return prices.Groups.Delete(f.Context(), tx, club.ID, nil) })
		if n := f.Count("customers WHERE store_id = $1 AND group_key IS NOT NULL", f.Store.ID); n != 701 {
			f.Fatalf("the rows of %d customers name the group, want all 701", n)
		}
		wantChain("after the deletion", keyChain)
		if got := find(anna.ID); got.GroupID != nil || got.Version != anna.Version+1 {
			f.Errorf("after the deletion: the group is %v and the version %d", got.GroupID, got.Version)
		}

		edited := anna
		f.Write(func(tx store.Tx) (err error) {
			edited, err = f.EditCustomer(f.Context(), tx, anna.ID, Edit{Name: new("Anna")}, nil)
			return err
		})
		if got := find(anna.ID); got.Version != edited.Version || got.GroupID != nil {
			f.Errorf("the version is %d after an edit that returned %d", got.Version, edited.Version)
		}

		newGroup("Next") // on SQLite with the key of the deleted one
		wantChain("beside a new group", keyChain)
		if f.Failed() {
			return
		}
		if err := c.Deletions.Complete(f.Context(), f.DB); err != nil {
			f.Fatal(err)
		}
		if n := f.Count("customers WHERE store_id = $1 AND (group_key IS NOT NULL OR version <> 2) AND id <> $2",
			f.Store.ID, anna.ID); n != 0 {
			f.Errorf("%d customers have another group or version", n)
		}
		if got := find(anna.ID); got.Version != edited.Version {
			f.Errorf("the version has become %d, want %d", got.Version, edited.Version)
		}
		if n := f.Count("deletions WHERE store_id = $1", f.Store.ID); n != 0 {
			f.Errorf("%d deletions are left", n)
		}
	})
}
