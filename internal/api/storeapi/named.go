package storeapi

import (
	"context"
	"io"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// namedThings are the handlers of categories and of stocks: a Thing is a name and perhaps an external id, an Edit is what
// a body says of one, and a Shape is its JSON.
type namedThings[Thing, Edit, Shape any] struct {
	noun string
	path string // of the list

	read  func(body io.Reader) (Edit, error)
	shape func(t *Thing, dates *locale.Dates) Shape
	tag   func(t *Thing) (id.Of[Thing], int64) // its id and version
	uses  namedUses[Thing, Edit]
}

// namedUses are the use-cases behind the handlers.
type namedUses[Thing, Edit any] struct {
	// list reads the filters of the query and returns what reads a page of what they leave.
	list   func(r *httpapi.Request) (httpapi.PageReader[Thing], error)
	one    func(context.Context, store.Tx, id.Of[Thing]) (Thing, error)
	create func(context.Context, store.Tx, Edit) (Thing, error)
	edit   func(context.Context, store.Tx, id.Of[Thing], Edit, fault.Precondition) (Thing, error)
	delete func(context.Context, store.Tx, id.Of[Thing], fault.Precondition) error
}

func (h namedThings[Thing, Edit, Shape]) list(w http.ResponseWriter, r *httpapi.Request) error {
	read, err := h.uses.list(r)
	if err != nil {
		return err
	}
	dates := r.Dates()
	return httpapi.ListOf(w, r, read, func(t *Thing) Shape { return h.shape(t, dates) })
}

func (h namedThings[Thing, Edit, Shape]) one(w http.ResponseWriter, r *httpapi.Request) error {
	thingID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.With(); err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.uses.one(ctx, tx, thingID)
		if err == nil {
			h.answer(r, out, &t)
		}
		return err
	})
}

func (h namedThings[Thing, Edit, Shape]) create(w http.ResponseWriter, r *httpapi.Request) error {
	body, e, err := readBody(r, h.read)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.uses.create(ctx, tx, e)
		if err != nil {
			return err
		}
		thingID, _ := h.tag(&t)
		out.Status = http.StatusCreated
		out.Location = h.path + "/" + thingID.String()
		h.answer(r, out, &t)
		return nil
	})
}

func (h namedThings[Thing, Edit, Shape]) edit(w http.ResponseWriter, r *httpapi.Request) error {
	thingID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, h.read)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.uses.edit(ctx, tx, thingID, e, r.IfMatch())
		if err == nil {
			h.answer(r, out, &t)
		}
		return err
	})
}

func (h namedThings[Thing, Edit, Shape]) delete(w http.ResponseWriter, r *httpapi.Request) error {
	thingID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.With(); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.uses.delete(ctx, tx, thingID, r.IfMatch())
	})
}

func (h namedThings[Thing, Edit, Shape]) pathID(r *httpapi.Request) (id.Of[Thing], error) {
	return httpapi.PathID[Thing](r, "id", h.noun)
}

// answer renders one of them with its ETag.
func (h namedThings[Thing, Edit, Shape]) answer(r *httpapi.Request, out *httpapi.Response, t *Thing) {
	_, version := h.tag(t)
	out.ETag = httpapi.ETag(version)
	out.One(h.shape(t, r.Dates()))
}
