package storeapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/httpapi"
	"vitrine/internal/locale"
	"vitrine/internal/search"
	"vitrine/internal/wire"
)

// listTries is how often a list is read anew because the catalogue moved on in between; the last time it may be newer than its products.
const listTries = 4

func (h products) list(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	with, err := r.With(append(allProductExtras(), "facets")...)
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
	for try := 1; ; try++ {
		err := r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
			found, err := h.search.Find(ctx, q, r.Principal.Store.ID, query, try == listTries)
			if err != nil {
				return err
			}
			return h.answerList(ctx, q, r, out, page, query, found, with)
		})
		if !errors.Is(err, search.ErrMoved) {
			return err
		}
	}
}

func (h products) answerList(ctx context.Context, q database.Querier, r *httpapi.Request, out *httpapi.Answer, page httpapi.Page, query search.Query, found search.Found, with httpapi.Extras) error {
	list, err := h.catalog.ProductsOf(ctx, q, r.Principal.Store.ID, found.Keys)
	if err != nil {
		return err
	}
	render := h.render(ctx, q, r, with)
	render.archived = query.Archived != catalog.Live
	out.Data()
	if err := render.list(out, list); err != nil {
		return err
	}
	if found.Facets == nil {
		out.Meta(page, found.Total)
		out.End()
		return nil
	}
	out.MetaWith(page, found.Total, "facets", func(b []byte) []byte {
		return appendFacets(b, found.Facets, r.Principal.Store.Language())
	})
	out.End()
	return out.Spill()
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
