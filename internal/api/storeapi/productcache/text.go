package productcache

import (
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/search"
)

// appendHighlights appends the member highlights of a product with this name. A nil h finds nothing.
func appendHighlights(b []byte, h *search.Highlights, name string) []byte {
	b = append(b, `,"highlights":[`...)
	if h == nil {
		return append(b, ']')
	}

	for i, found := range h.Of(name) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"field":"name","start":`...)
		b = strconv.AppendInt(b, int64(found.Start), 10)
		b = append(b, `,"length":`...)
		b = strconv.AppendInt(b, int64(found.Length), 10)
		b = append(b, '}')
	}

	return append(b, ']')
}

// endList writes the member meta of a list, and the end of the response.
func endList(out *httpapi.Response, page httpapi.Page, found *listResult) {
	out.AppendPageMeta(page, found.Total)
	add := func(name string, value []byte) { // inside the braces of meta
		out.B = append(out.B[:len(out.B)-1], `,"`...)
		out.B = append(append(out.B, name...), `":`...)
		out.B = append(append(out.B, value...), '}')
	}

	if len(found.facets) > 0 {
		add("facets", found.facets)
	}
	if found.Text != nil {
		add("search", appendTextResult(nil, found.Text))
	}
	out.EndEnvelope()
}

// appendTextResult appends how the words of a query were understood.
func appendTextResult(b []byte, t *search.TextResult) []byte {
	b = wire.AppendString(append(b, `{"query":`...), t.Query)
	b = wire.AppendString(append(b, `,"matched":`...), string(t.Matched))
	b = append(b, `,"corrected":`...)
	if t.Corrected == "" {
		b = append(b, "null"...)
	} else {
		b = wire.AppendString(b, t.Corrected)
	}

	b = append(b, `,"dropped":[`...)
	for i, word := range t.Dropped {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, word)
	}
	b = append(b, ']')

	if t.Limited {
		b = append(b, `,"limited":true`...)
	}
	return append(b, '}')
}
