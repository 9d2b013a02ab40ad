package export

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Exports reads the catalogue in the form in which it is pushed: by external ids, with all members of each item. So a
// push of an export changes nothing, and a push to an empty store makes an equal catalogue. A thing without an external
// id is left out, and so is one that refers to such a thing.
type Exports struct{ *catalog.Core }

// New returns the use cases of exports.
func New(c *catalog.Service) *Exports { return &Exports{c.Core()} }

const (
	// exportPageProducts and exportPageBytes limit the products that are in memory at once. Only the bytes of
	// descriptions and modifiers count.
	exportPageProducts = 500
	exportPageBytes    = 4 << 20
	// maxExportValues limits the values whose external ids are kept between pages.
	maxExportValues = 100_000
)

// errPageFull ends the reading of products when a page has exportPageBytes.
var errPageFull = errors.New("the page is full")

// ExportedProduct is a product of an export.
type ExportedProduct struct {
	catalog.ProductPush
	Key int64
	// Images are the images of the product in their order. An image that is still to be downloaded has a URL, any other
	// an image of the store.
	Images []ExportedImage
	// VariantImages are the images of the variants, by their index, in the same form. It is nil if no variant of the
	// product has ever had images.
	VariantImages [][]ExportedImage
	// Archived says that the product is archived. Its other members are empty then.
	Archived bool
	// LeftOut says that the product has no external id or refers to something without one. The ids of such things are
	// empty.
	LeftOut bool
}

// ExportedImage is an image of the store, or the URL of one that is not downloaded yet.
type ExportedImage struct {
	catalog.Image
	URL string
}

// OwnIDMark precedes ids of things that have no external id. No external id has it.
const OwnIDMark = "\x00"

// ProductSelection selects the products of an export.
type ProductSelection struct {
	// Keys are the row keys of the selected products, in ascending order. If it is nil, the live products are selected.
	Keys []int64
	// ChangedSince selects, if it is not 0, those products that were changed at that time or later, in microseconds;
	// archived ones, too.
	ChangedSince int64
	// RemovedSince adds, if it is not 0, the prices that were removed from lists at that time or later, in
	// microseconds: they have no amount.
	RemovedSince int64
	// OwnIDs exports things that have no external id under their own id, after OwnIDMark. Otherwise they are left out.
	OwnIDs bool
}

// Products calls fn for each selected product, in the order of their row keys. Products that do not exist are skipped.
// fn must not retain the product.
func (s *Exports) Products(
	ctx context.Context, tx store.Tx, sel ProductSelection, fn func(*ExportedProduct) error,
) (err error) {
	defer fault.AddContext(&err, "export products")

	names, err := readExportNames(ctx, tx, sel.OwnIDs)
	if err != nil {
		return err
	}

	r := &exportReader{tx: tx, names: names, pendingOptions: map[int64][]catalog.ReferencePush{},
		listPrices: map[int64][]catalog.ListPrice{}, removedSince: sel.RemovedSince,
		removedPrices: map[int64][]catalog.PriceStep{}, variantImages: map[int64][]placedImage{}}
	if r.pending, err = hasPending(ctx, tx); err != nil {
		return err
	}
	if r.hasListPrices, err = hasListPrices(ctx, tx); err != nil {
		return err
	}

	for after, keys := int64(0), sel.Keys; ; {
		page, more, err := r.readPage(ctx, sel, after, keys)
		if err != nil {
			return err
		}

		if len(page) > 0 {
			after = page[len(page)-1].Key
		}

		for len(page) > 0 {
			n, err := r.fill(ctx, page)
			if err != nil {
				return err
			}

			for i := range page[:n] {
				if err := fn(r.product(&page[i])); err != nil {
					return err
				}
			}

			page = page[n:]
		}

		if !more {
			return nil
		}

		if sel.Keys != nil {
			at, _ := slices.BinarySearch(sel.Keys, after+1)
			keys = sel.Keys[at:]
		}
	}
}

// exportReader reads pages of products.
type exportReader struct {
	tx    store.Tx
	names *exportNames
	// pending says that the store has pending references.
	pending bool
	// pendingOptions are the pending options of the variants of the page, by row key.
	pendingOptions map[int64][]catalog.ReferencePush
	// hasListPrices says that the store has prices in lists.
	hasListPrices bool
	// listPrices are the prices in lists of the variants of the page, by row key.
	listPrices map[int64][]catalog.ListPrice
	// removedSince is that of the selection. removedPrices are the steps without a price, by row key, some of which may
	// have one again.
	removedSince  int64
	removedPrices map[int64][]catalog.PriceStep
	// variantImages are the images of the variants of the page, by row key.
	variantImages map[int64][]placedImage
	out           ExportedProduct
}

