package httpapi

import (
	"context"
	"net/http"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// PageReader reads one page of a list. It returns the page's elements and the total number of elements.
type PageReader[Thing any] func(ctx context.Context, tx store.Tx, limit, offset int64) ([]Thing, int64, error)

// RespondListOf is RespondList for elements that are rendered as the JSON of a Shape.
func RespondListOf[Thing, Shape any](
	w http.ResponseWriter, r *Request, read PageReader[Thing], shape func(t *Thing) Shape,
) error {
	return RespondList(w, r, read, func(b []byte, t *Thing) []byte { return wire.AppendJSON(b, shape(t)) })
}

// RespondList responds with the page that the query parameters page and per_page name. render appends the JSON of one
// element. The caller reads all other query parameters, except with, for which List accepts no extras.
func RespondList[Thing any](
	w http.ResponseWriter, r *Request, read PageReader[Thing], render func(b []byte, t *Thing) []byte,
) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *Response) error {
		found, total, err := read(ctx, tx, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		out.BeginData()
		out.B = append(out.B, '[')
		for i := range found {
			out.BeginItem(i)
			out.B = render(out.B, &found[i])
			if err := out.Spill(); err != nil {
				return err
			}
		}
		out.B = append(out.B, ']')
		out.AppendPageMeta(page, total)
		out.EndEnvelope()
		return nil
	})
}
