package account

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func TestSignIn_hidesWhetherAccountExists(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		type response struct {
			Code, Message string
			RetryAfter    time.Duration
		}
		responses := map[string][]response{}
		for _, email := range []string{"anna@shop.example", "nobody@shop.example", "not an address"} {
			for range 3 {
				_, err := f.signInFrom(testNetwork, email, "wrong")
				var got *fault.Error
				if !errors.As(err, &got) {
					f.Fatal(err)
				}
				responses[email] = append(responses[email], response{got.Code, got.Message, got.RetryAfter})
			}
		}

		if first, second := responses["anna@shop.example"][0].Code,
			responses["anna@shop.example"][1].Code; first != "invalid_login" || second != "too_many_attempts" {
			f.Errorf("codes %s, %s; want invalid_login, too_many_attempts", first, second)
		}

		if diff := cmp.Diff(responses["anna@shop.example"], responses["nobody@shop.example"]); diff != "" {
			f.Error("unknown address:", diff)
		}
		if diff := cmp.Diff(responses["anna@shop.example"], responses["not an address"]); diff != "" {
			f.Error("malformed address:", diff)
		}
	})
}

func TestSignIn_doublesLockoutAfterEachFailure(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")

		for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			_, err := f.signInFrom(testNetwork, "anna@shop.example", "wrong")
			wantFault(f, err, fault.Unauthenticated, "invalid_login")
			f.Clock.Advance(wait - time.Microsecond)
			_, err = f.signInFrom(testNetwork, "anna@shop.example", "password")
			if got := wantFault(f, err, fault.TooMany, "too_many_attempts").RetryAfter; got != time.Second {
				f.Errorf("after a wait of %v less a microsecond: retry after %v, want 1s", wait, got)
			}
			f.Clock.Advance(time.Microsecond)
		}

		f.mustSignIn("anna@shop.example", "password")

		// The successful login has reset the lockout.
		_, err := f.signInFrom(testNetwork, "anna@shop.example", "wrong")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		f.Clock.Advance(time.Second)
		f.mustSignIn("anna@shop.example", "password")
	})
}

func TestLockout_isCappedAt15Minutes(t *testing.T) {
	now := time.Now()
	l := loginLockout{}
	for i := range 100 {
		l = l.afterFailure(now, 0, maxLockout)
		want := 15 * time.Minute
		if i < 10 {
			want = time.Second << i
		}
		if got := l.lockedUntil.Sub(now); got != want {
			t.Fatalf("failure %d locks the account for %v, want %v", i+1, got, want)
		}
	}
}

func TestUnknownAccounts_useBoundedMemory(t *testing.T) {
	var u unknownAccounts
	for i := range maxUnknownAccounts + 100 {
		if err := u.addFailure(fmt.Sprint(i), testNetwork, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if len(u.lockouts) > maxUnknownAccounts {
		t.Errorf("%d lockouts stored, want at most %d", len(u.lockouts), maxUnknownAccounts)
	}
}

func TestSignIn_evaluatesOneOfManyConcurrentGuesses(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		o := f.newOperator("anna@shop.example", "password")

		for _, email := range []string{"anna@shop.example", "nobody@shop.example"} {
			const guesses = 12
			var wait sync.WaitGroup
			kinds := make(chan fault.Kind, guesses)
			for range guesses {
				wait.Go(func() {
					_, err := f.signInFrom(testNetwork, email, "wrong")
					kinds <- fault.KindOf(err)
				})
			}

			wait.Wait()
			close(kinds)
			count := map[fault.Kind]int{}
			for c := range kinds {
				count[c]++
			}

			if count[fault.Unauthenticated] != 1 || count[fault.TooMany] != guesses-1 {
				f.Errorf("%s: %d evaluated, %d locked out; want 1 and %d", email, count[fault.Unauthenticated],
					count[fault.TooMany], guesses-1)
			}
		}

		found, err := f.Sessions.findAccount(f.Context(), Login{Email: o.Email, Network: testNetwork})
		if err != nil || found.lockouts.source.failures != 1 {
			f.Errorf("%d failures counted, %v; want 1", found.lockouts.source.failures, err)
		}
	})
}

// After one of several concurrent logins has failed, even the right password is refused, so that concurrent guesses do
// not each get a result.
func TestDecideLogin_refusesRightPasswordAfterConcurrentFailure(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		before, err := f.Sessions.findAccount(f.Context(), Login{Email: "anna@shop.example", Network: testNetwork})
		if err != nil {
			f.Fatal(err)
		}

		for _, attempt := range []loginAttempt{{}, {right: true}} {
			var refusal error
			f.WriteUnscoped(func(q database.Querier) (err error) {
				refusal, err = f.Sessions.decideLogin(f.Context(), q, before, attempt, f.moment())
				return err
			})
			if !attempt.right {
				wantFault(f, refusal, fault.Unauthenticated, "invalid_login")
				continue
			}

			wantFault(f, refusal, fault.TooMany, "too_many_attempts")
		}
	})
}

