package access

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// InvitationLifetime is how long an invitation can be accepted.
const InvitationLifetime = 7 * 24 * time.Hour

// Invite creates an operator without a password and returns the token of the invitation, in the caller's transaction.
// Only its hash is stored. The holder of the token can set the password with AcceptInvitation, once. Inviting an
// operator of the store again who has not accepted yet replaces the invitation and the role. It returns fault.Invalid
// with one field per problem, and with the code "taken" for the e-mail address of another operator.
func (s *Service) Invite(
	ctx context.Context, tx store.Tx, email string, role Role,
) (_ Operator, token string, err error) {
	defer fault.AddContext(&err, "invite an operator to store %s", tx.StoreID())
	email = normalizeOperatorEmail(email)
	var problems []fault.Field
	for _, problem := range []*fault.Field{checkOperatorEmail(email), checkRole(role)} {
		if problem != nil {
			problems = append(problems, *problem)
		}
	}
	if problems != nil {
		return Operator{}, "", fault.Fields(problems)
	}
	o, err := s.invitedOperator(ctx, tx, email, role)
	if err != nil {
		return Operator{}, "", err
	}
	token = newToken(OperatorInvitation, randomBits())
	return o, token, insertInvitation(ctx, tx, o.ID, hashToken(token), o.UpdatedAt.Add(InvitationLifetime))
}

// invitedOperator returns the operator with this e-mail address if they were invited to this store before, with the
// given role, and creates them otherwise.
func (s *Service) invitedOperator(ctx context.Context, tx store.Tx, email string, role Role) (Operator, error) {
	now := s.moment()
	account, err := selectAccount(ctx, tx.Unscoped(), email, tx.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		o, err := s.CreateOperator(ctx, tx, PreparedOperator{email: email, role: role})
		o.Invited = true
		return o, err
	}
	if err != nil {
		return Operator{}, err
	}
	o := account.operator
	if o.StoreID != tx.StoreID() || !o.Invited {
		return Operator{}, errEmailTaken()
	}
	o.Role, o.DisabledAt, o.UpdatedAt = role, nil, now
	if err := updateOperator(ctx, tx, o); err != nil {
		return Operator{}, err
	}
	return o, deleteInvitations(ctx, tx, o.ID)
}

// Invitation returns the operator whom the token invites, or the NotFound fault invalid_invitation.
func (s *Service) Invitation(ctx context.Context, token string) (_ Operator, err error) {
	defer fault.AddContext(&err, "read an invitation")
	return database.Read(ctx, s.DB, func(q database.Querier) (Operator, error) {
		return s.invitation(ctx, q, token, "")
	})
}

func (s *Service) invitation(ctx context.Context, q database.Querier, token, lock string) (Operator, error) {
	if kind, err := ParseToken(token); err != nil || kind != OperatorInvitation {
		return Operator{}, errInvalidInvitation()
	}
	o, err := selectInvitation(ctx, q, hashToken(token), s.moment(), lock)
	if errors.Is(err, database.ErrNoRows) || err == nil && (!o.Invited || o.DisabledAt != nil) {
		return Operator{}, errInvalidInvitation()
	}
	return o, err
}

// AcceptInvitation sets the password of the invited operator, in the caller's transaction. Then the operator can sign
// in, and the token is used up. It returns the NotFound fault invalid_invitation for a token that is unknown, used or
// expired.
func (s *Service) AcceptInvitation(
	ctx context.Context, q database.Querier, token string, p PreparedPassword,
) (_ Operator, err error) {
	defer fault.AddContext(&err, "accept an invitation")
	o, err := s.invitation(ctx, q, token, q.Dialect().ForUpdate)
	if err != nil {
		return Operator{}, err
	}
	return s.setPassword(ctx, store.In(q, o.StoreID), o, p)
}

func errInvalidInvitation() error {
	return fault.New(fault.NotFound, "invalid_invitation",
		"This invitation is not valid: it was used, replaced or withdrawn, or it is older than %d days. "+
			"Ask the store's owner for a new one.", int(InvitationLifetime.Hours()/24))
}
