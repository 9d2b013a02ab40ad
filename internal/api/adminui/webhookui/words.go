package webhookui

import (
	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/webhook"
)

// stateOf returns the badge of a delivery. One that failed is not on its way, but is tried again.
func stateOf(l *frame.Language, d webhook.Delivery, next *frame.Timestamp) frame.State {
	if d.Status != webhook.Pending || d.Attempts == 0 {
		return deliveryState(l, d.Status)
	}
	if next == nil {
		return frame.State{Code: "warn", Text: l.T("Tried again soon")}
	}
	return frame.State{Code: "warn", Text: l.T("Tried again at %s", next.Text)}
}

// deliveryState returns the badge of a delivery's status.
func deliveryState(l *frame.Language, s webhook.Status) frame.State {
	switch s {
	case webhook.Delivered:
		return frame.State{Code: "good", Text: l.T("Delivered")}
	case webhook.Pending:
		return frame.State{Code: "info", Text: l.T("On its way")}
	case webhook.Held:
		return frame.State{Code: "warn", Text: l.T("Held back")}
	case webhook.Dead:
		return frame.State{Code: "bad", Text: l.T("Given up")}
	}
	return frame.State{Code: "off", Text: string(s)}
}

// phaseName describes the phase in which a request failed.
func phaseName(l *frame.Language, phase string) string {
	switch phase {
	case "dns":
		return l.T("The host's name was not found")
	case "connect":
		return l.T("No connection")
	case "tls":
		return l.T("No secure connection")
	case "timeout":
		return l.T("No answer in time")
	case "status":
		return l.T("Refused by its answer")
	case "blocked":
		return l.T("The address is not allowed")
	}
	return phase
}

// phaseAdvice says where to look when requests fail in a phase, or returns "".
func phaseAdvice(l *frame.Language, phase string) string {
	switch phase {
	case "dns":
		return l.T("Check the spelling of the host's name, and whether its DNS has it.")
	case "connect":
		return l.T("Check whether the receiver listens on that port, and its firewall.")
	case "tls":
		return l.T("Check its certificate: it may have expired, be self-signed or lack the intermediate one.")
	case "timeout":
		return l.T("The receiver should answer first and do long work afterwards.")
	case "status":
		return l.T("401 and 403: check the signature. 404: check the path. 3xx: register the address that it " +
			"redirects to.")
	}
	return ""
}

// eventName returns the name of an event type for people.
func eventName(l *frame.Language, id string) string {
	switch id {
	case event.OrderSubmitted:
		return l.T("An order was placed")
	case event.OrderConfirmed:
		return l.T("An order was confirmed")
	case event.OrderCompleted:
		return l.T("An order was completed")
	case event.OrderCancelled:
		return l.T("An order was cancelled")
	case event.OrderUpdated:
		return l.T("An order was changed")
	case event.CallbackSubmitted:
		return l.T("A visitor asks for a call")
	case event.FeedbackSubmitted:
		return l.T("A visitor wrote to the shop")
	case event.ExchangeCompleted:
		return l.T("A push of accounting ended")
	case event.CatalogChanged:
		return l.T("The catalogue changed")
	case event.Test:
		return l.T("A test")
	case "order.*":
		return l.T("Everything about orders")
	}

	return id
}

// eventDescription says when an event of a type happens.
func eventDescription(l *frame.Language, id string) string {
	switch id {
	case event.OrderSubmitted:
		return l.T("A customer placed an order: its stock is reserved, and its names and prices do not change any " +
			"more.")
	case event.OrderConfirmed:
		return l.T("The shop accepted an order.")
	case event.OrderCompleted:
		return l.T("An order is done, and what it reserved is taken out of the stock.")
	case event.OrderCancelled:
		return l.T("An order was cancelled, and its stock is free again.")
	case event.OrderUpdated:
		return l.T("The shop changed a submitted order without a new state: its lines, contact, tracking, payment or " +
			"tags. Or it returned the order to an earlier state.")
	case event.CallbackSubmitted:
		return l.T("A visitor of the site asks to be called back.")
	case event.FeedbackSubmitted:
		return l.T("A visitor of the site wrote to the shop. The event has what the form had.")
	case event.ExchangeCompleted:
		return l.T("A push of the accounting system came to its end, whatever its outcome. Trials are not reported.")
	case event.CatalogChanged:
		return l.T("Products or categories are new, changed or deleted. There is at most one event a second, which " +
			"tells of all changes since the last one.")
	case event.Test:
		return l.T("Nothing happened: somebody tries a receiver.")
	}

	return ""
}

// checkMessage says what the check of a signature found.
func checkMessage(l *frame.Language, c webhook.SignatureCheck) string {
	switch c.Finding {
	case webhook.SignatureValid:
		return l.T("The signature is right: the request is from this shop, and nobody changed it.")
	case webhook.SignatureOld:
		return l.T("The signature is right, but it was made long ago. A receiver should refuse requests that are " +
			"older " +
			"than 5 minutes: somebody may send them again.")
	case webhook.HeaderMissing:
		return l.T("The header %s is missing. Copy all three headers of the signature.", c.Header)
	case webhook.TimestampMalformed:
		return l.T("The header webhook-timestamp must be a number of seconds.")
	case webhook.SignatureMalformed:
		return l.T("The header webhook-signature has no signature that begins with v1,.")
	case webhook.SecretMalformed:
		return l.T("This is no secret: it begins with whsec_ and has only letters, digits, + and / after that.")
	case webhook.WrongReceiver:
		return l.T("The signature is right for another receiver: %s. Use its secret there.", c.Other.URL)
	case webhook.BodyChanged:
		return l.T("The signature is that of the same body with other white space. Check the bytes of the request as " +
			"they arrive, before they are parsed or printed.")
	case webhook.SignatureMismatch:
		return l.T("The signature does not fit. The secret is another one, or the id, " +
			"the time or the body was changed.")
	}

	return ""
}
