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
)

func TestLogin(t *testing.T) {
	each(t, func(f *fixture) {
		for name, run := range map[string]func(f *fixture){
			"makes the customer once":             signsIn,
			"takes a code once":                   takesCodeOnce,
			"takes no code after its time":        endsWithTime,
			"ends with the next code":             endsWithNext,
			"can be tried five times":             limitsTries,
			"counts tries that come at once":      countsParallelTries,
			"sends five codes an hour":            limitsCodes,
			"has one live code for each person":   keepsOneLive,
			"stores no code that could be read":   hidesCodes,
			"is forgotten when it counts no more": forgets,
		} {
			f.t.Run(name, func(t *testing.T) {
				here := *f
				here.t = t
				run(&here)
			})
		}
	})
}

func signsIn(f *fixture) {
	first := f.signedIn("Anna@Shop.example")
	if again := f.signedIn("anna@shop.example"); again.Customer.ID != first.Customer.ID || *again.Customer.Email != "Anna@Shop.example" || again.Token == first.Token {
		f.t.Errorf("signed in as %v, then as %v", first.Customer, again.Customer)
	}
	phone := f.signedIn("+49301234567")
	if phone.Customer.ID == first.Customer.ID || *phone.Customer.Phone != "+49301234567" || phone.Customer.Email != nil {
		f.t.Errorf("signed in by phone as %v", phone.Customer)
	}
	if want := f.moment().Add(30 * 24 * time.Hour); !phone.ExpiresAt.Equal(want) {
		f.t.Errorf("the session ends at %v, want %v", phone.ExpiresAt, want)
	}
}

