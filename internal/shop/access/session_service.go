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

// failureTime is how long a failed login takes at least: longer than a hash and a commit, so that the commit, which only an
// account that exists needs, does not tell that it exists.
const failureTime = 250 * time.Millisecond

// SignIn opens a session and returns its token. A wrong password and an unknown e-mail address are the same Unauthenticated
// fault, invalid_login, and the account then waits: until it has, every login is TooMany, too_many_attempts.
func (s *Service) SignIn(ctx context.Context, email, password string) (string, Principal, error) {
	atLeast := time.NewTimer(failureTime)
	defer atLeast.Stop()
	token, p, err := s.signIn(ctx, normalEmail(email), password)
	if fault.KindOf(err) == fault.Unauthenticated {
		select {
		case <-atLeast.C:
		case <-ctx.Done():
		}
	}
	return token, p, err
}

func (s *Service) signIn(ctx context.Context, email, password string) (string, Principal, error) {
	found, err := s.findLogin(ctx, email)
	if errors.Is(err, database.ErrNoRows) {
		return "", Principal{}, s.refuseStranger(ctx, email, password)
	}
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in: %w", err)
	}
	if err := found.attempts.tooEarly(s.now()); err != nil {
		return "", Principal{}, err
	}
	try, err := s.try(ctx, password, found)
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in operator %s: %w", found.operator.ID, err)
	}
	shop, err := s.stores.One(ctx, found.operator.StoreID)
	if err != nil {
		return "", Principal{}, err
	}
	var refusal error
	err = s.db.Write(ctx, func(q database.Querier) (err error) {
		refusal, err = s.settle(ctx, q, found, try)
		return err
	})
	if err != nil {
		return "", Principal{}, fmt.Errorf("sign in operator %s: %w", found.operator.ID, err)
	}
	if refusal != nil {
		return "", Principal{}, refusal
	}
	return try.token, Principal{Kind: OperatorSession, Store: shop, Operator: &found.operator}, nil
}

// findLogin looks an account up. What is no address at all is nobody's, and is not sent to the database, which may refuse its bytes.
func (s *Service) findLogin(ctx context.Context, email string) (found login, err error) {
	if !isEmail(email) {
		return login{}, database.ErrNoRows
	}
	err = s.db.Read(ctx, func(q database.Querier) (err error) {
		found, err = selectLogin(ctx, q, email)
		return err
	})
	return found, err
}

// refuseStranger takes as long as a wrong password would, and answers the same.
func (s *Service) refuseStranger(ctx context.Context, email, password string) error {
	if err := s.strangers.of(email).tooEarly(s.now()); err != nil {
		return err
	}
	if _, err := s.hash(ctx, password); err != nil {
		return err
	}
	if err := s.strangers.fail(email, s.now()); err != nil {
		return err
	}
	return errLogin()
}

// try is a login after the slow part: all hashing is done, and only the transaction is left.
type try struct {
	right   bool
	newHash string // "" where the one that is stored is good
	token   string // of the session to open
}

func (s *Service) try(ctx context.Context, password string, found login) (try, error) {
	right, outdated, err := s.verify(ctx, password, found.hash)
	if err != nil || !right {
		return try{}, err
	}
	t := try{right: true, token: newToken(OperatorSession, randomBits())}
	if outdated {
		t.newHash, err = s.hash(ctx, password)
	}
	return t, err
}

// settle counts a failure or opens the session, on the account as it is now. Of logins that ran at once, the first failure
// makes all later ones too early, a right one among them too: else many guesses at once would each get an answer. A refusal is
// not an error, so that the failure is committed before it is told.
func (s *Service) settle(ctx context.Context, q database.Querier, found login, t try) (refusal, err error) {
	now := s.moment()
	present, err := lockLogin(ctx, q, found.operator.Email)
	if errors.Is(err, database.ErrNoRows) || err == nil && present.hash != found.hash {
		return errLogin(), nil // gone, or with another password, meanwhile
	}
	if err != nil {
		return nil, err
	}
	if refusal := present.attempts.tooEarly(now); refusal != nil {
		return refusal, nil
	}
	if !t.right {
		return errLogin(), updateAttempts(ctx, q, present.operator, present.attempts.failed(now))
	}
	if t.newHash != "" {
		err = updatePassword(ctx, q, present.operator, t.newHash)
	} else {
		err = updateAttempts(ctx, q, present.operator, attempts{})
	}
	if err != nil {
		return nil, err
	}
	return nil, insertSession(ctx, q, present.operator, hashToken(t.token), now)
}

// Session returns who holds the token of a session, with their store, in one query. A session that is unknown, idle for 12 hours,
// 7 days old or ended is one and the same Unauthenticated fault, invalid_session.
func (s *Service) Session(ctx context.Context, token string) (Principal, error) {
	if kind, err := ParseToken(token); err != nil || kind != OperatorSession {
		return Principal{}, errSession()
	}
	hash := hashToken(token)
	var row sessionRow
	err := s.db.Read(ctx, func(q database.Querier) error { return selectSession(ctx, q, hash, &row) })
	if errors.Is(err, database.ErrNoRows) {
		return Principal{}, errSession()
	}
	if err != nil {
		return Principal{}, fmt.Errorf("read a session: %w", err)
	}
	now := s.moment()
	if subtle.ConstantTimeCompare(row.hash, hash[:]) != 1 || sessionEnded(row.createdAt, row.lastSeenAt, now) {
		return Principal{}, errSession()
	}
	s.seenSessions.note(hash, now, &row.lastSeenAt)
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

func errLogin() error {
	return fault.New(fault.Unauthenticated, "invalid_login", "The e-mail address or the password is wrong.")
}

func errSession() error {
	return fault.New(fault.Unauthenticated, "invalid_session", "You are not signed in, or your session has ended; sign in again.")
}
