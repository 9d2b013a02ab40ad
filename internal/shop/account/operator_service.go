package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Operators has the use cases of the operators of a store: creating, inviting, changing and removing them.
type Operators struct{ *core }

// PreparedOperator is a validated operator with a hashed password, ready to be stored.
type PreparedOperator struct {
	email string
	role  access.Role
	hash  string
	// joinExisting has the same meaning as in NewOperator.
	joinExisting bool
}

// CreatedOperator is the result of Operators.Create.
type CreatedOperator struct {
	access.Operator
	// Existed says that the person had an account, and so a password.
	Existed bool
	// Invitation is the token of the invitation if the person was invited.
	Invitation string
}

// String returns a text without the token, so that messages do not contain it.
func (c CreatedOperator) String() string { return "created operator " + c.ID.String() }

// Prepare validates a new operator and hashes the password, which is too slow for a transaction. Create
// stores the result. It returns fault.Invalid with one field per problem.
func (s *Operators) Prepare(ctx context.Context, n NewOperator) (PreparedOperator, error) {
	n, err := n.check()
	if err != nil {
		return PreparedOperator{}, err
	}
	hash, err := s.hash(ctx, n.Password)
	return PreparedOperator{email: n.Email, role: n.Role, hash: hash, joinExisting: n.JoinExisting}, err
}

// Create stores a prepared operator in the caller's transaction. A person who has an account already keeps the
// password, and is invited unless JoinExisting was given. It returns fault.Invalid with the code "taken" if the person
// is an operator of the store already.
func (s *Operators) Create(
	ctx context.Context, tx store.Tx, p PreparedOperator,
) (c CreatedOperator, err error) {
	defer fault.AddContext(&err, "create an operator in store %s", tx.StoreID())

	now := s.moment()
	account, created, err := s.findOrCreateAccount(ctx, tx.Unscoped(), p.email, p.hash)
	if err != nil {
		return c, err
	}

	c.Existed = !created && account.passwordHash != ""
	if c.Existed && !p.joinExisting {
		c.Operator, c.Invitation, err = s.Invite(ctx, tx, p.email, p.role)
		return c, err
	}

	if !created && !c.Existed { // the person was invited to another store and has not accepted yet
		if err := updatePassword(ctx, tx.Unscoped(), account.ID, p.hash, now); err != nil {
			return c, err
		}
	}

	if c.Operator, err = s.addOperator(ctx, tx, account.Account, p.role, &now); err != nil {
		return c, err
	}

	return c, audit.Record(ctx, tx, c.Operator.Entry(audit.OperatorCreated, roleChange(c.Operator)))
}

// findOrCreateAccount returns the account with an e-mail address, locked, and reports whether it was created.
func (s *Operators) findOrCreateAccount(
	ctx context.Context, q database.Querier, email, passwordHash string,
) (_ accountRow, created bool, err error) {
	if created, err = insertAccount(ctx, q, id.New[access.Account](), email, passwordHash, s.moment()); err != nil {
		return accountRow{}, false, err
	}
	account, err := selectAccount(ctx, q, email, q.Dialect().ForUpdate)
	return account, created, err
}

// addOperator inserts an operator. joinedAt is nil for one who is invited.
func (s *Operators) addOperator(
	ctx context.Context, tx store.Tx, a Account, role access.Role, joinedAt *time.Time,
) (access.Operator, error) {
	now := s.moment()
	o := access.Operator{ID: id.New[access.Operator](), StoreID: tx.StoreID(), AccountID: a.ID, Email: a.Email,
		Language: a.Language, CodesEnabled: a.CodesEnabled, Role: role, CreatedAt: now, UpdatedAt: now,
		Invited: joinedAt == nil}
	n, err := insertOperator(ctx, tx.Unscoped(), o, joinedAt)
	switch {
	case database.ViolatesIndex(err, operatorsAccount, operatorsAccountColumns):
		return access.Operator{}, errEmailTaken()
	case err == nil && n == 0:
		return access.Operator{}, store.Missing()
	}
	return o, err
}

func errEmailTaken() error {
	return fault.OneField("email", "taken", "An operator with this e-mail address exists already; use another one.")
}

// List returns the operators of a store, oldest first.
func (s *Operators) List(ctx context.Context, tx store.Tx) (_ []access.Operator, err error) {
	defer fault.AddContext(&err, "list the operators of store %s", tx.StoreID())
	return selectOperators(ctx, tx)
}

// Team returns the operators of a store with what the others see of them, oldest first.
func (s *Operators) Team(ctx context.Context, tx store.Tx) (_ []Member, err error) {
	defer fault.AddContext(&err, "list the team of store %s", tx.StoreID())
	return selectTeam(ctx, tx, s.moment())
}

