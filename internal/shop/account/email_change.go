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
	// EmailChangeLifetime is how long a new e-mail address can be confirmed.
	EmailChangeLifetime = 24 * time.Hour
	// emailChangeInterval is the shortest time between two links, since each is a mail to an address that anybody may
	// have typed.
	emailChangeInterval = time.Minute
)

// EmailChange is a new e-mail address of an account, which counts once the link was opened that was sent to it.
type EmailChange struct {
	// Before is the address that the account has, and Email the new one.
	Before, Email string
	ExpiresAt     time.Time
	// Language is the language of the account's pages, or empty.
	Language string
	// Token is the token of the link. Only the request for the change returns it: the database has its hash.
	Token string
	// Cancelled says that the request has cancelled a pending change.
	Cancelled bool

	accountID   access.AccountID
	requestedAt time.Time
}

// String returns a text without the token, so that messages do not contain it.
func (c EmailChange) String() string { return "e-mail change of account " + c.accountID.String() }

// Entry returns what the log of the operator's store says about the change.
func (c EmailChange) Entry(o access.Operator, action audit.Action) audit.Entry {
	return o.AccountEntry(action, audit.Change{Field: "email", From: c.Before, To: c.Email})
}

// RequestEmail asks for another e-mail address of the person whose session it is, in the caller's transaction. The
// caller sends the token to the new address and tells the old one; ConfirmEmail makes the change. A new request
// replaces the last one, whose link stops working. The address that the account has cancels a pending change, and the
// result has no token. It returns fault.Invalid for an address that is not acceptable or taken, and fault.TooMany
// within a minute after the last link. The caller has called ConfirmPassword.
func (s *Profiles) RequestEmail(
	ctx context.Context, tx store.Tx, p access.Principal, email string,
) (_ EmailChange, err error) {
	if p.Kind != access.OperatorSession {
		return EmailChange{}, SessionRequired()
	}
	defer fault.AddContext(&err, "request an e-mail address of operator %s", p.Operator.ID)

	q := tx.Unscoped()
	account, err := s.lockOwnAccount(ctx, q, p)
	if err != nil {
		return EmailChange{}, err
	}
	return s.requestEmail(ctx, q, account, email)
}

// RequestEmailOf is like RequestEmail for the person with an e-mail address. It is for administrators of the
// installation only. It returns the operators of the person, or fault.NotFound.
func (s *Profiles) RequestEmailOf(
	ctx context.Context, q database.Querier, current, email string,
) (_ EmailChange, _ []access.Operator, err error) {
	defer fault.AddContext(&err, "request an e-mail address")

	account, err := selectAccount(ctx, q, normalizeOperatorEmail(current), q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		return EmailChange{}, nil, errUnknownOperatorEmail()
	}
	if err != nil {
		return EmailChange{}, nil, err
	}

	change, err := s.requestEmail(ctx, q, account, email)
	if err != nil {
		return EmailChange{}, nil, err
	}

	operators, err := selectAccountOperators(ctx, q, account.ID)
	return change, operators, err
}

// CancelEmail cancels the pending change of the person whose session it is, in the caller's transaction. It returns
// fault.NotFound if no change is pending.
func (s *Profiles) CancelEmail(ctx context.Context, tx store.Tx, p access.Principal) (_ EmailChange, err error) {
	if p.Kind != access.OperatorSession {
		return EmailChange{}, SessionRequired()
	}
	defer fault.AddContext(&err, "cancel the e-mail address of operator %s", p.Operator.ID)

	q := tx.Unscoped()
	account, err := s.lockOwnAccount(ctx, q, p)
	if err != nil {
		return EmailChange{}, err
	}

	pending, err := s.pendingEmail(ctx, q, account.ID)
	if err != nil {
		return EmailChange{}, err
	}

	if _, err := endEmailChange(ctx, q, account.ID); err != nil {
		return EmailChange{}, err
	}

	return pending, updateAccountOperators(ctx, q, account.ID, s.moment())
}

