package demo

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

type pictureUpload struct {
	number  int // number of the product
	product catalog.ProductID
	files   [][]byte
}

// addPictures adds images to products that have none. One goroutine draws them, another one stores them.
func (f *demoFiller) addPictures(ctx context.Context, o Options, report *Report) error {
	uploads := make(chan pictureUpload, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(uploads)
		return f.drawPictures(ctx, o, uploads)
	})

	group.Go(func() error {
		for upload := range uploads {
			if err := f.uploadPictures(ctx, o.Files, upload); err != nil {
				return err
			}

			report.Pictures += len(upload.files)
			if o.PictureProgress != nil {
				o.PictureProgress(upload.number)
			}

			if err := f.throttle(ctx, true); err != nil {
				return err
			}
		}

		return nil
	})

	return group.Wait()
}

func (f *demoFiller) drawPictures(ctx context.Context, o Options, out chan<- pictureUpload) error {
	for first := 1; first <= o.Pictures; first += o.batch {
		last := min(first+o.batch-1, o.Pictures)
		missing, err := f.productsWithoutPictures(ctx, first, last)
		if err != nil {
			return err
		}

		for i := first; i <= last; i++ {
			product, wanted := missing[f.generator.ExternalID(i)]
			if !wanted {
				continue
			}
			files, err := f.generator.Pictures(i)
			if err != nil {
				return err
			}

			select {
			case out <- pictureUpload{i, product, files}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}

	return nil
}

// productsWithoutPictures returns the products from first to last that have no images, by external id.
func (f *demoFiller) productsWithoutPictures(
	ctx context.Context, first, last int,
) (map[string]catalog.ProductID, error) {
	existing, err := f.existingKeys(ctx, first, last)
	if err != nil {
		return nil, err
	}

	products := map[string]catalog.ProductID{}

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
				products[*p.ExternalID] = p.ID
			}
		}

		return nil
	})

	return products, err
}

// uploadPictures stores the images of a product and attaches them in one transaction. It ignores the end of ctx.
func (f *demoFiller) uploadPictures(ctx context.Context, files *imagefile.Files, upload pictureUpload) error {
	ctx = context.WithoutCancel(ctx)
	uploads := make([]imagefile.Upload, len(upload.files))
	for i, file := range upload.files {
		var err error
		if uploads[i], err = files.Store(ctx, f.storeID, bytes.NewReader(file)); err != nil {
			return err
		}
	}

	return f.db.Write(ctx, func(q database.Querier) error {
		tx := store.In(q, f.storeID)
		images := make([]catalog.ImageID, len(uploads))
		for i, u := range uploads {
			created, err := f.catalog.Images.Create(ctx, tx, u, catalog.ImageEdit{})
			if err != nil {
				return err
			}
			images[i] = created.ID
		}

		_, err := f.catalog.Products.Edit(ctx, tx, upload.product, catalog.ProductEdit{Images: &images}, nil)
		return err
	})
}
