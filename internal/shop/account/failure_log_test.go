package account

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Failed sign-ins are in the log, once an hour with their number: an attacker cannot fill it.
func TestL1_failedSignInsAreLoggedOnceAnHour(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		log := &audit.Service{Now: f.Clock.Now}
		f.newOperator("anna@shop.example", "password")

		entries := func() string {
			f.Helper()
			var words []string

			f.Read(func(tx store.Tx) error {
				list, _, err := log.List(f.Context(), tx, audit.Filter{}, 50)
				for _, e := range list {
					text := string(e.Action)
					for _, c := range e.Changes {
						text += " " + c.To
					}
					if e.Action == "account.sign_in_failed" && e.Actor.Kind != store.ByStranger {
						f.Errorf("the actor is %+v", e.Actor)
					}
					words = append(words, text)
				}

				return err
			})

			return strings.Join(words, "; ")
		}

		guess := func(times int) {
			for range times {
				f.Clock.Advance(time.Minute) // past the lockout of few failures
				_, _ = f.Sessions.signIn(f.Context(), Login{Email: "anna@shop.example", Password: "wrong",
					Network: testNetwork})
			}
		}

		guess(5)
		if got := entries(); got != "account.sign_in_failed 1 "+testNetwork {
			f.Errorf("after 5 failures the log has %q", got)
		}

		f.Clock.Advance(time.Hour)
		guess(1)

		if got := entries(); !strings.HasPrefix(got, "account.sign_in_failed 5 "+testNetwork+"; ") {
			f.Errorf("an hour later the log has %q", got)
		}

		f.Clock.Advance(15 * time.Minute)
		guess(1)
		f.Clock.Advance(15 * time.Minute)
		f.mustSignIn("anna@shop.example", "password")

		if got := entries(); !strings.HasPrefix(got, "account.signed_in; account.sign_in_failed 1; ") {
			f.Errorf("after a sign-in the log has %q", got)
		}

		f.Clock.Advance(time.Hour)
		f.mustSignIn("anna@shop.example", "password")

		if got := entries(); !strings.HasPrefix(got, "account.signed_in; account.signed_in; ") {
			f.Errorf("without failures the log has %q", got)
		}
	})
}
