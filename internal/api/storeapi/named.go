package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/store"
)

// namedResourceHandlers has the handlers of categories or of stocks, which have little more than a name and an external
// id. Resource is the type of the resource, Edit is the type of a decoded request body, and Shape is the type from
// which the JSON of the resource is marshalled.
type namedResourceHandlers[Resource, Edit, Shape any] struct {
	noun string
	path string // path of the collection
	// tag is the tag of cached responses, before the id; empty for resources that have none.
	tag string

	read func(r *wire.Reader) Edit
	// shape returns a function that returns the shape of a resource in the response to a request.
	shape        func(r *httpapi.Request) func(t *Resource) Shape
	idAndVersion func(t *Resource) (id.Of[Resource], int64)
	useCases     namedResourceUseCases[Resource, Edit]
}

type namedResourceUseCases[Resource, Edit any] struct {
	// list reads the filters of the query and returns a function that reads a page of the filtered list.
	list   func(r *httpapi.Request) httpapi.PageReader[Resource]
	find   func(context.Context, store.Tx, id.Of[Resource]) (Resource, error)
	create func(context.Context, store.Tx, Edit) (Resource, error)
	edit   func(context.Context, store.Tx, id.Of[Resource], Edit, fault.Precondition) (Resource, error)
	delete func(context.Context, store.Tx, id.Of[Resource], fault.Precondition) error
}

// withDates returns the shape of a resource that depends on nothing of a request but the form of its dates.
func withDates[Resource, Shape any](
	shape func(*Resource, *locale.Dates) Shape,
) func(*httpapi.Request) func(*Resource) Shape {
	return func(r *httpapi.Request) func(*Resource) Shape {
		dates := r.Dates()
		return func(t *Resource) Shape { return shape(t, dates) }
	}
}

func (h namedResourceHandlers[Resource, Edit, Shape]) list(w http.ResponseWriter, r *httpapi.Request) error {
	if h.tag != "" {
		w.Header().Set("Cache-Tag", change.ListTag)
	}
	return httpapi.RespondList(w, r, h.useCases.list(r),
		httpapi.AsJSON(h.shape(r)))
}

func (h namedResourceHandlers[Resource, Edit, Shape]) show(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID := h.pathID(r)
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if h.tag != "" {
			out.CacheTag = h.tag + resourceID.String()
		}
		t, err := h.useCases.find(ctx, tx, resourceID)
		return h.respond(r, out, &t, err)
	})
}

func (h namedResourceHandlers[Resource, Edit, Shape]) create(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, h.read)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.create(ctx, tx, e)
		resourceID, _ := h.idAndVersion(&t)
		out.Created(h.path + "/" + resourceID.String())
		return h.respond(r, out, &t, err)
	})
}

func (h namedResourceHandlers[Resource, Edit, Shape]) edit(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID := h.pathID(r)
	e := readBody(r, h.read)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.edit(ctx, tx, resourceID, e, r.IfMatch())
		return h.respond(r, out, &t, err)
	})
}

func (h namedResourceHandlers[Resource, Edit, Shape]) delete(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID := h.pathID(r)
	r.Query.Extras()
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.useCases.delete(ctx, tx, resourceID, r.IfMatch())
	})
}

func (h namedResourceHandlers[Resource, Edit, Shape]) pathID(r *httpapi.Request) id.Of[Resource] {
	return httpapi.PathID[Resource](r, "id", h.noun)
}

// respond writes one resource with its ETag. The argument failure is the error of the use case: if it is not nil,
// respond returns it and writes nothing.
func (h namedResourceHandlers[Resource, Edit, Shape]) respond(
	r *httpapi.Request, out *httpapi.Response, t *Resource, failure error,
) error {
	if failure == nil {
		_, version := h.idAndVersion(t)
		out.WriteResource(version, h.shape(r)(t))
	}
	return failure
}
