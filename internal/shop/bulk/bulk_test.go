package bulk

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
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
