package exchange

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// ExportParams are the parameters of an export.
type ExportParams struct {
	Entity string
	// ImageBaseURL is how the URLs of the store's images begin.
	ImageBaseURL string
	// ChangedSince is the Cursor of an earlier export. If it is not empty, only what changed since is exported, with
	// what was archived or deleted.
	ChangedSince string
	// Products are the row keys of the products to export, in ascending order; nil for all that are not archived.
	// Archived ones among them are left out.
	Products []int64
	// OwnIDs exports things that have no external id under their own id. Otherwise they are left out.
	OwnIDs bool
}

// Exported is the outcome of an export.
type Exported struct {
	// Lines is the number of lines.
	Lines int64
	// LeftOut is the number of things that have no line because they, or something that they refer to, have no external
	// id. For prices and remainders it is the number of the lines that are missing.
	LeftOut int64
	// Cursor is the value of ChangedSince for the next export.
	Cursor string
}

// Export writes an entity of the store as NDJSON, in the form in which it is pushed. tx must be a snapshot. The memory
// that Export uses does not depend on the number of items. It passes the text to write in parts, which write must not
// retain.
func (s *Exports) Export(
	ctx context.Context, tx store.Tx, params ExportParams, write func(part []byte) error,
) (_ Exported, err error) {
	defer fault.AddContext(&err, "export %s of store %s", params.Entity, tx.StoreID())

	w := &exportWriter{s: s, tx: tx, params: params, write: write}
	next := exportCursor{at: s.now()}
	if params.ChangedSince != "" {
		cursor, err := parseCursor(params.ChangedSince, tx.StoreID(), s.now())
		if err != nil {
			return Exported{}, err
		}
		w.since, w.changedSince = &cursor, cursor.changedSince()
	}

	if next.state, err = s.catalogExports.State(ctx, tx); err != nil {
		return Exported{}, err
	}

	w.Cursor = next.text(tx.StoreID())
	if err := w.deleted(ctx); err != nil { // first, since others may have got the slugs of what is gone
		return Exported{}, err
	}
	if err := w.items(ctx); err != nil {
		return Exported{}, err
	}

	return w.Exported, w.flush(0)
}

const (
	// exportPart is the size of the parts in which an export is written.
	exportPart = 64 << 10
	// maxExportLine is the size after which the values of an option or a feature go on in another line, since a push
	// limits the size of an item.
	maxExportLine = 48 << 20
)

// exportWriter writes the lines of an export.
type exportWriter struct {
	Exported
	s         *Exports
	tx        store.Tx
	params    ExportParams
	write     func(part []byte) error
	text      []byte
	lineBytes int // bytes of the current line that are written
	// since is the cursor of the earlier export, or nil for an export of everything. changedSince is its time.
	since        *exportCursor
	changedSince int64
}

// flush writes the text if it is longer than the given number of bytes.
func (w *exportWriter) flush(longer int) error {
	if len(w.text) <= longer {
		return nil
	}
	w.lineBytes += len(w.text)
	err := w.write(w.text)
	w.text = w.text[:0]
	return err
}

// endLine ends a line.
func (w *exportWriter) endLine() error {
	w.text = append(w.text, '\n')
	w.Lines++
	err := w.flush(exportPart)
	w.lineBytes = 0
	return err
}

// items writes the items of the entity.
func (w *exportWriter) items(ctx context.Context) (err error) {
	exports := w.s.catalogExports
	switch w.params.Entity {
	case VariantOptions:
		return exports.Attributes(ctx, w.tx, catalog.Option, w.changedSince, w.attribute)
	case Features:
		return exports.Attributes(ctx, w.tx, catalog.Feature, w.changedSince, w.attribute)
	case Categories:
		return exports.Categories(ctx, w.tx, w.changedSince, w.category)
	case Stocks:
		return exports.Stocks(ctx, w.tx, w.changedSince, w.stock)
	case PriceLists:
		return exports.PriceLists(ctx, w.tx, w.changedSince, w.priceList)
	}

	selected := export.ProductSelection{Keys: w.params.Products, OwnIDs: w.params.OwnIDs}
	if w.since != nil {
		if selected, err = exports.Changed(ctx, w.tx, w.since.state, w.changedSince); err != nil {
			return err
		}
		selected.RemovedSince = max(1, w.changedSince)
	}
	if selected.Keys != nil && len(selected.Keys) == 0 {
		return nil
	}

	return exports.Products(ctx, w.tx, selected, map[string]func(*export.ExportedProduct) error{
		Products: w.product, Prices: w.prices, Remainders: w.remainders,
	}[w.params.Entity])
}

// deleted writes what was deleted since an earlier export. Prices and remainders go with their products.
func (w *exportWriter) deleted(ctx context.Context) error {
	if w.since == nil || w.params.Entity == Prices || w.params.Entity == Remainders {
		return nil
	}
	return w.s.catalogExports.Deleted(ctx, w.tx, catalog.Entity(w.params.Entity), w.changedSince,
		func(id string) error { return w.mark(id, catalog.DeletedMark) })
}

