package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// minFailureTime is how long a failed login takes at least: longer than a hash and a commit, so that the commit, which only an
// account that exists needs, does not tell that it exists.
const minFailureTime = 250 * time.Millisecond

// SignIn opens a session and returns its token. A wrong password and an unknown e-mail address are the same Unauthenticated
// fault, invalid_login, and the account then waits: until it has, every login is TooMany, too_many_attempts.
func (s *Service) SignIn(ctx context.Context, email, password string) (string, Principal, error) {
	minimum := time.NewTimer(minFailureTime)
	defer minimum.Stop()
	token, p, err := s.signIn(ctx, normalizeEmail(email), password)
	if fault.KindOf(err) == fault.Unauthenticated {
		select {
		case <-minimum.C:
		case <-ctx.Done():
		}
	}
	return token, p, err
}

func (s *Service) signIn(ctx context.Context, email, password string) (string, Principal, error) {
	account, err := s.findAccount(ctx, email)
	if errors.Is(err, database.ErrNoRows) {
		return "", Principal{}, s.refuseUnknownAccount(ctx, email, password)
	}
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in: %w", err)
	}
	if err := account.lockout.check(s.now()); err != nil {
		return "", Principal{}, err
	}
	attempt, err := s.checkLogin(ctx, password, account)
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in operator %s: %w", account.operator.ID, err)
	}
	shop, err := s.stores.One(ctx, account.operator.StoreID)
	if err != nil {
		return "", Principal{}, err
	}
	var refusal error
	err = s.db.Write(ctx, func(q database.Querier) (err error) {
		refusal, err = s.decideLogin(ctx, q, account, attempt)
		return err
	})
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in operator %s: %w", account.operator.ID, err)
	}
	if refusal != nil {
		return "", Principal{}, refusal
	}
	return attempt.token, Principal{Kind: OperatorSession, Store: shop, Operator: &account.operator}, nil
}

// findAccount looks an account up. What is no address at all is nobody's, and is not sent to the database, which may refuse its bytes.
func (s *Service) findAccount(ctx context.Context, email string) (found operatorAccount, err error) {
	if !isEmail(email) {
		return operatorAccount{}, database.ErrNoRows
	}
	err = s.db.Read(ctx, func(q database.Querier) (err error) {
		found, err = selectAccount(ctx, q, email)
		return err
	})
	return found, err
}

// refuseUnknownAccount takes as long as a wrong password would, and answers the same.
func (s *Service) refuseUnknownAccount(ctx context.Context, email, password string) error {
	if err := s.unknownAccounts.get(email).check(s.now()); err != nil {
		return err
	}
	if _, err := s.hash(ctx, password); err != nil {
		return err
	}
	if err := s.unknownAccounts.addFailure(email, s.now()); err != nil {
		return err
	}
	return errInvalidLogin()
}

// loginAttempt is a login after the slow part: all hashing is done, and only the transaction is left.
type loginAttempt struct {
	right   bool
	newHash string // "" where the one that is stored is good
	token   string // of the session to open
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

// decideLogin counts a failure or opens the session, on the account as it is now. Of logins that ran at once, the first failure
// makes all later ones too early, a right one among them too: else many guesses at once would each get an answer. A refusal is
// not an error, so that the failure is committed before it is told.
func (s *Service) decideLogin(ctx context.Context, q database.Querier, checked operatorAccount, attempt loginAttempt) (refusal, err error) {
	now := s.moment()
	current, err := selectAccountForUpdate(ctx, q, checked.operator.Email)
	if errors.Is(err, database.ErrNoRows) || err == nil && current.passwordHash != checked.passwordHash {
		return errInvalidLogin(), nil // gone, or with another password, meanwhile
	}
	if err != nil {
		return nil, err
	}
	if refusal := current.lockout.check(now); refusal != nil {
		return refusal, nil
	}
	if !attempt.right {
		return errInvalidLogin(), updateLockout(ctx, q, current.operator, current.lockout.afterFailure(now))
	}
	if attempt.newHash != "" {
		err = updatePassword(ctx, q, current.operator, attempt.newHash)
	} else {
		err = updateLockout(ctx, q, current.operator, lockout{})
	}
	if err != nil {
		return nil, err
	}
	return nil, insertSession(ctx, q, current.operator, hashToken(attempt.token), now)
}

// Session returns who holds the token of a session, with their store, in one query. A session that is unknown, idle for 12 hours,
// 7 days old or ended is one and the same Unauthenticated fault, invalid_session.
func (s *Service) Session(ctx context.Context, token string) (Principal, error) {
	if kind, err := ParseToken(token); err != nil || kind != OperatorSession {
		return Principal{}, errInvalidSession()
	}
	hash := hashToken(token)
	var row sessionRow
	err := s.db.Read(ctx, func(q database.Querier) error { return selectSession(ctx, q, hash, &row) })
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
	return Principal{Kind: OperatorSession, Store: s.stores.FromRow(&row.store), Operator: &row.operator}, nil
}

// SignOut ends a session for good. A token without a session is no error: it is signed out.
func (s *Service) SignOut(ctx context.Context, token string) error {
	kind, err := ParseToken(token)
	if errors.Is(err, ErrToken) || kind != OperatorSession {
		return nil
	}
	err = s.db.Write(ctx, func(q database.Querier) error { return deleteSession(ctx, q, hashToken(token)) })
	if err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}

func errInvalidLogin() error {
	return fault.New(fault.Unauthenticated, "invalid_login", "The e-mail address or the password is wrong.")
}

func errInvalidSession() error {
	return fault.New(fault.Unauthenticated, "invalid_session", "You are not signed in, or your session has ended; sign in again.")
}
