package storeapi

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
)

func (h products) list(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	with, err := r.With(append(spec.ProductExtras(), "facets")...)
	if err != nil {
		return err
	}
	query, err := readProductQuery(r)
	if err != nil {
		return err
	}
	if query.Archived, err = archivedParam(r); err != nil {
		return err
	}
	query.WithFacets, query.Limit, query.Offset = with["facets"], page.PerPage, page.Offset()
	return h.search.Find(r.Context(), r.Principal.Store.ID, query, func(answer search.Answer) error {
		return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
			key, err := h.pageKey(ctx, q, r, query)
			if err != nil {
				return err
			}
			if kept := h.pages.get(key); kept != nil {
				kept.write(out, r.Dates())
				return nil
			}
			found, err := answer(ctx, q)
			if err != nil {
				return err
			}
			marks, err := h.answerList(ctx, q, r, out, page, query, found, with)
			if err == nil && int64(len(out.B)) == out.Len() && len(out.B) <= pageMost && key != (pageKey{}) && !found.Newer {
				h.pages.put(key, newProductPage(out.B, marks))
			}
			return err
		})
	})
}

// pageKey names the list that is asked for, at the state of the snapshot. It is zero for lists that are not kept.
func (h products) pageKey(ctx context.Context, q database.Querier, r *httpapi.Request, query search.Query) (pageKey, error) {
	if query.Archived != catalog.Live || len(r.URL.RawQuery) > pageQueryMost {
		return pageKey{}, nil
	}
	shop := r.Principal.Store
	state, err := h.search.State(ctx, q, shop.ID)
	return pageKey{shop.ID, shop.Version, state, h.imageBase(r), r.URL.RawQuery}, err
}

// answerList writes a page of products, and returns where its dates stand.
func (h products) answerList(ctx context.Context, q database.Querier, r *httpapi.Request, out *httpapi.Answer, page httpapi.Page, query search.Query, found search.Found, with httpapi.Extras) ([]dateMark, error) {
	list, err := h.catalog.Products.ByKeys(ctx, q, r.Principal.Store.ID, found.Keys)
	if err != nil {
		return nil, err
	}
	render := h.render(ctx, q, r, with)
	render.archived = query.Archived != catalog.Live
	out.Data()
	if err := render.list(out, list); err != nil {
		return nil, err
	}
	if found.Facets == nil {
		out.Meta(page, found.Total)
		out.End()
		return render.marks, nil
	}
	out.MetaWith(page, found.Total, "facets", func(b []byte) []byte {
		return appendFacets(b, found.Facets, r.Principal.Store.Language())
	})
	out.End()
	return render.marks, out.Spill()
}

func appendFacets(b []byte, f *search.Facets, language locale.Locale) []byte {
	b = append(b, `{"features":`...)
	b = appendList(b, f.Features, func(b []byte, one *search.Facet) []byte {
		b = appendFacetHead(b, one)
		b = append(b, `,"field_type":`...)
		b = appendChoice(b, language, "field_type", string(one.FieldType))
		b = appendFacetValues(b, one)
		return append(appendSpan(append(b, `,"range":`...), one.Range, appendFloat), '}')
	})
	b = append(b, `,"options":`...)
	b = appendList(b, f.Options, func(b []byte, one *search.Facet) []byte {
		return append(appendFacetValues(appendFacetHead(b, one), one), '}')
	})
	b = append(b, `,"categories":`...)
	b = appendList(b, f.Categories, func(b []byte, c *search.CategoryCount) []byte {
		b = append(b, `{"id":"`...)
		b = c.ID.Append(b)
		return appendCount(b, c.Name, c.Count)
	})
	b = append(b, `,"price":`...)
	return append(appendSpan(b, f.Price, func(b []byte, m catalog.Money) []byte { return appendMoney(b, &m) }), '}')
}

func appendList[T any](b []byte, list []T, one func(b []byte, v *T) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, &list[i])
	}
	return append(b, ']')
}

// appendFacetHead writes a facet up to its name and leaves it open.
func appendFacetHead(b []byte, f *search.Facet) []byte {
	b = append(b, `{"id":"`...)
	b = f.ID.Append(b)
	b = append(b, `","name":`...)
	return wire.AppendString(b, f.Name)
}

func appendFacetValues(b []byte, f *search.Facet) []byte {
	b = append(b, `,"values":`...)
	return appendList(b, f.Values, func(b []byte, v *search.ValueCount) []byte {
		b = append(b, `{"id":"`...)
		b = v.ID.Append(b)
		return appendCount(b, v.Name, v.Count)
	})
}

// appendCount writes the rest of what is counted, behind its id.
func appendCount(b []byte, name string, count int64) []byte {
	b = append(b, `","name":`...)
	b = wire.AppendString(b, name)
	b = append(b, `,"count":`...)
	return append(strconv.AppendInt(b, count, 10), '}')
}

func appendSpan[T any](b []byte, s *search.Span[T], one func([]byte, T) []byte) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	b = one(append(b, `{"min":`...), s.Min)
	return append(one(append(b, `,"max":`...), s.Max), '}')
}

func appendFloat(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', -1, 64) }
