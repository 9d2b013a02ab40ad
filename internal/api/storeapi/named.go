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

// namedHandlers has the handlers of categories or of stocks: resources with little more than a name and an external id.
// A Resource is the resource, an Edit is a decoded request body, and a Shape is marshalled to the JSON of the resource.
type namedHandlers[Resource, Edit, Shape any] struct {
	noun string
	path string // of the collection

	read         func(body io.Reader) (Edit, error)
	shape        func(t *Resource, dates *locale.Dates) Shape
	idAndVersion func(t *Resource) (id.Of[Resource], int64) // returns the id and the version
	useCases     namedUseCases[Resource, Edit]
}

// namedUseCases are the use cases that the handlers call.
type namedUseCases[Resource, Edit any] struct {
	// list reads the filters of the query and returns a function that reads a page of the filtered list.
	list   func(r *httpapi.Request) (httpapi.PageReader[Resource], error)
	find   func(context.Context, store.Tx, id.Of[Resource]) (Resource, error)
	create func(context.Context, store.Tx, Edit) (Resource, error)
	edit   func(context.Context, store.Tx, id.Of[Resource], Edit, fault.Precondition) (Resource, error)
	delete func(context.Context, store.Tx, id.Of[Resource], fault.Precondition) error
}

func (h namedHandlers[Resource, Edit, Shape]) list(w http.ResponseWriter, r *httpapi.Request) error {
	read, err := h.useCases.list(r)
	if err != nil {
		return err
	}
	dates := r.Dates()
	return httpapi.RespondListOf(w, r, read, func(t *Resource) Shape { return h.shape(t, dates) })
}

func (h namedHandlers[Resource, Edit, Shape]) show(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.find(ctx, tx, resourceID)
		if err == nil {
			h.respond(r, out, &t)
		}
		return err
	})
}

func (h namedHandlers[Resource, Edit, Shape]) create(w http.ResponseWriter, r *httpapi.Request) error {
	body, e, err := readBody(r, h.read)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.create(ctx, tx, e)
		if err != nil {
			return err
		}
		resourceID, _ := h.idAndVersion(&t)
		out.Status = http.StatusCreated
		out.Location = h.path + "/" + resourceID.String()
		h.respond(r, out, &t)
		return nil
	})
}

func (h namedHandlers[Resource, Edit, Shape]) edit(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, e, err := readBody(r, h.read)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.edit(ctx, tx, resourceID, e, r.IfMatch())
		if err == nil {
			h.respond(r, out, &t)
		}
		return err
	})
}

func (h namedHandlers[Resource, Edit, Shape]) delete(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID, err := h.pathID(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.useCases.delete(ctx, tx, resourceID, r.IfMatch())
	})
}

func (h namedHandlers[Resource, Edit, Shape]) pathID(r *httpapi.Request) (id.Of[Resource], error) {
	return httpapi.PathID[Resource](r, "id", h.noun)
}

// respond writes one resource with its ETag to the response.
func (h namedHandlers[Resource, Edit, Shape]) respond(r *httpapi.Request, out *httpapi.Response, t *Resource) {
	_, version := h.idAndVersion(t)
	out.ETag = httpapi.ETag(version)
	out.WriteData(h.shape(t, r.Dates()))
}
