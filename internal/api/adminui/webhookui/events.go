package webhookui

import (
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
)

// eventsPage shows the catalogue of events, each with an example of the request's body.
func (ui *UI) eventsPage(w http.ResponseWriter, r *httpapi.Request) error {
	types := eventTypes(ui.pages.Language(r))
	for i := range types {
		example := event.Event{ID: exampleEventID(), Type: types[i].ID, CreatedAt: exampleTime(), Sequence: 4711,
			Payload: types[i].Example}
		types[i].Body = indentJSON(example.AppendEnvelope(nil, r.Principal.Store.ID))
	}
	v := ui.pages.NewView(r, "Events", "webhooks", types)
	v.Crumbs = []frame.Link{{Text: v.T("Webhooks"), URL: "/webhooks"}}
	return ui.pages.Render(w, http.StatusOK, "events", v)
}

// exampleEventID is the id of the events in the catalogue.
func exampleEventID() event.ID {
	eventID, _ := id.Parse[event.Event]("019a8269-ad40-7b01-8e55-6a7b8c9d0e01") // it is valid
	return eventID
}
