package change

import (
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// fixture is a store with a catalogue and a node that tells of its changes.
type fixture struct {
	*catalogtest.Catalog
	node   *Service
	worker *worker
}

// eachEngine runs fn on both engines, since statements are the subject.
func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.EachEngine(t, func(f *storetest.Fixture) {
		s := &fixture{Catalog: catalogtest.New(f)}
		s.node = s.newNode()
		s.worker = s.node.newWorker()
		fn(s)
	})
}

func (s *fixture) newNode() *Service {
	secrets, err := vault.ParseKey(hex.EncodeToString(make([]byte, vault.KeySize)))
	if err != nil {
		s.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	hooks := webhook.New(webhook.Deps{DB: s.DB, Now: s.Clock.Now, Log: log, Vault: secrets,
		Guard: outbound.New(outbound.Config{AllowHTTP: true, Now: s.Clock.Now}),
		Queue: queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: log})})
	return New(Deps{DB: s.DB, Events: event.New(event.Deps{Now: s.Clock.Now}), Webhooks: hooks, Now: s.Clock.Now,
		Log: log})
}

// listen registers a receiver of these types.
func (s *fixture) listen(types ...string) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, _, err := s.node.Webhooks.CreateReceiver(s.Context(), tx,
			webhook.ReceiverEdit{URL: new("http://93.184.216.34/hook"), Types: &types})
		return err
	})
}

// since returns all changes since a version, with the ids of all pages.
func (s *fixture) since(version int64) payload.CatalogChange {
	s.Helper()
	all, err := s.trySince(version)
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *fixture) trySince(version int64) (all payload.CatalogChange, err error) {
	s.Helper()
	if err := s.node.Refresh(s.Context(), s.Store.ID); err != nil {
		return all, err
	}

	var cursor *Cursor
	err = s.TryRead(func(tx store.Tx) (err error) {
		all, cursor, err = Since(s.Context(), tx, version)
		return err
	})
	for err == nil && cursor != nil {
		decoded, ok := DecodeCursor(cursor.Encode())
		if !ok || decoded != *cursor {
			s.Fatalf("the cursor %+v is decoded as %+v", *cursor, decoded)
		}
		var page payload.CatalogChange
		err = s.TryRead(func(tx store.Tx) (err error) {
			page, cursor, err = Next(s.Context(), tx, decoded)
			return err
		})
		if page.Products.Count != all.Products.Count || page.Version != all.Version {
			s.Errorf("a later page has version %d and %d products, the first one %d and %d", page.Version,
				page.Products.Count, all.Version, all.Products.Count)
		}
		all.Products.IDs = append(all.Products.IDs, page.Products.IDs...)
		all.Categories.IDs = append(all.Categories.IDs, page.Categories.IDs...)
	}
	return all, err
}

// wantChanges checks what changed since a version, and returns the new version.
func (s *fixture) wantChanges(what string, since int64, pricesOnly bool, products []catalog.ProductID,
	categories ...catalog.CategoryID) int64 {
	s.Helper()
	got := s.since(since)
	gotProducts, wantProducts := texts(got.Products.IDs), texts(products)
	gotCategories, wantCategories := texts(got.Categories.IDs), texts(categories)

	if !slices.Equal(gotProducts, wantProducts) || !slices.Equal(gotCategories, wantCategories) {
		s.Errorf("%s: products %q and categories %q changed, want %q and %q", what, gotProducts, gotCategories,
			wantProducts, wantCategories)
	}
	if got.Products.Count != int64(len(wantProducts)) || got.Categories.Count != int64(len(wantCategories)) {
		s.Errorf("%s: the counts are %d and %d, want %d and %d", what, got.Products.Count, got.Categories.Count,
			len(wantProducts), len(wantCategories))
	}

	if got.PricesOnly != pricesOnly {
		s.Errorf("%s: prices_only is %t", what, got.PricesOnly)
	}
	return got.Version
}

// texts returns ids as texts, sorted.
func texts[ID ~[16]byte](ids []ID) []string {
	list := make([]string, len(ids))
	for i, one := range ids {
		list[i] = hex.EncodeToString(one[:])
	}
	slices.Sort(list)
	return list
}

// run lets the worker of a node do its work once.
func (s *fixture) run(w *worker) {
	s.Helper()
	if err := w.run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// events returns the payloads of the events of the store.
func (s *fixture) events() (list []payload.CatalogChange) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list = nil
		found, _, err := event.Feed(s.Context(), tx, 0, 1000)
		for _, e := range found {
			if e.Type != event.CatalogChanged {
				continue
			}

			var raw struct {
				Version    int64
				Products   struct{ Count int64 }
				PricesOnly bool `json:"prices_only"`
				Tags       []string
			}
			if err := json.Unmarshal(e.Payload, &raw); err != nil {
				return err
			}
			list = append(list, payload.CatalogChange{Version: raw.Version, PricesOnly: raw.PricesOnly, Tags: raw.Tags,
				Products: payload.ChangedThings{Count: raw.Products.Count}})
		}
		return err
	})
	return list
}

// reprice gives the only variant of a product another price.
func (s *fixture) reprice(p catalog.Product, price money.Money) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		return s.Products.EditVariant(s.Context(), tx, p.ID, p.Variants[0].ID,
			catalog.VariantEdit{Price: new(money.NewPrice(price))}, nil)
	})
}

// rename gives a product another name.
func (s *fixture) rename(p catalog.Product, name string) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := s.Products.Edit(s.Context(), tx, p.ID, catalog.ProductEdit{Name: &name}, nil)
		return err
	})
}

func (s *fixture) wantGone(version int64) {
	s.Helper()
	if _, err := s.trySince(version); fault.KindOf(err) != fault.Gone {
		s.Errorf("the changes since %d are refused with %v, want fault.Gone", version, err)
	}
}
