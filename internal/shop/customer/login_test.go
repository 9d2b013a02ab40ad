package customer

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/mail"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

func TestLogin(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for name, run := range map[string]func(f *fixture){
			"creates the customer once":        testCreatesCustomerOnce,
			"accepts a code once":              testCodeWorksOnce,
			"refuses an expired code":          testCodeExpires,
			"is replaced by the next code":     testNewCodeEndsOldOne,
			"allows five attempts":             testLimitsAttempts,
			"counts concurrent attempts":       testCountsConcurrentAttempts,
			"sends five codes an hour":         testLimitsCodesPerHour,
			"keeps one live code per person":   testKeepsOneLiveCode,
			"stores no readable code":          testStoresNoReadableCode,
			"is deleted after the rate window": testDeletesOldLogins,
		} {
			f.Subtest(name, func(here *storetest.Fixture) { run(&fixture{here, f.Service, f.otherStore}) })
		}
	})
}

func testCreatesCustomerOnce(f *fixture) {
	first := f.mustSignIn("Anna@Shop.example")
	if again := f.mustSignIn("anna@shop.example"); again.Customer.ID != first.Customer.ID ||
		*again.Customer.Email != "Anna@Shop.example" || again.Token == first.Token {
		f.Errorf("signed in as %v, then as %v", first.Customer, again.Customer)
	}
	phone := f.mustSignIn("+49301234567")
	if phone.Customer.ID == first.Customer.ID || *phone.Customer.Phone != "+49301234567" ||
		phone.Customer.Email != nil {
		f.Errorf("signed in by phone as %v", phone.Customer)
	}
	if want := f.moment().Add(30 * 24 * time.Hour); !phone.ExpiresAt.Equal(want) {
		f.Errorf("the session expires at %v, want %v", phone.ExpiresAt, want)
	}
}

func testCodeWorksOnce(f *fixture) {
	login, code := f.mustRequestLogin("once@shop.example")
	for name, err := range map[string]error{
		"another store": errorOf(f.confirm(f.otherStore.ID, login.ID, code)),
		"no login":      errorOf(f.confirm(f.Store.ID, LoginID{1}, code)),
	} {
		if f.expectFault(err, fault.Unauthenticated, "invalid_code"); err == nil {
			f.Errorf("the code works with %s", name)
		}
	}

	// Of two clients with the right code only one can sign in.
	proofs := make([]Proof, 2)
	for i := range proofs {
		var err error
		if proofs[i], err = f.CheckCode(f.Context(), f.Store.ID, login.ID, code); err != nil {
			f.Fatal(err)
		}
	}

	signIn := func(p Proof) error {
		return f.TryWrite(func(tx store.Tx) error {
			return errorOf(f.SignIn(f.Context(), tx, ID{}, p, nil))
		})
	}
	if err := signIn(proofs[0]); err != nil {
		f.Fatal(err)
	}

	f.expectFault(signIn(proofs[1]), fault.Unauthenticated, "invalid_code")
	f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func testCodeExpires(f *fixture) {
	login, code := f.mustRequestLogin("late@shop.example")
	if want := f.moment().Add(10 * time.Minute); !login.ExpiresAt.Equal(want) {
		f.Errorf("the code expires at %v, want %v", login.ExpiresAt, want)
	}
	f.Clock.Advance(10 * time.Minute)
	f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func testNewCodeEndsOldOne(f *fixture) {
	old, oldCode := f.mustRequestLogin("next@shop.example")
	login, code := f.mustRequestLogin("NEXT@shop.example")
	f.expectFault(errorOf(f.confirm(f.Store.ID, old.ID, oldCode)), fault.Unauthenticated, "invalid_code")
	if _, err := f.confirm(f.Store.ID, login.ID, code); err != nil {
		f.Error(err)
	}
}

func testLimitsAttempts(f *fixture) {
	login, code := f.mustRequestLogin("tries@shop.example")
	for range 4 {
		f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, wrongCode(code))), fault.Unauthenticated, "invalid_code")
	}
	if _, err := f.confirm(f.Store.ID, login.ID, code); err != nil {
		f.Errorf("the fifth attempt is refused: %v", err)
	}
	login, code = f.mustRequestLogin("tries@shop.example")
	for range 5 {
		f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, wrongCode(code))), fault.Unauthenticated, "invalid_code")
	}
	f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func testCountsConcurrentAttempts(f *fixture) {
	login, code := f.mustRequestLogin("guess@shop.example")
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, wrongCode(code))), fault.Unauthenticated,
				"invalid_code")
		})
	}

	group.Wait()
	f.expectFault(errorOf(f.confirm(f.Store.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
	var attempts int64
	f.WriteUnscoped(func(q database.Querier) error {
		return database.QueryRow(f.Context(), q,
			"SELECT attempts FROM login_requests WHERE store_id = $1 AND id = $2", []any{f.Store.ID, login.ID},
			&attempts)
	})
	if attempts != maxAttempts {
		f.Errorf("%d attempts were counted", attempts)
	}
}

func testLimitsCodesPerHour(f *fixture) {
	var live Login
	var code string
	for range 5 {
		live, code = f.mustRequestLogin("often@shop.example")
		f.Clock.Advance(time.Minute)
	}

	_, err := f.requestLogin("OFTEN@shop.example")
	if wait := f.expectFault(err, fault.TooMany, "too_many_codes"); wait != 55*time.Minute {
		f.Errorf("retry after %v, want 55 minutes", wait)
	}

	// After the refusal the last code still works, and other persons are not affected.
	if _, err := f.confirm(f.Store.ID, live.ID, code); err != nil {
		f.Error(err)
	}

	f.mustRequestLogin("seldom@shop.example")
	f.Clock.Advance(55 * time.Minute)
	f.mustRequestLogin("often@shop.example")
}

func testKeepsOneLiveCode(f *fixture) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := f.requestLogin("+49301111111"); err != nil {
				f.expectFault(err, fault.TooMany, "too_many_codes")
			}
		})
	}

	group.Wait()
	var live int64
	f.WriteUnscoped(func(q database.Querier) error {
		return database.QueryRow(f.Context(), q,
			"SELECT COUNT(*) FROM login_requests WHERE store_id = $1 AND person = $2 AND ended_at IS NULL",
			[]any{f.Store.ID, "+49301111111"}, &live)
	})
	if live != 1 {
		f.Errorf("%d codes are live, want 1", live)
	}
}

