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

// namedThings has the handlers of categories or of stocks: resources with little more than a name and an external id. A
// Thing is the resource, an Edit is a decoded request body, and a Shape is marshalled to the JSON of the resource.
type namedThings[Thing, Edit, Shape any] struct {
	noun string
	path string // of the collection

	read  func(body io.Reader) (Edit, error)
	shape func(t *Thing, dates *locale.Dates) Shape
	tag   func(t *Thing) (id.Of[Thing], int64) // returns the id and the version
	uses  namedUses[Thing, Edit]
}

// namedUses are the use cases that the handlers call.
type namedUses[Thing, Edit any] struct {
	// list reads the filters of the query and returns a function that reads a page of the filtered list.
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

// answer writes one resource with its ETag to the response.
func (h namedThings[Thing, Edit, Shape]) answer(r *httpapi.Request, out *httpapi.Response, t *Thing) {
	_, version := h.tag(t)
	out.ETag = httpapi.ETag(version)
	out.One(h.shape(t, r.Dates()))
}
