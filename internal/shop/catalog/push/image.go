package push

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// pushedImages holds the images that the items of a batch name and the images of the items' products. All are locked.
type pushedImages struct {
	storeID      store.ID
	byExternalID map[string]catalog.ImageID
	locked       map[catalog.ImageID]catalog.LockedImage
}

// find returns the image whose id or external id is text. An external id may look like an id; ids take precedence.
func (p *pushedImages) find(text string) (imageID catalog.ImageID, image catalog.LockedImage, found bool) {
	if imageID, err := id.Parse[imagefile.Image](text); err == nil {
		if image, found = p.locked[imageID]; found {
			return imageID, image, true
		}
	}
	imageID = p.byExternalID[text]
	image, found = p.locked[imageID]
	return imageID, image, found
}

// ownID returns the id of the image that an element of the list names: by its id, or by its address in this store, as
// an export does. It returns "" for the address of anything else, and for the address of another product's image.
func (p *pushedImages) ownID(im catalog.ImagePush, productKey int64) string {
	imageID, own := ownImage(im.URL, p.storeID)
	if im.ID != "" || !own {
		return im.ID
	}
	if image, found := p.locked[imageID]; !found || image.ProductKey != 0 && image.ProductKey != productKey {
		return ""
	}
	return imageID.String()
}

// lockImages finds the images that the items name, and locks them together with the images of the items' products. Lock
// order: images before products, since deleting an image locks the image first and then raises its product's version.
func (b *productPushes) lockImages(ctx context.Context) error {
	names := map[string]bool{}
	var products []int64
	for _, i := range b.changed {
		if b.items[i].Images == nil {
			continue
		}

		if key := b.outcomes[i].Key; key != 0 {
			products = append(products, key)
		}

		for _, im := range b.items[i].Images.List {
			if im.ID != "" {
				names[im.ID] = true
			} else if imageID, own := ownImage(im.URL, b.tx.StoreID()); own {
				names[imageID.String()] = true
			}
		}
	}

	b.images.storeID = b.tx.StoreID()
	ids, err := imageIDsOfProducts(ctx, b.tx, products)
	if err != nil {
		return err
	}
	if b.images.byExternalID, err = imagesByExternalID(ctx, b.tx, write.SortedStrings(names)); err != nil {
		return err
	}

	for name := range names {
		if imageID, err := id.Parse[imagefile.Image](name); err == nil {
			ids = append(ids, imageID)
		}
	}

	ids = slices.AppendSeq(ids, maps.Values(b.images.byExternalID))
	b.images.locked, err = catalog.LockImages(ctx, b.tx, catalog.DistinctIDs(ids))
	return err
}

// pushImages applies the pushed images to the products, which are locked, and queues the downloads.
func (b *productPushes) pushImages(ctx context.Context, at time.Time) error {
	galleries := map[int64]*galleryPush{}
	var keys []int64
	for _, w := range b.writes {
		if w.push.Images != nil {
			galleries[w.Product.Key] = newGalleryPush(w)
			keys = append(keys, w.Product.Key)
		}
	}

	if len(keys) == 0 {
		return nil
	}

	err := catalog.ShownImages(ctx, b.tx, b.tx.Dialect().ForUpdate, keys,
		func(im catalog.ShownImage) { galleries[im.ProductKey].addShown(im) })
	if err != nil {
		return err
	}

	err = catalog.SourcesOfProducts(ctx, b.tx, keys,
		func(src catalog.ImageSource) { galleries[src.ProductKey].addSource(src) })
	if err != nil {
		return err
	}

	changes := newImageChanges()
	for _, key := range keys {
		galleries[key].decide(b.s.Downloads, &b.images, changes)
	}

	if err := changes.save(ctx, b.tx, at, b.s.Now()); err != nil {
		return err
	}

	return b.s.Downloads.Add(ctx, b.tx, changes.requested)
}
