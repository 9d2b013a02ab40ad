package account

import (
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func (f *fixture) requestEmailAs(p access.Principal, email string) (c EmailChange, err error) {
	err = f.DB.Write(f.Context(), func(q database.Querier) (err error) {
		c, err = f.Profiles.RequestEmail(f.Context(), store.In(q, f.Store.ID), p, email)
		return err
	})
	return c, err
}

func (f *fixture) confirmEmail(token string) error {
	return f.DB.Write(f.Context(), func(q database.Querier) error {
		_, _, err := f.Profiles.ConfirmEmail(f.Context(), q, token)
		return err
	})
}

func (f *fixture) pendingAddress(p access.Principal) string {
	f.Helper()
	var c EmailChange
	f.Read(func(tx store.Tx) (err error) {
		c, _, err = f.Profiles.PendingEmail(f.Context(), tx.Unscoped(), p.Operator.AccountID)
		return err
	})
	return c.Email
}

// A new address counts only after the link that was sent to it was opened, which works once.
func TestM2_newAddressCountsAfterItsLinkWasOpened(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		p := f.session(f.mustSignIn("anna@shop.example", "password"))
		change, err := f.requestEmailAs(p, " CEO@newshop.example")
		if err != nil || change.Before != "anna@shop.example" || change.Email != "ceo@newshop.example" {
			f.Fatalf("the change is %+v, %v", change, err)
		}
		if f.pendingAddress(p) != "ceo@newshop.example" {
			f.Errorf("the pending address is %q", f.pendingAddress(p))
		}

		_, err = f.signInFrom(testNetwork, "ceo@newshop.example", "password")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		f.mustSignIn("anna@shop.example", "password")

		for _, bad := range []string{"", "oe_x", access.NewToken(access.OperatorEmail),
			strings.Replace(change.Token, "oe_", "oi_", 1)} {
			wantFault(f, f.confirmEmail(bad), fault.NotFound, "invalid_link")
		}

		if shown, err := f.Profiles.EmailChange(f.Context(), change.Token); err != nil || shown.Email != change.Email {
			f.Errorf("the link shows %+v, %v", shown, err)
		}
		if err := f.confirmEmail(change.Token); err != nil {
			f.Fatal(err)
		}

		wantFault(f, f.confirmEmail(change.Token), fault.NotFound, "invalid_link")
		f.mustSignIn("ceo@newshop.example", "password")

		if f.pendingAddress(p) != "" {
			f.Error("the address is pending after it was confirmed")
		}
	})
}

func TestRequestEmail_isLimitedReplacedCancelledAndExpires(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.newOperator("boris@shop.example", "password")
		p := f.session(f.mustSignIn("anna@shop.example", "password"))

		must := func(email string) EmailChange {
			f.Helper()
			f.Clock.Advance(time.Minute)
			c, err := f.requestEmailAs(p, email)
			if err != nil {
				f.Fatal(err)
			}
			return c
		}

		if _, err := f.requestEmailAs(p, "nonsense"); fieldCodes(err)["email"] != "invalid_email" {
			f.Errorf("nonsense: %v", err)
		}
		if _, err := f.requestEmailAs(p, "Boris@shop.example"); fieldCodes(err)["email"] != "taken" {
			f.Errorf("an address of another account: %v", err)
		}

		first := must("new@shop.example")
		_, err := f.requestEmailAs(p, "other@shop.example")
		if wantFault(f, err, fault.TooMany, "too_many_links").RetryAfter != time.Minute {
			f.Errorf("a second link at once: %v", err)
		}

		second := must("new@shop.example")
		wantFault(f, f.confirmEmail(first.Token), fault.NotFound, "invalid_link")

		// The present address cancels; so does a new password.
		if c, err := f.requestEmailAs(p, "ANNA@shop.example"); err != nil || !c.Cancelled || c.Token != "" {
			f.Errorf("the present address gives %+v, %v", c, err)
		}

		wantFault(f, f.confirmEmail(second.Token), fault.NotFound, "invalid_link")
		third := must("new@shop.example")
		f.Write(func(tx store.Tx) error {
			_, err := f.Profiles.CancelEmail(f.Context(), tx, p)
			return err
		})
		wantFault(f, f.confirmEmail(third.Token), fault.NotFound, "invalid_link")
		fourth := must("new@shop.example")
		f.Write(func(tx store.Tx) error {
			_, err := f.Profiles.Edit(f.Context(), tx, p,
				ProfileEdit{Password: &PreparedPassword{f.cheapHash("changed")}}, nil)
			return err
		})
		wantFault(f, f.confirmEmail(fourth.Token), fault.NotFound, "invalid_link")

		late := must("new@shop.example")
		f.Clock.Advance(EmailChangeLifetime)
		wantFault(f, f.confirmEmail(late.Token), fault.NotFound, "invalid_link")

		if f.pendingAddress(p) != "" {
			f.Error("an expired address is pending")
		}
		if err := f.deleteExpired(f.Context()); err != nil {
			f.Fatal(err)
		}

		f.Read(func(tx store.Tx) error {
			_, err := selectEmailChange(f.Context(), tx.Unscoped(), p.Operator.AccountID)
			if err == nil {
				f.Error("an old change was not deleted")
			}
			return nil
		})
	})
}

