package adminui

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/notify"
)

// lettersPerPage is how many letters the mailbox shows at once.
const lettersPerPage = 25

// letterList is the body of the mailbox.
type letterList struct {
	Rows []letterRow
	// Newer and Older are the numbers of the pages beside this one; 0 where there is none.
	Newer, Older int64
}

type letterRow struct {
	notify.Kept
	Written when
}

func (ui *UI) mailboxPage(w http.ResponseWriter, r *httpapi.Request) error {
	number, err := place(r, "page")
	if err != nil {
		return err
	}
	page := httpapi.Page{Number: max(number, 1), PerPage: lettersPerPage}
	if page.Number > 1<<32 {
		return httpapi.BadParam("page", "must be a whole number above 0, as the links of the page have it")
	}
	var list letterList
	err = ui.DB.Snapshot(r.Context(), func(q database.Querier) error {
		letters, total, err := ui.Notify.Mailbox(r.Context(), q, r.Principal.Store.ID, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		list = letterList{Newer: page.Number - 1}
		if page.Offset()+page.PerPage < total {
			list.Older = page.Number + 1
		}
		for _, l := range letters {
			list.Rows = append(list.Rows, letterRow{l, whenIn(r.Principal.Store, l.CreatedAt)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, "mailbox", ui.view(r, "Mailbox", "mailbox", list))
}
