package httpapi

import (
	"context"
	"net/http"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// PageReader reads one page of a list. It returns the page's elements and the total number of elements.
type PageReader[Thing any] func(ctx context.Context, tx store.Tx, limit, offset int64) ([]Thing, int64, error)

// Filtered returns a PageReader that calls the function list with the filter f.
func Filtered[Filter, Thing any](
	f Filter, list func(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Thing, int64, error),
) PageReader[Thing] {
	return func(ctx context.Context, tx store.Tx, limit, offset int64) ([]Thing, int64, error) {
		return list(ctx, tx, f, limit, offset)
	}
}

// CursorReader reads the elements of a list after a position. It returns them and the position of the last of them, or
// 0 if the list has no more elements.
type CursorReader[Thing any] func(ctx context.Context, tx store.Tx, after, limit int64) ([]Thing, int64, error)

// AsJSON returns a render function for RespondList and RespondCursorList: it converts an element with shape and appends
// the JSON of the result.
func AsJSON[Thing, Shape any](shape func(t *Thing) Shape) func(b []byte, t *Thing) []byte {
	return func(b []byte, t *Thing) []byte { return wire.AppendJSON(b, shape(t)) }
}

// RespondList responds with the page that the query parameters page and per_page select. render appends the JSON of one
// element. RespondList refuses any extra in the query parameter "with". The caller reads all other parameters.
func RespondList[Thing any](
	w http.ResponseWriter, r *Request, read PageReader[Thing], render func(b []byte, t *Thing) []byte,
	extras ...string,
) error {
	page := r.Query.Page()
	r.Query.Extras(extras...)
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *Response) error {
		if err := r.Work.HeavyAfter(page); err != nil {
			return err
		}
		list, total, err := read(ctx, tx, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		return writeList(out, list, render, func() { out.AppendPageMeta(page, total) })
	})
}

// RespondCursorList responds with the elements of a list after the cursor c. snapshot is passed to [Request.Read].
func RespondCursorList[Thing any](
	w http.ResponseWriter, r *Request, c Cursor, snapshot bool, read CursorReader[Thing],
	render func(b []byte, t *Thing) []byte,
) error {
	return r.Read(w, snapshot, func(ctx context.Context, tx store.Tx, out *Response) error {
		list, next, err := read(ctx, tx, c.At, c.PerPage)
		if err != nil {
			return err
		}
		return writeList(out, list, render, func() { out.appendCursorMeta(c, next) })
	})
}

// WritePage writes the envelope of one page of a list. The parameter all is the complete list.
func WritePage[Thing any](
	out *Response, page Page, all []Thing, render func(b []byte, t *Thing) []byte,
) error {
	total := int64(len(all))
	// Pages after the last one are empty. Their offset may overflow, so it is not computed.
	from, to := total, total
	if page.Number <= page.Meta(total).LastPage {
		from = page.Offset()
		to = min(total, from+page.PerPage)
	}
	return writeList(out, all[from:to], render, func() { out.AppendPageMeta(page, total) })
}

// writeList writes the envelope of a list. appendMeta appends its member meta.
func writeList[Thing any](
	out *Response, list []Thing, render func(b []byte, t *Thing) []byte, appendMeta func(),
) error {
	out.BeginData()
	out.B = append(out.B, '[')
	for i := range list {
		out.BeginItem(i)
		out.B = render(out.B, &list[i])
		if err := out.Spill(); err != nil {
			return err
		}
	}
	out.B = append(out.B, ']')
	appendMeta()
	out.EndEnvelope()
	return nil
}
