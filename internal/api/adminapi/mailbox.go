package adminapi

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/notify"
)

// mailbox lists the messages that were stored because no sender is configured, newest first.
func (api *API) mailbox(w http.ResponseWriter, r *httpapi.Request) error {
	if !r.Principal.May(access.CustomersRead) {
		return fault.New(fault.Denied, "forbidden",
			"This credential is valid, but may not do this; messages to customers need the scope %s, too.",
			access.CustomersRead)
	}
	w.Header().Set("Cache-Control", "no-store") // messages contain login codes
	err := r.RecordDownload(audit.Entry{Action: audit.MailboxRead, Object: audit.Object{Kind: "mailbox"}}, true)
	if err != nil {
		return err
	}
	dates := r.Dates()
	return httpapi.RespondList(w, r, api.notify.Mailbox, httpapi.AsJSON(func(l *notify.StoredMessage) Letter {
		return Letter{ID: schema.ID(l.ID), To: l.To, Subject: l.Subject, Text: l.Text,
			CreatedAt: schema.NewDate(l.CreatedAt, dates)}
	}))
}
