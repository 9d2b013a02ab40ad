package push

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// galleryPush applies the pushed images of one product or variant.
type galleryPush struct {
	w     *pushWrite
	push  *catalog.ImagesPush
	owner catalog.ImageOwner
	path  rule.FieldPath        // of the list in the item
	shown []*catalog.ShownImage // in display order
	byKey map[int64]*catalog.ShownImage
	// sources are those of the owner, by URL.
	sources map[string]*catalog.ImageSource
	// named holds the keys of the images that the list names by id. kept holds the keys of all images that stay.
	// requested holds the URLs to download, and attached the images without an owner that the owner gets. takenOver are
	// the images of a product that it loses, and that a variant keeps.
	named, kept, attached, takenOver map[int64]bool
	requested                        map[string]bool
}

// newGalleryPush returns a galleryPush. variantKey is 0 for the list of a product.
func newGalleryPush(
	w *pushWrite, push *catalog.ImagesPush, productKey, variantKey int64, path string,
) *galleryPush {
	return &galleryPush{
		w: w, push: push, owner: catalog.ImageOwner{ProductKey: productKey, VariantKey: variantKey},
		path: rule.FieldPath(path), byKey: map[int64]*catalog.ShownImage{},
		sources: map[string]*catalog.ImageSource{}, named: map[int64]bool{}, kept: map[int64]bool{},
		attached: map[int64]bool{}, takenOver: map[int64]bool{}, requested: map[string]bool{},
	}
}

func (g *galleryPush) addShown(im catalog.ShownImage) {
	g.shown = append(g.shown, &im)
	g.byKey[im.Key] = &im
}

// addSource adds an image source. A source whose image the owner has lost is added without an image.
func (g *galleryPush) addSource(src catalog.ImageSource) {
	if g.byKey[src.ImageKey] == nil {
		src.ImageKey = 0
	}
	g.sources[src.URL] = &src
}

// list returns the images to have.
func (g *galleryPush) list() []catalog.ImagePush {
	if g.push.Mode == catalog.RemoveImages {
		return nil
	}
	return g.push.List
}

// replaces reports whether the images that are not in the list are removed.
func (g *galleryPush) replaces() bool { return g.push.Mode != catalog.AddImages }

// applyList decides which images stay, which are attached and which are downloaded. It adds a warning for each element
// of the list that is skipped.
func (g *galleryPush) applyList(downloads *catalog.DownloadQueue, images *pushedImages) {
	slices.SortFunc(g.shown, func(a, b *catalog.ShownImage) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Key, b.Key))
	})
	first := int64(0)
	if !g.replaces() {
		first = g.nextPosition()
	}

	for n, im := range g.list() {
		at := string(g.path.Index(n))
		position := first + int64(n)
		if imageID := images.ownID(im, g.owner.ProductKey); imageID != "" {
			g.attachNamed(imageID, at, position, images)
		} else {
			g.request(downloads, im.URL, at, position)
		}
	}
}

// takeOver keeps the images of the product that the variant has and that the product loses: the variant owns them then.
func (g *galleryPush) takeOver(product *galleryPush) {
	if !product.replaces() {
		return
	}
	for key := range g.kept {
		if was := product.byKey[key]; was != nil && !product.kept[key] && !product.takenOver[key] {
			product.takenOver[key] = true
			g.attached[key] = true
			g.byKey[key].VariantKey = g.owner.VariantKey
		}
	}
}

// addChanges adds the changes of the list to c.
func (g *galleryPush) addChanges(c *imageChanges) {
	for _, key := range slices.Sorted(maps.Keys(g.attached)) {
		c.attached.Add(key, g.owner.ProductKey, g.owner.VariantKey)
	}

	later := false
	for url := range g.requested {
		src := g.sources[url]
		src.Owns = (src.Owns || g.replaces()) && !g.named[src.ImageKey]
		later = later || src.ImageKey == 0
		c.requested = append(c.requested, src)
	}

	for _, im := range g.shown {
		if g.kept[im.Key] {
			c.setPosition(g.owner, im)
		}
	}

	if g.replaces() {
		g.removeOthers(later, int64(len(g.list())), c)
	}
}

