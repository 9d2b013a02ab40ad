package account

import (
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// enableCodes turns codes on for the person of a session. It returns the secret and the recovery codes.
func (f *fixture) enableCodes(p access.Principal) (secret string, recovery []string) {
	f.Helper()
	setup, err := f.Profiles.SetUpCodes(p)
	if err != nil {
		f.Fatal(err)
	}
	err = f.DB.Write(f.Context(), func(q database.Querier) (err error) {
		recovery, err = f.Profiles.EnableCodes(f.Context(), q, p, setup.Sealed, f.code(setup.Secret))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return setup.Secret, recovery
}

// code returns the code that an app shows now.
func (f *fixture) code(secret string) string {
	f.Helper()
	code, err := totp.GenerateCode(secret, f.Clock.Now())
	if err != nil {
		f.Fatal(err)
	}
	return code
}

func (f *fixture) signInWithCode(network, pending, code string) (SignedIn, error) {
	return f.Sessions.SignInWithCode(f.Context(), CodeLogin{Pending: pending, Code: code,
		Login: Login{Network: network}})
}

// pending returns a login that waits for its code.
func (f *fixture) pending() string {
	f.Helper()
	in, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
	if err != nil || in.Session != "" || in.Pending == "" {
		f.Fatalf("the first step returns %+v, %v", in, err)
	}
	return in.Pending
}

func TestCodes_areNeededAndWorkOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		p := f.session(f.mustSignIn("anna@shop.example", "password"))
		secret, recovery := f.enableCodes(p)

		// The code that enabled them is used up.
		_, err := f.signInWithCode(testNetwork, f.pending(), f.code(secret))
		wantFault(f, err, fault.Unauthenticated, "invalid_code")
		f.Clock.Advance(codePeriod)

		in, err := f.signInWithCode(testNetwork, f.pending(), " "+f.code(secret)[:3]+" "+f.code(secret)[3:])
		if err != nil {
			f.Fatal(err)
		}
		if !f.session(in.Session).Operator.CodesEnabled {
			f.Error("the operator of the session has no codes")
		}

		_, err = f.signInWithCode(testNetwork, f.pending(), f.code(secret))
		wantFault(f, err, fault.Unauthenticated, "invalid_code") // a replay within its window
		f.Clock.Advance(time.Minute)
		if _, err := f.signInWithCode(testNetwork, f.pending(), recovery[3]); err != nil {
			f.Errorf("a recovery code: %v", err)
		}

		_, err = f.signInWithCode(testNetwork, f.pending(), recovery[3])
		wantFault(f, err, fault.Unauthenticated, "invalid_code")

		if n := f.Count("account_recovery_codes"); n != recoveryCodeCount-1 {
			f.Errorf("%d recovery codes are left", n)
		}
	})
}

// Wrong codes lock out, and a right password does not reset that.
func TestCodes_lockOutAfterWrongOnes(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		secret, _ := f.enableCodes(f.session(f.mustSignIn("anna@shop.example", "password")))
		f.Clock.Advance(codePeriod)
		_, err := f.signInWithCode(testNetwork, f.pending(), "000000")
		wantFault(f, err, fault.Unauthenticated, "invalid_code")
		_, err = f.signInWithCode(testNetwork, f.pending(), f.code(secret))
		wantFault(f, err, fault.TooMany, "too_many_attempts")
		f.Clock.Advance(time.Second)

		for i := range 4 {
			_, err = f.signInWithCode(testNetwork, f.pending(), "000000")
			wantFault(f, err, fault.Unauthenticated, "invalid_code")
			f.Clock.Advance(time.Second << (i + 1))
		}

		if _, err := f.signInWithCode(testNetwork, f.pending(), f.code(secret)); err != nil {
			f.Errorf("the right code after the lockout: %v", err)
		}

		// Guesses from many networks lock the account for unknown networks.
		for i := range freeFailures + 1 {
			_, err = f.signInWithCode("203.0."+string(rune('0'+i%10))+".0/24", f.pending(), "000000")
			if i < freeFailures {
				wantFault(f, err, fault.Unauthenticated, "invalid_code")
				f.Clock.Advance(time.Minute)
			}
		}

		_, err = f.signInWithCode("192.0.2.0/24", f.pending(), "000000")
		wantFault(f, err, fault.TooMany, "too_many_attempts")
	})
}

func TestCodes_pendingLoginEnds(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		p := f.session(f.mustSignIn("anna@shop.example", "password"))
		secret, recovery := f.enableCodes(p)
		old := f.pending()
		f.Clock.Advance(pendingLoginLifetime)
		_, err := f.signInWithCode(testNetwork, old, f.code(secret))
		wantFault(f, err, fault.Unauthenticated, "sign_in_expired")
		changed := f.pending()
		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, "anna@shop.example",
				PreparedPassword{f.cheapHash("another")},
				false)
			return err
		})
		for _, pending := range []string{changed, "", "x", changed[:len(changed)-2]} {
			_, err = f.signInWithCode(testNetwork, pending, recovery[0])
			wantFault(f, err, fault.Unauthenticated, "sign_in_expired")
		}

		// Somebody who lost everything gets in after the command line has turned the codes off.
		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, "anna@shop.example",
				PreparedPassword{f.cheapHash("third")}, true)
			return err
		})
		in, err := f.signInFrom(testNetwork, "anna@shop.example", "third")
		if err != nil || in.Session == "" || f.Count("account_recovery_codes") != 0 {
			f.Errorf("signed in as %+v, %v", in, err)
		}
	})
}

func TestCodes_areSetUpByTheirOwnerOnly(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.newOperator("boris@shop.example", "password")
		anna := f.session(f.mustSignIn("anna@shop.example", "password"))
		boris := f.session(f.mustSignIn("boris@shop.example", "password"))

		setup, err := f.Profiles.SetUpCodes(anna)
		if err != nil {
			f.Fatal(err)
		}

		enable := func(p access.Principal, code string) error {
			return f.DB.Write(f.Context(), func(q database.Querier) error {
				_, err := f.Profiles.EnableCodes(f.Context(), q, p, setup.Sealed, code)
				return err
			})
		}
		wantFault(f, enable(boris, f.code(setup.Secret)), fault.Conflict, "setup_expired")
		if err := enable(anna, "000000"); fieldCodes(err)["code"] != "wrong_code" {
			f.Errorf("a wrong code: %v", err)
		}

		f.Clock.Advance(codeSetupLifetime)
		wantFault(f, enable(anna, f.code(setup.Secret)), fault.Conflict, "setup_expired")

		if _, err := f.signInFrom(testNetwork, "anna@shop.example", "password"); err != nil {
			f.Errorf("a sign-in without codes: %v", err)
		}

		wantFault(f, f.DB.Write(f.Context(), func(q database.Querier) error {
			_, err := f.Profiles.RenewRecoveryCodes(f.Context(), q, anna)
			return err
		}), fault.Conflict, "codes_disabled")
		_, first := f.enableCodes(anna)
		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Profiles.RenewRecoveryCodes(f.Context(), q, anna)
			return err
		})
		_, err = f.signInWithCode(testNetwork, f.pending(), first[0])
		wantFault(f, err, fault.Unauthenticated, "invalid_code")
		f.WriteUnscoped(func(q database.Querier) error { return f.Profiles.DisableCodes(f.Context(), q, anna) })
		f.mustSignIn("anna@shop.example", "password")
	})
}