func testStoresNoReadableCode(f *fixture) {
	login, code := f.mustRequestLogin("hidden@shop.example")
	var mac, text []byte
	var subject string

	f.WriteUnscoped(func(q database.Querier) error {
		if err := database.QueryRow(f.Context(), q, "SELECT code FROM login_requests WHERE store_id = $1 AND id = $2",
			[]any{f.Store.ID, login.ID}, &mac); err != nil {
			return err
		}
		return database.QueryRow(f.Context(), q,
			"SELECT text, subject FROM mailbox WHERE store_id = $1 ORDER BY key DESC LIMIT 1", []any{f.Store.ID}, &text,
			&subject)
	})

	if bytes.Contains(mac, []byte(code)) || bytes.Contains(text, []byte(code)) || strings.Contains(subject, code) ||
		len(mac) != 32 {
		f.Errorf("the code %s is stored as %x, the message as %q: %x", code, mac, subject, text)
	}
}

func testDeletesOldLogins(f *fixture) {
	rows := func() (logins, sessions int64) {
		f.WriteUnscoped(func(q database.Querier) error {
			return database.QueryRow(f.Context(), q,
				"SELECT (SELECT COUNT(*) FROM login_requests), (SELECT COUNT(*) FROM customer_sessions)", nil, &logins,
				&sessions)
		})
		return logins, sessions
	}
	f.Clock.Advance(31 * 24 * time.Hour)
	f.mustSignIn("kept@shop.example")

	if err := f.deleteExpired(f.Context()); err != nil {
		f.Fatal(err)
	}
	if logins, sessions := rows(); logins != 1 || sessions != 1 {
		f.Errorf("%d logins and %d sessions are left, want one of each", logins, sessions)
	}
}

// errorOf returns the error of a call with two results.
func errorOf[T any](_ T, err error) error { return err }

func TestCodeMessage_usesLanguageOfTheStore(t *testing.T) {
	until := time.Date(2026, 11, 14, 12, 10, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, tag := range locale.SupportedTags() {
		for _, name := range []string{"North Shop", strings.Repeat("Ж", 255), "Line\u2028break\u0085and\ttab"} {
			for _, to := range []string{"anna@shop.example", "+49301234567"} {
				msg := codeMessage(store.Store{Name: name, Locale: tag}, to, "042917", until)
				if strings.Count(msg.Text, "042917") != 1 || strings.Contains(msg.Subject, "042917") ||
					strings.ContainsAny(msg.Subject+msg.Text, "{}") {
					t.Errorf("%s: %q, %q", tag, msg.Subject, msg.Text)
				}

				m := mail.Message{ID: "1", FromName: msg.From, To: "anna@shop.example", Subject: msg.Subject,
					Text: msg.Text}
				if err := m.Check(); err != nil {
					t.Errorf("%s, shop %q: %v", tag, name, err)
				}

				seen[msg.Text] = true
			}
		}
	}

	if len(seen) != 7*3*2 {
		t.Errorf("%d different texts, want one per language, name and channel", len(seen))
	}
}

func TestNewCode_isSixDigits(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		code := newLoginCode()
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("%q is not six digits", code)
		}
		seen[code] = true
	}
	if len(seen) < 190 {
		t.Errorf("200 codes have %d different values", len(seen))
	}
}