func (w *exportWriter) mark(id string, mark catalog.Mark) error {
	w.text = item.AppendMark(w.text, id, mark)
	return w.endLine()
}

func (w *exportWriter) product(p *export.ExportedProduct) error {
	switch {
	case p.LeftOut && !p.Archived, p.Archived && w.params.Products != nil:
		w.LeftOut++
		return nil
	case p.Archived && p.ID == "":
		return nil
	case p.Archived:
		return w.mark(p.ID, catalog.ArchivedMark)
	}

	setExportedImages(w.tx.StoreID(), w.params.ImageBaseURL, p)
	w.text = item.AppendProduct(w.text, &p.ProductPush)
	return w.endLine()
}

// setExportedImages sets the images of a product and its variants to addresses from which another store can download
// them.
func setExportedImages(storeID store.ID, baseURL string, p *export.ExportedProduct) {
	p.ProductPush.Images = exportImages(storeID, baseURL, p.Images)
	for i, images := range p.VariantImages {
		(*p.Variants)[i].Images = exportImages(storeID, baseURL, images)
	}
}

// exportImages returns images as addresses.
func exportImages(storeID store.ID, baseURL string, images []export.ExportedImage) *catalog.ImagesPush {
	list := make([]catalog.ImagePush, len(images))
	for i := range images {
		im := &images[i]
		if list[i].URL = im.URL; im.URL == "" {
			list[i].URL = string(im.AppendPath([]byte(baseURL), storeID, imagefile.Original))
		}
	}
	return &catalog.ImagesPush{Mode: catalog.ReplaceImages, List: list}
}

// prices writes the prices of a product's variants. The variant of a product with single_variant has no line: it has no
// external id.
func (w *exportWriter) prices(p *export.ExportedProduct) error {
	if p.Variants == nil || p.Single {
		return nil
	}
	for _, v := range *p.Variants {
		if p.LeftOut {
			w.LeftOut += 1 + int64(len(orEmpty(v.Prices)))
			continue
		}

		if err := w.price(p, &v, catalog.PricedPush{Price: *v.Price}); err != nil {
			return err
		}

		for _, priced := range orEmpty(v.Prices) {
			if err := w.price(p, &v, priced); err != nil {
				return err
			}
		}
	}
	return nil
}

// price writes a price of a variant, itself or in a list.
func (w *exportWriter) price(p *export.ExportedProduct, v *catalog.VariantPush, priced catalog.PricedPush) error {
	w.text = item.AppendPrice(w.text, &catalog.PricePush{Variant: v.ID, Product: &p.ID, Price: priced.Price,
		List: priced.List, FromQuantity: priced.FromQuantity})
	return w.endLine()
}

func orEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// remainders writes the remainders of a product's variants, as prices does.
func (w *exportWriter) remainders(p *export.ExportedProduct) error {
	if p.Variants == nil || p.Single {
		return nil
	}

	for _, v := range *p.Variants {
		for _, m := range *v.Remainders {
			if p.LeftOut {
				w.LeftOut++
				continue
			}

			w.text = item.AppendRemainder(w.text,
				&catalog.RemainderPush{Variant: v.ID, Product: &p.ID, Stock: m.Stock, Quantity: m.Quantity})
			if err := w.endLine(); err != nil {
				return err
			}
		}
	}

	return nil
}

// attribute writes an option or a feature. Its values may take more than one line: see maxExportLine.
func (w *exportWriter) attribute(a *export.ExportedAttribute) error {
	if a.LeftOut {
		w.LeftOut++
		return nil
	}

	w.text = item.AppendAttribute(w.text, &a.AttributePush)
	n := 0

	leftOut, err := a.EachValue(func(v catalog.ValuePush) error {
		if w.lineBytes > maxExportLine {
			w.text = item.AppendEnd(w.text)
			if err := w.endLine(); err != nil {
				return err
			}
			w.text = item.AppendAttribute(w.text, &a.AttributePush)
			n = 0
		}

		w.text = item.AppendValue(w.text, n, v)
		n++
		return w.flush(exportPart)
	})
	if err != nil {
		return err
	}

	w.LeftOut += leftOut
	w.text = item.AppendEnd(w.text)
	return w.endLine()
}

func (w *exportWriter) category(c *export.ExportedCategory) error {
	if c.LeftOut {
		w.LeftOut++
		return nil
	}
	w.text = item.AppendCategory(w.text, &c.CategoryPush)
	return w.endLine()
}

func (w *exportWriter) stock(t *export.ExportedStock) error {
	if t.LeftOut {
		w.LeftOut++
		return nil
	}
	w.text = item.AppendStock(w.text, &t.StockPush)
	return w.endLine()
}

func (w *exportWriter) priceList(l *export.ExportedPriceList) error {
	if l.LeftOut {
		w.LeftOut++
		return nil
	}
	w.text = item.AppendPriceList(w.text, &l.PriceListPush)
	return w.endLine()
}