// PendingEmail returns the pending change of an account, and whether there is one.
func (s *Profiles) PendingEmail(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (_ EmailChange, pending bool, err error) {
	defer fault.AddContext(&err, "read the pending e-mail address of an account")
	c, err := s.pendingEmail(ctx, q, accountID)
	if fault.KindOf(err) == fault.NotFound {
		return EmailChange{}, false, nil
	}
	return c, err == nil, err
}

// pendingEmail returns the pending change of an account, or fault.NotFound.
func (s *Profiles) pendingEmail(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (EmailChange, error) {
	c, err := selectEmailChange(ctx, q, accountID)
	if errors.Is(err, database.ErrNoRows) || err == nil && !c.ExpiresAt.After(s.moment()) {
		return EmailChange{}, fault.New(fault.NotFound, "not_found",
			"No new e-mail address waits for its confirmation.")
	}
	return c, err
}

// EmailChange returns the pending change of a token, or the NotFound fault invalid_link.
func (s *Profiles) EmailChange(ctx context.Context, token string) (_ EmailChange, err error) {
	defer fault.AddContext(&err, "read an e-mail change")
	return database.Read(ctx, s.DB, func(q database.Querier) (EmailChange, error) {
		return s.emailChange(ctx, q, token)
	})
}

func (s *Profiles) emailChange(ctx context.Context, q database.Querier, token string) (EmailChange, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.OperatorEmail {
		return EmailChange{}, errInvalidEmailLink()
	}
	c, err := selectEmailChangeByHash(ctx, q, access.HashToken(token), s.moment())
	if errors.Is(err, database.ErrNoRows) {
		err = errInvalidEmailLink()
	}
	return c, err
}

// ConfirmEmail gives the account its new e-mail address, in the caller's transaction, and uses the token up. It returns
// the change and the operators of the person. It returns the NotFound fault invalid_link for a token that is unknown,
// used, replaced, cancelled or expired, and the Conflict fault email_taken if another account got the address
// meanwhile.
func (s *Profiles) ConfirmEmail(
	ctx context.Context, q database.Querier, token string,
) (_ EmailChange, _ []access.Operator, err error) {
	defer fault.AddContext(&err, "confirm an e-mail address")

	c, err := s.emailChange(ctx, q, token)
	if err != nil {
		return EmailChange{}, nil, err
	}

	account, err := selectAccountByID(ctx, q, c.accountID, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		err = errInvalidEmailLink() // the account was removed since the token was read
	}

	if err != nil {
		return EmailChange{}, nil, err
	}

	// Read again under the lock: of two concurrent requests only one confirms.
	if c, err = s.emailChange(ctx, q, token); err != nil {
		return EmailChange{}, nil, err
	}

	changed := account.Account
	changed.Email = c.Email
	changed.UpdatedAt = s.moment()

	err = updateAccount(ctx, q, changed)
	if database.ViolatesIndex(err, accountsEmail, accountsEmailColumns) {
		return EmailChange{}, nil, fault.New(fault.Conflict, "email_taken",
			"Meanwhile another operator has this e-mail address, so yours is as before. Choose another one.")
	}

	if err != nil {
		return EmailChange{}, nil, err
	}
	if err := updateAccountOperators(ctx, q, account.ID, changed.UpdatedAt); err != nil {
		return EmailChange{}, nil, err
	}
	if _, err := endEmailChange(ctx, q, account.ID); err != nil {
		return EmailChange{}, nil, err
	}

	operators, err := selectAccountOperators(ctx, q, account.ID)
	return c, operators, err
}

// lockOwnAccount returns the account of a session, locked.
func (s *Profiles) lockOwnAccount(ctx context.Context, q database.Querier, p access.Principal) (accountRow, error) {
	account, err := selectAccountByID(ctx, q, p.Operator.AccountID, q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		err = errInvalidSession() // the operator was removed since the session was read
	}
	return account, err
}

// requestEmail stores a pending change of a locked account.
func (s *Profiles) requestEmail(
	ctx context.Context, q database.Querier, account accountRow, email string,
) (EmailChange, error) {
	now := s.moment()
	c := EmailChange{Before: account.Email, Email: normalizeOperatorEmail(email), Language: account.Language,
		ExpiresAt: now.Add(EmailChangeLifetime), accountID: account.ID, requestedAt: now}
	if problem := checkOperatorEmail(c.Email); problem != nil {
		return EmailChange{}, fault.Fields([]fault.Field{*problem})
	}

	if c.Email == account.Email {
		var err error
		if c.Cancelled, err = endEmailChange(ctx, q, account.ID); err == nil && c.Cancelled {
			err = updateAccountOperators(ctx, q, account.ID, now)
		}
		return c, err
	}

	_, err := selectAccount(ctx, q, c.Email, "")
	if err == nil {
		return EmailChange{}, errEmailTaken()
	}
	if !errors.Is(err, database.ErrNoRows) {
		return EmailChange{}, err
	}
	if err := s.checkEmailChangeRate(ctx, q, account.ID, now); err != nil {
		return EmailChange{}, err
	}

	c.Token = access.NewToken(access.OperatorEmail)
	if err := upsertEmailChange(ctx, q, c, access.HashToken(c.Token)); err != nil {
		return EmailChange{}, err
	}

	return c, updateAccountOperators(ctx, q, account.ID, now)
}

// checkEmailChangeRate returns fault.TooMany if the last link of the account was made less than a minute ago.
func (s *Profiles) checkEmailChangeRate(
	ctx context.Context, q database.Querier, accountID access.AccountID, now time.Time,
) error {
	last, err := selectEmailChange(ctx, q, accountID)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if wait := last.requestedAt.Add(emailChangeInterval).Sub(now); wait > 0 {
		return fault.New(fault.TooMany, "too_many_links",
			"A link was sent less than a minute ago. Look for it in the mail, or wait a minute.").After(wait)
	}
	return nil
}

func errInvalidEmailLink() error {
	return fault.New(fault.NotFound, "invalid_link",
		"This link is not valid: it was used, replaced or cancelled, or it is older than %d hours. "+
			"Ask for a new one on the page of your account.", int(EmailChangeLifetime.Hours()))
}

// NoMail returns the Conflict fault mail_not_configured: without mail nobody can prove that an address is theirs.
func NoMail() error {
	return fault.New(fault.Conflict, "mail_not_configured",
		"This server sends no mail, so it cannot check a new e-mail address. Whoever runs it can make a link for you "+
			"with "+
			"vitrine admin change-email, or configure mail with --smtp.")
}
