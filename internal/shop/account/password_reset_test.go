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

func (f *fixture) requestReset(email string) (r PasswordReset, found bool) {
	f.Helper()
	f.WriteUnscoped(func(q database.Querier) (err error) {
		r, found, err = f.Profiles.RequestPasswordReset(f.Context(), q, email)
		return err
	})
	return r, found
}

func (f *fixture) setForgotten(token, password string) error {
	prepared, err := f.PreparePassword(f.Context(), password)
	if err != nil {
		return err
	}
	return f.DB.Write(f.Context(), func(q database.Querier) error {
		return f.Profiles.SetForgottenPassword(f.Context(), q, token, prepared)
	})
}

// The link of the mail sets a new password once. It ends all sessions and leaves the second step of the sign-in.
func TestSetForgottenPassword_worksOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		session := f.mustSignIn("anna@shop.example", "password")
		r, found := f.requestReset(" Anna@shop.example ")
		if !found || r.Email != "anna@shop.example" || r.StoreID != f.Store.ID ||
			strings.Contains(r.String(), r.Token) {
			f.Fatalf("the link is %+v, %v", r, found)
		}
		for _, hash := range f.Texts("SELECT CAST(hash AS TEXT) FROM account_password_resets") {
			if strings.Contains(hash, r.Token) {
				f.Error("the database has the token")
			}
		}

		for _, bad := range []string{"", "op_x", access.NewToken(access.OperatorPassword),
			strings.Replace(r.Token, "op_", "oe_", 1)} {
			wantFault(f, f.setForgotten(bad, "another horse"), fault.NotFound, "invalid_link")
		}
		if shown, err := f.Profiles.PasswordReset(f.Context(), r.Token); err != nil || shown.Email != r.Email {
			f.Errorf("the page shows %+v, %v", shown, err)
		}

		var wait sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			wait.Go(func() { errs[i] = f.setForgotten(r.Token, "another horse") })
		}
		wait.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			f.Errorf("two requests with one link: %v, %v", errs[0], errs[1])
		}

		if _, err := f.Sessions.Authenticate(f.Context(), session); fault.KindOf(err) != fault.Unauthenticated {
			f.Errorf("the session goes on: %v", err)
		}
		_, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		f.Clock.Advance(time.Minute)
		f.mustSignIn("anna@shop.example", "another horse")
		if n := f.Count("audit_entries WHERE action = 'account.password_forgotten'"); n != 1 {
			f.Errorf("%d entries in the log, want 1", n)
		}
	})
}

// A link works for an hour and until the next one, the password is changed, or somebody has signed in with it; an
// address gets one in ten minutes.
func TestRequestPasswordReset_isLimitedAndExpires(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		first, _ := f.requestReset("anna@shop.example")
		if _, found := f.requestReset("anna@shop.example"); found {
			f.Error("two links within ten minutes")
		}
		f.Clock.Advance(passwordResetInterval)
		second, found := f.requestReset("anna@shop.example")
		if !found {
			f.Fatal("no link after ten minutes")
		}
		wantFault(f, f.setForgotten(first.Token, "another horse"), fault.NotFound, "invalid_link")

		f.Clock.Advance(PasswordResetLifetime)
		wantFault(f, f.setForgotten(second.Token, "another horse"), fault.NotFound, "invalid_link")
		third, _ := f.requestReset("anna@shop.example")
		prepared, err := f.PreparePassword(f.Context(), "typed on the command line")
		if err != nil {
			f.Fatal(err)
		}

		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, "anna@shop.example", prepared, false)
			return err
		})
		wantFault(f, f.setForgotten(third.Token, "another horse"), fault.NotFound, "invalid_link")

		f.Clock.Advance(2 * PasswordResetLifetime)
		f.WriteUnscoped(func(q database.Querier) error {
			return deleteOldPasswordResets(f.Context(), q, f.Clock.Now())
		})
		if n := f.Count("account_password_resets"); n != 0 {
			f.Errorf("%d old links are kept", n)
		}
	})
}

// Nobody gets a link who could not sign in.
func TestRequestPasswordReset_onlyForThoseWhoMaySignIn(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		boris := f.newOperator("boris@shop.example", "password")
		f.newOperator("anna@shop.example", "password")
		f.Write(func(tx store.Tx) error {
			if _, _, err := f.Operators.Invite(f.Context(), tx, "clara@shop.example", access.Viewer); err != nil {
				return err
			}
			_, err := tx.Exec(f.Context(),
				"UPDATE operators SET disabled_at = 1 WHERE store_id = $1 AND id = $2", boris.ID)
			return err
		})

		for _, email := range []string{"nobody@shop.example", "boris@shop.example", "clara@shop.example", "", "x"} {
			if _, found := f.requestReset(email); found {
				f.Errorf("%q gets a link", email)
			}
		}
	})
}

func TestPasswordReset_messageHasTheLinkOnlyInTheText(t *testing.T) {
	t.Parallel()
	for language, texts := range passwordResetsByLanguage {
		m := PasswordReset{Email: "anna@shop.example", Language: language}.
			Message(store.Store{Name: "North\r\nBcc: x", Locale: "en"}, "https://admin.example/password/op_1")
		if strings.Contains(m.Subject, "op_") || strings.ContainsAny(m.Subject, "\r\n{") ||
			m.To != "anna@shop.example" || strings.Contains(m.Text, "{") ||
			!strings.Contains(m.Text, "https://admin.example/password/op_1\n") {
			t.Errorf("%s, %s: the mail is %q: %q", language, texts.subject, m.Subject, m.Text)
		}
	}
	if _, ok := passwordResetsByLanguage["en"]; !ok || len(passwordResetsByLanguage) != len(invitationsByLanguage) {
		t.Error("a language of the stores has no text")
	}
}
