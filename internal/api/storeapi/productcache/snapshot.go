package productcache

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// listFromSnapshot writes a list on a snapshot: from the page tier, or else the result of find, with the products of
// the product tier. It adds to both tiers what they do not have. Neither tier has the prices of all price lists, which
// change without the versions of products if a list is deleted.
func (c *Cache) listFromSnapshot(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, list List,
	find findFunc,
) error {
	current, err := c.search.Versions(ctx, tx)
	if err != nil {
		return err
	}
	key := c.pageKey(r, list.Query, current.State)
	if !list.Parts.PriceLists && c.pages.respond(r, out, key, &list) {
		return nil
	}

	found, err := find(ctx, tx, current)
	if err != nil {
		return err
	}

	list.report(found.Total)
	read := c.newReader(r, list.Parts)
	read.render.beginList(list.Query, &found)
	switch {
	case list.Query.Archived != catalog.Live:
		read.which = catalog.AnyArchived
		read.render.archived = true
	case !list.Parts.PriceLists:
		if err := read.useCache(ctx, tx, c, current); err != nil {
			return err
		}
	}

	out.BeginData()
	out.B = append(out.B, '[')

	if err := read.writeList(ctx, tx, out, found.Keys); err != nil {
		return err
	}

	out.B = append(out.B, ']')
	endList(out, list.Page, &found)
	out.CacheTag = string(read.render.tags.text)

	if !found.Newer {
		c.products.putFacets(r, list.Query, current.State, found.facets)
		if !list.Parts.PriceLists {
			c.pages.put(out, key, read.render.dateSpans, found.Total)
		}
	}

	return out.Spill()
}

// productReader reads products of a transaction or a snapshot and writes them.
type productReader struct {
	request *httpapi.Request
	render  *productRenderer
	// which selects the variants that are read.
	which catalog.Archived
	// cached are the cached products of the store; nil if the cache is not used.
	cached *storeProducts
	state  search.State // of the snapshot, if the cache is used
	prices pricelist.Reader
}

// newReader returns a reader that does not use the cache. It is for transactions, which see their own changes.
func (c *Cache) newReader(r *httpapi.Request, parts view.Parts) *productReader {
	return &productReader{request: r, render: c.newRenderer(r, parts), which: catalog.Live,
		prices: PriceReader(r, parts.Prices)}
}

// useCache makes the reader use the product tier, on the snapshot of tx, whose versions are current.
func (d *productReader) useCache(ctx context.Context, tx store.Tx, c *Cache, current search.Versions) error {
	d.cached = c.products.of(tx.StoreID())
	d.state = current.State
	return d.cached.advance(ctx, tx, c.search, current)
}

// respond writes one product with its ETag.
func (d *productReader) respond(ctx context.Context, tx store.Tx, out *httpapi.Response, p catalog.Product) error {
	out.ETag = etagOf(d.request, p.Version, d.render.parts)
	out.BeginData()
	if err := d.writeList(ctx, tx, out, []int64{p.Key}); err != nil {
		return err
	}
	if d.request.Method == http.MethodGet {
		out.CacheTag = string(d.render.tags.text)
	}
	out.EndEnvelope()
	return nil
}

// writeList writes the products with these keys as the elements of a JSON array. Keys that do not exist are left out.
func (d *productReader) writeList(ctx context.Context, tx store.Tx, out *httpapi.Response, keys []int64) error {
	n := 0
	for len(keys) > 0 {
		batch, err := d.readBatch(ctx, tx, keys)
		if err != nil {
			return err
		}

		for _, p := range batch {
			if p == nil {
				continue
			}
			out.BeginItem(n)
			if err := d.render.writeProduct(out, p); err != nil {
				return err
			}
			n++
		}

		keys = keys[len(batch):]
	}

	return nil
}

// readBatch returns the first products with these keys: as many as may be in memory together, and nil for those that do
// not exist. Those that are not cached are read in one round trip and added to the cache. The renderer gets the names
// of everything that the products refer to.
func (d *productReader) readBatch(ctx context.Context, tx store.Tx, keys []int64) ([]*productParts, error) {
	batch := make([]*productParts, len(keys))
	if d.cached != nil {
		batch, _ = d.cached.find(d.state, newPriceKey(d.prices), keys, d.render.parts)
	}

	position := map[int64]int{}
	var missing []int64
	for i, key := range keys {
		if batch[i] == nil {
			position[key] = i
			missing = append(missing, key)
		}
	}

	parts := d.render.parts
	if d.cached != nil { // otherwise requests for different parts would evict each other's products
		parts = parts.Union(d.cached.cachedParts(newPriceKey(d.prices), missing))
	}

	var rows []view.ProductRows
	if len(missing) > 0 {
		var read int
		var err error
		if rows, read, err = view.ReadRows(ctx, tx, missing, parts, d.which); err != nil {
			return nil, err
		}
		if err := view.AddPrices(ctx, tx, rows, parts, d.prices); err != nil {
			return nil, err
		}
		if parts.PriceLists {
			if err := view.AddAllPrices(ctx, tx, rows); err != nil {
				return nil, err
			}
		}
		if read < len(missing) {
			batch = batch[:position[missing[read]]]
		}
	}

	if err := d.readNames(ctx, tx, batch, rows); err != nil {
		return nil, err
	}

	for i := range rows {
		p := newProductParts(&rows[i], parts, d.render.names)
		batch[position[rows[i].Key]] = p
		if d.cached != nil {
			p.state = d.state
			d.cached.put(rows[i].Key, newPriceKey(d.prices), p)
		}
	}

	return batch, nil
}

// readNames gives the renderer the names of everything that the products refer to: those that are cached, and those
// that have been read.
func (d *productReader) readNames(
	ctx context.Context, tx store.Tx, cached []*productParts, rows []view.ProductRows,
) (err error) {
	refs := nameRefs{map[int64]bool{}, map[catalog.ValueKeys]bool{}}
	for _, p := range cached {
		if p != nil {
			p.addRefs(refs, d.render.parts)
		}
	}
	for i := range rows {
		addRowRefs(refs, &rows[i])
	}
	if d.cached != nil {
		d.render.names, err = d.cached.readNames(ctx, tx, d.state, refs)
		return err
	}
	d.render.names = newNameTable(search.State{})
	return d.render.names.read(ctx, tx, refs)
}
