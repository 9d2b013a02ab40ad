package account

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Sessions has the use cases of sign-in and of sessions.
type Sessions struct {
	*core
	// seen buffers times of last use until Run writes them.
	seen            *access.UsageBuffer[access.TokenHash]
	unknownAccounts unknownAccounts
	// failedSignIns and lockedSignIns are the results of SignInFailures.
	failedSignIns, lockedSignIns atomic.Int64
}

// minFailureTime is the minimum duration of a failed login. It exceeds the usual time of a password hash and a commit.
// Only a failed login to an existing account commits, so without the minimum the response time would reveal whether the
// account exists.
const minFailureTime = 250 * time.Millisecond

// Login is an attempt to sign in.
type Login struct {
	Email, Password string
	// Network is the network of the client, such as 203.0.113.0/24. Failed logins are counted by it.
	Network string
	// Device is the token of the browser from an earlier login, and Session the token of a session. They may be empty,
	// invalid or of another operator.
	Device, Session string
	// Browser describes the browser for the person's list of sessions, such as "Firefox, Linux".
	Browser string
	// AdmitWrite is called before the login is written to the database. It may be nil.
	AdmitWrite AdmitWrite
}

// AdmitWrite waits for permission to write to the database. The function that it returns ends the write. The service
// calls it after the password is hashed, so that the slow hashing does not keep others from writing. A nil AdmitWrite
// permits every write at once.
type AdmitWrite func(ctx context.Context) (release func(), err error)

func (a AdmitWrite) acquire(ctx context.Context) (release func(), err error) {
	if a == nil {
		return func() {}, nil
	}
	return a(ctx)
}

// String returns a text without the password and the tokens, so that messages do not contain them.
func (l Login) String() string { return "login from " + l.Network }

// LogValue returns the text of String, so that logs do not contain the password and the tokens.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// SignedIn is the result of a login: the tokens of the new session and of the device, for the cookies of the browser.
type SignedIn struct {
	Session, Device string
	Principal       access.Principal
	// Pending is set in place of the other members if the account needs a code in a second step. SignInWithCode takes
	// it.
	Pending string
}

// String returns a text without the tokens, so that messages do not contain them.
func (s SignedIn) String() string { return "signed in" }

// LogValue returns the text of String, so that logs do not contain the tokens.
func (s SignedIn) LogValue() slog.Value { return slog.StringValue(s.String()) }

// SignIn opens a session in the store that the person used last. A wrong password and an unknown e-mail address get the
// same Unauthenticated fault, invalid_login, and lock the source of the login out of the account for a while: its
// device, its session or its network. While it is locked out, every login gets the TooMany fault too_many_attempts. The
// person can still sign in on a device that signed in before. If the account needs a code, SignIn opens no session and
// returns a Pending login.
func (s *Sessions) SignIn(ctx context.Context, l Login) (in SignedIn, err error) {
	defer fault.AddContext(&err, "sign in")
	minimum := time.NewTimer(minFailureTime)
	defer minimum.Stop()
	l.Email = normalizeOperatorEmail(l.Email)
	in, err = s.signIn(ctx, l)
	s.countSignIn(err)
	if fault.KindOf(err) == fault.Unauthenticated {
		select {
		case <-minimum.C:
		case <-ctx.Done():
		}
	}
	return in, err
}

// countSignIn counts an attempt to sign in that failed with a wrong password or code, or that was refused because too
// many had failed before. It counts no other result.
func (s *Sessions) countSignIn(err error) {
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case f == nil:
	case f.Kind == fault.Unauthenticated:
		s.failedSignIns.Add(1)
	case f.Code == tooManyAttempts:
		s.lockedSignIns.Add(1)
	}
}

// SignInFailures returns how many attempts of operators to sign in failed on this node since the start: those with a
// wrong password or code, and those that were refused because too many had failed before.
func (s *Sessions) SignInFailures() (wrong, locked int64) {
	return s.failedSignIns.Load(), s.lockedSignIns.Load()
}

