package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/store"
)

// maxGroupedEdit is the number of elements above which an edit is long: see httpapi.Request.Write.
const maxGroupedEdit = 1000

// attributeHandlers has the handlers of options and of features. The two kinds differ only in some of their fields.
type attributeHandlers struct {
	*API
	kind catalog.Kind
	path string // path of the collection
}

func (h attributeHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	page := r.Query.Page()
	search := r.Query.SearchText()
	with := r.Query.Extras("values")
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := r.Work.HeavyAfter(page); err != nil {
			return err
		}

		found, total, err := h.catalog.Attributes.List(ctx, tx, h.kind, search, page.PerPage, page.Offset())
		if err == nil {
			err = heavyValues(r, with, found...)
		}

		if err != nil {
			return err
		}

		out.CacheTag = change.ListTag
		out.BeginData()
		if err := h.newRenderer(ctx, tx, r, with).writeList(out, found); err != nil {
			return err
		}

		out.AppendPageMeta(page, total)
		out.EndEnvelope()
		return nil
	})
}

func (h attributeHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	attributeID := h.pathID(r)
	with := r.Query.Extras("values")
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.Find(ctx, tx, h.kind, attributeID)
		if err == nil {
			err = heavyValues(r, with, a)
		}
		out.CacheTag = change.ListTag
		return h.respond(ctx, tx, r, with, out, a, err)
	})
}

// maxLightValues is the number of values up to which a response with the values of attributes is not heavy.
const maxLightValues = 10_000

// heavyValues calls Work.Heavy if the response has very many values.
func heavyValues(r *httpapi.Request, with httpapi.Extras, list ...catalog.Attribute) error {
	total := int64(0)
	for i := range list {
		total += list[i].ValueCount
	}
	if with["values"] && total > maxLightValues {
		return r.Work.Heavy()
	}
	return nil
}

func (h attributeHandlers) values(w http.ResponseWriter, r *httpapi.Request) error {
	attributeID := h.pathID(r)
	page := r.Query.Page()
	r.Query.Extras()

	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.Find(ctx, tx, h.kind, attributeID)
		if err == nil && page.Number <= page.Meta(a.ValueCount).LastPage {
			err = r.Work.HeavyAfter(page)
		}

		if err != nil {
			return err
		}

		out.CacheTag = change.ListTag
		out.BeginData()
		if err := h.newRenderer(ctx, tx, r, nil).writePage(out, a, page); err != nil {
			return err
		}

		out.AppendPageMeta(page, a.ValueCount)
		out.EndEnvelope()
		return nil
	})
}

func (h attributeHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	with := r.Query.Extras("values")
	e := h.readEditBody(r, true)
	if e.Values.Len > catalog.LongList {
		return h.createStaged(w, r, with, e)
	}
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.Create(ctx, tx, h.kind, e)
		out.Created(h.path + "/" + a.ID.String())
		return h.respond(ctx, tx, r, with, out, a, err)
	})
}

// createStaged creates an attribute with very many values. It writes the values before the transaction that creates the
// attribute, so that the transaction is short.
func (h attributeHandlers) createStaged(
	w http.ResponseWriter, r *httpapi.Request, with httpapi.Extras, e catalog.AttributeEdit,
) error {
	if done, err := r.Replay(w); done || err != nil {
		return err
	}

	release, err := r.Work.AdmitLong(r.Context())
	if err != nil {
		return err
	}
	defer release()

	staged, err := h.catalog.Attributes.Stage(r.Context(), h.db, r.Principal.Store.ID, h.kind, e)
	if err != nil {
		return err
	}
	defer staged.Discard(r.Context())

	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.CreateStaged(ctx, tx, staged, e)
		out.Created(h.path + "/" + a.ID.String())
		return h.respond(ctx, tx, r, with, out, a, err)
	})
}

func (h attributeHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	return h.applyEdit(w, r, func(catalog.AttributeEdit) error { return nil })
}

// removeValues handles DELETE with a body. The body is an edit that must remove at least one value. The option itself
// is never deleted.
func (h attributeHandlers) removeValues(w http.ResponseWriter, r *httpapi.Request) error {
	return h.applyEdit(w, r, requireRemovedValues)
}

