package access

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

func TestSignIn_answersAWrongPasswordAndAnUnknownAddressAlike(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		type answer struct {
			Code, Message string
			RetryAfter    time.Duration
		}
		answers := map[string][]answer{}
		for _, email := range []string{"anna@shop.example", "nobody@shop.example", "not an address"} {
			for range 3 {
				_, _, err := f.SignIn(t.Context(), email, "wrong")
				var told *fault.Error
				if !errors.As(err, &told) {
					t.Fatal(err)
				}
				answers[email] = append(answers[email], answer{told.Code, told.Message, told.RetryAfter})
			}
		}
		if first, second := answers["anna@shop.example"][0].Code, answers["anna@shop.example"][1].Code; first != "invalid_login" || second != "too_many_attempts" {
			t.Errorf("answers %s, %s", first, second)
		}
		if diff := cmp.Diff(answers["anna@shop.example"], answers["nobody@shop.example"]); diff != "" {
			t.Error("unknown address:", diff)
		}
		if diff := cmp.Diff(answers["anna@shop.example"], answers["not an address"]); diff != "" {
			t.Error("no address:", diff)
		}
	})
}

func TestSignIn_delaysTheAccountTwiceAsLongEachTimeAndNeverForGood(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			_, _, err := f.SignIn(t.Context(), "anna@shop.example", "wrong")
			wantFault(t, err, fault.Unauthenticated, "invalid_login")
			f.clock.pass(wait - time.Microsecond)
			_, _, err = f.SignIn(t.Context(), "anna@shop.example", "password")
			if got := wantFault(t, err, fault.TooMany, "too_many_attempts").RetryAfter; got != time.Second {
				t.Errorf("after a wait of %v less a microsecond: retry after %v, want 1s", wait, got)
			}
			f.clock.pass(time.Microsecond)
		}
		f.signedIn("anna@shop.example", "password")
		// The good login has reset the delay.
		_, _, err := f.SignIn(t.Context(), "anna@shop.example", "wrong")
		wantFault(t, err, fault.Unauthenticated, "invalid_login")
		f.clock.pass(time.Second)
		f.signedIn("anna@shop.example", "password")
	})
}

func TestAttempts_stopGrowingAtAQuarterOfAnHour(t *testing.T) {
	now := time.Now()
	a := attempts{}
	for i := range 100 {
		a = a.failed(now)
		want := 15 * time.Minute
		if i < 10 {
			want = time.Second << i
		}
		if got := a.lockedUntil.Sub(now); got != want {
			t.Fatalf("failure %d waits %v, want %v", i+1, got, want)
		}
	}
}

func TestStrangers_takeBoundedMemory(t *testing.T) {
	var s strangers
	for i := range maxStrangers + 100 {
		if err := s.fail(fmt.Sprint(i), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.attempts) != maxStrangers {
		t.Errorf("%d remembered, want %d", len(s.attempts), maxStrangers)
	}
}

func TestSignIn_answersOneOfManyGuessesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		o := f.newOperator("anna@shop.example", "password")
		for _, email := range []string{"anna@shop.example", "nobody@shop.example"} {
			const guesses = 12
			var wait sync.WaitGroup
			codes := make(chan fault.Kind, guesses)
			for range guesses {
				wait.Go(func() {
					_, _, err := f.SignIn(t.Context(), email, "wrong")
					codes <- fault.KindOf(err)
				})
			}
			wait.Wait()
			close(codes)
			count := map[fault.Kind]int{}
			for c := range codes {
				count[c]++
			}
			if count[fault.Unauthenticated] != 1 || count[fault.TooMany] != guesses-1 {
				t.Errorf("%s: %d told, %d too early; want 1 and %d", email, count[fault.Unauthenticated], count[fault.TooMany], guesses-1)
			}
		}
		found, err := f.findLogin(t.Context(), o.Email)
		if err != nil || found.attempts.failures != 1 {
			t.Errorf("%d failures counted, %v", found.attempts.failures, err)
		}
	})
}

