package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// inquiryHandlers has the handlers of one kind of inquiry: feedback or callback requests. Visitors create inquiries,
// secret keys read them.
type inquiryHandlers[Resource any] struct {
	api    *API
	noun   string
	path   string // path of the collection
	action protection.Action

	// read decodes a body and returns the inquiry and the captcha token.
	read     func(r *wire.Reader) (Resource, *string)
	append   func(t *Resource, b []byte, dates *locale.Dates) []byte
	id       func(t *Resource) id.Of[Resource]
	useCases inquiryUseCases[Resource]
}

type inquiryUseCases[Resource any] struct {
	submit func(context.Context, store.Tx, store.Store, Resource) (Resource, error)
	list   func(ctx context.Context, tx store.Tx, f inquiry.Filter, limit, offset int64) ([]Resource, int64, error)
	find   func(context.Context, store.Tx, id.Of[Resource]) (Resource, error)
}

// inquiryVersion is the version of every inquiry: inquiries are never edited.
const inquiryVersion = 1

func (h inquiryHandlers[Resource]) create(w http.ResponseWriter, r *httpapi.Request) error {
	sent, token := readProtected(r, h.read)
	if done, err := h.api.guard(w, r, h.action, token); done || err != nil {
		return err
	}
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		created, err := h.useCases.submit(ctx, tx, r.Principal.Store, sent)
		if err != nil {
			return err
		}
		out.Created(h.path + "/" + h.id(&created).String())
		h.respond(r, out, &created)
		return nil
	})
}

func (h inquiryHandlers[Resource]) list(w http.ResponseWriter, r *httpapi.Request) error {
	search := r.Query.SearchText()
	period := r.Query.Period()
	dates := r.Dates()
	f := inquiry.Filter{Search: search, From: period.From, Before: period.Before}
	return httpapi.RespondList(w, r, httpapi.Filtered(f, h.useCases.list),
		func(b []byte, t *Resource) []byte { return h.append(t, b, dates) })
}

func (h inquiryHandlers[Resource]) show(w http.ResponseWriter, r *httpapi.Request) error {
	resourceID := httpapi.PathID[Resource](r, "id", h.noun)
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		t, err := h.useCases.find(ctx, tx, resourceID)
		if err == nil {
			h.respond(r, out, &t)
		}
		return err
	})
}

// respond writes one inquiry with its ETag to the response.
func (h inquiryHandlers[Resource]) respond(r *httpapi.Request, out *httpapi.Response, t *Resource) {
	out.ETag = httpapi.ETag(inquiryVersion)
	out.BeginData()
	out.B = h.append(t, out.B, r.Dates())
	out.EndEnvelope()
}
