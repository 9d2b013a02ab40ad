package productcache

import (
	"errors"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	siteaddress "vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// productRenderer renders products as JSON, with the requested parts.
type productRenderer struct {
	storeID      store.ID
	dates        *locale.Dates
	imageBaseURL string // escaped for a JSON string
	parts        view.Parts
	names        *nameTable
	// archived says that each variant has the member archived_at.
	archived bool
	// remainders says that each variant has the member remainders.
	remainders bool
	// locks says that each product has the member locks.
	locks bool
	// dateSpans are the spans of the dates in the response buffer. They are valid until the buffer is spilled to a
	// file.
	dateSpans []dateSpan
	// tags are those of the response. A single product has the tags of its categories, too.
	tags   cacheTags
	isList bool
	// showsHighlights says that each product has the member highlights, with the words that highlights finds.
	showsHighlights bool
	highlights      *search.Highlights
	// jsonLD is the member jsonld of the only product; empty unless it was requested.
	jsonLD []byte
	// canonical says that each product has the member canonical_slug.
	canonical bool
}

// errNoName reports that the table of names does not have all names of a product.
var errNoName = errors.New("the name is not in the table")

func (c *Cache) newRenderer(r *httpapi.Request, parts view.Parts) *productRenderer {
	d := &productRenderer{storeID: r.Principal.Store.ID, dates: r.Dates(), parts: parts,
		remainders: ShowsRemainders(r), locks: showsLocks(r)}
	if parts.Images {
		d.imageBaseURL = quotedBaseURL(r, c.publicURL)
	}
	return d
}

// beginList makes the products those of a list.
func (d *productRenderer) beginList(query search.Query, found *listResult) {
	d.isList = true
	d.tags = listTags()
	d.setHighlights(query, found)
}

// quotedBaseURL returns the base URL of image files, escaped for a JSON string.
func quotedBaseURL(r *httpapi.Request, publicURL string) string {
	quoted := wire.AppendString(nil, r.BaseURL(publicURL))
	return string(quoted[1 : len(quoted)-1])
}

// setHighlights makes the products have highlights, if the query asks for them.
func (d *productRenderer) setHighlights(query search.Query, found *listResult) {
	d.showsHighlights = query.WithHighlights
	if found.Text != nil {
		d.highlights = found.Text.Highlights
	}
}

// ShowsRemainders reports whether the response shows what each stock has of a variant. Competitors could read it, so
// only secret keys see it, unless the store shows it to everybody.
func ShowsRemainders(r *httpapi.Request) bool {
	return r.Principal.Kind == access.SecretKey || r.Principal.Store.PublicRemainders
}

// showsLocks reports whether the response shows the locks of products, which concern only those who work in the shop.
func showsLocks(r *httpapi.Request) bool { return r.Principal.Kind == access.SecretKey }

// writeProduct writes a product. It returns errNoName if a name is not in the table, and has then written a part of
// the product.
func (d *productRenderer) writeProduct(out *httpapi.Response, p *productParts) error {
	d.tags.addProduct(p.head)
	out.B = append(out.B, p.head...)
	out.B = appendDateOrNull(out.B, d.dates, p.archivedAt)
	out.B = append(out.B, `,"created_at":`...)
	out.B = d.appendCacheableDate(out.B, p.createdAt)
	out.B = append(out.B, `,"updated_at":`...)
	out.B = d.appendCacheableDate(out.B, p.updatedAt)

	if d.locks {
		out.B = appendLocks(out.B, p.locks)
	}

	if err := d.writeReferences(out, p); err != nil {
		return err
	}

	if d.parts.Images {
		out.B = appendImages(out.B, d.imageBaseURL, d.storeID, p.images)
	}

	if d.parts.Modifiers {
		out.B = append(out.B, `,"modifiers":`...)
		out.B = append(out.B, p.modifiers...)
	}

	if d.parts.Variants {
		out.B = append(out.B, `,"variants":[`...)
		for i := range p.variants {
			out.BeginItem(i)
			if err := d.writeVariant(out, &p.variants[i]); err != nil {
				return err
			}
		}
		out.B = append(out.B, ']')
	}

	if d.showsHighlights {
		out.B = appendHighlights(out.B, d.highlights, p.name)
	}

	if d.canonical {
		out.B = p.slug.AppendJSON(append(out.B, `,"canonical_slug":`...))
	}

	if len(d.jsonLD) > 0 {
		out.B = append(append(out.B, `,"jsonld":`...), d.jsonLD...)
	}

	out.B = append(out.B, '}')
	return out.Spill()
}

// writeReferences writes the categories and features of a product.
func (d *productRenderer) writeReferences(out *httpapi.Response, p *productParts) error {
	var canonical categoryName
	if d.parts.Categories || d.parts.Breadcrumbs {
		var err error
		if canonical, err = d.canonicalOf(p); err != nil {
			return err
		}
	}

	if d.parts.Categories {
		out.B = append(out.B, `,"categories":[`...)
		n := 0
		for _, ref := range p.categories {
			c, ok := d.names.category(ref.key)
			if !ok {
				return errNoName
			}

			if c.stamp == ref.stamp && len(c.json) > 0 {
				out.BeginItem(n)
				out.B = append(out.B, c.json...)
				n++
				if !d.isList {
					d.tags.addCategory(c.json)
				}
			}
		}

		out.B = append(out.B, `],"canonical_category_id":`...)
		out.B = appendIDOrNull(out.B, canonical.json)
	}

	if d.parts.Breadcrumbs {
		out.B = append(append(append(out.B, `,"breadcrumbs":[`...), canonical.crumbs...), ']')
	}
	if !d.isList && (d.parts.Breadcrumbs || len(d.jsonLD) > 0) {
		for _, above := range canonical.above {
			d.tags.addCategoryID(above)
		}
	}

	if d.parts.Features {
		out.B = append(out.B, `,"features":[`...)
		if err := d.writeValues(out, p.features, true); err != nil {
			return err
		}
		out.B = append(out.B, ']')
	}

	return nil
}

// canonicalOf returns the canonical category of a product. It is empty if the product has no categories.
func (d *productRenderer) canonicalOf(p *productParts) (categoryName, error) {
	var best siteaddress.Canonical
	for _, ref := range p.categories {
		c, ok := d.names.category(ref.key)
		if !ok {
			return categoryName{}, errNoName
		}
		if c.stamp == ref.stamp && len(c.json) > 0 {
			best.Add(ref.key, len(c.above)+1, ref.key == p.canonical)
		}
	}
	c, _ := d.names.category(best.Key)
	return c, nil
}

// appendIDOrNull appends the id in the JSON of a category, or null for none.
func appendIDOrNull(b, json []byte) []byte {
	if len(json) == 0 {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), idOf(json)...), '"')
}