func (s *Sessions) signIn(ctx context.Context, l Login) (in SignedIn, err error) {
	account, err := s.findAccount(ctx, l)
	if errors.Is(err, database.ErrNoRows) || err == nil && !account.maySignIn() {
		return SignedIn{}, s.refuseUnknownAccount(ctx, l)
	}
	if err != nil {
		return SignedIn{}, err
	}
	defer fault.AddContext(&err, "operator %s", account.operator.ID)

	if account.CodesEnabled {
		err := s.checkAccountPassword(ctx, account, l.Password, l.AdmitWrite,
			func(database.Querier, time.Time) error { return nil })
		if err != nil {
			return SignedIn{}, err
		}
		return SignedIn{Pending: s.sealPendingLogin(account.accountRow)}, nil
	}

	in, open, err := s.newSession(ctx, account, l)
	if err != nil {
		return SignedIn{}, err
	}

	return in, s.checkAccountPassword(ctx, account, l.Password, l.AdmitWrite, open)
}

// newSession returns the tokens of a new session, and a function that opens the session in a transaction.
func (s *Sessions) newSession(
	ctx context.Context, account loginAccount, l Login,
) (in SignedIn, open func(q database.Querier, now time.Time) error, err error) {
	shop, err := s.Stores.Find(ctx, account.operator.StoreID)
	if err != nil {
		return SignedIn{}, nil, err
	}

	in = SignedIn{Session: access.NewToken(access.OperatorSession), Device: l.Device}
	if !account.deviceKnown {
		in.Device = access.NewToken(access.OperatorDevice)
	}

	operator := account.operator
	in.Principal = access.Principal{Kind: access.OperatorSession, Store: shop, Operator: &operator,
		Session: access.HashToken(in.Session)}
	return in, func(q database.Querier, now time.Time) error {
		if err := saveDevice(ctx, q, account.ID, access.HashToken(in.Device), l.Network, now); err != nil {
			return err
		}

		tx := store.In(q, operator.StoreID)
		if err := recordSignIn(ctx, tx, operator.ID, now); err != nil {
			return err
		}
		if err := logSignIn(ctx, tx, operator, now); err != nil {
			return err
		}

		return insertOperatorSession(ctx, q, operator, in.Principal.Session, l.Network, l.Browser, now)
	}, nil
}

// logSignIn stores a sign-in to the store in the log.
func logSignIn(ctx context.Context, tx store.Tx, o access.Operator, now time.Time) error {
	return audit.Record(ctx, tx.By(o.Actor(), now), o.AccountEntry(audit.AccountSignedIn))
}

// loginAccount is an account in a login: with the operator of the store that the person used last, and the lockouts
// that apply to the source of the login.
type loginAccount struct {
	accountRow
	operator access.Operator // zero if there is no store to sign in to
	lockouts loginLockouts
	// source is the source of a login, as lockouts are stored by it. deviceKnown is true if it is a known device.
	source      string
	deviceKnown bool
}

// maySignIn reports whether there is a password to compare with and a store to sign in to.
func (a loginAccount) maySignIn() bool {
	return a.passwordHash != "" && a.operator.Active() && !a.operator.ID.IsZero()
}

// withOperator adds the operator of the store that the person used last, if there is one.
func withOperator(ctx context.Context, q database.Querier, row accountRow) (loginAccount, error) {
	o, err := selectSignInOperator(ctx, q, row.ID)
	if errors.Is(err, database.ErrNoRows) {
		err = nil
	}
	return loginAccount{accountRow: row, operator: o, lockouts: loginLockouts{account: row.lockout}}, err
}