func takesCodeOnce(f *fixture) {
	login, code := f.asked("once@shop.example")
	for name, err := range map[string]error{
		"another store": second(f.confirm(f.other.ID, login.ID, code)), "no login": second(f.confirm(f.shop.ID, LoginID{1}, code)),
	} {
		if f.refused(err, fault.Unauthenticated, "invalid_code"); err == nil {
			f.t.Errorf("the code is taken with %s", name)
		}
	}
	// Two who both know the code: one of them signs in.
	proofs := make([]Proof, 2)
	for i := range proofs {
		var err error
		if proofs[i], err = f.CheckCode(f.t.Context(), f.shop.ID, login.ID, code); err != nil {
			f.t.Fatal(err)
		}
	}
	signIn := func(p Proof) error {
		return f.DB.Write(f.t.Context(), func(q database.Querier) error { return second(f.SignIn(f.t.Context(), q, f.shop.ID, ID{}, p)) })
	}
	if err := signIn(proofs[0]); err != nil {
		f.t.Fatal(err)
	}
	f.refused(signIn(proofs[1]), fault.Unauthenticated, "invalid_code")
	f.refused(second(f.confirm(f.shop.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func endsWithTime(f *fixture) {
	login, code := f.asked("late@shop.example")
	if want := f.moment().Add(10 * time.Minute); !login.ExpiresAt.Equal(want) {
		f.t.Errorf("the code ends at %v, want %v", login.ExpiresAt, want)
	}
	f.clock.pass(10 * time.Minute)
	f.refused(second(f.confirm(f.shop.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func endsWithNext(f *fixture) {
	old, oldCode := f.asked("next@shop.example")
	login, code := f.asked("NEXT@shop.example")
	f.refused(second(f.confirm(f.shop.ID, old.ID, oldCode)), fault.Unauthenticated, "invalid_code")
	if _, err := f.confirm(f.shop.ID, login.ID, code); err != nil {
		f.t.Error(err)
	}
}

func limitsTries(f *fixture) {
	login, code := f.asked("tries@shop.example")
	for range 4 {
		f.refused(second(f.confirm(f.shop.ID, login.ID, wrong(code))), fault.Unauthenticated, "invalid_code")
	}
	if _, err := f.confirm(f.shop.ID, login.ID, code); err != nil {
		f.t.Errorf("the fifth try is refused: %v", err)
	}
	login, code = f.asked("tries@shop.example")
	for range 5 {
		f.refused(second(f.confirm(f.shop.ID, login.ID, wrong(code))), fault.Unauthenticated, "invalid_code")
	}
	f.refused(second(f.confirm(f.shop.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
}

func countsParallelTries(f *fixture) {
	login, code := f.asked("guess@shop.example")
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			f.refused(second(f.confirm(f.shop.ID, login.ID, wrong(code))), fault.Unauthenticated, "invalid_code")
		})
	}
	group.Wait()
	f.refused(second(f.confirm(f.shop.ID, login.ID, code)), fault.Unauthenticated, "invalid_code")
	var attempts int64
	f.write(func(q database.Querier) error {
		return database.QueryRow(f.t.Context(), q, "SELECT attempts FROM login_requests WHERE store_id = $1 AND id = $2", []any{f.shop.ID, login.ID}, &attempts)
	})
	if attempts != maxTries {
		f.t.Errorf("%d tries were looked at", attempts)
	}
}

func limitsCodes(f *fixture) {
	var live Login
	var code string
	for range 5 {
		live, code = f.asked("often@shop.example")
		f.clock.pass(time.Minute)
	}
	_, err := f.ask("OFTEN@shop.example")
	if wait := f.refused(err, fault.TooMany, "too_many_codes"); wait != 55*time.Minute {
		f.t.Errorf("wait %v, want 55 minutes", wait)
	}
	// Who is refused keeps the code that they have, and others are not concerned.
	if _, err := f.confirm(f.shop.ID, live.ID, code); err != nil {
		f.t.Error(err)
	}
	f.asked("seldom@shop.example")
	f.clock.pass(55 * time.Minute)
	f.asked("often@shop.example")
}

func keepsOneLive(f *fixture) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := f.ask("+49301111111"); err != nil {
				f.refused(err, fault.TooMany, "too_many_codes")
			}
		})
	}
	group.Wait()
	var live int64
	f.write(func(q database.Querier) error {
		return database.QueryRow(f.t.Context(), q, "SELECT COUNT(*) FROM login_requests WHERE store_id = $1 AND person = $2 AND ended_at IS NULL", []any{f.shop.ID, "+49301111111"}, &live)
	})
	if live != 1 {
		f.t.Errorf("%d codes are live", live)
	}
}

func hidesCodes(f *fixture) {
	login, code := f.asked("hidden@shop.example")
	var kept, letter []byte
	var subject string
	f.write(func(q database.Querier) error {
		if err := database.QueryRow(f.t.Context(), q, "SELECT code FROM login_requests WHERE store_id = $1 AND id = $2", []any{f.shop.ID, login.ID}, &kept); err != nil {
			return err
		}
		return database.QueryRow(f.t.Context(), q, "SELECT text, subject FROM mailbox WHERE store_id = $1 ORDER BY key DESC LIMIT 1", []any{f.shop.ID}, &letter, &subject)
	})
	if bytes.Contains(kept, []byte(code)) || bytes.Contains(letter, []byte(code)) || strings.Contains(subject, code) || len(kept) != 32 {
		f.t.Errorf("the code %s is kept as %x, the letter as %q: %x", code, kept, subject, letter)
	}
}

func forgets(f *fixture) {
	rows := func() (logins, sessions int64) {
		f.write(func(q database.Querier) error {
			return database.QueryRow(f.t.Context(), q, "SELECT (SELECT COUNT(*) FROM login_requests), (SELECT COUNT(*) FROM customer_sessions)", nil, &logins, &sessions)
		})
		return logins, sessions
	}
	f.clock.pass(31 * 24 * time.Hour)
	f.signedIn("kept@shop.example")
	if err := f.clean(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	if logins, sessions := rows(); logins != 1 || sessions != 1 {
		f.t.Errorf("%d logins and %d sessions are left, want one of each", logins, sessions)
	}
}

// second is the error of a call that returns something else too.
func second[T any](_ T, err error) error { return err }

func TestCodeLetter_speaksTheLanguageOfTheShop(t *testing.T) {
	until := time.Date(2026, 11, 14, 12, 10, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, tag := range locale.Supported() {
		for _, name := range []string{"North Shop", strings.Repeat("Ж", 255), "Line\u2028break\u0085and\ttab"} {
			for _, to := range []string{"anna@shop.example", "+49301234567"} {
				l := codeLetter(store.Store{Name: name, Locale: tag}, to, "042917", until)
				if strings.Count(l.Text, "042917") != 1 || strings.Contains(l.Subject, "042917") || strings.ContainsAny(l.Subject+l.Text, "{}") {
					t.Errorf("%s: %q, %q", tag, l.Subject, l.Text)
				}
				m := mail.Message{ID: "1", FromName: l.From, To: "anna@shop.example", Subject: l.Subject, Text: l.Text}
				if err := m.Check(); err != nil {
					t.Errorf("%s, shop %q: %v", tag, name, err)
				}
				seen[l.Text] = true
			}
		}
	}
	if len(seen) != 7*3*2 {
		t.Errorf("%d different texts, want one for each language, name and way", len(seen))
	}
}

func TestNewCode_isSixDigits(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		code := newCode()
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("%q is no code", code)
		}
		seen[code] = true
	}
	if len(seen) < 190 {
		t.Errorf("of 200 codes %d are different", len(seen))
	}
}
