package adminui_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// Downloads of personal data are in the log, those that a program may repeat once an hour; so are failed sign-ins.
func TestL1_downloadsAndFailedSignInsAreInTheLog(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()

		actions := func(action audit.Action) (actors []string) {
			t.Helper()
			s.Write(func(ctx context.Context, q database.Querier) error {
				list, _, err := s.App.Audit.List(ctx, store.In(q, s.store.StoreID), audit.Filter{}, 100)
				for _, e := range list {
					if e.Action == action {
						actors = append(actors, string(e.Actor.Kind))
					}
				}
				return err
			})

			return actors
		}

		want := func(action audit.Action, kinds ...string) {
			t.Helper()
			if got := actions(action); !slices.Equal(got, kinds) {
				t.Errorf("%s is in the log by %v, want %v", action, got, kinds)
			}
		}

		v.get("/orders.csv").wantStatus(200)
		v.get("/orders.csv?state=submitted").wantStatus(200)
		want("orders.downloaded", "operator", "operator")
		v.get("/customers/export?address=" + url.QueryEscape("anna@shop.example")).wantStatus(200)
		want("customer.exported", "operator")

		key := apitest.As(s.store.SecretKey)
		for range 3 {
			v.get("/mailbox").wantStatus(200)
			s.DoAdmin("GET", "/api/store/mailbox", nil, key)
		}

		want("mailbox.read", "key", "operator")
		s.Clock.Advance(time.Hour)
		v.get("/mailbox").wantStatus(200)
		want("mailbox.read", "operator", "key", "operator")

		stranger := &client{fixture: s}
		stranger.post("/login", url.Values{"email": {s.store.AdminEmail}, "password": {"wrong"}}).wantStatus(401)
		want("account.sign_in_failed", "stranger")
		page := v.get("/settings/log").wantStatus(200)

		for _, text := range []string{"Sign-in failed", "Somebody who is not signed in", "Orders downloaded",
			"Data of a person downloaded", "Mailbox read"} {
			if !strings.Contains(page.text, text) {
				t.Errorf("the page of the log lacks %q", text)
			}
		}
	})
}
