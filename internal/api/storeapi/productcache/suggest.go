package productcache

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// MaxSuggestions is the largest number of suggestions of a kind in a response.
const MaxSuggestions = 20

// suggestedParts are the parts of the products of suggestions.
func suggestedParts() view.Parts { return view.Parts{Images: true} }

// suggestionsSize estimates the memory of suggestions and their key, in bytes.
func suggestionsSize(key facetKey, s search.Suggestions) int {
	size := 300 + len(key.filter) + 8*len(s.Keys)
	for _, category := range s.Categories {
		size += 64 + len(category.Name) + len(category.Slug)
	}
	for _, value := range s.Values {
		size += 64 + len(value.Name)
	}
	if s.Text != nil {
		size += len(s.Text.Query) + len(s.Text.Corrected)
		for _, word := range s.Text.Dropped {
			size += 16 + len(word)
		}
	}
	return size
}

// findSuggestions returns at most query.Limit suggestions of each kind. Those of beginnings that somebody has typed
// before come from the cache: a single letter has many products, which take long to rank.
func (c *Cache) findSuggestions(
	r *httpapi.Request, query search.Query, atLeast search.State,
) (found search.Suggestions, state search.State, ok bool) {
	limit := int(query.Limit)
	if limit == 0 {
		return c.search.SuggestInMemory(r.Principal.Store.ID, query, atLeast)
	}

	state = atLeast
	found, ok = c.products.suggestions.Get(newFacetKey(r, query, atLeast))
	if !ok {
		query.Limit = MaxSuggestions
		if found, state, ok = c.search.SuggestInMemory(r.Principal.Store.ID, query, atLeast); !ok {
			return found, state, false
		}
		c.products.suggestions.Put(newFacetKey(r, query, state), found)
	}

	found.Keys = found.Keys[:min(len(found.Keys), limit)]
	found.Categories = found.Categories[:min(len(found.Categories), limit)]
	found.Values = found.Values[:min(len(found.Values), limit)]
	return found, state, true
}

// Suggest responds with what the store has for the beginning of a query: products, categories and values, at most
// query.Limit of each, and first the queries that the function writeQueries writes as the elements of a JSON array. It
// gets how the query was understood.
func (c *Cache) Suggest(
	w http.ResponseWriter, r *httpapi.Request, query search.Query,
	writeQueries func(b []byte, text *search.TextResult) []byte,
) error {
	current, err := c.versions(r)
	if err != nil {
		return err
	}

	var found search.Suggestions
	err = r.Compute(w, func(out *httpapi.Response) error {
		var state search.State
		var isReady bool
		if found, state, isReady = c.findSuggestions(r, query, current.State); !isReady {
			return errNotInMemory
		}
		cached := c.products.of(r.Principal.Store.ID)
		products, missing := cached.find(state, newPriceKey(PriceReader(r, false)), found.Keys, suggestedParts())
		if missing > 0 {
			return errNotInMemory
		}
		c.writeSuggestions(r, out, &found, products, writeQueries)
		return nil
	})
	if !errors.Is(err, errNotInMemory) {
		return err
	}

	admitSQL := func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassHeavy) }
	return c.search.Find(r.Context(), query, admitSQL, func(lookup search.Lookup) error {
		return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			current, err := c.search.Versions(ctx, tx)
			if err != nil {
				return err
			}
			if found.Result, err = lookup(ctx, tx, current); err != nil {
				return err
			}

			read := c.newReader(r, suggestedParts())
			if err := read.useCache(ctx, tx, c, current); err != nil {
				return err
			}
			products, err := read.readBatch(ctx, tx, found.Keys)
			if err != nil {
				return err
			}

			c.writeSuggestions(r, out, &found, products, writeQueries)
			return nil
		})
	})
}

// writeSuggestions writes suggestions with these products, of which those that are gone are nil.
func (c *Cache) writeSuggestions(
	r *httpapi.Request, out *httpapi.Response, found *search.Suggestions, products []*productParts,
	writeQueries func(b []byte, text *search.TextResult) []byte,
) {
	render := c.newRenderer(r, suggestedParts())
	out.CacheTag = change.ListTag
	out.BeginData()
	out.B = append(out.B, `{"queries":[`...)
	out.B = writeQueries(out.B, found.Text)

	out.B = append(out.B, `],"products":[`...)
	n := 0
	for _, p := range products {
		if p != nil {
			out.BeginItem(n)
			out.B = render.appendSuggestion(out.B, p)
			n++
		}
	}

	out.B = append(out.B, `],"categories":[`...)
	for i, category := range found.Categories {
		out.BeginItem(i)
		out.B = append(out.B, `{"id":"`...)
		out.B = category.ID.Append(out.B)
		out.B = wire.AppendString(append(out.B, `","name":`...), category.Name)
		out.B = category.Slug.AppendJSON(append(out.B, `,"slug":`...))
		out.B = strconv.AppendInt(append(out.B, `,"count":`...), category.Count, 10)
		out.B = append(out.B, '}')
	}

	out.B = append(out.B, `],"values":[`...)
	for i, value := range found.Values {
		out.BeginItem(i)
		out.B = append(out.B, `{"feature_id":"`...)
		out.B = value.FeatureID.Append(out.B)
		out.B = append(out.B, `","value_id":"`...)
		out.B = value.ValueID.Append(out.B)
		out.B = wire.AppendString(append(out.B, `","name":`...), value.Name)
		out.B = strconv.AppendInt(append(out.B, `,"count":`...), value.Count, 10)
		out.B = append(out.B, '}')
	}

	out.B = append(out.B, "]}"...)
	out.EndEnvelope()
}

// appendSuggestion appends a product as suggestions show it.
func (d *productRenderer) appendSuggestion(b []byte, p *productParts) []byte {
	b = append(b, `{"id":"`...)
	b = p.id.Append(b)
	b = wire.AppendString(append(b, `","name":`...), p.name)
	b = append(p.slug.AppendJSON(append(b, `,"slug":`...)), p.summary...)
	b = append(b, `,"image":`...)
	if len(p.images) == 0 {
		return append(b, "null}"...)
	}
	return append(appendImage(b, d.imageBaseURL, d.storeID, &p.images[0]), '}')
}
