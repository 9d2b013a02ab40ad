package settingsui

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// messagesPerPage is how many messages a page of the mailbox shows.
const messagesPerPage = 25

// messageList is the data of the mailbox page.
type messageList struct {
	Rows []messageRow
	// Newer and Older are the numbers of the adjacent pages; 0 means that there is no such page.
	Newer, Older int64
}

// Pager returns the links to the adjacent pages.
func (l messageList) Pager() (p frame.Pager) {
	if l.Newer > 0 {
		p.Previous = "/mailbox?page=" + strconv.FormatInt(l.Newer, 10)
	}
	if l.Older > 0 {
		p.Next = "/mailbox?page=" + strconv.FormatInt(l.Older, 10)
	}
	return p
}

type messageRow struct {
	notify.StoredMessage
	Written frame.Timestamp
}

func (ui *UI) mailboxPage(w http.ResponseWriter, r *httpapi.Request) error {
	page := httpapi.Page{Number: max(frame.PositiveParam(r, "page", 1<<32), 1), PerPage: messagesPerPage}
	err := r.RecordDownload(audit.Entry{Action: audit.MailboxRead, Object: audit.Object{Kind: "mailbox"}}, true)
	if err != nil {
		return err
	}

	list, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (messageList, error) {
		messages, total, err := ui.Notify.Mailbox(ctx, tx, page.PerPage, page.Offset())
		list := messageList{Newer: page.Number - 1}
		if page.Offset()+page.PerPage < total {
			list.Older = page.Number + 1
		}

		for _, m := range messages {
			list.Rows = append(list.Rows, messageRow{m, ui.pages.NewTimestamp(r, m.CreatedAt)})
		}

		return list, err
	})
	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusOK, "mailbox", ui.pages.NewView(r, "Mailbox", "settings", list))
}
