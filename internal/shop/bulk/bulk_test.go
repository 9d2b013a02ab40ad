package bulk

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with products.
type fixture struct {
	*catalogtest.Catalog
	bulk *Service
	jobs *queue.Queue
	keys []int64
}

func eachEngine(t *testing.T, products int, fn func(f *fixture)) {
	t.Helper()
	storetest.Each(t, func(s *storetest.Fixture) {
		f := &fixture{Catalog: catalogtest.New(s), jobs: queue.New(queue.Deps{DB: s.DB, Now: time.Now})}
		f.bulk = New(Deps{DB: s.DB, Products: f.Products, Queue: f.jobs, Now: time.Now})
		f.jobs.Register(f.bulk.Kind())

		edits := make([]catalog.ProductEdit, products)
		for i := range edits {
			edits[i].Name = new(fmt.Sprintf("Product %d", i))
		}

		f.Write(func(tx store.Tx) error {
			made, err := f.Products.CreateAll(f.Context(), tx, edits)
			f.keys = nil
			for _, p := range made {
				f.keys = append(f.keys, p.Key)
			}
			return err
		})
		fn(f)
	})
}

func (f *fixture) start(action Action, target Target) (c Change, err error) {
	err = f.TryWrite(func(tx store.Tx) (err error) {
		c, err = f.bulk.Start(f.Context(), tx, action, target, "label", f.keys)
		return err
	})
	return c, err
}

func (f *fixture) find(id ID) (c Change) {
	f.Helper()
	f.Read(func(tx store.Tx) (err error) {
		c, err = f.bulk.Find(f.Context(), tx, id)
		return err
	})
	return c
}

func (f *fixture) wantArchived(want int64) {
	f.Helper()
	if got := f.Count("products WHERE archived_at IS NOT NULL"); got != want {
		f.Errorf("%d products are archived, want %d", got, want)
	}
}

// A small change is done at once. Undo restores only what the change archived.
func TestStart_doesASmallChangeAtOnce(t *testing.T) {
	eachEngine(t, 3, func(f *fixture) {
		f.Write(func(tx store.Tx) error {
			_, err := f.Products.ArchiveAll(f.Context(), tx, f.keys[:1], time.Now())
			return err
		})
		c, err := f.start(Archive, Target{})
		if err != nil || c.FinishedAt == nil || c.Done != 3 || c.Changed != 2 {
			f.Fatalf("the change is %+v: %v", c, err)
		}

		f.wantArchived(3)
		f.Write(func(tx store.Tx) error {
			undone, err := f.bulk.Undo(f.Context(), tx, c.ID, "undo")
			if undone.Action != Restore || undone.Changed != 2 || undone.UndoOf == nil {
				f.Errorf("the undo is %+v", undone)
			}
			return err
		})
		f.wantArchived(1)

		if _, err := f.start(AddCategory, Target{}); fault.KindOf(err) != fault.Invalid {
			f.Errorf("a category that does not exist: %v, want Invalid", err)
		}
		if _, err := f.start("paint", Target{}); fault.KindOf(err) != fault.Invalid {
			f.Errorf("an unknown action: %v, want Invalid", err)
		}
	})
}

// A large change is done chunk by chunk by a job. A job that ran before continues where it ended.
func TestStart_leavesALargeChangeToAJob(t *testing.T) {
	eachEngine(t, 2*ChunkSize+1, func(f *fixture) {
		c, err := f.start(Archive, Target{})
		if err != nil || c.FinishedAt != nil {
			f.Fatalf("the change is %+v: %v", c, err)
		}

		f.Write(func(tx store.Tx) error {
			if _, err := f.bulk.Undo(f.Context(), tx, c.ID, "undo"); fault.KindOf(err) != fault.Conflict {
				f.Errorf("undo of a change that is not finished: %v, want Conflict", err)
			}
			now, err := selectChange(f.Context(), tx, c.ID, tx.Dialect().ForUpdate)
			if err != nil {
				return err
			}
			return f.bulk.runChunk(f.Context(), tx, &now)
		})

		f.wantArchived(ChunkSize)
		stop := f.Start(func(ctx context.Context) error { return f.jobs.Run(ctx) })
		f.Eventually("the change is finished", func() bool { return f.find(c.ID).FinishedAt != nil })
		stop()
		f.wantArchived(2*ChunkSize + 1)

		if now := f.find(c.ID); now.Changed != 2*ChunkSize+1 || now.Done != now.Total {
			f.Errorf("the change is %+v", now)
		}
	})
}

// A category that is deleted while a change runs ends the change.
func TestRun_endsWhenTheTargetIsGone(t *testing.T) {
	eachEngine(t, ChunkSize+1, func(f *fixture) {
		var category catalog.Category
		f.Write(func(tx store.Tx) (err error) {
			category, err = f.Categories.Create(f.Context(), tx, catalog.CategoryEdit{Name: new("Shoes")})
			return err
		})
		c, err := f.start(AddCategory, Target{Category: category.ID})
		if err != nil {
			f.Fatal(err)
		}

		f.Write(func(tx store.Tx) error { return f.Categories.Delete(f.Context(), tx, category.ID, nil) })
		stop := f.Start(func(ctx context.Context) error { return f.jobs.Run(ctx) })
		f.Eventually("the change is finished", func() bool { return f.find(c.ID).FinishedAt != nil })
		stop()

		if now := f.find(c.ID); now.Failure == "" || now.Changed != 0 {
			f.Errorf("the change is %+v, want a failure", now)
		}
	})
}

