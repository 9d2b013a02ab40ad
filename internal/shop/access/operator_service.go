package access

import (
	"context"
	"errors"
	"time"

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
	if err == nil && n == 0 {
		return Operator{}, store.Missing()
	}
	return o, emailTaken(err)
}

// emailTaken returns fault.Invalid with the code "taken" if err is about an e-mail address that is not unique, and err
// otherwise.
func emailTaken(err error) error {
	if database.ViolatesIndex(err, operatorsEmail, operatorsEmailColumns) {
		return errEmailTaken()
	}
	return err
}

func errEmailTaken() error {
	return fault.OneField("email", "taken", "An operator with this e-mail address exists already; use another one.")
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
// caller's transaction. It ends all sessions and invitations of the operator, forgets their devices and resets the
// lockouts. It returns fault.NotFound for an unknown address.
func (s *Service) ResetPassword(
	ctx context.Context, q database.Querier, email string, p PreparedPassword,
) (_ Operator, err error) {
	defer fault.AddContext(&err, "reset a password")
	current, err := selectAccount(ctx, q, normalizeOperatorEmail(email), q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		return Operator{}, errUnknownOperatorEmail()
	}
	if err != nil {
		return Operator{}, err
	}
	return s.setPassword(ctx, store.In(q, current.operator.StoreID), current.operator, p)
}

// setPassword stores a new password and revokes everything that was granted by the old one.
func (s *Service) setPassword(
	ctx context.Context, tx store.Tx, o Operator, p PreparedPassword,
) (Operator, error) {
	o.UpdatedAt, o.Invited = s.moment(), false
	if err := updateOperatorPassword(ctx, tx.Unscoped(), o, p.hash); err != nil {
		return Operator{}, err
	}
	return o, revokeAccess(ctx, tx, o.ID)
}

// revokeAccess ends the sessions and invitations of an operator, forgets their devices and resets the lockouts.
func revokeAccess(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	for _, deleteRows := range []func(context.Context, store.Tx, OperatorID) error{
		deleteOperatorSessions, deleteDevices, deleteInvitations, deleteLockouts,
	} {
		if err := deleteRows(ctx, tx, operatorID); err != nil {
			return err
		}
	}
	return nil
}

// FindOperator returns an operator of the store, or fault.NotFound.
func (s *Service) FindOperator(ctx context.Context, tx store.Tx, operatorID OperatorID) (_ Operator, err error) {
	defer fault.AddContext(&err, "read operator %s", operatorID)
	return selectOperator(ctx, tx, operatorID, "")
}

// FindOperatorByEmail returns the operator with this e-mail address, or fault.NotFound. It searches all stores, so it
// is for administrators of the installation only.
func (s *Service) FindOperatorByEmail(ctx context.Context, q database.Querier, email string) (_ Operator, err error) {
	defer fault.AddContext(&err, "find an operator")
	account, err := selectAccount(ctx, q, normalizeOperatorEmail(email), "")
	if errors.Is(err, database.ErrNoRows) {
		return Operator{}, errUnknownOperatorEmail()
	}
	return account.operator, err
}

func errUnknownOperatorEmail() error {
	return fault.New(fault.NotFound, "not_found", "There is no operator with this e-mail address.")
}

// EditOperator changes the role of an operator, disables or enables them, in the caller's transaction. Disabling ends
// their sessions. It returns fault.Conflict if the store would have no owner who can sign in. The function check, which
// may be nil, gets the operator before the change; its error ends the edit.
func (s *Service) EditOperator(
	ctx context.Context, tx store.Tx, operatorID OperatorID, edit OperatorEdit, check func(Operator) error,
) (_ Operator, err error) {
	defer fault.AddContext(&err, "edit operator %s", operatorID)
	old, err := s.lockForChange(ctx, tx, operatorID, check)
	if err != nil {
		return Operator{}, err
	}
	next, err := edit.apply(old, s.moment())
	if err != nil || next == old {
		return next, err
	}
	if next.Role != Owner || !next.Active() {
		if err := keepsOwner(ctx, tx, operatorID); err != nil {
			return Operator{}, err
		}
	}
	next.UpdatedAt = s.moment()
	if err := updateOperator(ctx, tx, next); err != nil {
		return Operator{}, err
	}
	if old.DisabledAt == nil && next.DisabledAt != nil {
		return next, revokeAccess(ctx, tx, operatorID)
	}
	return next, nil
}

// RemoveOperator deletes an operator and ends their sessions, in the caller's transaction. It returns fault.Conflict
// for the last owner. The parameter check is that of EditOperator.
func (s *Service) RemoveOperator(
	ctx context.Context, tx store.Tx, operatorID OperatorID, check func(Operator) error,
) (err error) {
	defer fault.AddContext(&err, "remove operator %s", operatorID)
	if _, err := s.lockForChange(ctx, tx, operatorID, check); err != nil {
		return err
	}
	if err := keepsOwner(ctx, tx, operatorID); err != nil {
		return err
	}
	if err := revokeAccess(ctx, tx, operatorID); err != nil {
		return err
	}
	return deleteOperator(ctx, tx, operatorID)
}

// lockForChange locks the active owners of the store and the operator, in this order, and calls check.
func (s *Service) lockForChange(
	ctx context.Context, tx store.Tx, operatorID OperatorID, check func(Operator) error,
) (Operator, error) {
	if _, err := lockActiveOwners(ctx, tx); err != nil {
		return Operator{}, err
	}
	o, err := selectOperator(ctx, tx, operatorID, tx.Dialect().ForUpdate)
	if err == nil && check != nil {
		err = check(o)
	}
	return o, err
}

// keepsOwner returns fault.Conflict if nobody but the operator is an owner who can sign in.
func keepsOwner(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	owners, err := lockActiveOwners(ctx, tx)
	if err != nil {
		return err
	}
	if len(owners) == 1 && owners[0] == operatorID {
		return fault.New(fault.Conflict, "last_owner",
			"This is the last owner of the store who can sign in; make somebody else an owner first.")
	}
	return nil
}

// ProfileEdit is a change that operators make to their own account. Members that are nil stay.
type ProfileEdit struct {
	Email    *string
	Password *PreparedPassword
}

// EditProfile changes the e-mail address or the password of the operator whose session it is, in the caller's
// transaction. A new password ends all other sessions of the operator and forgets their devices. The caller has called
// ConfirmPassword. The parameter check is that of EditOperator.
func (s *Service) EditProfile(
	ctx context.Context, tx store.Tx, p Principal, edit ProfileEdit, check func(Operator) error,
) (_ Operator, err error) {
	if p.Kind != OperatorSession {
		return Operator{}, SessionRequired()
	}
	defer fault.AddContext(&err, "edit the profile of operator %s", p.Operator.ID)
	o, err := selectOperator(ctx, tx, p.Operator.ID, tx.Dialect().ForUpdate)
	if err == nil && check != nil {
		err = check(o)
	}
	if err != nil {
		return Operator{}, err
	}
	if edit.Email != nil {
		o.Email = normalizeOperatorEmail(*edit.Email)
		if problem := checkOperatorEmail(o.Email); problem != nil {
			return Operator{}, fault.Fields([]fault.Field{*problem})
		}
		o.UpdatedAt = s.moment()
		if err := emailTaken(updateOperator(ctx, tx, o)); err != nil {
			return Operator{}, err
		}
	}
	if edit.Password == nil {
		return o, nil
	}
	if o, err = s.setPassword(ctx, tx, o, *edit.Password); err != nil {
		return Operator{}, err
	}
	return o, insertOperatorSession(ctx, tx.Unscoped(), o, p.session, o.UpdatedAt) // setPassword ended this one, too
}

// SessionRequired returns the Denied fault session_required, for actions of operators that a key cannot perform.
func SessionRequired() error {
	return fault.New(fault.Denied, "session_required", "Only an operator who signed in has an account to change.")
}

// MayGrant returns a Denied fault if the principal cannot give the role to an operator: scope_exceeded as MayManage
// does, and expiry_exceeded for a key that expires, because the role does not. Otherwise the holder of such a key could
// invite themselves and so keep its scopes.
func (p Principal) MayGrant(role Role) error {
	if p.ExpiresAt != nil {
		return fault.New(fault.Denied, "expiry_exceeded",
			"A key that expires cannot invite operators, give them a role or enable them, because they outlive it; "+
				"this one expires at %s.", p.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return p.MayManage(role)
}

// MayManage returns the Denied fault scope_exceeded if the principal lacks a scope of the role. Otherwise a key with
// the scope operators:manage could invite an owner and so get every other scope.
func (p Principal) MayManage(role Role) error {
	for _, scope := range APIScopes() {
		if role.may(scope) && !p.May(scope) {
			return fault.New(fault.Denied, "scope_exceeded",
				"This credential cannot manage an operator who may do more than itself; "+
					"for the role %s it lacks the scope %s.", role, scope)
		}
	}
	return nil
}