// ResetPassword sets the password of the person with this e-mail address, in the caller's transaction. It ends all
// sessions and invitations of the person, forgets their devices and resets the lockouts. If withoutCodes is true, it
// also turns the second step of the sign-in off. A person who had no password accepts all invitations. It returns the
// operators of the person, or fault.NotFound for an unknown address.
func (s *Operators) ResetPassword(
	ctx context.Context, q database.Querier, email string, p PreparedPassword, withoutCodes bool,
) (_ []access.Operator, err error) {
	defer fault.AddContext(&err, "reset a password")

	account, err := selectAccount(ctx, q, normalizeOperatorEmail(email), q.Dialect().ForUpdate)
	if errors.Is(err, database.ErrNoRows) {
		return nil, errUnknownOperatorEmail()
	}
	if err != nil {
		return nil, err
	}
	if err := s.setPassword(ctx, q, account.ID, p, access.TokenHash{}); err != nil {
		return nil, err
	}

	if account.passwordHash == "" {
		if err := joinInvitedOperators(ctx, q, account.ID, s.moment()); err != nil {
			return nil, err
		}
	}

	if err := deleteAccountInvitations(ctx, q, account.ID); err != nil {
		return nil, err
	}

	if withoutCodes {
		if err := deleteCodes(ctx, q, account.ID, s.moment()); err != nil {
			return nil, err
		}
	}

	return selectAccountOperators(ctx, q, account.ID)
}

// revokeAccess ends the sessions and the invitation of an operator.
func revokeAccess(ctx context.Context, tx store.Tx, operatorID access.OperatorID) error {
	if err := deleteOperatorSessions(ctx, tx, operatorID); err != nil {
		return err
	}
	return deleteInvitations(ctx, tx, operatorID)
}

// Find returns an operator of the store, or fault.NotFound.
func (s *Operators) Find(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID,
) (_ access.Operator, err error) {
	defer fault.AddContext(&err, "read operator %s", operatorID)
	return selectOperator(ctx, tx, operatorID, "")
}

// FindByEmail returns the operator with this e-mail address in the store. If storeID is zero, the person must
// administer exactly one store. It returns fault.NotFound or fault.Invalid. It searches all stores, so it is for
// administrators of the installation only.
func (s *Operators) FindByEmail(
	ctx context.Context, q database.Querier, email string, storeID store.ID,
) (_ access.Operator, err error) {
	defer fault.AddContext(&err, "find an operator")

	account, err := selectAccount(ctx, q, normalizeOperatorEmail(email), "")
	if errors.Is(err, database.ErrNoRows) {
		return access.Operator{}, errUnknownOperatorEmail()
	}
	if err != nil {
		return access.Operator{}, err
	}

	all, err := selectAccountOperators(ctx, q, account.ID)
	if err != nil {
		return access.Operator{}, err
	}

	if !storeID.IsZero() {
		all = slices.DeleteFunc(all, func(o access.Operator) bool { return o.StoreID != storeID })
	}

	switch len(all) {
	case 0:
		return access.Operator{}, errUnknownOperatorEmail()
	case 1:
		return all[0], nil
	}

	return access.Operator{}, fault.OneField("store", "required",
		"%s is an operator of %d stores; name the store.", account.Email, len(all))
}

func errUnknownOperatorEmail() error {
	return fault.New(fault.NotFound, "not_found", "There is no operator with this e-mail address.")
}

// Edit changes the role of an operator, disables or enables them, in the caller's transaction. Disabling ends
// their sessions. It returns fault.Conflict if the store would have no owner who can sign in. The function check, which
// may be nil, gets the operator before the change; its error ends the edit.
func (s *Operators) Edit(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, edit OperatorEdit,
	check func(access.Operator) error,
) (_ access.Operator, err error) {
	defer fault.AddContext(&err, "edit operator %s", operatorID)

	old, err := s.lockForChange(ctx, tx, operatorID, check)
	if err != nil {
		return access.Operator{}, err
	}
	next, err := edit.apply(old, s.moment())
	if err != nil || next == old {
		return next, err
	}

	if next.Role != access.Owner || !next.Active() {
		if err := keepsOwner(ctx, tx, operatorID); err != nil {
			return access.Operator{}, err
		}
	}

	next.UpdatedAt = s.moment()
	if err := updateOperator(ctx, tx, next); err != nil {
		return access.Operator{}, err
	}

	if old.DisabledAt == nil && next.DisabledAt != nil {
		if err := revokeAccess(ctx, tx, operatorID); err != nil {
			return access.Operator{}, err
		}
	}

	return next, audit.Record(ctx, tx, operatorEditEntry(old, next))
}

// Remove deletes an operator and ends their sessions, in the caller's transaction. An account without any other
// operator is deleted, too. It returns fault.Conflict for the last owner. The parameter check has the same meaning as
// in Edit.
func (s *Operators) Remove(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, check func(access.Operator) error,
) (err error) {
	defer fault.AddContext(&err, "remove operator %s", operatorID)

	removed, err := s.lockForChange(ctx, tx, operatorID, check)
	if err != nil {
		return err
	}
	if err := keepsOwner(ctx, tx, operatorID); err != nil {
		return err
	}
	if err := revokeAccess(ctx, tx, operatorID); err != nil {
		return err
	}

	if err := deleteOperator(ctx, tx, operatorID); err != nil {
		return err
	}
	if err := deleteAccountWithoutOperators(ctx, tx, removed.AccountID); err != nil {
		return err
	}

	return audit.Record(ctx, tx, removed.Entry(audit.OperatorRemoved))
}

