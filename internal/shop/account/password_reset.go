package account

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

const (
	// PasswordResetLifetime is how long the link of a mail sets a new password.
	PasswordResetLifetime = time.Hour
	// passwordResetInterval is the shortest time between two links to one address, since anybody can ask for them.
	passwordResetInterval = 10 * time.Minute
)

// PasswordReset is a link by which a person who has forgotten the password chooses a new one.
type PasswordReset struct {
	Email string
	// Language is the language of the account's pages, or empty.
	Language  string
	ExpiresAt time.Time
	// StoreID is a store of the person, which sends the mail.
	StoreID store.ID
	// Token is the token of the link. Only the request returns it: the database has its hash.
	Token string

	accountID access.AccountID
}

// String returns a text without the token, so that messages do not contain it.
func (r PasswordReset) String() string { return "password reset of account " + r.accountID.String() }

// RequestPasswordReset asks for a link by which the person with an e-mail address chooses a new password, in the
// caller's transaction. The caller sends the token to the address. It returns false, and changes nothing, if nobody has
// the address, if the person has no password or may not sign in anywhere, or if a link was asked for less than ten
// minutes ago. The caller must not tell which of these it was. A new link replaces the last one.
func (s *Profiles) RequestPasswordReset(
	ctx context.Context, q database.Querier, email string,
) (r PasswordReset, found bool, err error) {
	defer fault.AddContext(&err, "request a new password")

	email = normalizeOperatorEmail(email)
	if !isOperatorEmail(email) {
		return r, false, nil
	}
	account, err := selectAccount(ctx, q, email, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) || err == nil && account.passwordHash == "" {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}

	operators, err := selectAccountOperators(ctx, q, account.ID)
	if err != nil {
		return r, false, err
	}
	for _, o := range operators {
		if o.Active() && r.StoreID.IsZero() {
			r.StoreID = o.StoreID
		}
	}
	if r.StoreID.IsZero() {
		return r, false, nil
	}

	now := s.moment()
	last, err := selectPasswordResetTime(ctx, q, account.ID)
	if err != nil || now.Sub(last) < passwordResetInterval {
		return r, false, err
	}

	r.Email = account.Email
	r.Language = account.Language
	r.ExpiresAt = now.Add(PasswordResetLifetime)
	r.accountID = account.ID
	r.Token = access.NewToken(access.OperatorPassword)
	if err := upsertPasswordReset(ctx, q, r, access.HashToken(r.Token), now); err != nil {
		return r, false, err
	}

	return r, true, s.recordReset(ctx, q, operators, audit.AccountPasswordAsked)
}

// recordReset writes what became of a forgotten password to the logs of all stores of the person. Anybody can ask for a
// link, and only the person can use it.
func (s *Profiles) recordReset(
	ctx context.Context, q database.Querier, operators []access.Operator, action audit.Action,
) error {
	for _, o := range operators {
		if !o.Active() {
			continue
		}

		author := o.Actor()
		if action == audit.AccountPasswordAsked {
			author = store.Actor{Kind: store.ByStranger}
		}
		tx := store.In(q, o.StoreID).By(author, s.Now())
		if err := audit.Record(ctx, tx, o.AccountEntry(action)); err != nil {
			return err
		}
	}
	return nil
}

// PasswordReset returns the link of a token, or the NotFound fault invalid_link.
func (s *Profiles) PasswordReset(ctx context.Context, token string) (_ PasswordReset, err error) {
	defer fault.AddContext(&err, "read a password reset")
	return database.Read(ctx, s.DB, func(q database.Querier) (PasswordReset, error) {
		return s.passwordReset(ctx, q, token)
	})
}

func (s *Profiles) passwordReset(ctx context.Context, q database.Querier, token string) (PasswordReset, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.OperatorPassword {
		return PasswordReset{}, errInvalidResetLink()
	}
	r, err := selectPasswordReset(ctx, q, access.HashToken(token), s.moment())
	if errors.Is(err, database.ErrNoRows) {
		err = errInvalidResetLink()
	}
	return r, err
}

// SetForgottenPassword sets the password of the person to whom a token was sent, in the caller's transaction, and uses
// the token up. All sessions of the person end; a second step of the sign-in stays. It returns the NotFound fault
// invalid_link for a token that is unknown, used, replaced or expired.
func (s *Profiles) SetForgottenPassword(
	ctx context.Context, q database.Querier, token string, p PreparedPassword,
) (err error) {
	defer fault.AddContext(&err, "set a forgotten password")

	r, err := s.passwordReset(ctx, q, token)
	if err != nil {
		return err
	}
	_, err = selectAccountByID(ctx, q, r.accountID, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		err = errInvalidResetLink() // the account was removed since the token was read
	}
	if err != nil {
		return err
	}

	// Read again under the lock: of two concurrent requests only one sets the password.
	if r, err = s.passwordReset(ctx, q, token); err != nil {
		return err
	}
	if err := s.setPassword(ctx, q, r.accountID, p, access.TokenHash{}); err != nil {
		return err
	}

	operators, err := selectAccountOperators(ctx, q, r.accountID)
	if err != nil {
		return err
	}
	return s.recordReset(ctx, q, operators, audit.AccountPasswordForgotten)
}

func errInvalidResetLink() error {
	return fault.New(fault.NotFound, "invalid_link",
		"This link is not valid: it was used or replaced, or it is older than an hour. Ask for a new one on the page "+
			"on which you sign in.")
}
