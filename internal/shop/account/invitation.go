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

// InvitationLifetime is how long an invitation can be accepted.
const InvitationLifetime = 7 * 24 * time.Hour

// Invitation is an operator who was invited and has not accepted yet.
type Invitation struct {
	access.Operator
	StoreName string
	// HasPassword says that the person administers another store and signs in with the password of that account.
	HasPassword bool
}

// Invite creates an operator who has not accepted yet and returns the token of the invitation, in the caller's
// transaction. Only its hash is stored. A person without a password sets one with AcceptInvitation, once; a person who
// administers another store accepts with JoinStore. Inviting an operator of the store again who has not accepted yet
// replaces the invitation and the role. It returns fault.Invalid with one field per problem, and with the code "taken"
// for the e-mail address of another operator of the store.
func (s *Operators) Invite(
	ctx context.Context, tx store.Tx, email string, role access.Role,
) (_ access.Operator, token string, err error) {
	defer fault.AddContext(&err, "invite an operator to store %s", tx.StoreID())

	email = normalizeOperatorEmail(email)
	var problems []fault.Field
	for _, problem := range []*fault.Field{checkOperatorEmail(email), checkRole(role)} {
		if problem != nil {
			problems = append(problems, *problem)
		}
	}

	if problems != nil {
		return access.Operator{}, "", fault.Fields(problems)
	}

	o, err := s.invitedOperator(ctx, tx, email, role)
	if err != nil {
		return access.Operator{}, "", err
	}

	token = access.NewToken(access.OperatorInvitation)
	err = insertInvitation(ctx, tx, o.ID, access.HashToken(token), o.UpdatedAt.Add(InvitationLifetime))
	if err != nil {
		return access.Operator{}, "", err
	}

	return o, token, audit.Record(ctx, tx, o.Entry(audit.OperatorInvited, roleChange(o)))
}

// invitedOperator returns the operator with this e-mail address if they were invited to this store before, with the
// given role, and creates them otherwise.
func (s *Operators) invitedOperator(
	ctx context.Context, tx store.Tx, email string, role access.Role,
) (access.Operator, error) {
	account, _, err := s.findOrCreateAccount(ctx, tx.Unscoped(), email, "")
	if err != nil {
		return access.Operator{}, err
	}
	o, err := selectOperatorOfAccount(ctx, tx, account.ID, lockOperatorOnly(tx.Dialect()))
	if errors.Is(err, database.ErrNoRows) {
		return s.addOperator(ctx, tx, account.Account, role, nil)
	}
	if err != nil {
		return access.Operator{}, err
	}

	if !o.Invited {
		return access.Operator{}, errEmailTaken()
	}

	o.Role, o.DisabledAt, o.UpdatedAt = role, nil, s.moment()
	if err := updateOperator(ctx, tx, o); err != nil {
		return access.Operator{}, err
	}

	return o, deleteInvitations(ctx, tx, o.ID)
}

// Invitation returns what the token invites to, or the NotFound fault invalid_invitation.
func (s *Operators) Invitation(ctx context.Context, token string) (_ Invitation, err error) {
	defer fault.AddContext(&err, "read an invitation")
	return database.Read(ctx, s.DB, func(q database.Querier) (Invitation, error) { return s.invitation(ctx, q, token) })
}

func (s *Operators) invitation(ctx context.Context, q database.Querier, token string) (Invitation, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.OperatorInvitation {
		return Invitation{}, errInvalidInvitation()
	}
	i, err := selectInvitation(ctx, q, access.HashToken(token), s.moment())
	if errors.Is(err, database.ErrNoRows) || err == nil && (!i.Invited || i.DisabledAt != nil) {
		return Invitation{}, errInvalidInvitation()
	}
	return i, err
}

// lockedInvitation returns an invitation and locks its account. It reads the invitation again under the lock, so that
// of two concurrent requests only one accepts it.
func (s *Operators) lockedInvitation(ctx context.Context, q database.Querier, token string) (Invitation, error) {
	i, err := s.invitation(ctx, q, token)
	if err != nil {
		return Invitation{}, err
	}
	if _, err := selectAccountByID(ctx, q, i.AccountID, q.Dialect().ForUpdate); err != nil {
		return Invitation{}, err
	}
	return s.invitation(ctx, q, token)
}

// AcceptInvitation sets the password of the invited person, in the caller's transaction. Then the person can sign in,
// and the token is used up. It returns the NotFound fault invalid_invitation for a token that is unknown, used or
// expired, and the Conflict fault account_exists for a person who has a password: otherwise the holder of the link
// could replace it.
func (s *Operators) AcceptInvitation(
	ctx context.Context, q database.Querier, token string, p PreparedPassword,
) (_ access.Operator, err error) {
	defer fault.AddContext(&err, "accept an invitation")
	i, err := s.lockedInvitation(ctx, q, token)
	if err != nil {
		return access.Operator{}, err
	}
	if i.HasPassword {
		return access.Operator{}, fault.New(fault.Conflict, "account_exists",
			"You have a password already; sign in with it to accept the invitation.")
	}
	if err := s.setPassword(ctx, q, i.AccountID, p, access.TokenHash{}); err != nil {
		return access.Operator{}, err
	}
	return s.join(ctx, q, i)
}

// JoinStore accepts an invitation for the person whose session it is, in the caller's transaction. It returns the
// NotFound fault invalid_invitation for a token that is unknown, used, expired or of another person: the invitation
// grants access only to those who can sign in as its addressee.
func (s *Operators) JoinStore(
	ctx context.Context, q database.Querier, p access.Principal, token string,
) (_ access.Operator, err error) {
	if p.Kind != access.OperatorSession {
		return access.Operator{}, SessionRequired()
	}
	defer fault.AddContext(&err, "join a store")
	i, err := s.lockedInvitation(ctx, q, token)
	if err == nil && i.AccountID != p.Operator.AccountID {
		err = errInvalidInvitation()
	}
	if err != nil {
		return access.Operator{}, err
	}
	return s.join(ctx, q, i)
}

// join makes the invited person an operator and deletes the invitation.
func (s *Operators) join(ctx context.Context, q database.Querier, i Invitation) (access.Operator, error) {
	tx := store.In(q, i.StoreID)
	if err := joinOperator(ctx, tx, i.ID, s.moment()); err != nil {
		return access.Operator{}, err
	}
	if err := deleteInvitations(ctx, tx, i.ID); err != nil {
		return access.Operator{}, err
	}
	joined, err := selectOperator(ctx, tx, i.ID, "")
	if err != nil {
		return access.Operator{}, err
	}
	return joined, audit.Record(ctx, tx.By(joined.Actor(), s.moment()), joined.Entry(audit.OperatorJoined))
}

func errInvalidInvitation() error {
	return fault.New(fault.NotFound, "invalid_invitation",
		"This invitation is not valid: it was used, replaced or withdrawn, or it is older than %d days. "+
			"Ask the store's owner for a new one.", int(InvitationLifetime.Hours()/24))
}
