package demo

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/picture"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// pictureBatch is how many products get their pictures in one transaction.
const pictureBatch = 20

// maxVariants is more than any product of the demo has. Variants of a product to which somebody added more get no
// pictures.
const maxVariants = 100

// storedPictures are pictures of a product whose bytes are stored.
type storedPictures struct {
	drawnPictures
	uploads []imagefile.Upload
}

// storePictures stores the pictures of some products.
func (f *demoFiller) storePictures(
	ctx context.Context, files *imagefile.Files, drawn []drawnPictures,
) ([]storedPictures, error) {
	var pictures []picture.Picture
	for _, d := range drawn {
		pictures = append(pictures, d.pictures...)
	}
	if len(pictures) == 0 {
		return nil, nil
	}
	uploads, err := files.StoreAll(ctx, f.storeID, pictures)
	if err != nil {
		return nil, err
	}

	stored := make([]storedPictures, len(drawn))
	for i, d := range drawn {
		stored[i] = storedPictures{d, uploads[:len(d.pictures)]}
		uploads = uploads[len(d.pictures):]
	}
	return stored, nil
}

// attach creates the images, and adds them to the edit of a product and to those of its variants by their external ids.
func (s *storedPictures) attach(
	ctx context.Context, tx store.Tx, c *catalog.Service, e *catalog.ProductEdit,
) error {
	images := make([]catalog.ImageID, len(s.uploads))
	for i, u := range s.uploads {
		created, err := c.Images.Create(ctx, tx, u, catalog.ImageEdit{Alt: new(&s.texts[i])})
		if err != nil {
			return err
		}
		images[i] = created.ID
	}

	e.Images = &images
	if e.Variants == nil {
		return nil
	}
	for i, v := range *e.Variants {
		if v.ExternalID == nil {
			continue
		}
		if shown, ok := s.variants[*v.ExternalID]; ok {
			(*e.Variants)[i].Images = &[]catalog.ImageID{images[shown]}
		}
	}
	return nil
}

// addPictures adds images to products that exist and have none. Several goroutines draw them, another one stores them
// in the order of the products.
func (f *demoFiller) addPictures(ctx context.Context, o Options, report *Report) error {
	batches := make(chan pictureEdits, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return f.drawMissing(ctx, o, batches)
	})

	group.Go(func() error {
		for b := range batches {
			if err := f.addBatch(ctx, o.Files, b, report); err != nil {
				return err
			}
			if o.PictureProgress != nil {
				o.PictureProgress(b.last)
			}
			if err := f.throttle(ctx, true); err != nil {
				return err
			}
		}

		return nil
	})

	return group.Wait()
}

// pictureEdits are products that get pictures. Each channel gets those of one product.
type pictureEdits struct {
	products []catalog.Product
	pictures []<-chan drawnPictures
	last     int // number of the last product
}

// drawMissing sends the products without images, in batches.
func (f *demoFiller) drawMissing(ctx context.Context, o Options, out chan<- pictureEdits) error {
	drawers := newArtists(f.generator)
	defer drawers.wait()

	for first := 1; first <= o.Pictures; first += o.batch {
		last := min(first+o.batch-1, o.Pictures)
		missing, err := f.productsWithoutPictures(ctx, first, last)
		if err != nil {
			return err
		}

		var b pictureEdits
		for i := first; i <= last; i++ {
			if p, wanted := missing[f.generator.ExternalID(i)]; wanted {
				b.products = append(b.products, p)
				b.pictures = append(b.pictures, drawers.draw(i))
				b.last = i
			}
			if len(b.products) == 0 || len(b.products) < pictureBatch && i < last {
				continue
			}

			select {
			case out <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
			b = pictureEdits{}
		}
	}

	return nil
}

// addBatch stores pictures and attaches them in one transaction. It ignores the end of ctx, as writeBatch does.
func (f *demoFiller) addBatch(ctx context.Context, files *imagefile.Files, b pictureEdits, report *Report) error {
	ctx = context.WithoutCancel(ctx)
	drawn, err := receivePictures(b.pictures)
	if err != nil {
		return err
	}
	pictures, err := f.storePictures(ctx, files, drawn)
	if err != nil {
		return err
	}

	err = f.db.Write(ctx, func(q database.Querier) error {
		tx := store.In(q, f.storeID)
		for i, p := range b.products {
			if err := f.editPictures(ctx, tx, p, pictures[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	for _, d := range drawn {
		report.Pictures += len(d.pictures)
	}
	return nil
}

// editPictures attaches pictures to a product that exists.
func (f *demoFiller) editPictures(ctx context.Context, tx store.Tx, p catalog.Product, s storedPictures) error {
	stored, total, err := f.catalog.Products.ListVariants(ctx, tx, p, catalog.Live, maxVariants, 0)
	if err != nil {
		return err
	}

	var e catalog.ProductEdit
	if total == int64(len(stored)) { // otherwise the edit would archive the rest
		variants := make([]catalog.VariantEdit, len(stored))
		for i, v := range stored {
			variants[i] = catalog.VariantEdit{ID: v.ID, ExternalID: v.ExternalID}
		}
		e.Variants = &variants
	}

	if err := s.attach(ctx, tx, f.catalog, &e); err != nil {
		return err
	}
	_, err = f.catalog.Products.Edit(ctx, tx, p.ID, e, nil)
	return err
}

// productsWithoutPictures returns the products from first to last that have no images, by external id.
func (f *demoFiller) productsWithoutPictures(
	ctx context.Context, first, last int,
) (map[string]catalog.Product, error) {
	existing, err := f.existingKeys(ctx, first, last)
	if err != nil {
		return nil, err
	}

	products := map[string]catalog.Product{}

	err = f.db.Snapshot(ctx, func(q database.Querier) error {
		clear(products)
		tx := store.In(q, f.storeID)
		batch, err := f.catalog.Products.ByKeys(ctx, tx, slices.Collect(maps.Values(existing)))
		if err != nil {
			return err
		}
		if err := f.catalog.Products.FillImages(ctx, tx, batch); err != nil {
			return err
		}

		for _, p := range batch {
			if len(p.Images) == 0 {
				products[*p.ExternalID] = p
			}
		}

		return nil
	})

	return products, err
}