// park moves the job of a change to the parked jobs, as the queue does after three deaths, and returns its key.
func (f *fixture) park(c Change) (key int64) {
	f.Helper()
	f.Write(func(tx store.Tx) error {
		q := tx.Unscoped()
		if err := database.QueryRow(f.Context(), q, "SELECT key FROM jobs", nil, &key); err != nil {
			return err
		}
		if err := f.bulk.park(f.Context(), q, jobOf(tx.StoreID(), c.ID)); err != nil {
			return err
		}

		err := database.Exec(f.Context(), q,
			`INSERT INTO parked_jobs (key, kind, lane, unique_name, payload, asked, created_at, owner, deaths, parked_at)
SELECT key, kind, lane, unique_name, payload, asked, created_at, lane, 3, 1 FROM jobs`)
		if err != nil {
			return err
		}

		return database.Exec(f.Context(), q, "DELETE FROM jobs")
	})

	return key
}

// A change whose parked job is discarded is finished. Undo undoes what it has done, and touches nothing else.
func TestDiscard_endsTheChange(t *testing.T) {
	eachEngine(t, 2*ChunkSize+1, func(f *fixture) {
		c, err := f.start(Archive, Target{})
		if err != nil {
			f.Fatal(err)
		}

		f.Write(func(tx store.Tx) error {
			now, err := selectChange(f.Context(), tx, c.ID, tx.Dialect().ForUpdate)
			if err != nil {
				return err
			}
			return f.bulk.runChunk(f.Context(), tx, &now)
		})
		key := f.park(c)

		if now := f.find(c.ID); !now.IsParked() || now.FinishedAt != nil {
			f.Errorf("the parked change is %+v", now)
		}

		f.Write(func(tx store.Tx) error {
			_, err := f.jobs.Discard(f.Context(), tx.Unscoped(), tx.StoreID().String(), key)
			return err
		})

		if now := f.find(c.ID); !now.IsDiscarded() || now.IsParked() || now.FinishedAt == nil ||
			now.Changed != ChunkSize {
			f.Errorf("the discarded change is %+v", now)
		}

		f.Write(func(tx store.Tx) error { // somebody archives a product that the change did not reach
			if _, err := f.Products.ArchiveAll(f.Context(), tx, f.keys[2*ChunkSize:], time.Now()); err != nil {
				return err
			}
			undone, err := f.bulk.Undo(f.Context(), tx, c.ID, "undo")
			if undone.Changed != ChunkSize || undone.FinishedAt == nil {
				f.Errorf("the undo is %+v", undone)
			}
			return err
		})

		f.wantArchived(1)
	})
}

// A change whose retention is over takes its parked job with it.
func TestStart_deletesOldChangesWithTheirParkedJobs(t *testing.T) {
	eachEngine(t, ChunkSize+1, func(f *fixture) {
		c, err := f.start(Archive, Target{})
		if err != nil {
			f.Fatal(err)
		}

		f.park(c)
		f.Write(func(tx store.Tx) error {
			return database.Exec(f.Context(), tx, "UPDATE bulk_changes SET created_at = 1 WHERE store_id = $1")
		})
		f.keys = f.keys[:1]

		if _, err := f.start(Restore, Target{}); err != nil {
			f.Fatal(err)
		}
		if changes, parked := f.Count("bulk_changes"), f.Count("parked_jobs"); changes != 1 || parked != 0 {
			f.Errorf("%d changes and %d parked jobs are left, want 1 and 0", changes, parked)
		}
	})
}

// cell returns a cell of the i-th product, whose texts the test names.
func (f *fixture) cell(i int, variant int64, member, from, to string) catalog.Cell {
	return catalog.Cell{Product: f.keys[i], Variant: variant, Member: member, From: from, To: to}
}

// addVariants gives each product a variant with a price, of which a stock has 3, and returns the keys of the variants.
func (f *fixture) addVariants() (variants []int64, stock catalog.Stock) {
	f.Helper()
	stock = f.CreateStock("Main")
	f.Write(func(tx store.Tx) (err error) {
		variants = nil
		products, err := f.Products.ByKeys(f.Context(), tx, f.keys)
		if err != nil {
			return err
		}

		for _, p := range products {
			remainders := []catalog.RemainderEdit{{Stock: stock.ID, Quantity: 3000}}
			made, err := f.Products.CreateVariant(f.Context(), tx, p.ID, catalog.VariantEdit{SKU: new("A"),
				Price: new(money.NewPrice(100_000)), Remainders: &remainders}, nil)
			if err != nil {
				return err
			}

			v, _, err := f.Products.FindVariant(f.Context(), tx, p.ID, made, catalog.Live)
			if err != nil {
				return err
			}
			variants = append(variants, v.Key)
		}
		return nil
	})
	return variants, stock
}