// exportRow is a product with its links as row keys, its images and its pending references.
type exportRow struct {
	view.ProductRows
	images            []placedImage
	hasVariantImages  bool
	pendingCategories []string
	pendingCanonical  string // of them, the canonical one
	pendingFeatures   []catalog.ReferencePush
}

// placedImage is an image with its place in the gallery.
type placedImage struct {
	ExportedImage
	position, key int64
}

// compare orders images by their places. An image that is not downloaded yet follows those with the same position.
func (a placedImage) compare(b placedImage) int {
	return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(len(a.URL), len(b.URL)), cmp.Compare(a.key, b.key))
}

// product converts a row to the form in which it is pushed. The result is valid until the next call.
func (r *exportReader) product(p *exportRow) *ExportedProduct {
	out := &r.out
	*out = ExportedProduct{Key: p.Key, Archived: p.ArchivedAt != nil}
	out.ID = r.names.own(p.ExternalID, p.ID.String, &out.LeftOut)
	if out.Archived {
		return out
	}

	catalog.ProductScalars.Export(&out.ProductPush, &p.Product)
	out.Categories = new(r.names.categoriesOf(p, &out.LeftOut))
	out.CanonicalCategory = new(r.names.canonicalOf(p, &out.LeftOut))
	out.Features = new(r.names.valuesOf(p.FeatureKeys, p.pendingFeatures, &out.LeftOut))
	out.Modifiers = new(modifier.WithIDs(p.Modifiers))
	out.Images = exportedImages(p.images)

	out.Single = len(p.Variants) == 1 && p.Variants[0].ExternalID == nil
	variants := make([]catalog.VariantPush, len(p.Variants))
	for i := range p.Variants {
		v := &p.Variants[i]
		variants[i] = r.names.variantOf(v, out.Single, &out.LeftOut)
		variants[i].Options = new(r.names.valuesOf(p.OptionKeys[i], r.pendingOptions[v.Key], &out.LeftOut))
		variants[i].Prices = r.names.pricesOf(r.listPrices[v.Key], r.removedPrices[v.Key], &out.LeftOut)
	}

	if p.hasVariantImages {
		out.VariantImages = make([][]ExportedImage, len(p.Variants))
		for i := range p.Variants {
			out.VariantImages[i] = exportedImages(r.variantImages[p.Variants[i].Key])
		}
	}

	out.Variants = &variants
	return out
}

// exportedImages returns images in the order of their places.
func exportedImages(placed []placedImage) (list []ExportedImage) {
	slices.SortFunc(placed, placedImage.compare)
	for _, im := range placed {
		list = append(list, im.ExportedImage)
	}
	return list
}

// variantOf converts a variant, without its options. It sets leftOut if the variant cannot be exported.
func (n *exportNames) variantOf(v *catalog.Variant, single bool, leftOut *bool) catalog.VariantPush {
	var out catalog.VariantPush
	catalog.VariantScalars.Export(&out, v)
	if !single {
		out.ID = n.own(v.ExternalID, v.ID.String, leftOut)
	}

	remainders := make([]catalog.StockedPush, len(v.Remainders))
	for i, m := range v.Remainders {
		remainders[i] = catalog.StockedPush{Stock: n.stocks[m.StockID].id(leftOut), Quantity: m.Quantity}
	}
	slices.SortFunc(remainders, func(a, b catalog.StockedPush) int { return cmp.Compare(a.Stock, b.Stock) })
	out.Remainders = &remainders
	return out
}

// pricesOf returns the prices of a variant in lists, and those that were removed, sorted; nil if it has none. It sets
// leftOut if a list with a price has no external id.
func (n *exportNames) pricesOf(
	prices []catalog.ListPrice, removed []catalog.PriceStep, leftOut *bool,
) *[]catalog.PricedPush {
	var list []catalog.PricedPush
	for _, step := range removed {
		if slices.ContainsFunc(prices, func(p catalog.ListPrice) bool { return p.PriceStep == step }) {
			continue // it has a price again
		}
		if name := n.lists[step.ListKey]; name.text != "" {
			list = append(list, catalog.PricedPush{List: name.text, FromQuantity: step.FromQuantity})
		}
	}

	for _, p := range prices {
		if name, found := n.lists[p.ListKey]; found {
			list = append(list, catalog.PricedPush{List: name.id(leftOut), FromQuantity: p.FromQuantity,
				Price: money.NewPrice(p.Price)})
		}
	}
	if list == nil {
		return nil
	}
	slices.SortFunc(list, catalog.PricedPush.Compare)
	return &list
}
