package access

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// PreparedOperator is a validated operator with a hashed password, ready to be stored.
type PreparedOperator struct {
	email string
	role  Role
	hash  string
}

// PrepareOperator validates a new operator and hashes the password, which is too slow for a transaction. CreateOperator
// stores the result. It returns fault.Invalid with one field per problem.
func (s *Service) PrepareOperator(ctx context.Context, n NewOperator) (PreparedOperator, error) {
	n, err := n.check()
	if err != nil {
		return PreparedOperator{}, err
	}
	hash, err := s.hash(ctx, n.Password)
	return PreparedOperator{email: n.Email, role: n.Role, hash: hash}, err
}

// CreateOperator stores a prepared operator in the caller's transaction. It returns fault.Invalid with the code "taken"
// if an operator of any store has the e-mail address.
func (s *Service) CreateOperator(ctx context.Context, tx store.Tx, p PreparedOperator) (_ Operator, err error) {
	defer fault.AddContext(&err, "create an operator in store %s", tx.StoreID())
	now := s.moment()
	o := Operator{ID: id.New[Operator](), StoreID: tx.StoreID(), Email: p.email, Role: p.role, CreatedAt: now,
		UpdatedAt: now}
	n, err := insertOperator(ctx, tx.Unscoped(), o, p.hash)
	switch {
	case database.ViolatesIndex(err, operatorsEmail, operatorsEmailColumns):
		return Operator{}, fault.OneField("email", "taken",
			"An operator with this e-mail address exists already; use another one.")
	case err == nil && n == 0:
		return Operator{}, store.Missing()
	}
	return o, err
}

// Operators returns the operators of a store, oldest first.
func (s *Service) Operators(ctx context.Context, tx store.Tx) (_ []Operator, err error) {
	defer fault.AddContext(&err, "list the operators of store %s", tx.StoreID())
	return selectOperators(ctx, tx)
}

// PreparedPassword is the hash of a valid password.
type PreparedPassword struct{ hash string }

// PreparePassword validates and hashes a password for ResetPassword. Hashing is too slow for a transaction.
func (s *Service) PreparePassword(ctx context.Context, password string) (PreparedPassword, error) {
	if problem := checkPassword(password); problem != nil {
		return PreparedPassword{}, fault.Fields([]fault.Field{*problem})
	}
	hash, err := s.hash(ctx, password)
	return PreparedPassword{hash: hash}, err
}

// ResetPassword sets the password of the operator with this e-mail address, which is unique among all stores, in the
// caller's transaction. It ends all sessions of the operator and resets the lockout. It returns fault.NotFound for an
// unknown address.
func (s *Service) ResetPassword(
	ctx context.Context, q database.Querier, email string, p PreparedPassword,
) (_ Operator, err error) {
	defer fault.AddContext(&err, "reset a password")
	current, err := selectAccount(ctx, q, normalizeOperatorEmail(email), q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		return Operator{}, fault.New(fault.NotFound, "not_found", "There is no operator with this e-mail address.")
	}
	if err != nil {
		return Operator{}, err
	}
	o := current.operator
	o.UpdatedAt = s.moment()
	if err := updateOperatorPassword(ctx, q, o, p.hash); err != nil {
		return Operator{}, err
	}
	return o, deleteOperatorSessions(ctx, store.In(q, o.StoreID), o.ID)
}
