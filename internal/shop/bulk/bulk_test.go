package bulk

import (
	"context"
	"fmt"
	"testing"
	"time"

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
