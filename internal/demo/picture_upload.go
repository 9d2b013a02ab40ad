package demo

import (
	"bytes"
	"context"
	"maps"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/demo/drawing"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

type pictureUpload struct {
	number  int // number of the product
	product catalog.ProductID
	files   [][]byte
	texts   []string // what the pictures show
	err     error
}

// addPictures adds images to products that have none. Several goroutines draw them, another one stores them in the
// order of the products.
func (f *demoFiller) addPictures(ctx context.Context, o Options, report *Report) error {
	uploads := make(chan chan pictureUpload, 4*drawingWorkers())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(uploads)
		return f.drawPictures(ctx, o, uploads)
	})

	group.Go(func() error {
		for drawn := range uploads {
			upload := <-drawn
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

// drawingWorkers returns how many products are drawn at once.
func drawingWorkers() int { return max(2, runtime.GOMAXPROCS(0)) }

// drawPictures sends a channel for each product without images. The channel gets the pictures when they are drawn.
func (f *demoFiller) drawPictures(ctx context.Context, o Options, out chan<- chan pictureUpload) error {
	var workers errgroup.Group
	workers.SetLimit(drawingWorkers())
	defer func() { _ = workers.Wait() }() // the workers return no errors
	studio := drawing.NewStudio()

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

			drawn := make(chan pictureUpload, 1)
			select {
			case out <- drawn:
			case <-ctx.Done():
				return ctx.Err()
			}
			workers.Go(func() error {
				drawn <- f.drawProduct(studio, i, product)
				return nil
			})
		}
	}

	return nil
}

func (f *demoFiller) drawProduct(studio *drawing.Studio, number int, product catalog.ProductID) pictureUpload {
	pictures := f.generator.Pictures(number)
	u := pictureUpload{number: number, product: product, files: make([][]byte, len(pictures))}
	for i, p := range pictures {
		u.texts = append(u.texts, f.generator.pictureText(number, p))
		if u.files[i], u.err = studio.Render(p); u.err != nil {
			break
		}
	}
	return u
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
	if upload.err != nil {
		return upload.err
	}
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
			created, err := f.catalog.Images.Create(ctx, tx, u, catalog.ImageEdit{Alt: new(&upload.texts[i])})
			if err != nil {
				return err
			}
			images[i] = created.ID
		}

		_, err := f.catalog.Products.Edit(ctx, tx, upload.product, catalog.ProductEdit{Images: &images}, nil)
		return err
	})
}