func (h attributeHandlers) applyEdit(
	w http.ResponseWriter, r *httpapi.Request, check func(catalog.AttributeEdit) error,
) error {
	attributeID := h.pathID(r)
	with := r.Query.Extras("values")
	e := h.readEditBody(r, false)
	r.Fail(check(e))
	return r.Write(w, e.Len() > maxGroupedEdit, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.Edit(ctx, tx, h.kind, attributeID, e, r.IfMatch())
		return h.respond(ctx, tx, r, with, out, a, err)
	})
}

func (h attributeHandlers) readEditBody(r *httpapi.Request, creating bool) (e catalog.AttributeEdit) {
	if body := r.JSONBody(httpapi.Unlimited); body != nil {
		edit, err := readAttributeEdit(body, h.kind, creating)
		r.Fail(err)
		return edit
	}
	return e
}

func (h attributeHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	attributeID := h.pathID(r)
	r.Query.Extras()
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.catalog.Attributes.Delete(ctx, tx, h.kind, attributeID, r.IfMatch())
	})
}

// merge makes several values of an attribute one.
func (h attributeHandlers) merge(w http.ResponseWriter, r *httpapi.Request) error {
	attributeID := h.pathID(r)
	with := r.Query.Extras("values")
	var m catalog.ValueMerge
	if body := r.JSONBody(httpapi.Unlimited); body != nil {
		var err error
		m, _, err = readValueMerge(body, true)
		r.Fail(err)
	}
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		a, err := h.catalog.Attributes.Merge(ctx, tx, h.kind, attributeID, m, r.IfMatch())
		return h.respond(ctx, tx, r, with, out, a, err)
	})
}

// readImpact reads the body of an edit or of a merge, and returns the function that reads its impact.
func (h attributeHandlers) readImpact(
	r *httpapi.Request, attributeID catalog.AttributeID,
) func() (*catalog.Impact, error) {
	body := r.JSONBody(httpapi.Unlimited)
	if body == nil {
		return nil
	}

	m, isMerge, err := readValueMerge(body, false)
	if isMerge {
		r.Fail(err)
		return func() (*catalog.Impact, error) {
			return h.catalog.Attributes.MergeImpact(r.Context(), r.WriteLong, r.Principal.Store.ID, h.kind, attributeID,
				m)
		}
	}

	e, err := readAttributeEdit(body, h.kind, false)
	r.Fail(err)
	return func() (*catalog.Impact, error) {
		return h.catalog.Attributes.Impact(r.Context(), r.WriteLong, r.Principal.Store.ID, h.kind, attributeID, e)
	}
}

func (h attributeHandlers) impact(w http.ResponseWriter, r *httpapi.Request) error {
	attributeID := h.pathID(r)
	r.Query.Extras()
	read := h.readImpact(r, attributeID)

	// Impact is a POST, so its response is stored under the Idempotency-Key. A repeated request gets the stored
	// response, even if the attribute has changed or was deleted.
	if done, err := r.Replay(w); done || err != nil {
		return err
	}

	result, err := read()
	if err != nil {
		return err
	}

	return r.Write(w, false, func(_ context.Context, _ store.Tx, out *httpapi.Response) error {
		out.WriteData(impactOf(h.kind, result))
		return nil
	})
}

func (h attributeHandlers) pathID(r *httpapi.Request) catalog.AttributeID {
	return httpapi.PathID[catalog.Attribute](r, "id", h.kind.Noun())
}

// respond writes one attribute with its ETag. The argument failure is the error of the use case: if it is not nil,
// respond returns it and writes nothing.
func (h attributeHandlers) respond(
	ctx context.Context, tx store.Tx, r *httpapi.Request, with httpapi.Extras, out *httpapi.Response,
	a catalog.Attribute, failure error,
) error {
	if failure != nil {
		return failure
	}
	out.ETag = httpapi.ETag(a.Version)
	out.BeginData()
	if err := h.newRenderer(ctx, tx, r, with).writeOne(out, a); err != nil {
		return err
	}
	out.EndEnvelope()
	return nil
}
