package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// webhookTypes lists the types of events that a receiver can subscribe to.
func (api *API) webhookTypes(w http.ResponseWriter, r *httpapi.Request) error {
	page := r.Query.Page()
	return r.Respond(w, func(out *httpapi.Response) error {
		return httpapi.WritePage(out, page, event.Types(), httpapi.AsJSON(func(t *event.Type) WebhookType {
			return WebhookType{ID: t.ID, Description: t.Description, Schema: jsonObject(t.Schema),
				Example: jsonObject(t.Example)}
		}))
	})
}

// events lists the events of the store in the order of their sequence numbers, in the JSON that receivers get. It
// leaves out the events whose payloads the caller may not read, so a page may be shorter than the others.
func (api *API) events(w http.ResponseWriter, r *httpapi.Request) error {
	read := func(ctx context.Context, tx store.Tx, after, limit int64) ([]event.Event, int64, error) {
		list, next, err := event.Feed(ctx, tx, after, limit)
		list = slices.DeleteFunc(list, func(e event.Event) bool { return !mayReadPayload(r.Principal, e.Type) })
		return list, next, err
	}
	return httpapi.RespondCursorList(w, r, r.Query.SequenceCursor(), false, read,
		func(b []byte, e *event.Event) []byte { return e.AppendEnvelope(b, r.Principal.Store.ID) })
}

// payloadScopes returns, for each type of events, the scope that a caller needs to read the payload, in addition to
// that of the feed, or to have it sent to a receiver. A test contains nothing of the store, and every receiver gets it.
func payloadScopes() map[string]access.Scope {
	return map[string]access.Scope{
		event.OrderSubmitted:    access.OrdersRead,
		event.OrderConfirmed:    access.OrdersRead,
		event.OrderCompleted:    access.OrdersRead,
		event.OrderCancelled:    access.OrdersRead,
		event.OrderUpdated:      access.OrdersRead,
		event.CallbackSubmitted: access.InquiriesRead,
		event.FeedbackSubmitted: access.InquiriesRead,
		event.ExchangeCompleted: access.CatalogRead,
		event.CatalogChanged:    access.CatalogRead,
		event.Test:              "",
	}
}

// mayReadPayload reports whether the caller may read the payload of an event. Nobody may read the payload of an unknown
// type.
func mayReadPayload(p access.Principal, eventType string) bool {
	scope, known := payloadScopes()[eventType]
	return known && (scope == "" || p.May(scope))
}

// mayReadAll reports whether the caller may read the payloads of all events.
func mayReadAll(p access.Principal) bool {
	return !slices.ContainsFunc(event.TypeIDs(), func(eventType string) bool { return !mayReadPayload(p, eventType) })
}
