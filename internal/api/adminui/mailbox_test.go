package adminui_test

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
)

func TestMailbox_showsLettersToOwners(t *testing.T) {
	t.Parallel()
	s := start(t, database.SQLite, config.Serve{Dev: true})
	v := s.owner()
	v.get("/mailbox").want(200).html().has("Nothing lies here").lacks("Older")
	s.write(func(q database.Querier) error {
		for i := range 26 {
			l := notify.Letter{To: fmt.Sprintf("a%02d@shop.example", i), Subject: "<b>Code</b>", Text: fmt.Sprintf("It is 1234%02d\n", i)}
			if err := s.app.Notify.Send(t.Context(), q, s.shop.StoreID, l); err != nil {
				return err
			}
		}
		return nil
	})
	v.get("/mailbox").want(200).html().has("a25@shop.example", "It is 123425", "&lt;b&gt;Code", "/mailbox?page=2", `aria-current="page">Mailbox`).lacks("a00@shop.example", "Newer")
	v.get("/mailbox?page=2").want(200).html().has("a00@shop.example", "Newer").lacks("a01@shop.example", "Older")
	v.get("/mailbox?page=x").want(400)
	v.get("/mailbox?page=99999999999999999").want(400)
	viewer := s.signIn(s.newOperator(access.Viewer), password)
	viewer.get("/mailbox").want(403).lacks("1234")
	viewer.get("/").want(200).lacks("Mailbox")
}
