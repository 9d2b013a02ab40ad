package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// Response is what a handler fills: a status, some headers, and the body. It is rendered whole before the first byte is sent, so
// that a slow client holds no connection to the database and an error is still an error.
type Response struct {
	*Buffer
	Status   int
	Location string
	ETag     string
	Type     string // of the body; application/json if empty
}

// tx returns the transaction of q on behalf of the principal's store.
func (r *Request) tx(q database.Querier) store.Tx { return store.In(q, r.Principal.Store.ID) }

// Read runs fn on the database and sends what it rendered. snapshot makes several statements see one state.
func (r *Request) Read(w http.ResponseWriter, snapshot bool, fn func(ctx context.Context, tx store.Tx, out *Response) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	out := &Response{Buffer: r.server.newBuffer(), Status: http.StatusOK}
	defer out.Close()
	read := r.server.DB.Read
	if snapshot {
		read = r.server.DB.Snapshot
	}
	if err := read(ctx, func(q database.Querier) error { return fn(ctx, r.tx(q), out) }); err != nil {
		return err
	}
	return r.send(w, out)
}

// Look runs fn on the database, for what an answer depends on and is not rendered from.
func (r *Request) Look(fn func(ctx context.Context, tx store.Tx) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	return r.server.DB.Read(ctx, func(q database.Querier) error { return fn(ctx, r.tx(q)) })
}

// Answer sends what fn renders without asking the database.
func (r *Request) Answer(w http.ResponseWriter, fn func(out *Response)) error {
	out := &Response{Buffer: r.server.newBuffer(), Status: http.StatusOK}
	defer out.Close()
	fn(out)
	return r.send(w, out)
}

// Write runs fn in one transaction with the record of its Idempotency-Key, if any, and sends what it rendered once that is durable.
// alone is for long work that should share its commit with nobody. fn may run more than once.
func (r *Request) Write(w http.ResponseWriter, body *Body, alone bool, fn func(ctx context.Context, tx store.Tx, out *Response) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), r.server.WriteDeadline)
	defer cancel()
	out := &Response{Buffer: r.server.newBuffer(), Status: http.StatusOK}
	defer out.Close()
	write := r.server.DB.Write
	if alone {
		write = r.server.DB.WriteAlone
	}
	work := func(q database.Querier) error {
		if err := out.Reset(); err != nil {
			return err
		}
		return fn(ctx, r.tx(q), out)
	}
	record, err := r.idempotent(body)
	if err != nil {
		return err
	}
	if record == nil {
		err = write(ctx, work)
	} else {
		err = write(ctx, func(q database.Querier) error { return record.run(ctx, q, out, work) })
		if errors.Is(err, database.ErrUnknownOutcome) {
			err = record.settle(r.Context(), out, err)
		}
	}
	if err != nil {
		return err
	}
	r.release()
	if record != nil && record.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	return r.send(w, out)
}

// Replay answers from memory if the request's Idempotency-Key was answered before, and reports whether it did. It is for work that is done
// before Write, which would otherwise be done again and could fail. From here on a second request with the key is told that this one runs.
func (r *Request) Replay(w http.ResponseWriter, body *Body) (bool, error) {
	record, err := r.idempotent(body)
	if record == nil || err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	out := &Response{Buffer: r.server.newBuffer()}
	defer out.Close()
	found := false
	err = r.server.DB.Read(ctx, func(q database.Querier) (err error) {
		found, err = record.replay(ctx, q, out)
		return err
	})
	if err != nil || !found {
		return false, err
	}
	r.release()
	w.Header().Set("Idempotent-Replayed", "true")
	return true, r.send(w, out)
}

// Data opens the envelope; End closes it.
func (a *Response) Data() { a.B = append(a.B, `{"data":`...) }

// End closes the envelope.
func (a *Response) End() { a.B = append(a.B, '}', '\n') }

// One writes the whole envelope of a single resource.
func (a *Response) One(v any) {
	a.Data()
	a.B = wire.AppendJSON(a.B, v)
	a.End()
}

// PageMeta is where in a list a page stands.
type PageMeta struct {
	_ struct{} `doc:"Where in the list this page stands."`

	CurrentPage int64 `json:"current_page" doc:"The number of this page, from 1." minimum:"1" example:"1"`
	PerPage     int64 `json:"per_page" doc:"How many elements a page has at most." minimum:"1" maximum:"250" example:"50"`
	LastPage    int64 `json:"last_page" doc:"The number of the last page; 1 when there is nothing. A page past it is empty." minimum:"1" example:"3"`
	Total       int64 `json:"total" doc:"How many elements the whole list has." minimum:"0" example:"107"`
}

// Meta returns where the page stands in a list of so many elements.
func (p Page) Meta(total int64) PageMeta {
	return PageMeta{CurrentPage: p.Number, PerPage: p.PerPage, LastPage: max(1, (total+p.PerPage-1)/p.PerPage), Total: total}
}

// Meta appends the meta of a page behind the list of data.
func (a *Response) Meta(p Page, total int64) { a.MetaOf(p.Meta(total)) }

// MetaOf appends a meta behind the list of data.
func (a *Response) MetaOf(meta any) {
	a.B = append(a.B, `,"meta":`...)
	a.B = wire.AppendJSON(a.B, meta)
}

// Item opens an element of a list: the comma before all but the first.
func (a *Response) Item(i int) {
	if i > 0 {
		a.B = append(a.B, ',')
	}
}

// send writes the answer, packed if the client likes.
func (r *Request) send(w http.ResponseWriter, out *Response) error {
	if err := out.settle(); err != nil {
		return err
	}
	// A list of lines may be empty, and says so by its type; any other success has something to say.
	if out.Len() == 0 && out.Type == "" && out.Status != http.StatusNoContent {
		return errors.New("the handler rendered no response")
	}
	h := w.Header()
	if out.Location != "" {
		h.Set("Location", out.Location)
	}
	if out.ETag != "" {
		h.Set("ETag", out.ETag)
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	if out.Type != "" {
		h.Set("Content-Type", out.Type)
	}
	if out.Len() == 0 {
		w.WriteHeader(out.Status)
		return nil
	}
	if out.Type == "" {
		h.Set("Content-Type", "application/json")
	}
	body, err := r.server.pack(w, r.Request, out.Len())
	if err != nil {
		return err
	}
	w.WriteHeader(out.Status)
	if out.file == nil {
		if _, err := body.Write(out.B); err != nil {
			panic(http.ErrAbortHandler)
		}
		return closeBody(body)
	}
	if _, err := io.Copy(body, out.Reader()); err != nil {
		// The status is out; only cutting the connection tells the client that this is not all.
		panic(http.ErrAbortHandler)
	}
	return closeBody(body)
}

// closeBody ends the body; one that could not be ended is cut, since the status is out.
func closeBody(body io.Closer) error {
	if err := body.Close(); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
