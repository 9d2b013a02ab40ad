package catalog

import (
	"cmp"
	"slices"

	"vitrine/internal/shop/catalog/internal/write"
)

// galleryPush applies the pushed images of one product.
type galleryPush struct {
	w       *pushWrite
	shown   []*shownImage // in display order
	byKey   map[int64]*shownImage
	sources map[string]*imageSource // by URL
	// named holds the keys of the images that the list names by id. kept holds the keys of all images that stay.
	// requested holds the URLs to download.
	named, kept map[int64]bool
	requested   map[string]bool
}

func newGalleryPush(w *pushWrite) *galleryPush {
	return &galleryPush{
		w: w, byKey: map[int64]*shownImage{}, sources: map[string]*imageSource{},
		named: map[int64]bool{}, kept: map[int64]bool{}, requested: map[string]bool{},
	}
}

func (g *galleryPush) addShown(im shownImage) { g.shown, g.byKey[im.key] = append(g.shown, &im), &im }

// addSource adds an image source. A source whose image the product has lost is added without an image.
func (g *galleryPush) addSource(src imageSource) {
	if g.byKey[src.imageKey] == nil {
		src.imageKey = 0
	}
	g.sources[src.url] = &src
}

// decide adds the changes of this product to c, and a warning for each element of the list that is skipped.
func (g *galleryPush) decide(downloads *DownloadQueue, images *pushedImages, c *imageChanges) {
	slices.SortFunc(g.shown, func(a, b *shownImage) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.key, b.key))
	})
	push := g.w.push.Images
	list, replace, first := push.List, push.Mode != AddImages, int64(0)
	switch push.Mode {
	case RemoveImages:
		list = nil
	case AddImages:
		first = g.nextPosition()
	case ReplaceImages:
	}
	for n, im := range list {
		at, position := string(write.FieldPath("").Element("images", n)), first+int64(n)
		if imageID := images.ownID(im, g.w.Product.Key); imageID != "" {
			g.attachNamed(imageID, at, position, replace, images, c)
		} else {
			g.request(downloads, im.URL, at, position, replace)
		}
	}
	later := false
	for url := range g.requested {
		src := g.sources[url]
		src.owns = (src.owns || replace) && !g.named[src.imageKey]
		later = later || src.imageKey == 0
		c.requested = append(c.requested, src)
	}
	for _, im := range g.shown {
		if g.kept[im.key] {
			c.setPosition(im)
		}
	}
	if replace {
		g.removeOthers(later, int64(len(list)), c)
	}
}

// nextPosition returns the position after all images and image sources of the product.
func (g *galleryPush) nextPosition() int64 {
	next := int64(0)
	for _, im := range g.shown {
		next = max(next, im.position+1)
	}
	for _, src := range g.sources {
		next = max(next, src.position+1)
	}
	return next
}

// attachNamed attaches the image whose id or external id is text to the product.
func (g *galleryPush) attachNamed(
	text, at string, position int64, replace bool, images *pushedImages, c *imageChanges,
) {
	imageID, image, found := images.find(text)
	switch {
	case !found:
		g.w.outcome.warn(at, "unknown_image",
			"There is no image with this id in this store; it was passed over. Upload it first, or send its address.")
		return
	case image.productKey != 0 && image.productKey != g.w.Product.Key:
		g.w.outcome.warn(at, "image_taken",
			"This image belongs to another product; it was passed over. Upload it once more to have it here too.")
		return
	case image.productKey == 0:
		c.attached.Add(image.key, g.w.Product.Key)
		image.productKey = g.w.Product.Key
		images.locked[imageID] = image
		g.addShown(shownImage{key: image.key, productKey: g.w.Product.Key, position: position})
	}
	g.named[image.key] = true
	g.keep(image.key, position, replace)
}

// request requests a download from a URL, or adds a warning if the URL is not allowed.
func (g *galleryPush) request(downloads *DownloadQueue, given, at string, position int64, replace bool) {
	url, lane, err := downloads.checkURL(given)
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
		src = &imageSource{productKey: g.w.Product.Key, url: url, position: position, owns: true}
		g.sources[url] = src
	}
	src.lane, src.origin, src.fieldPath = lane, g.w.push.Origin, at
	if replace {
		src.position = position
	}
	if src.imageKey != 0 {
		g.keep(src.imageKey, position, replace)
	}
}

// keep marks an image of the product as one that stays. The image moves to position if the list replaces all images, or
// if the image was to be removed after the downloads. The first mention of an image in the list decides its position.
func (g *galleryPush) keep(key, position int64, replace bool) {
	im := g.byKey[key]
	if (replace || im.removeAfterDownload) && !g.kept[key] {
		im.position = position
	}
	im.removeAfterDownload = false
	g.kept[key] = true
}

// removeOthers removes the images that are not kept and the sources that are not requested. If later is set, the images
// are removed only when the downloads have ended, since a download may return the bytes of one of them. Until then,
// they take the positions from the given one on.
func (g *galleryPush) removeOthers(later bool, position int64, c *imageChanges) {
	for _, im := range g.shown {
		switch {
		case g.kept[im.key]:
		case later:
			im.removeAfterDownload, im.position = true, position
			position++
			c.setPosition(im)
		default:
			c.deletedImages = append(c.deletedImages, im.key)
		}
	}
	for url, src := range g.sources {
		if !g.requested[url] {
			c.deletedSources = append(c.deletedSources, src.key)
		}
	}
}