// nextPosition returns the position after all images and image sources of the owner.
func (g *galleryPush) nextPosition() int64 {
	next := int64(0)
	for _, im := range g.shown {
		next = max(next, im.Position+1)
	}
	for _, src := range g.sources {
		next = max(next, src.Position+1)
	}
	return next
}

// attachNamed gives the owner the image whose id or external id is text. A variant may have images of its product.
func (g *galleryPush) attachNamed(text, at string, position int64, images *pushedImages) {
	imageID, image, found := images.find(text)
	switch {
	case !found:
		g.w.outcome.warn(at, "unknown_image",
			"There is no image with this id in this store; it was passed over. Upload it first, or send its address.")
		return
	case image.ProductKey != 0 && image.ProductKey != g.owner.ProductKey,
		image.VariantKey != 0 && image.VariantKey != g.owner.VariantKey:
		g.w.outcome.warn(at, "image_taken", "This image belongs to another product or variant; it was passed over. "+
			"Upload it once more to have it here too.")
		return
	case image.ProductKey == 0:
		g.attached[image.Key] = true
		image.ProductKey, image.VariantKey = g.owner.ProductKey, g.owner.VariantKey
		images.locked[imageID] = image
	}

	if g.byKey[image.Key] == nil {
		g.addShown(catalog.ShownImage{Key: image.Key, ProductKey: image.ProductKey, VariantKey: image.VariantKey,
			Position: position})
	}
	g.named[image.Key] = true
	g.keep(image.Key, position)
}

// request requests a download from a URL, or adds a warning if the URL is not allowed.
func (g *galleryPush) request(downloads *catalog.DownloadQueue, given, at string, position int64) {
	url, lane, err := downloads.CheckURL(given)
	if err != nil {
		g.w.outcome.warn(at, err.Code, "%s", err.Message)
		return
	}

	if g.requested[url] {
		return
	}

	g.requested[url] = true
	src := g.sources[url]
	if src == nil {
		src = &catalog.ImageSource{ProductKey: g.owner.ProductKey, VariantKey: g.owner.VariantKey, URL: url,
			Position: position, Owns: true}
		g.sources[url] = src
	}

	src.Lane = lane
	src.Origin = g.w.push.Origin
	src.FieldPath = at

	if g.replaces() {
		src.Position = position
	}

	if src.ImageKey != 0 {
		g.keep(src.ImageKey, position)
	}
}

// keep marks an image of the owner as one that stays. The image moves to position if the list replaces all images, or
// if the image was to be removed after the downloads. The first mention of an image in the list decides its position.
func (g *galleryPush) keep(key, position int64) {
	im := g.byKey[key]
	if (g.replaces() || im.RemoveAfterDownload) && !g.kept[key] {
		im.Position = position
	}
	im.RemoveAfterDownload = false
	g.kept[key] = true
}

// removeOthers removes the images that are not kept and the sources that are not requested. If later is set, the images
// are removed only when the downloads have ended, since a download may return the bytes of one of them. Until then,
// they take the positions from the given one on. An image that the owner does not own is only taken off its list.
func (g *galleryPush) removeOthers(later bool, position int64, c *imageChanges) {
	for _, im := range g.shown {
		switch {
		case g.kept[im.Key], g.takenOver[im.Key]:
		case later:
			im.RemoveAfterDownload = true
			im.Position = position
			position++
			c.setPosition(g.owner, im)
		case im.VariantKey == g.owner.VariantKey:
			c.deletedImages = append(c.deletedImages, im.Key)
		default:
			c.unlinked.Add(g.owner.VariantKey, im.Key)
		}
	}

	for url, src := range g.sources {
		if !g.requested[url] {
			c.deletedSources = append(c.deletedSources, src.Key)
		}
	}
}
