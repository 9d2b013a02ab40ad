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

// pushedImages holds the images that the items of a batch name and the images of the items' products and their
// variants. All are locked.
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
		lists := imageLists(&b.items[i])
		if len(lists) == 0 {
			continue
		}

		if key := b.outcomes[i].Key; key != 0 {
			products = append(products, key)
		}

		for _, list := range lists {
			for _, im := range list.List {
				if im.ID != "" {
					names[im.ID] = true
				} else if imageID, own := ownImage(im.URL, b.tx.StoreID()); own {
					names[imageID.String()] = true
				}
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

// imageLists returns the lists of images that an item has: of its product and of variants.
func imageLists(p *catalog.ProductPush) (lists []*catalog.ImagesPush) {
	if p.Images != nil {
		lists = append(lists, p.Images)
	}
	for _, v := range write.OrEmpty(p.Variants) {
		if v.Images != nil {
			lists = append(lists, v.Images)
		}
	}
	return lists
}

// galleries returns the lists of images that the write changes: that of the product, then those of variants.
func (w *pushWrite) galleries() (list []*galleryPush) {
	if w.push.Images != nil {
		list = append(list, newGalleryPush(w, w.push.Images, w.Product.Key, 0, "images"))
	}
	for i, of := range w.variantsOfPlan {
		if v := (*w.push.Variants)[of]; v.Images != nil {
			list = append(list, newGalleryPush(w, v.Images, w.Product.Key, w.Plan.Sent[i].Key,
				w.push.VariantMember(of, "images")))
		}
	}
	return list
}

// pushImages applies the pushed images to the products, which are locked, and queues the downloads.
func (b *productPushes) pushImages(ctx context.Context, at time.Time) error {
	var all []*galleryPush
	byOwner := map[catalog.ImageOwner]*galleryPush{}
	var keys []int64
	for _, w := range b.writes {
		galleries := w.galleries()
		for _, g := range galleries {
			byOwner[g.owner] = g
		}
		if all = append(all, galleries...); len(galleries) > 0 {
			keys = append(keys, w.Product.Key)
		}
	}

	if len(keys) == 0 {
		return nil
	}

	err := catalog.Galleries(ctx, b.tx, b.tx.Dialect().ForUpdate, keys,
		func(owner catalog.ImageOwner, im catalog.ShownImage) {
			if g := byOwner[owner]; g != nil {
				g.addShown(im)
			}
		})
	if err != nil {
		return err
	}

	err = catalog.SourcesOfProducts(ctx, b.tx, keys, func(src catalog.ImageSource) {
		if g := byOwner[src.Owner()]; g != nil {
			g.addSource(src)
		}
	})
	if err != nil {
		return err
	}

	changes := newImageChanges()
	for _, g := range all {
		g.applyList(b.s.Downloads, &b.images)
	}
	for _, g := range all {
		if product := byOwner[catalog.ImageOwner{ProductKey: g.owner.ProductKey}]; product != nil && product != g {
			g.takeOver(product)
		}
	}
	for _, g := range all {
		g.addChanges(changes)
	}

	if err := changes.save(ctx, b.tx, at, b.s.Now()); err != nil {
		return err
	}

	return b.s.Downloads.Add(ctx, b.tx, changes.requested)
}