// wantVariant checks what the only variant of the i-th product has: its SKU, its price, and what is left of it.
func (f *fixture) wantVariant(i int, want string) {
	f.Helper()
	f.Read(func(tx store.Tx) error {
		products, err := f.Products.ByKeys(f.Context(), tx, f.keys[i:i+1])
		if err != nil {
			return err
		}
		list, _, err := f.Products.ListVariants(f.Context(), tx, products[0], catalog.Live, 2, 0)
		if err != nil {
			return err
		}

		v := list[0]
		left := "not counted"
		if v.Available != nil {
			left = v.Available.Text()
		}
		if got := products[0].Name + " " + v.SKU + " " + v.Price.Text() + " " + left; got != want {
			f.Errorf("product %d is %q, want %q", i, got, want)
		}
		return nil
	})
}

// Cells of several products are changed together, and undone together. A cell that somebody else has changed stays as
// it is, both times.
func TestStartCells_changesAndUndoes(t *testing.T) {
	eachEngine(t, 3, func(f *fixture) {
		variants, stock := f.addVariants()
		main := catalog.StockMember(stock.ID)
		cells := []catalog.Cell{f.cell(0, 0, "name", "Product 0", "Boots"),
			f.cell(0, variants[0], "price", "10", "12.5"), f.cell(1, variants[1], main, "3", "7"),
			f.cell(1, variants[1], "sku", "A", "B"),
			f.cell(2, variants[2], "price", "11", "99"), // it is 10
			f.cell(2, variants[2], "sku", "A", "C"), f.cell(2, 1<<40, "sku", "A", "D")}

		var c Change
		f.Write(func(tx store.Tx) (err error) {
			c, err = f.bulk.StartCells(f.Context(), tx, "label", cells)
			return err
		})

		if c.Total != 7 || c.Done != 7 || c.Changed != 5 || c.FinishedAt == nil {
			f.Fatalf("the change is %+v", c)
		}

		f.wantVariant(0, "Boots A 12.5 3")
		f.wantVariant(1, "Product 1 B 10 7")
		f.wantVariant(2, "Product 2 C 10 3")

		f.Write(func(tx store.Tx) error { // somebody else
			_, err := f.Products.SetCells(f.Context(), tx, []catalog.Cell{f.cell(1, variants[1], "sku", "B", "E")})
			return err
		})
		f.Write(func(tx store.Tx) error {
			undone, err := f.bulk.Undo(f.Context(), tx, c.ID, "undo")
			if undone.Total != 5 || undone.Changed != 4 {
				f.Errorf("the undo is %+v", undone)
			}
			return err
		})

		f.wantVariant(0, "Product 0 A 10 3")
		f.wantVariant(1, "Product 1 E 10 3")
		f.wantVariant(2, "Product 2 A 10 3")
	})
}

// Many cells are left to a job.
func TestStartCells_leavesManyToAJob(t *testing.T) {
	eachEngine(t, ChunkSize+1, func(f *fixture) {
		var cells []catalog.Cell
		for i := range f.keys {
			cells = append(cells, f.cell(i, 0, "name", fmt.Sprintf("Product %d", i), "Boots"))
		}

		var c Change
		f.Write(func(tx store.Tx) (err error) {
			c, err = f.bulk.StartCells(f.Context(), tx, "label", cells)
			return err
		})
		if c.FinishedAt != nil {
			f.Fatalf("the change is %+v", c)
		}

		stop := f.Start(func(ctx context.Context) error { return f.jobs.Run(ctx) })
		f.Eventually("the change is finished", func() bool { return f.find(c.ID).FinishedAt != nil })
		stop()
		if now := f.find(c.ID); now.Changed != ChunkSize+1 || f.Count("products WHERE name = 'Boots'") != ChunkSize+1 {
			f.Errorf("the change is %+v", now)
		}
	})
}

// The text of a cell becomes what the product shows; one that breaks a rule is refused with the rule.
func TestCanonical(t *testing.T) {
	t.Parallel()
	stock := catalog.StockMember(id.New[catalog.Stock]())
	for _, test := range []struct {
		variant            int64
		member, text, want string
	}{
		{0, "name", " Boots ", "Boots"}, {0, "name", "", "!"}, {0, "price", "1", "!"},
		{1, "price", "9.90", "9.9"}, {1, "price", "", ""}, {1, "price", "-1", "!"}, {1, "price", "abc", "!"},
		{1, "sku", " A-1 ", "A-1"}, {1, "barcodes", "46|47", "46|47"}, {1, "weight", "1", "!"},
		{1, stock, "1.50", "1.5"}, {1, stock, "", "!"}, {1, stock, "-1", "!"}, {0, stock, "1", "!"},
		{1, "stock.x", "1", "!"},
	} {
		c, broken := catalog.Cell{Variant: test.variant, Member: test.member, To: test.text}.Canonical()
		got := c.To
		if broken != nil {
			got = "!"
		}

		if got != test.want {
			t.Errorf("%s %q: %q, want %q (%+v)", test.member, test.text, got, test.want, broken)
		}
	}
}
