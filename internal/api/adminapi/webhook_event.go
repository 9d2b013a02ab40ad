package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// webhookTypes lists the types of events that a receiver can subscribe to.
func (api *API) webhookTypes(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	return r.Respond(w, func(out *httpapi.Response) { writePage(out, page, event.Types(), renderWebhookType) })
}

func renderWebhookType(t event.Type) WebhookType {
	return WebhookType{ID: t.ID, Description: t.Description, Schema: jsonObject(t.Schema),
		Example: jsonObject(t.Example)}
}

// events lists the events of the store in the order of their sequence numbers. Each has the JSON that receivers get.
func (api *API) events(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.SequenceCursor()
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, next, err := event.Feed(ctx, tx, c.At, c.PerPage)
		if err != nil {
			return err
		}
		out.BeginData()
		out.B = append(out.B, '[')
		for i := range list {
			out.BeginItem(i)
			out.B = list[i].AppendEnvelope(out.B, r.Principal.Store.ID)
			if err := out.Spill(); err != nil {
				return err
			}
		}
		out.B = append(out.B, ']')
		out.AppendCursorMeta(c, next)
		out.EndEnvelope()
		return nil
	})
}
