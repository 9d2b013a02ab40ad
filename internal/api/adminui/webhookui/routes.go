// Package webhookui serves the pages of webhooks: the receivers of a store, what was sent to them, the catalogue of
// events, and the check of a signature.
package webhookui

import (
	"embed"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/webhook"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Webhooks *webhook.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("webhookui", templates, nil)} }

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("GET", "/webhooks", access.WebhooksRead, ui.receiversPage),
		frame.Page("POST", "/webhooks", access.WebhooksWrite, ui.createReceiver),
		frame.Page("GET", "/webhooks/new", access.WebhooksWrite, ui.newReceiverPage),
		frame.Page("GET", "/webhooks/events", access.WebhooksRead, ui.eventsPage),
		frame.Page("GET", "/webhooks/check", access.WebhooksWrite, ui.checkPage),
		frame.Page("POST", "/webhooks/check", access.WebhooksWrite, ui.checkSignature),
		frame.Page("GET", "/webhooks/{id}", access.WebhooksRead, ui.pages.Show("receiver", ui.receiverPage)),
		frame.LongAction("/webhooks/{id}", access.WebhooksWrite, ui.receiverAction),
		frame.Page("GET", "/webhooks/{id}/edit", access.WebhooksWrite, ui.editReceiverPage),
		frame.Page("POST", "/webhooks/{id}/edit", access.WebhooksWrite, ui.editReceiver),
		frame.Page("GET", "/webhooks/{id}/rotate", access.WebhooksWrite, ui.rotateSecretPage),
		frame.Page("POST", "/webhooks/{id}/rotate", access.WebhooksWrite, ui.rotateSecret),
		frame.Page("GET", "/webhooks/{id}/delete", access.WebhooksWrite,
			ui.pages.Show("receiver_delete", ui.deleteReceiverPage)),
		frame.LongAction("/webhooks/{id}/delete", access.WebhooksWrite, ui.deleteReceiver),
		frame.Page("GET", "/deliveries", access.WebhooksRead, ui.deliveriesPage),
		frame.Page("GET", "/deliveries/{id}", access.WebhooksRead, ui.deliveryPage),
		frame.Page("POST", "/deliveries/{id}", access.WebhooksWrite, ui.redeliver),
	}
}
