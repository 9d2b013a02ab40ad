package demo

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// batchSize is the default number of products per transaction.
const batchSize = 1000

// writePause is the pause between two write transactions on SQLite. Another process that waits for the write lock
// retries every millisecond or two, and gets the lock only during such a pause.
const writePause = 5 * time.Millisecond

// Options are the parameters of Fill.
type Options struct {
	// Products is the number of products that the store should have: the first ones of the seed's catalogue.
	Products int
	Language Language // "" for English
	Seed     uint64
	// Progress, if not nil, is called with the number of products done or existing. The calls are serialized.
	Progress func(done int)

	// Pictures is how many products, from the first, should have images. Files stores the images.
	Pictures int
	Files    *imagefile.Files
	// PictureProgress, if not nil, is called with the number of products whose images are done. It is for products
	// that an earlier run has created without images.
	PictureProgress func(done int)

	// Stores, if not nil, adds price lists: old prices, which the store shows crossed out, and wholesale prices by
	// quantity, with a customer group that gets them. Products that exist already get no such prices.
	Stores *store.Service

	batch int // products per transaction; 0 for batchSize
}

// Report is the result of Fill.
type Report struct {
	Created  int // products created
	Existing int // products that existed before
	Variants int // variants of the products created
	Pictures int // images uploaded
	Sample   Sample
	// Wholesale is the customer group that gets the wholesale prices. It is zero without Options.Stores.
	Wholesale pricelist.GroupID
}

type demoFiller struct {
	db        *database.DB
	catalog   *catalog.Service
	storeID   store.ID
	generator *Generator
}

// Fill creates the first products of a seed's catalogue in a store, with the categories, stocks, features and options
// they refer to, and then adds images to the first products that have none. It finds the data of an earlier run by
// external id, attributes by name, and does not change it. Each batch of products is one transaction. After an error,
// including the end of ctx, the report covers what is committed, and another call continues.
func Fill(ctx context.Context, db *database.DB, c *catalog.Service, storeID store.ID, o Options) (Report, error) {
	if o.batch == 0 {
		o.batch = batchSize
	}
	o.Pictures = min(o.Pictures, o.Products)
	f := &demoFiller{db, c, storeID, NewGeneratorIn(o.Language, o.Seed)}
	refs, err := f.ensureReferences(ctx, o.Stores)
	if err != nil {
		return Report{}, err
	}
	report := Report{Sample: f.sample(refs), Wholesale: refs.wholesale}
	if err := f.createProducts(ctx, refs, o, &report); err != nil {
		return report, err
	}
	err = f.addPictures(ctx, o, &report)
	return report, err
}

// createProducts creates the products: one goroutine generates them, some draw their pictures, and another one writes
// them.
func (f *demoFiller) createProducts(ctx context.Context, refs *references, o Options, report *Report) error {
	batches := make(chan productBatch, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return f.generateBatches(ctx, refs, o, batches)
	})

	group.Go(func() error {
		for b := range batches {
			if err := f.writeBatch(ctx, o.Files, b, report); err != nil {
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

type productBatch struct {
	edits    []catalog.ProductEdit
	existing int // products of the batch that exist already
	// pictures are those of the first edits. Each channel gets them when they are drawn.
	pictures []<-chan drawnPictures
}

func (f *demoFiller) generateBatches(ctx context.Context, refs *references, o Options, out chan<- productBatch) error {
	drawers := newArtists(f.generator)
	defer drawers.wait()

	for first := 1; first <= o.Products; {
		last := min(first+o.batch-1, o.Products)
		if first <= o.Pictures {
			last = min(first+min(o.batch, pictureBatch)-1, o.Pictures)
		}
		existing, err := f.existingKeys(ctx, first, last)
		if err != nil {
			return err
		}

		b := productBatch{existing: len(existing), edits: make([]catalog.ProductEdit, 0, last-first+1-len(existing))}
		for i := first; i <= last; i++ {
			if _, exists := existing[f.generator.ExternalID(i)]; exists {
				continue
			}
			e := f.productEdit(refs, f.generator.Product(i))
			refs.lists.addListPrices(f.generator.vocabulary, i, &e)
			b.edits = append(b.edits, e)
			if i <= o.Pictures {
				b.pictures = append(b.pictures, drawers.draw(i))
			}
		}

		select {
		case out <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		first = last + 1
	}

	return nil
}

// existingKeys returns the row keys of the existing products from first to last, by external id.
func (f *demoFiller) existingKeys(ctx context.Context, first, last int) (keys map[string]int64, err error) {
	ids := make([]string, 0, last-first+1)
	for i := first; i <= last; i++ {
		ids = append(ids, f.generator.ExternalID(i))
	}
	err = f.db.Read(ctx, func(q database.Querier) error {
		keys, err = f.catalog.Products.KeysByExternalID(ctx, store.In(q, f.storeID), ids)
		return err
	})
	return keys, err
}

// writeBatch writes a batch with its pictures. It ignores the end of ctx, so that the report matches what is committed.
func (f *demoFiller) writeBatch(ctx context.Context, files *imagefile.Files, b productBatch, report *Report) error {
	ctx = context.WithoutCancel(ctx)
	drawn, err := receivePictures(b.pictures)
	if err != nil {
		return err
	}

	if len(b.edits) > 0 {
		pictures, err := f.storePictures(ctx, files, drawn)
		if err != nil {
			return err
		}

		err = f.db.WriteAlone(ctx, func(q database.Querier) error {
			tx := store.In(q, f.storeID)
			for i := range pictures {
				if err := pictures[i].attach(ctx, tx, f.catalog, &b.edits[i]); err != nil {
					return err
				}
			}
			_, err := f.catalog.Products.CreateAll(ctx, tx, b.edits)
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
	for _, d := range drawn {
		report.Pictures += len(d.pictures)
	}

	return nil
}

// throttle pauses after a write so that other processes can write, unless ctx ends.
func (f *demoFiller) throttle(ctx context.Context, wrote bool) error {
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

// Sample has the parameters of some requests worth trying: a department filtered by two colours and by weight, and a
// search. An id is zero if the store's feature with that name is not filterable in this way.
type Sample struct {
	Category catalog.CategoryID
	Colour   catalog.AttributeID
	Colours  []catalog.ValueID
	Weight   catalog.AttributeID
	PriceTo  int // in units of the catalogue's currency
	// Word says what a product is, in lower case.
	Word string
}

func (f *demoFiller) sample(refs *references) Sample {
	s := Sample{
		Category: refs.categories[f.generator.Categories()[0].ExternalID], PriceTo: f.generator.samplePrice,
	}
	if colour := refs.features[f.generator.colour]; colour.Filterable {
		s.Colour = colour.ID
		for _, name := range f.generator.sampleColours {
			s.Colours = append(s.Colours, colour.values[name])
		}
	}
	if weight := refs.features[f.generator.weight]; weight.Filterable && weight.FieldType == catalog.Range {
		s.Weight = weight.ID
	}
	s.Word = strings.ToLower(f.generator.Product(1).Noun)
	return s
}
