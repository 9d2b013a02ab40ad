package push

import (
	"cmp"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// galleryPush applies the pushed images of one product.
type galleryPush struct {
	w       *pushWrite
	shown   []*catalog.ShownImage // in display order
	byKey   map[int64]*catalog.ShownImage
	sources map[string]*catalog.ImageSource // by URL
	// named holds the keys of the images that the list names by id. kept holds the keys of all images that stay.
	// requested holds the URLs to download.
	named, kept map[int64]bool
	requested   map[string]bool
}

func newGalleryPush(w *pushWrite) *galleryPush {
	return &galleryPush{
		w: w, byKey: map[int64]*catalog.ShownImage{}, sources: map[string]*catalog.ImageSource{},
		named: map[int64]bool{}, kept: map[int64]bool{}, requested: map[string]bool{},
	}
}

func (g *galleryPush) addShown(im catalog.ShownImage) {
	g.shown = append(g.shown, &im)
	g.byKey[im.Key] = &im
}

// addSource adds an image source. A source whose image the product has lost is added without an image.
func (g *galleryPush) addSource(src catalog.ImageSource) {
	if g.byKey[src.ImageKey] == nil {
		src.ImageKey = 0
	}
	g.sources[src.URL] = &src
}

// decide adds the changes of this product to c, and a warning for each element of the list that is skipped.
func (g *galleryPush) decide(downloads *catalog.DownloadQueue, images *pushedImages, c *imageChanges) {
	slices.SortFunc(g.shown, func(a, b *catalog.ShownImage) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Key, b.Key))
	})
	push := g.w.push.Images
	list := push.List
	replace := push.Mode != catalog.AddImages
	first := int64(0)

	switch push.Mode {
	case catalog.RemoveImages:
		list = nil
	case catalog.AddImages:
		first = g.nextPosition()
	case catalog.ReplaceImages:
	}

	for n, im := range list {
		at := string(rule.FieldPath("").Element("images", n))
		position := first + int64(n)
		if imageID := images.ownID(im, g.w.Product.Key); imageID != "" {
			g.attachNamed(imageID, at, position, replace, images, c)
		} else {
			g.request(downloads, im.URL, at, position, replace)
		}
	}

	later := false
	for url := range g.requested {
		src := g.sources[url]
		src.Owns = (src.Owns || replace) && !g.named[src.ImageKey]
		later = later || src.ImageKey == 0
		c.requested = append(c.requested, src)
	}

	for _, im := range g.shown {
		if g.kept[im.Key] {
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
		next = max(next, im.Position+1)
	}
	for _, src := range g.sources {
		next = max(next, src.Position+1)
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
	case image.ProductKey != 0 && image.ProductKey != g.w.Product.Key:
		g.w.outcome.warn(at, "image_taken",
			"This image belongs to another product; it was passed over. Upload it once more to have it here too.")
		return
	case image.ProductKey == 0:
		c.attached.Add(image.Key, g.w.Product.Key)
		image.ProductKey = g.w.Product.Key
		images.locked[imageID] = image
		g.addShown(catalog.ShownImage{Key: image.Key, ProductKey: g.w.Product.Key, Position: position})
	}

	g.named[image.Key] = true
	g.keep(image.Key, position, replace)
}

// request requests a download from a URL, or adds a warning if the URL is not allowed.
func (g *galleryPush) request(downloads *catalog.DownloadQueue, given, at string, position int64, replace bool) {
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
		src = &catalog.ImageSource{ProductKey: g.w.Product.Key, URL: url, Position: position, Owns: true}
		g.sources[url] = src
	}

	src.Lane = lane
	src.Origin = g.w.push.Origin
	src.FieldPath = at

	if replace {
		src.Position = position
	}

	if src.ImageKey != 0 {
		g.keep(src.ImageKey, position, replace)
	}
}

// keep marks an image of the product as one that stays. The image moves to position if the list replaces all images, or
// if the image was to be removed after the downloads. The first mention of an image in the list decides its position.
func (g *galleryPush) keep(key, position int64, replace bool) {
	im := g.byKey[key]
	if (replace || im.RemoveAfterDownload) && !g.kept[key] {
		im.Position = position
	}
	im.RemoveAfterDownload = false
	g.kept[key] = true
}

// removeOthers removes the images that are not kept and the sources that are not requested. If later is set, the images
// are removed only when the downloads have ended, since a download may return the bytes of one of them. Until then,
// they take the positions from the given one on.
func (g *galleryPush) removeOthers(later bool, position int64, c *imageChanges) {
	for _, im := range g.shown {
		switch {
		case g.kept[im.Key]:
		case later:
			im.RemoveAfterDownload = true
			im.Position = position
			position++
			c.setPosition(im)
		default:
			c.deletedImages = append(c.deletedImages, im.Key)
		}
	}

	for url, src := range g.sources {
		if !g.requested[url] {
			c.deletedSources = append(c.deletedSources, src.Key)
		}
	}
}