// A right guess among wrong ones at once must not stand out.
func TestSettle_refusesTheRightPasswordAfterAFailureMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		before, err := f.findLogin(t.Context(), "anna@shop.example")
		if err != nil {
			t.Fatal(err)
		}
		for _, tried := range []try{{}, {right: true, token: newToken(OperatorSession, randomBits())}} {
			var refusal error
			f.mustWrite(func(q database.Querier) (err error) {
				refusal, err = f.settle(t.Context(), q, before, tried)
				return err
			})
			if !tried.right {
				wantFault(t, refusal, fault.Unauthenticated, "invalid_login")
				continue
			}
			wantFault(t, refusal, fault.TooMany, "too_many_attempts")
			if _, err := f.Session(t.Context(), tried.token); err == nil {
				t.Error("a session was opened")
			}
		}
	})
}

func TestSettle_refusesAPasswordThatWasResetMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		before, err := f.findLogin(t.Context(), "anna@shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var refusal error
		f.mustWrite(func(q database.Querier) (err error) {
			if _, err := f.ResetPassword(t.Context(), q, "anna@shop.example", PreparedPassword{hash: f.quickHash("another")}); err != nil {
				return err
			}
			refusal, err = f.settle(t.Context(), q, before, try{right: true, token: newToken(OperatorSession, randomBits())})
			return err
		})
		wantFault(t, refusal, fault.Unauthenticated, "invalid_login")
	})
}

func TestSignIn_opensASessionForEachOfManyRightLoginsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.signedIn("anna@shop.example", "password") // renews the cheap hash: a change that would turn away logins of the same moment
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				token, _, err := f.SignIn(t.Context(), "anna@shop.example", "password")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := f.Session(t.Context(), token); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	})
}

func TestSignIn_renewsAHashOfAnotherCost(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		o := f.newOperator("anna@shop.example", "password")
		f.signedIn("anna@shop.example", "password")
		renewed, err := f.findLogin(t.Context(), o.Email)
		if err != nil {
			t.Fatal(err)
		}
		if right, c, err := verifyPassword("password", renewed.hash); !right || c != presentCost() || err != nil {
			t.Errorf("now %v, right %v, %v", c, right, err)
		}
		f.signedIn("anna@shop.example", "password")
		again, err := f.findLogin(t.Context(), o.Email)
		if err != nil || again.hash != renewed.hash {
			t.Errorf("the hash was renewed twice, or %v", err)
		}
	})
}

func TestSession_endsAfterTwelveIdleHours(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		token := f.signedIn("anna@shop.example", "password")
		for range 3 {
			f.clock.pass(12*time.Hour - time.Second)
			if _, err := f.Session(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			f.flush(t.Context())
		}
		f.clock.pass(12 * time.Hour)
		_, err := f.Session(t.Context(), token)
		wantFault(t, err, fault.Unauthenticated, "invalid_session")
	})
}

func TestSession_endsAfterSevenDaysInAnyCase(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		token := f.signedIn("anna@shop.example", "password")
		for range 27 {
			f.clock.pass(6 * time.Hour)
			if _, err := f.Session(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			f.flush(t.Context())
		}
		f.clock.pass(6 * time.Hour)
		_, err := f.Session(t.Context(), token)
		wantFault(t, err, fault.Unauthenticated, "invalid_session")
	})
}

func TestSession_refusesOtherTokens(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, key := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		for _, token := range []string{"", "os_x", key, newToken(OperatorSession, randomBits())} {
			_, err := f.Session(t.Context(), token)
			wantFault(t, err, fault.Unauthenticated, "invalid_session")
		}
	})
}

func TestSignOut_endsThatSessionAlone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		one, other := f.signedIn("anna@shop.example", "password"), f.signedIn("anna@shop.example", "password")
		for _, token := range []string{one, one, "", "os_x", newToken(OperatorSession, randomBits())} {
			if err := f.SignOut(t.Context(), token); err != nil {
				t.Error(err)
			}
		}
		_, err := f.Session(t.Context(), one)
		wantFault(t, err, fault.Unauthenticated, "invalid_session")
		if _, err := f.Session(t.Context(), other); err != nil {
			t.Error(err)
		}
	})
}

func TestSignIn_refusesWhatIsNoAddressLikeAnyStranger(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := NewService(Deps{DB: db, Stores: store.NewService(db, time.Now), Now: time.Now})
		for _, email := range []string{"", "nul\x00@example.test", "bad\xff@example.test", "no address"} {
			_, _, err := s.SignIn(t.Context(), email, "whatever it is")
			if fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("SignIn(%q) = %v, want the refusal that a stranger gets", email, err)
			}
		}
	})
}
