package adminui_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

func TestMailbox_showsMessagesToOwners(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/mailbox").wantStatus(200).wantHTML().contains("The mailbox is empty").omits(`rel="next"`)

	s.Write(func(ctx context.Context, q database.Querier) error {
		for i := range 26 {
			l := notify.Message{To: fmt.Sprintf("a%02d@shop.example", i), Subject: "<b>Code</b>",
				Text: fmt.Sprintf("It is 1234%02d\n", i)}
			if err := s.App.Notify.Send(ctx, store.In(q, s.store.StoreID), l); err != nil {
				return err
			}
		}
		return nil
	})

	v.get("/mailbox").wantStatus(200).wantHTML().
		contains("a25@shop.example", "It is 123425", "&lt;b&gt;Code", "/mailbox?page=2").
		omits("a00@shop.example", `rel="prev"`)
	v.get("/mailbox?page=2").wantStatus(200).wantHTML().contains("a00@shop.example", `rel="prev"`).
		omits("a01@shop.example", `rel="next"`)
	v.get("/mailbox?page=x").wantStatus(400)
	v.get("/mailbox?page=99999999999999999").wantStatus(400)
	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/mailbox").wantStatus(403).omits("1234")
}