// checkAccountPassword checks a password of an account. It records a wrong one and returns the Unauthenticated fault
// invalid_login. With the right one it calls onSuccess in the transaction that resets the lockouts.
func (s *Sessions) checkAccountPassword(
	ctx context.Context, account loginAccount, password string, admitWrite AdmitWrite,
	onSuccess func(q database.Querier, now time.Time) error,
) error {
	if err := account.lockouts.check(s.Now()); err != nil {
		return err
	}

	attempt, err := s.verifyLogin(ctx, password, account)
	if err != nil {
		return err
	}
	release, err := admitWrite.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()

	refusal, err := database.Write(ctx, s.DB, func(q database.Querier) (refusal, err error) {
		now := s.moment()
		if refusal, err = s.decideLogin(ctx, q, account, attempt, now); refusal != nil || err != nil {
			return refusal, err
		}
		return nil, onSuccess(q, now)
	})
	return cmp.Or(err, refusal)
}

// findAccount returns the account with this e-mail address and the lockouts that apply to the login, or
// database.ErrNoRows. It does not query the database for a malformed address: the database may reject its bytes.
func (s *Sessions) findAccount(ctx context.Context, l Login) (loginAccount, error) {
	if !isOperatorEmail(l.Email) {
		return loginAccount{}, database.ErrNoRows
	}
	return database.ReadShort(ctx, s.DB, func(q database.Querier) (loginAccount, error) {
		row, err := selectAccount(ctx, q, l.Email, "")
		if err != nil {
			return loginAccount{}, err
		}
		account, err := withOperator(ctx, q, row)
		if err != nil {
			return loginAccount{}, err
		}
		return account, account.identifySource(ctx, q, l, s.moment())
	})
}

// identifySource sets the source of a login and its lockout.
func (a *loginAccount) identifySource(ctx context.Context, q database.Querier, l Login, now time.Time) (err error) {
	if kind, err := access.ParseToken(l.Device); err == nil && kind == access.OperatorDevice {
		if a.deviceKnown, err = deviceExists(ctx, q, a.ID, access.HashToken(l.Device), now); err != nil {
			return err
		}
	}

	sessionLive := false
	if kind, err := access.ParseToken(l.Session); err == nil && kind == access.OperatorSession {
		row, err := selectOperatorSession(ctx, q, access.HashToken(l.Session))
		if err != nil && !errors.Is(err, database.ErrNoRows) {
			return err
		}
		sessionLive = err == nil && row.operator.AccountID == a.ID &&
			!sessionExpired(row.createdAt, row.lastSeenAt, now)
	}

	a.lockouts.known = true

	switch {
	case a.deviceKnown:
		a.source = deviceSource(access.HashToken(l.Device))
	case sessionLive:
		a.source = sessionSource(access.HashToken(l.Session))
	default:
		a.source = networkSource(l.Network)
		a.lockouts.known, err = deviceInNetworkExists(ctx, q, a.ID, l.Network, now)
		if err != nil {
			return err
		}
	}

	a.lockouts.source, err = selectLockout(ctx, q, a.ID, a.source, now)
	return err
}

// refuseUnknownAccount refuses a login like one with a wrong password: after the same time, with the same faults.
func (s *Sessions) refuseUnknownAccount(ctx context.Context, l Login) error {
	if err := s.unknownAccounts.get(l.Email, l.Network).check(s.Now()); err != nil {
		return err
	}
	if _, err := s.hash(ctx, l.Password); err != nil {
		return err
	}
	release, err := l.AdmitWrite.acquire(ctx)
	if err != nil {
		return err // as for an account that exists: an overload must not reveal which accounts do
	}
	release()
	if err := s.unknownAccounts.addFailure(l.Email, l.Network, s.Now()); err != nil {
		return err
	}
	return errInvalidOperatorLogin()
}

// loginAttempt is a login after password hashing, which is too slow for the transaction of decideLogin.
type loginAttempt struct {
	right   bool
	newHash string // "" if the stored hash has the current cost
}

func (s *Sessions) verifyLogin(ctx context.Context, password string, a loginAccount) (loginAttempt, error) {
	right, outdated, err := s.verify(ctx, password, a.passwordHash)
	if err != nil || !right {
		return loginAttempt{}, err
	}
	attempt := loginAttempt{right: true}
	if outdated {
		attempt.newHash, err = s.hash(ctx, password)
	}
	return attempt, err
}

