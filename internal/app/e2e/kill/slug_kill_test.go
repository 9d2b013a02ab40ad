package kill

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// After kills while the products and categories of an older program get their slugs, all of them have one, and those
// that a product had before a kill are the same.
func TestFirstSlugs_surviveKills(t *testing.T) {
	t.Parallel()
	const products, kills = 1500, 3

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev")
		inst.Run("demo", "--products", "1500", "--pictures", "0")
		p.Kill()
		inst.removeSlugs(t)
		undo := (&killedJobs{t: t, inst: inst}).slowUpdates("products")

		made := map[string]string{}
		inMiddle := 0
		for range kills {
			inst.expireLeases()
			p = inst.Serve("--dev")
			db := inst.openDB()
			storetest.Eventually(t, "more products have slugs", func() bool {
				return len(inst.productSlugs(t, db)) > len(made)
			})
			time.Sleep(rand.N(500 * time.Millisecond)) // kill the process at a random time
			p.Kill()

			now := inst.productSlugs(t, db)
			wantKept(t, made, now)
			made = now
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			if len(made) == products {
				break
			}
			inMiddle++
		}
		if inMiddle == 0 {
			t.Fatal("all products had slugs before the first kill, so the test proves nothing")
		}

		undo()
		inst.expireLeases()
		p = inst.Serve("--dev")
		db := inst.openDB()
		defer db.Close()
		storetest.Eventually(t, "everything has a slug", func() bool {
			return apitest.CountRows(t, db, `SELECT (SELECT COUNT(*) FROM products WHERE slug IS NULL) +
(SELECT COUNT(*) FROM categories WHERE slug IS NULL)`) == 0
		})

		now := inst.productSlugs(t, db)
		wantKept(t, made, now)
		if different := len(slices.Compact(slices.Sorted(maps.Values(now)))); different != products {
			t.Errorf("%d products have %d different slugs, want %d", len(now), different, products)
		}
		for _, table := range [][2]string{{"products", "product"}, {"categories", "category"}} {
			things := apitest.CountRows(t, db, `SELECT COUNT(*) FROM `+table[0])
			sound := apitest.CountRows(t, db, `SELECT COUNT(*) FROM `+table[0]+` t JOIN `+table[1]+`_slugs s
ON s.store_id = t.store_id AND s.slug = t.slug AND s.is_current AND s.`+table[1]+`_key = t.key`)
			if things != sound {
				t.Errorf("%d of %d %s have the slug that the table of slugs has", sound, things, table[0])
			}
		}

		first := slices.Sorted(maps.Values(now))[0]
		p.Server(shop.Keys).OK(200, "GET", "/v2/products/by-slug/"+first, nil)
	})
}

// removeSlugs makes the products and categories those of a program that knew no slugs.
func (inst *installation) removeSlugs(t *testing.T) {
	t.Helper()
	inst.WriteDB(func(q database.Querier) error {
		for _, sql := range []string{`DELETE FROM product_slugs`, `DELETE FROM category_slugs`,
			`UPDATE products SET slug = NULL`, `UPDATE categories SET slug = NULL`} {
			if _, err := q.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// productSlugs returns the slugs of all products that have one, by external id.
func (inst *installation) productSlugs(t *testing.T, db *database.DB) map[string]string {
	t.Helper()
	var slugs map[string]string

	err := db.Read(t.Context(), func(q database.Querier) error {
		slugs = map[string]string{}
		return database.QueryEach(t.Context(), q,
			`SELECT external_id, slug FROM products WHERE slug IS NOT NULL`, nil, func(rows database.Rows) error {
				var id, slug string
				if err := rows.Scan(&id, &slug); err != nil {
					return err
				}
				slugs[id] = slug
				return nil
			})
	})
	if err != nil {
		t.Fatal(err)
	}

	return slugs
}

// wantKept checks that all slugs are still the same.
func wantKept(t *testing.T, before, now map[string]string) {
	t.Helper()
	for id, slug := range before {
		if now[id] != slug {
			t.Errorf("product %s had the slug %s before a kill and has %q now", id, slug, now[id])
		}
	}
}