// An address that another account got since the request is refused with a fault that says so, and nothing changes. Of
// two concurrent confirmations one wins.
func TestConfirmEmail_whenTheAddressIsTakenMeanwhile(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		p := f.session(f.mustSignIn("anna@shop.example", "password"))
		change, err := f.requestEmailAs(p, "new@shop.example")
		if err != nil {
			f.Fatal(err)
		}

		taker := f.newOperator("new@shop.example", "other password")
		wantFault(f, f.confirmEmail(change.Token), fault.Conflict, "email_taken")
		f.mustSignIn("anna@shop.example", "password")

		if err := f.remove(taker); err != nil {
			f.Fatal(err)
		}

		var both sync.WaitGroup
		results := make([]error, 2)
		for i := range results {
			both.Go(func() { results[i] = f.confirmEmail(change.Token) })
		}

		both.Wait()
		if (results[0] == nil) == (results[1] == nil) {
			f.Errorf("two confirmations at once: %v", results)
		}

		f.mustSignIn("new@shop.example", "password")
	})
}

// The mails are in all languages, the link goes to the new address only, and the old one is told what to do.
func TestEmailChangeMessages_haveTheLinkForTheNewAddressOnly(t *testing.T) {
	for language := range invitationsByLanguage {
		c := EmailChange{Before: "old@shop.example", Email: "new@shop.example", Token: "oe_token", Language: language}
		messages := EmailChangeMessages(store.Store{Name: "North\nShop", Locale: "en"}, c, "https://admin.example")
		confirm, warn := messages[0], messages[1]
		if confirm.To != c.Email || !strings.Contains(confirm.Text, "https://admin.example/email/oe_token") ||
			warn.To != c.Before || strings.Contains(warn.Text, "oe_token") ||
			!strings.Contains(warn.Text, "https://admin.example/account") || !strings.Contains(warn.Text, c.Email) {
			t.Errorf("%s: %+v", language, messages)
		}

		for _, m := range messages {
			if all := m.Subject + m.Text; strings.Contains(all, "{") || strings.Contains(m.Subject, "oe_token") ||
				strings.Contains(m.Subject, "\n") {
				t.Errorf("%s: %+v", language, m)
			}
		}
	}
}

// A person who has an account is invited to a new store, not joined: nobody knows whose account it is.
func TestM2_existingAccountIsInvitedNotJoined(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")

		provision := func(owner NewOwner) (created ProvisionedStore) {
			f.Helper()
			prepared, err := f.Operators.PrepareProvision(f.Context(), owner)
			if err != nil {
				f.Fatal(err)
			}

			f.WriteUnscoped(func(q database.Querier) error {
				shop, err := f.Stores.Create(f.Context(), q, store.Edit{})
				if err != nil {
					return err
				}
				created, err = f.Operators.Provision(f.Context(), store.In(q, shop.ID), prepared)
				return err
			})

			return created
		}

		invited := provision(NewOwner{Email: "Anna@shop.example"})
		p := f.session(f.mustSignIn("anna@shop.example", "password"))
		if invited.AdminPassword != "" || invited.AdminInvitation == "" || p.SeveralStores {
			f.Errorf("the owner has %v stores, and the result is %+v", p.SeveralStores, invited)
		}

		f.WriteUnscoped(func(q database.Querier) error {
			o, err := f.Operators.JoinStore(f.Context(), q, p, invited.AdminInvitation)
			if o.Role != access.Owner || o.StoreID != invited.StoreID {
				f.Errorf("joined as %+v", o)
			}
			return err
		})

		joined := provision(NewOwner{Email: "anna@shop.example", JoinExisting: true})
		if joined.AdminPassword != "" || joined.AdminInvitation != "" {
			f.Errorf("the result is %+v", joined)
		}

		if fresh := provision(NewOwner{Email: "boris@shop.example"}); fresh.AdminPassword == "" ||
			fresh.AdminInvitation != "" {
			f.Errorf("the result is %+v", fresh)
		}
	})
}
