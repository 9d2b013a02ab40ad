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

// breath is how long nothing is written between two transactions on SQLite: another process, which asks every millisecond or two, comes
// to write only then.
const breath = 5 * time.Millisecond

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
	Made     int // products
	Known    int // products that were there already
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
	g, err := f.prepare(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Sample: f.sample(g, o.Products)}
	if err := f.stock(ctx, g, o, &report); err != nil {
		return report, err
	}
	err = f.gallery(ctx, o, &report)
	return report, err
}

// stock makes the products: one goroutine draws them, another writes.
func (f *filler) stock(ctx context.Context, g *ground, o Options, report *Report) error {
	batches := make(chan batch, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return f.generate(ctx, g, o, batches)
	})
	group.Go(func() error {
		for b := range batches {
			if err := f.write(ctx, b, report); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(report.Made + report.Known)
			}
			if err := f.breathe(ctx, len(b.edits) > 0); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// batch is a run of products on their way into the store.
type batch struct {
	edits []catalog.ProductEdit
	known int // how many of the run are there already
}

// generate makes the products that the store does not have yet.
func (f *filler) generate(ctx context.Context, g *ground, o Options, to chan<- batch) error {
	for first := 1; first <= o.Products; first += o.batch {
		last := min(first+o.batch-1, o.Products)
		known, err := f.known(ctx, first, last)
		if err != nil {
			return err
		}
		b := batch{known: len(known), edits: make([]catalog.ProductEdit, 0, last-first+1-len(known))}
		for i := first; i <= last; i++ {
			if _, there := known[ExternalID(i)]; !there {
				b.edits = append(b.edits, f.edit(g, f.generator.Product(i)))
			}
		}
		select {
		case to <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// known returns the row keys of the products from first to last that the store has, by their external ids.
func (f *filler) known(ctx context.Context, first, last int) (keys map[string]int64, err error) {
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

// write writes a batch to its end, whatever becomes of ctx meanwhile: so the report tells exactly what is there.
func (f *filler) write(ctx context.Context, b batch, report *Report) error {
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
	report.Made += len(b.edits)
	report.Known += b.known
	for _, e := range b.edits {
		report.Variants += len(*e.Variants)
	}
	return nil
}

// breathe lets others write after something was written, unless ctx ends.
func (f *filler) breathe(ctx context.Context, wrote bool) error {
	if !wrote || f.db.Engine() != database.SQLite {
		return ctx.Err()
	}
	select {
	case <-time.After(breath):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
