package demo

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// batchSize is how many products are written in one transaction.
const batchSize = 1000

// writePause is how long nothing is written between two transactions on SQLite: another process, which asks every millisecond or two, comes
// to write only then.
const writePause = 5 * time.Millisecond

// Options says how a store is filled.
type Options struct {
	// Products is how many the store shall have of the shop: the first so many.
	Products int
	Seed     uint64
	// Progress, if not nil, is told how many products are done, those that were there already too. It is called by one goroutine.
	Progress func(done int)

	// Pictures is how many of the products, the first ones, shall have pictures. Files takes them; it may be nil without any.
	Pictures int
	Files    *catalog.ImageFiles
	// PictureProgress is Progress for the pictures: it is told for how many products they are done.
	PictureProgress func(done int)

	batch int // how many products are written in one transaction; 0 for batchSize
}

// Report is what a run did.
type Report struct {
	Created  int // products
	Existing int // products that were there already
	Variants int // of the products made
	Pictures int // that were made, for whichever products
	Sample   Sample
}

// filler fills one store.
type filler struct {
	db        *database.DB
	catalog   *catalog.Service
	storeID   store.ID
	generator *Generator
}

// Fill brings the first products of a seed's shop into a store, with the categories, stocks, features and options that they need, then
// the pictures of some. What an earlier run has made is found by external ids, of attributes by their names, and left as it is; products
// that have a picture get none. The store is filled a batch at a time, each whole or not at all: after an error, that of an ended ctx
// too, the report tells what is done and another run goes on.
func Fill(ctx context.Context, db *database.DB, c *catalog.Service, storeID store.ID, o Options) (Report, error) {
	if o.batch == 0 {
		o.batch = batchSize
	}
	o.Pictures = min(o.Pictures, o.Products)
	f := &filler{db, c, storeID, NewGenerator(o.Seed)}
	refs, err := f.ensureReferences(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Sample: f.sample(refs, o.Products)}
	if err := f.createProducts(ctx, refs, o, &report); err != nil {
		return report, err
	}
	err = f.addPictures(ctx, o, &report)
	return report, err
}

// createProducts makes the products: one goroutine draws them, another writes.
func (f *filler) createProducts(ctx context.Context, refs *references, o Options, report *Report) error {
	batches := make(chan productBatch, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return f.generateBatches(ctx, refs, o, batches)
	})
	group.Go(func() error {
		for b := range batches {
			if err := f.writeBatch(ctx, b, report); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(report.Created + report.Existing)
			}
			if err := f.throttle(ctx, len(b.edits) > 0); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// productBatch is a run of products on their way into the store.
type productBatch struct {
	edits    []catalog.ProductEdit
	existing int // how many of the run are there already
}

// generateBatches makes the products that the store does not have yet.
func (f *filler) generateBatches(ctx context.Context, refs *references, o Options, out chan<- productBatch) error {
	for first := 1; first <= o.Products; first += o.batch {
		last := min(first+o.batch-1, o.Products)
		existing, err := f.existingKeys(ctx, first, last)
		if err != nil {
			return err
		}
		b := productBatch{existing: len(existing), edits: make([]catalog.ProductEdit, 0, last-first+1-len(existing))}
		for i := first; i <= last; i++ {
			if _, exists := existing[ExternalID(i)]; !exists {
				b.edits = append(b.edits, f.productEdit(refs, f.generator.Product(i)))
			}
		}
		select {
		case out <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// existingKeys returns the row keys of the products from first to last that the store has, by their external ids.
func (f *filler) existingKeys(ctx context.Context, first, last int) (keys map[string]int64, err error) {
	ids := make([]string, 0, last-first+1)
	for i := first; i <= last; i++ {
		ids = append(ids, ExternalID(i))
	}
	err = f.db.Read(ctx, func(q database.Querier) error {
		keys, err = f.catalog.ProductKeys(ctx, q, f.storeID, ids)
		return err
	})
	return keys, err
}

// writeBatch writes a batch to its end, whatever becomes of ctx meanwhile: so the report tells exactly what is there.
func (f *filler) writeBatch(ctx context.Context, b productBatch, report *Report) error {
	ctx = context.WithoutCancel(ctx)
	if len(b.edits) > 0 {
		err := f.db.WriteAlone(ctx, func(q database.Querier) error {
			_, err := f.catalog.CreateProducts(ctx, q, f.storeID, b.edits)
			return err
		})
		if err != nil {
			return err
		}
	}
	report.Created += len(b.edits)
	report.Existing += b.existing
	for _, e := range b.edits {
		report.Variants += len(*e.Variants)
	}
	return nil
}

// throttle lets others write after something was written, unless ctx ends.
func (f *filler) throttle(ctx context.Context, wrote bool) error {
	if !wrote || f.db.Engine() != database.SQLite {
		return ctx.Err()
	}
	select {
	case <-time.After(writePause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