// writeValues writes features or options. Those that no longer exist are left out.
func (d *productRenderer) writeValues(out *httpapi.Response, list []valueRef, features bool) error {
	n := 0
	for _, ref := range list {
		a, v, exists, known := d.names.lookUp(ref.ValueKeys)
		if !known {
			return errNoName
		}
		if !exists || v.stamp != ref.stamp {
			continue
		}

		out.BeginItem(n)
		out.B = append(out.B, a.json...)
		out.B = append(out.B, v.json...)
		if features {
			out.B = append(out.B, `,"range_value":`...)
			out.B = append(out.B, v.rangeValue...)
		}

		out.B = append(out.B, "}}"...)
		n++
	}

	return nil
}

func (d *productRenderer) writeVariant(out *httpapi.Response, v *variantParts) error {
	out.B = append(out.B, v.head...)
	if err := d.writeValues(out, v.options, false); err != nil {
		return err
	}

	out.B = append(out.B, ']')
	if d.remainders {
		out.B = append(out.B, `,"remainders":[`...)
		out.B = append(out.B, v.remainders...)
		out.B = append(out.B, ']')
	}

	if d.parts.Images {
		out.B = appendImages(out.B, d.imageBaseURL, d.storeID, v.images)
	}
	if d.parts.Prices {
		out.B = append(out.B, v.prices...)
	}
	if d.parts.PriceLists {
		out.B = append(out.B, v.priceLists...)
	}

	if d.archived {
		out.B = append(out.B, `,"archived_at":`...)
		out.B = appendDateOrNull(out.B, d.dates, v.archivedAt)
	}

	out.B = append(out.B, '}')
	return out.Spill()
}

// appendCacheableDate appends a date and records its span for the page cache.
func (d *productRenderer) appendCacheableDate(b []byte, date time.Time) []byte {
	from := len(b)
	b = d.dates.AppendJSON(b, date)
	d.dateSpans = append(d.dateSpans, dateSpan{from, len(b), date})
	return b
}

func appendDateOrNull(b []byte, dates *locale.Dates, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return dates.AppendJSON(b, *t)
}

// appendImages appends the member images with the comma before it. base must be escaped for a JSON string.
func appendImages(b []byte, base string, storeID store.ID, images []catalog.Image) []byte {
	b = append(b, `,"images":[`...)
	for i := range images {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendImage(b, base, storeID, &images[i])
	}
	return append(b, ']')
}

// appendImage appends an image in the form that products contain. base must be escaped for a JSON string.
func appendImage(b []byte, base string, storeID store.ID, im *catalog.Image) []byte {
	b = append(b, `{"id":"`...)
	b = im.ID.Append(b)
	b = append(b, `","url":"`...)
	b = im.AppendPath(append(b, base...), storeID, imagefile.Original)
	b = append(b, `","width":`...)
	b = strconv.AppendInt(b, im.Width, 10)
	b = append(b, `,"height":`...)
	b = strconv.AppendInt(b, im.Height, 10)
	b = append(b, `,"thumbnails":{"small":"`...)
	b = im.AppendPath(append(b, base...), storeID, imagefile.Small)
	b = append(b, `","medium":"`...)
	b = im.AppendPath(append(b, base...), storeID, imagefile.Medium)
	b = append(b, `"},"srcset":[`...)

	for i, width := range imagefile.WidthsOf(im.Width) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"width":`...), width, 10)
		b = im.AppendPath(append(append(b, `,"url":"`...), base...), storeID, imagefile.Original)
		b = strconv.AppendInt(append(b, `?w=`...), width, 10)
		b = append(b, `"}`...)
	}

	b = append(b, `],"alt":`...)
	b = appendStringOrNull(b, im.Alt)
	b = append(b, `,"color":`...)
	if im.Color == "" {
		return append(b, "null}"...)
	}
	b = append(append(b, '"'), im.Color...)
	return append(b, `"}`...)
}
