package adminapi

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/event"
)

// webhookTypes lists the types of events that a receiver can subscribe to.
func (api *API) webhookTypes(w http.ResponseWriter, r *httpapi.Request) error {
	page := r.Page()
	return r.Respond(w, func(out *httpapi.Response) error {
		return httpapi.WritePage(out, page, event.Types(), httpapi.AsJSON(func(t *event.Type) WebhookType {
			return WebhookType{ID: t.ID, Description: t.Description, Schema: jsonObject(t.Schema),
				Example: jsonObject(t.Example)}
		}))
	})
}

// events lists the events of the store in the order of their sequence numbers, in the JSON that receivers get.
func (api *API) events(w http.ResponseWriter, r *httpapi.Request) error {
	return httpapi.RespondCursorList(w, r, r.SequenceCursor(), false, event.Feed,
		func(b []byte, e *event.Event) []byte { return e.AppendEnvelope(b, r.Principal.Store.ID) })
}