// decideLogin records a failure or resets the lockouts. It locks the account and checks it again, since concurrent
// logins may have changed it. After the first failure it refuses all concurrent logins from the same source, even one
// with the right password; otherwise many concurrent guesses would each get a result. A refusal is not returned as err,
// so that the transaction commits the failure.
func (s *Sessions) decideLogin(
	ctx context.Context, q database.Querier, checked loginAccount, attempt loginAttempt, now time.Time,
) (refusal, err error) {
	row, err := selectAccountByID(ctx, q, checked.ID, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		return errInvalidOperatorLogin(), nil // the account was removed since the check
	}
	if err != nil {
		return nil, err
	}

	current, err := withOperator(ctx, q, row)
	if err != nil {
		return nil, err
	}

	if current.passwordHash != checked.passwordHash || current.Email != checked.Email || !current.maySignIn() ||
		current.CodesEnabled != checked.CodesEnabled || current.operator.ID != checked.operator.ID {
		return errInvalidOperatorLogin(), nil // the account was changed since the check
	}

	current.lockouts.known = checked.lockouts.known
	current.lockouts.source, err = selectLockout(ctx, q, checked.ID, checked.source, now)
	if err != nil {
		return nil, err
	}
	if refusal := current.lockouts.check(now); refusal != nil {
		return refusal, nil
	}

	if !attempt.right {
		next := current.lockouts.afterFailure(now)
		if err := upsertLockout(ctx, q, checked.ID, checked.source, next.source, now); err != nil {
			return nil, err
		}
		if err := s.logFailure(ctx, q, current, checked.source, now); err != nil {
			return nil, err
		}
		return errInvalidOperatorLogin(), updateAccountLockout(ctx, q, checked.ID, next.account)
	}

	if err := s.logFailuresBefore(ctx, q, current, now); err != nil {
		return nil, err
	}
	if err := deleteLockout(ctx, q, checked.ID, checked.source); err != nil {
		return nil, err
	}
	if attempt.newHash != "" {
		return nil, updatePassword(ctx, q, checked.ID, attempt.newHash, current.UpdatedAt)
	}

	return nil, updateAccountLockout(ctx, q, checked.ID, loginLockout{})
}

// The codes of the Denied faults of ConfirmPassword.
const (
	PasswordRequired = "password_required"
	WrongPassword    = "wrong_password"
)

// ConfirmPassword checks the password of the operator before an action that a stolen session must not be able to
// perform, such as making a key. Credentials other than sessions pass: nobody types them in. A missing password gets
// the Denied fault password_required, a wrong one the Denied fault wrong_password. After a wrong one the session has to
// wait as after a failed login, and gets the TooMany fault too_many_attempts.
func (s *Sessions) ConfirmPassword(
	ctx context.Context, p access.Principal, password string, admitWrite AdmitWrite,
) (err error) {
	if p.Kind != access.OperatorSession {
		return nil
	}
	defer fault.AddContext(&err, "confirm the password of operator %s", p.Operator.ID)

	if password == "" {
		return PasswordMissing()
	}

	account, err := database.Read(ctx, s.DB, func(q database.Querier) (loginAccount, error) {
		row, err := selectAccountByID(ctx, q, p.Operator.AccountID, "")
		if err != nil {
			return loginAccount{}, err
		}
		a, err := withOperator(ctx, q, row)
		if err != nil {
			return a, err
		}

		a.source = sessionSource(p.Session)
		a.lockouts.known = true
		a.lockouts.source, err = selectLockout(ctx, q, a.ID, a.source, s.moment())
		return a, err
	})
	if errors.Is(err, database.ErrNoRows) || err == nil && !account.maySignIn() {
		return errInvalidSession() // the account was removed or disabled since the session was read
	}

	if err != nil {
		return err
	}

	err = s.checkAccountPassword(ctx, account, password, admitWrite,
		func(database.Querier, time.Time) error { return nil })
	if fault.KindOf(err) == fault.Unauthenticated {
		return fault.New(fault.Denied, WrongPassword, "The password is wrong.")
	}

	return err
}

