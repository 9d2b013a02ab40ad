package storeapi

import (
	"context"
	"io"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// inquiries has the handlers of one kind of inquiry: feedback or callback requests. Visitors create inquiries, secret
// keys read them.
type inquiries[Thing any] struct {
	api    *API
	noun   string
	path   string // of the collection
	action protection.Action

	// read decodes a body and returns the inquiry and the captcha token.
	read   func(body io.Reader) (Thing, *string, error)
	append func(t *Thing, b []byte, dates *locale.Dates) []byte
	id     func(t *Thing) id.Of[Thing]
	uses   inquiryUses[Thing]
}

// inquiryUses are the use cases that the handlers call.
type inquiryUses[Thing any] struct {
	submit func(context.Context, store.Tx, store.Store, Thing) (Thing, error)
	list   func(ctx context.Context, tx store.Tx, f inquiry.Filter, limit, offset int64) ([]Thing, int64, error)
	one    func(context.Context, store.Tx, id.Of[Thing]) (Thing, error)
}

// unchanged is the version of every inquiry: inquiries are never edited.
const unchanged = 1

func (h inquiries[Thing]) create(w http.ResponseWriter, r *httpapi.Request) error {
	if _, err := r.With(); err != nil {
		return err
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return err
	}
	defer body.Close()
	asked, token, err := h.read(body.Reader())
	if err != nil {
		return err
	}
	if done, err := h.api.guard(w, r, h.action, body, token); done || err != nil {
		return err
	}
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		made, err := h.uses.submit(ctx, tx, r.Principal.Store, asked)
		if err != nil {
			return err
		}
		out.Status = http.StatusCreated
		out.Location = h.path + "/" + h.id(&made).String()
		h.answer(r, out, &made)
		return nil
	})
}

func (h inquiries[Thing]) list(w http.ResponseWriter, r *httpapi.Request) error {
	var f inquiry.Filter
	var err error
	if f.Search, err = r.Search(); err != nil {
		return err
	}
	period, err := r.Period()
	if err != nil {
		return err
	}
	f.From, f.Before = period.From, period.Before
	dates := r.Dates()
	return httpapi.List(w, r, func(ctx context.Context, tx store.Tx, limit, offset int64) ([]Thing, int64, error) {
		return h.uses.list(ctx, tx, f, limit, offset)
	}, func(b []byte, t *Thing) []byte { return h.append(t, b, dates) })
}

func (h inquiries[Thing]) one(w http.ResponseWriter, r *httpapi.Request) error {
	thingID, err := httpapi.PathID[Thing](r, "id", h.noun)
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

// answer writes one inquiry with its ETag to the response.
func (h inquiries[Thing]) answer(r *httpapi.Request, out *httpapi.Response, t *Thing) {
	out.ETag = httpapi.ETag(unchanged)
	out.Data()
	out.B = h.append(t, out.B, r.Dates())
	out.End()
}
