package demo

import (
	"bytes"
	"context"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
)

// hanging are the pictures of a product on their way into the store.
type hanging struct {
	number  int // of the product
	product catalog.ProductID
	files   [][]byte
}

// gallery gives pictures to those of the first products that have none.
func (f *filler) gallery(ctx context.Context, o Options, report *Report) error {
	drawn := make(chan hanging, 2)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(drawn)
		return f.paint(ctx, o, drawn)
	})
	group.Go(func() error {
		for h := range drawn {
			if err := f.hang(ctx, o.Files, h); err != nil {
				return err
			}
			report.Pictures += len(h.files)
			if o.PictureProgress != nil {
				o.PictureProgress(h.number)
			}
			if err := f.breathe(ctx, true); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// paint draws the pictures of the products that have none.
func (f *filler) paint(ctx context.Context, o Options, to chan<- hanging) error {
	for first := 1; first <= o.Pictures; first += o.batch {
		last := min(first+o.batch-1, o.Pictures)
		bare, err := f.bare(ctx, first, last)
		if err != nil {
			return err
		}
		for i := first; i <= last; i++ {
			product, wanted := bare[ExternalID(i)]
			if !wanted {
				continue
			}
			files, err := f.generator.Pictures(i)
			if err != nil {
				return err
			}
			select {
			case to <- hanging{i, product, files}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// bare returns the products from first to last that have no pictures, by their external ids.
func (f *filler) bare(ctx context.Context, first, last int) (map[string]catalog.ProductID, error) {
	known, err := f.known(ctx, first, last)
	if err != nil {
		return nil, err
	}
	keys := make([]int64, 0, len(known))
	for _, key := range known {
		keys = append(keys, key)
	}
	bare := map[string]catalog.ProductID{}
	err = f.db.Snapshot(ctx, func(q database.Querier) error {
		clear(bare)
		products, err := f.catalog.ProductsOf(ctx, q, f.storeID, keys)
		if err != nil {
			return err
		}
		if err := f.catalog.FillImages(ctx, q, f.storeID, products); err != nil {
			return err
		}
		for _, p := range products {
			if len(p.Images) == 0 {
				bare[*p.ExternalID] = p.ID
			}
		}
		return nil
	})
	return bare, err
}

// hang stores the pictures of a product and attaches them, all of them or none, whatever becomes of ctx meanwhile.
func (f *filler) hang(ctx context.Context, files *catalog.ImageFiles, h hanging) error {
	ctx = context.WithoutCancel(ctx)
	uploads := make([]catalog.Upload, len(h.files))
	for i, file := range h.files {
		var err error
		if uploads[i], err = files.Store(ctx, f.storeID, bytes.NewReader(file)); err != nil {
			return err
		}
	}
	return f.db.Write(ctx, func(q database.Querier) error {
		images := make([]catalog.ImageID, len(uploads))
		for i, u := range uploads {
			made, err := f.catalog.CreateImage(ctx, q, f.storeID, u, catalog.ImageEdit{})
			if err != nil {
				return err
			}
			images[i] = made.ID
		}
		_, err := f.catalog.EditProduct(ctx, q, f.storeID, h.product, catalog.ProductEdit{Images: &images}, nil)
		return err
	})
}
