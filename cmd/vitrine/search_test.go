package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

func TestSearch_explainsWhatItFinds(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			storage := config.Storage{Data: t.TempDir()}
			t.Setenv("VITRINE_DATA", storage.Data)
			if engine == database.Postgres {
				storage.Database = databasetest.NewURL(t, engine)
				t.Setenv("VITRINE_DATABASE", storage.Database)
			}
			addLamps(t, storage)

			run := func(wantCode int, args ...string) string {
				t.Helper()
				var stdout, stderr bytes.Buffer
				code := runCommandLine(t.Context(), append([]string{"search"}, args...), &stdout, &stderr)
				if code != wantCode {
					t.Fatalf("search %q ends with %d: %s", args, code, stderr.String())
				}
				return stdout.String() + stderr.String()
			}

			want := func(got string, texts ...string) {
				t.Helper()
				for _, text := range texts {
					if !strings.Contains(got, text) {
						t.Errorf("there is no %q in\n%s", text, got)
					}
				}
			}

			list := run(0, "лампа")
			want(list, "2 found, matched: exact", "12.5 EUR", "Лампа настольная\n")
			if strings.Contains(list, "WORD") {
				t.Errorf("without --explain it prints\n%s", list)
			}

			want(run(0, "--explain", "настольная лмапа"), `understood as "настольная лампа"`,
				"1. Лампа настольная, 12.5 EUR",
				"   cost 246; distance 1; other forms 0; available; ordered 0\n",
				"   WORD        MATCH          BY          IN    COST\n",
				"   настольная  exact          настольная  name  0\n",
				"   лмапа       typo of лампа  лампа       name  246\n")
			if short := run(0, "--limit", "1", "лампа"); strings.Contains(short, "\n2 ") {
				t.Errorf("with --limit 1 it prints\n%s", short)
			}
			want(run(0, "фырк"), "Nothing was found.\n")
			want(run(1, " "), "The query is empty.")
			want(run(1, "--limit", "0", "лампа"), "--limit must be between 1 and 1000.")
		})
	}
}

// addLamps creates a shop with two products.
func addLamps(t *testing.T, storage config.Storage) {
	t.Helper()
	core, err := app.Open(t.Context(), storage, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()

	created, err := core.CreateStore(t.Context(), store.Edit{Locale: new("ru"), Currency: new("EUR")},
		account.NewOwner{})
	if err != nil {
		t.Fatal(err)
	}

	products := catalog.New(catalog.Deps{Now: core.Now}).Products
	err = core.DB.Write(t.Context(), func(q database.Querier) error {
		return createLamps(t.Context(), products, store.In(q, created.StoreID))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func createLamps(ctx context.Context, products *catalog.Products, tx store.Tx) error {
	for _, name := range []string{"Лампа настольная", "Лампа"} {
		price := money.NewPrice(125_000)
		if _, err := products.Create(ctx, tx, catalog.ProductEdit{Name: &name,
			Variants: &[]catalog.VariantEdit{{Price: &price}}}); err != nil {
			return err
		}
	}
	return nil
}
