package adminui

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// messagesPerPage is how many messages a page of the mailbox shows.
const messagesPerPage = 25

// messageList is the body of the mailbox.
type messageList struct {
	Rows []messageRow
	// Newer and Older are the numbers of the adjacent pages; 0 if there is none.
	Newer, Older int64
}

type messageRow struct {
	notify.StoredMessage
	Written timestamp
}

func (ui *UI) mailboxPage(w http.ResponseWriter, r *httpapi.Request) error {
	number, err := positiveParam(r, "page")
	if err != nil {
		return err
	}
	page := httpapi.Page{Number: max(number, 1), PerPage: messagesPerPage}
	if page.Number > 1<<32 {
		return httpapi.BadParam("page", "must be a whole number above 0, as in the links of the page")
	}
	var list messageList
	err = ui.DB.Snapshot(r.Context(), inStore(r, func(tx store.Tx) error {
		messages, total, err := ui.Notify.Mailbox(r.Context(), tx, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		list = messageList{Newer: page.Number - 1}
		if page.Offset()+page.PerPage < total {
			list.Older = page.Number + 1
		}
		for _, m := range messages {
			list.Rows = append(list.Rows, messageRow{m, newTimestamp(r.Principal.Store, m.CreatedAt)})
		}
		return nil
	}))
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "mailbox", ui.newView(r, "Mailbox", "mailbox", list))
}
