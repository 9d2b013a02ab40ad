package access

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// minFailureTime is the minimum duration of a failed login. It exceeds the usual time of a password hash and a commit.
// Only a failed login to an existing account commits, so without the minimum the response time would reveal whether the
// account exists.
const minFailureTime = 250 * time.Millisecond

// SignIn opens a session and returns its token. A wrong password and an unknown e-mail address get the same
// Unauthenticated fault, invalid_login, and lock the e-mail address for a while. While it is locked, every login
// with this address gets the TooMany fault too_many_attempts.
func (s *Service) SignIn(ctx context.Context, email, password string) (token string, p Principal, err error) {
	defer fault.AddContext(&err, "sign in")
	minimum := time.NewTimer(minFailureTime)
	defer minimum.Stop()
	token, p, err = s.signIn(ctx, normalizeOperatorEmail(email), password)
	if fault.KindOf(err) == fault.Unauthenticated {
		select {
		case <-minimum.C:
		case <-ctx.Done():
		}
	}
	return token, p, err
}

func (s *Service) signIn(ctx context.Context, email, password string) (token string, p Principal, err error) {
	account, err := s.findAccount(ctx, email)
	if errors.Is(err, database.ErrNoRows) {
		return "", Principal{}, s.refuseUnknownAccount(ctx, email, password)
	}
	if err != nil {
		return "", Principal{}, err
	}
	if err := account.lockout.check(s.Now()); err != nil {
		return "", Principal{}, err
	}
	defer fault.AddContext(&err, "operator %s", account.operator.ID)
	attempt, err := s.checkLogin(ctx, password, account)
	if err != nil {
		return "", Principal{}, err
	}
	shop, err := s.Stores.Find(ctx, account.operator.StoreID)
	if err != nil {
		return "", Principal{}, err
	}
	refusal, err := database.Write(ctx, s.DB, func(q database.Querier) (refusal, err error) {
		return s.decideLogin(ctx, q, account, attempt)
	})
	if err = cmp.Or(err, refusal); err != nil {
		return "", Principal{}, err
	}
	return attempt.token, Principal{Kind: OperatorSession, Store: shop, Operator: &account.operator}, nil
}

// findAccount returns the account with this e-mail address, or database.ErrNoRows. It does not query the database for a
// malformed address: the database may reject its bytes.
func (s *Service) findAccount(ctx context.Context, email string) (operatorAccount, error) {
	if !isOperatorEmail(email) {
		return operatorAccount{}, database.ErrNoRows
	}
	return database.ReadShort(ctx, s.DB, func(q database.Querier) (operatorAccount, error) {
		return selectAccount(ctx, q, email, "")
	})
}

// refuseUnknownAccount refuses a login like one with a wrong password: after the same time, with the same faults.
func (s *Service) refuseUnknownAccount(ctx context.Context, email, password string) error {
	if err := s.unknownAccounts.get(email).check(s.Now()); err != nil {
		return err
	}
	if _, err := s.hash(ctx, password); err != nil {
		return err
	}
	if err := s.unknownAccounts.addFailure(email, s.Now()); err != nil {
		return err
	}
	return errInvalidOperatorLogin()
}

// loginAttempt is a login after password hashing, which is too slow for the transaction of decideLogin.
type loginAttempt struct {
	right   bool
	newHash string // "" if the stored hash has the current cost
	token   string // token of the session to open
}

func (s *Service) checkLogin(ctx context.Context, password string, a operatorAccount) (loginAttempt, error) {
	right, outdated, err := s.verify(ctx, password, a.passwordHash)
	if err != nil || !right {
		return loginAttempt{}, err
	}
	attempt := loginAttempt{right: true, token: newToken(OperatorSession, randomBits())}
	if outdated {
		attempt.newHash, err = s.hash(ctx, password)
	}
	return attempt, err
}

// decideLogin records a failure or opens the session. It locks the account and checks it again, since concurrent logins
// may have changed it. After the first failure it refuses all concurrent logins, even one with the right password;
// otherwise many concurrent guesses would each get a result. A refusal is not returned as err, so that the transaction
// commits the failure.
func (s *Service) decideLogin(
	ctx context.Context, q database.Querier, checked operatorAccount, attempt loginAttempt,
) (refusal, err error) {
	now := s.moment()
	current, err := selectAccount(ctx, q, checked.operator.Email, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) || err == nil && current.passwordHash != checked.passwordHash {
		return errInvalidOperatorLogin(), nil // the account was deleted or its password was changed since the check
	}
	if err != nil {
		return nil, err
	}
	if refusal := current.lockout.check(now); refusal != nil {
		return refusal, nil
	}
	if !attempt.right {
		return errInvalidOperatorLogin(), updateLockout(ctx, q, current.operator, current.lockout.afterFailure(now))
	}
	if attempt.newHash != "" {
		err = updateOperatorPassword(ctx, q, current.operator, attempt.newHash)
	} else {
		err = updateLockout(ctx, q, current.operator, loginLockout{})
	}
	if err != nil {
		return nil, err
	}
	return nil, insertOperatorSession(ctx, q, current.operator, hashToken(attempt.token), now)
}

// Session returns the principal of a session token, with its store, in one query. A session that is unknown, idle for
// 12 hours, 7 days old or ended gets the Unauthenticated fault invalid_session.
func (s *Service) Session(ctx context.Context, token string) (Principal, error) {
	if kind, err := ParseToken(token); err != nil || kind != OperatorSession {
		return Principal{}, errInvalidSession()
	}
	hash := hashToken(token)
	row, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (sessionRow, error) {
		return selectOperatorSession(ctx, q, hash)
	})
	if errors.Is(err, database.ErrNoRows) {
		return Principal{}, errInvalidSession()
	}
	if err != nil {
		return Principal{}, fmt.Errorf("read a session: %w", err)
	}
	now := s.moment()
	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || sessionExpired(row.createdAt, row.lastSeenAt, now) {
		return Principal{}, errInvalidSession()
	}
	s.seenSessions.record(hash, now, &row.lastSeenAt)
	return Principal{Kind: OperatorSession, Store: s.Stores.FromRow(&row.store), Operator: &row.operator}, nil
}

// SignOut ends a session. A token without a session is not an error.
func (s *Service) SignOut(ctx context.Context, token string) (err error) {
	defer fault.AddContext(&err, "sign out")
	if kind, err := ParseToken(token); err != nil || kind != OperatorSession {
		return nil
	}
	return s.DB.Write(ctx, func(q database.Querier) error { return deleteOperatorSession(ctx, q, hashToken(token)) })
}

func errInvalidOperatorLogin() error {
	return fault.New(fault.Unauthenticated, "invalid_login", "The e-mail address or the password is wrong.")
}

func errInvalidSession() error {
	return fault.New(fault.Unauthenticated, "invalid_session",
		"You are not signed in, or your session has ended; sign in again.")
}