// PasswordMissing returns the Denied fault password_required, for a change that a stolen session must not be able to
// make.
func PasswordMissing() error {
	return fault.New(fault.Denied, PasswordRequired,
		"This makes or changes credentials or weakens what protects the shop, so a session alone is not enough: "+
			"send your password again, as the member password.")
}

// Renew replaces a session by a new one of the same operator and returns its token and its principal. The old
// token stops working, so a stolen copy of it does too.
func (s *Sessions) Renew(ctx context.Context, p access.Principal) (token string, renewed access.Principal, err error) {
	defer fault.AddContext(&err, "renew a session")
	token = access.NewToken(access.OperatorSession)
	renewed = p
	renewed.Session = access.HashToken(token)
	return token, renewed, s.DB.Write(ctx, func(q database.Querier) error {
		return s.replaceSession(ctx, q, p, token, *p.Operator)
	})
}

// replaceSession replaces the session of the principal by a session of operator o, with the given token. It returns the
// fault invalid_session if the old session has ended.
func (s *Sessions) replaceSession(
	ctx context.Context, q database.Querier, p access.Principal, token string, o access.Operator,
) error {
	renewed, err := renewOperatorSession(ctx, q, p.Session, access.HashToken(token), o, s.moment())
	if err == nil && !renewed {
		err = errInvalidSession() // it ended since it was read
	}
	return err
}

// Authenticate returns the principal of a session token, with its store, in one query. A session that is unknown, idle
// for 12 hours, 7 days old or ended gets the Unauthenticated fault invalid_session.
func (s *Sessions) Authenticate(ctx context.Context, token string) (access.Principal, error) {
	return s.principal(ctx, token, true)
}

// Check returns the same as Authenticate for a request that goes on by itself: it does not count as use of the session,
// which still ends when its person has been away for long enough.
func (s *Sessions) Check(ctx context.Context, token string) (access.Principal, error) {
	return s.principal(ctx, token, false)
}

// principal returns the principal of a session. counts says that the session is used.
func (s *Sessions) principal(ctx context.Context, token string, counts bool) (access.Principal, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.OperatorSession {
		return access.Principal{}, errInvalidSession()
	}

	hash := access.HashToken(token)
	row, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (sessionRow, error) {
		return selectOperatorSession(ctx, q, hash)
	})
	if errors.Is(err, database.ErrNoRows) {
		return access.Principal{}, errInvalidSession()
	}
	if err != nil {
		return access.Principal{}, fmt.Errorf("read a session: %w", err)
	}

	now := s.moment()
	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || sessionExpired(row.createdAt, row.lastSeenAt, now) ||
		row.operator.DisabledAt != nil {
		return access.Principal{}, errInvalidSession()
	}

	if counts {
		s.seen.Record(hash, now, &row.lastSeenAt)
	}
	return access.Principal{Kind: access.OperatorSession, Store: s.Stores.FromRow(&row.store), Operator: &row.operator,
		SeveralStores: row.stores > 1, Session: hash}, nil
}

// SignOut ends a session. A token without a session is not an error.
func (s *Sessions) SignOut(ctx context.Context, token string) (err error) {
	defer fault.AddContext(&err, "sign out")
	if kind, err := access.ParseToken(token); err != nil || kind != access.OperatorSession {
		return nil
	}
	return s.DB.Write(ctx, func(q database.Querier) error {
		return deleteOperatorSession(ctx, q,
			access.HashToken(token))
	})
}

func errInvalidOperatorLogin() error {
	return fault.New(fault.Unauthenticated, "invalid_login", "The e-mail address or the password is wrong.")
}

func errInvalidSession() error {
	return fault.New(fault.Unauthenticated, "invalid_session",
		"You are not signed in, or your session has ended; sign in again.")
}