// EndSessions ends the sessions of an operator in the store, in the caller's transaction. It returns the operator. The
// parameter check is that of Edit.
func (s *Operators) EndSessions(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, check func(access.Operator) error,
) (_ access.Operator, err error) {
	defer fault.AddContext(&err, "end the sessions of operator %s", operatorID)
	o, err := selectOperator(ctx, tx, operatorID, lockOperatorOnly(tx.Dialect()))
	if err == nil && check != nil {
		err = check(o)
	}
	if err != nil {
		return access.Operator{}, err
	}
	if err := deleteOperatorSessions(ctx, tx, operatorID); err != nil {
		return access.Operator{}, err
	}
	return o, audit.Record(ctx, tx, o.Entry(audit.OperatorSessionsEnded))
}

// lockForChange locks the active owners of the store and the operator, in this order, and calls check.
func (s *Operators) lockForChange(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, check func(access.Operator) error,
) (access.Operator, error) {
	if _, err := lockActiveOwners(ctx, tx); err != nil {
		return access.Operator{}, err
	}
	o, err := selectOperator(ctx, tx, operatorID, lockOperatorOnly(tx.Dialect()))
	if err == nil && check != nil {
		err = check(o)
	}
	return o, err
}

// keepsOwner returns fault.Conflict if nobody but the operator is an owner who can sign in.
func keepsOwner(ctx context.Context, tx store.Tx, operatorID access.OperatorID) error {
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

// Profiles has the use cases of the own account of a person: password, language, codes and e-mail address.
type Profiles struct{ *core }

// ProfileEdit is a change that people make to their own account. Members that are nil stay.
type ProfileEdit struct {
	Password *PreparedPassword
	// Language is the tag of the language of the pages; an empty one leaves it to the browser.
	Language *string
}

// Edit changes the password or the language of the person whose session it is, in the caller's transaction. A
// new password ends all other sessions of the person, forgets their devices and cancels a pending e-mail address. The
// caller has called ConfirmPassword before it changes more than the language. The parameter check is that of
// Operators.Edit. The e-mail address is changed by RequestEmail and ConfirmEmail.
func (s *Profiles) Edit(
	ctx context.Context, tx store.Tx, p access.Principal, edit ProfileEdit, check func(access.Operator) error,
) (_ access.Operator, err error) {
	if p.Kind != access.OperatorSession {
		return access.Operator{}, SessionRequired()
	}
	defer fault.AddContext(&err, "edit the profile of operator %s", p.Operator.ID)

	q := tx.Unscoped()
	account, err := s.lockOwnAccount(ctx, q, p)
	if err != nil {
		return access.Operator{}, err
	}

	o, err := selectOperator(ctx, tx, p.Operator.ID, "")
	if err == nil && check != nil {
		err = check(o)
	}

	if err != nil {
		return access.Operator{}, err
	}

	if edit.Language != nil {
		if err := s.editLanguage(ctx, q, account.Account, *edit.Language); err != nil {
			return access.Operator{}, err
		}
	}

	if edit.Password != nil {
		if err := s.setPassword(ctx, q, account.ID, *edit.Password, p.Session); err != nil {
			return access.Operator{}, err
		}
	}

	changed, err := selectOperator(ctx, tx, p.Operator.ID, "")
	if err != nil {
		return access.Operator{}, err
	}

	return changed, audit.Record(ctx, tx, profileEditEntry(o, changed, edit))
}

// profileEditEntry returns what the log says about an edit of a person's own account. The entry has no action if
// nothing changed.
func profileEditEntry(before, after access.Operator, edit ProfileEdit) audit.Entry {
	var changes []audit.Change
	if before.Language != after.Language {
		changes = append(changes, audit.Change{Field: "language", From: before.Language, To: after.Language})
	}
	switch {
	case edit.Password != nil:
		return after.AccountEntry(audit.AccountPasswordChanged, changes...)
	case changes == nil:
		return audit.Entry{}
	}
	return after.AccountEntry(audit.AccountChanged, changes...)
}

// editLanguage stores the language of the pages.
func (s *Profiles) editLanguage(ctx context.Context, q database.Querier, a Account, language string) error {
	a.Language = language
	if len(a.Language) > maxLanguageBytes {
		return fault.OneField("language", "unknown_language", "There are no pages in this language.")
	}
	a.UpdatedAt = s.moment()
	if err := updateAccount(ctx, q, a); err != nil {
		return err
	}
	return updateAccountOperators(ctx, q, a.ID, a.UpdatedAt)
}

// SessionRequired returns the Denied fault session_required, for actions of operators that a key cannot perform.
func SessionRequired() error {
	return fault.New(fault.Denied, "session_required", "Only an operator who signed in has an account to change.")
}