func TestDecideLogin_refusesPasswordThatWasResetConcurrently(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		before, err := f.Sessions.findAccount(f.Context(), Login{Email: "anna@shop.example", Network: testNetwork})
		if err != nil {
			f.Fatal(err)
		}

		var refusal error
		f.WriteUnscoped(func(q database.Querier) (err error) {
			if _, err := f.Operators.ResetPassword(f.Context(), q, "anna@shop.example",
				PreparedPassword{hash: f.cheapHash("another")}, false); err != nil {
				return err
			}
			refusal, err = f.Sessions.decideLogin(f.Context(), q, before, loginAttempt{right: true}, f.moment())
			return err
		})
		wantFault(f, refusal, fault.Unauthenticated, "invalid_login")
	})
}

func TestSignIn_opensSessionForEachConcurrentLogin(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")

		// This login replaces the cheap hash. If one of the concurrent logins below replaced it, the others would be
		// refused, because the hash would differ from the one that they checked.
		f.mustSignIn("anna@shop.example", "password")
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				in, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
				if err != nil {
					f.Error(err)
					return
				}
				if _, err := f.Sessions.Authenticate(f.Context(), in.Session); err != nil {
					f.Error(err)
				}
			})
		}

		wait.Wait()
	})
}

func TestSignIn_rehashesPasswordWithOutdatedCost(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.WeakHashes = false
		o := f.newOperator("anna@shop.example", "password")
		f.mustSignIn("anna@shop.example", "password")
		renewed, err := f.Sessions.findAccount(f.Context(), Login{Email: o.Email, Network: testNetwork})
		if err != nil {
			f.Fatal(err)
		}

		if right, c, err := verifyPassword("password", renewed.passwordHash); !right || c != currentCost() ||
			err != nil {
			f.Errorf("cost %v, right %v, %v", c, right, err)
		}

		f.mustSignIn("anna@shop.example", "password")
		again, err := f.Sessions.findAccount(f.Context(), Login{Email: o.Email, Network: testNetwork})
		if err != nil || again.passwordHash != renewed.passwordHash {
			f.Errorf("the password was rehashed twice, or error %v", err)
		}
	})
}

func TestSession_expiresAfter12IdleHours(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		token := f.mustSignIn("anna@shop.example", "password")
		for range 3 {
			f.Clock.Advance(12*time.Hour - time.Second)
			if _, err := f.Sessions.Authenticate(f.Context(), token); err != nil {
				f.Fatal(err)
			}
			f.runUntilStopped(f.Run)
		}

		f.Clock.Advance(12 * time.Hour)
		_, err := f.Sessions.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
	})
}

func TestSession_expiresAfter7Days(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		token := f.mustSignIn("anna@shop.example", "password")
		for range 27 {
			f.Clock.Advance(6 * time.Hour)
			if _, err := f.Sessions.Authenticate(f.Context(), token); err != nil {
				f.Fatal(err)
			}
			f.runUntilStopped(f.Run)
		}

		f.Clock.Advance(6 * time.Hour)
		_, err := f.Sessions.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
	})
}

func TestSession_refusesOtherTokens(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var key string
		f.Write(func(tx store.Tx) (err error) {
			_, key, err = f.keys.CreateKey(f.Context(), tx, access.NewKey{Kind: access.SecretKey, Name: "Key"})
			return err
		})
		for _, token := range []string{"", "os_x", key, access.NewToken(access.OperatorSession)} {
			_, err := f.Sessions.Authenticate(f.Context(), token)
			wantFault(f, err, fault.Unauthenticated, "invalid_session")
		}
	})
}

func TestSignOut_endsOnlyThatSession(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		one := f.mustSignIn("anna@shop.example", "password")
		other := f.mustSignIn("anna@shop.example", "password")
		for _, token := range []string{one, one, "", "os_x", access.NewToken(access.OperatorSession)} {
			if err := f.Sessions.SignOut(f.Context(), token); err != nil {
				f.Error(err)
			}
		}
		_, err := f.Sessions.Authenticate(f.Context(), one)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
		if _, err := f.Sessions.Authenticate(f.Context(), other); err != nil {
			f.Error(err)
		}
	})
}

func TestSignIn_refusesMalformedAddressLikeUnknownOne(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for _, email := range []string{"", "nul\x00@example.test", "bad\xff@example.test", "no address"} {
			_, err := f.signInFrom(testNetwork, email, "whatever it is")
			if fault.KindOf(err) != fault.Unauthenticated {
				f.Errorf("SignIn(%q) = %v, want Unauthenticated", email, err)
			}
		}
	})
}

func TestRun_deletesExpiredSessions(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.mustSignIn("anna@shop.example", "password")
		f.Clock.Advance(12 * time.Hour)
		live := f.mustSignIn("anna@shop.example", "password")

		f.Start(f.Run)
		f.Eventually("the expired session is deleted", func() bool { return f.Count("operator_sessions") == 1 })
		if _, err := f.Sessions.Authenticate(f.Context(), live); err != nil {
			f.Error(err)
		}
	})
}
