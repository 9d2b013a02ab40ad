package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

type adminCreateCommand struct {
	config.Storage `embed:""`

	Store string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Email string `help:"E-mail address to sign in with." required:"" placeholder:"ADDRESS"`
	Role  string `help:"owner, manager or viewer." enum:"owner,manager,viewer" default:"manager"`

	ExistingAccount `embed:""`

	Password string `help:"Password of 8 to 128 characters; by default one is generated and shown. Better set as VITRINE_PASSWORD." env:"VITRINE_PASSWORD" placeholder:"PASSWORD"`
	JSON     bool   `help:"Print one JSON object and nothing else."`
}

// ExistingAccount says what becomes of a person who has an account already.
type ExistingAccount struct {
	JoinExisting bool   `help:"Let a person who has an account already join at once, instead of inviting them. Be sure that the account is theirs."`
	AdminURL     string `help:"URL at which operators reach the administration, for the link of an invitation." default:"http://localhost:8081" placeholder:"URL"`
}

// link returns the link of an invitation.
func (e ExistingAccount) link(token string) string {
	return strings.TrimRight(e.AdminURL, "/") + "/invitation/" + token
}

type operatorJSON struct {
	ID         string `json:"id"`
	Email      string `json:"email"`
	Role       string `json:"role"`
	Password   string `json:"password,omitempty"`
	Invitation string `json:"invitation,omitempty"`
}

func (c *adminCreateCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		password, generated := passwordOrGenerated(c.Password)
		prepared, err := core.Accounts.Operators.Prepare(ctx,
			account.NewOperator{Email: c.Email, Role: access.Role(c.Role), Password: password,
				JoinExisting: c.JoinExisting})
		if err != nil {
			return err
		}

		var operator account.CreatedOperator

		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			operator, err = core.Accounts.Operators.Create(ctx, byCommand(core, q, s.ID), prepared)
			if err == nil && operator.Existed && c.Password != "" {
				return fault.OneField("password", "exists",
					"%s administers another store and has a password already; leave it out, or change it with "+
						"vitrine admin reset-password.", operator.Email)
			}
			return err
		})
		if err != nil {
			return err
		}

		if operator.Existed {
			return c.printExisting(o, operator)
		}

		return printOperator(o, c.JSON, operator.Operator, generated)
	})
}

// printExisting prints whether a person who had an account already was invited or joined.
func (c *adminCreateCommand) printExisting(o output, operator account.CreatedOperator) (err error) {
	link := ""
	if operator.Invitation != "" {
		link = c.link(operator.Invitation)
	}

	switch {
	case c.JSON:
		return printJSON(o.out, operatorJSON{ID: operator.ID.String(), Email: operator.Email,
			Role:       string(operator.Role),
			Invitation: link})
	case link != "":
		_, err = fmt.Fprintf(o.out,
			"%s has an account already and is invited as %s. They accept here, within 7 days:\n  %s\n",
			operator.Email, operator.Role, link)
	default:
		_, err = fmt.Fprintf(o.out, "%s (%s) can sign in, with the password they have for their other stores.\n",
			operator.Email, operator.Role)
	}

	return err
}

type adminChangeEmailCommand struct {
	config.Storage `embed:""`

	Email    string `help:"E-mail address that the operator has." required:"" placeholder:"ADDRESS"`
	To       string `help:"The new e-mail address." required:"" placeholder:"ADDRESS"`
	AdminURL string `help:"URL at which operators reach the administration." default:"http://localhost:8081" placeholder:"URL"`
}

// Run asks for another e-mail address and prints the link that confirms it, which is not sent.
func (c *adminChangeEmailCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		var change account.EmailChange

		err := core.DB.Write(ctx, func(q database.Querier) error {
			requested, operators, err := core.Accounts.Profiles.RequestEmailOf(ctx, q, c.Email, c.To)
			if err != nil {
				return err
			}

			change = requested
			for _, operator := range operators {
				err := audit.Record(ctx, byCommand(core, q, operator.StoreID),
					change.Entry(operator, audit.AccountEmailRequested))
				if err != nil {
					return err
				}
			}

			return nil
		})
		if err != nil {
			return err
		}

		if change.Token == "" {
			_, err = fmt.Fprintf(o.out, "%s stays as it is.\n", change.Email)
			return err
		}

		_, err = fmt.Fprintf(o.out,
			"%s becomes %s when this link is opened, within 24 hours. Send it to the new address:\n  %s/email/%s\n"+
				"No mail was sent. Tell %s about the change, too.\n",
			change.Before, change.Email, strings.TrimRight(c.AdminURL, "/"), change.Token, change.Before)
		return err
	})
}

type adminResetPasswordCommand struct {
	config.Storage `embed:""`

	Email    string `help:"E-mail address of the operator." required:"" placeholder:"ADDRESS"`
	Password string `help:"The new password; by default one is generated and shown. Better set as VITRINE_PASSWORD." env:"VITRINE_PASSWORD" placeholder:"PASSWORD"`
	NoCodes  bool   `help:"Also turn off the codes of the second step, for somebody who has lost the phone and the recovery codes."`
	JSON     bool   `help:"Print one JSON object and nothing else."`
}

func (c *adminResetPasswordCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		password, generated := passwordOrGenerated(c.Password)
		prepared, err := core.Accounts.PreparePassword(ctx, password)
		if err != nil {
			return err
		}

		var operators []access.Operator

		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			if operators, err = core.Accounts.Operators.ResetPassword(ctx, q, c.Email, prepared,
				c.NoCodes); err != nil {
				return err
			}
			for _, operator := range operators {
				err := audit.Record(ctx, byCommand(core, q, operator.StoreID),
					operator.Entry(audit.OperatorPasswordReset))
				if err != nil {
					return err
				}
			}

			return nil
		})
		if err != nil {
			return err
		}

		return printOperator(o, c.JSON, operators[0], generated)
	})
}

// passwordOrGenerated returns the given password. If it is empty, it generates one and returns it as both results.
func passwordOrGenerated(given string) (password, generated string) {
	if given == "" {
		generated = account.GeneratePassword()
	}
	return cmp.Or(given, generated), generated
}

func printOperator(o output, asJSON bool, op access.Operator, generated string) error {
	if asJSON {
		return printJSON(o.out, operatorJSON{ID: op.ID.String(), Email: op.Email, Role: string(op.Role),
			Password: generated})
	}
	if _, err := fmt.Fprintf(o.out, "%s (%s) can sign in.\n", op.Email, op.Role); err != nil || generated == "" {
		return err
	}
	_, err := fmt.Fprintf(o.out, "The password is shown only now: save it.\n  %s\n", generated)
	return err
}

type adminListCommand struct {
	config.Storage `embed:""`

	Store string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
}

func (c *adminListCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		operators, err := database.Read(ctx, core.DB, func(q database.Querier) ([]access.Operator, error) {
			return core.Accounts.Operators.List(ctx, store.In(q, s.ID))
		})
		if err != nil {
			return err
		}

		rows := [][]string{{"ID", "EMAIL", "ROLE", "STATE", "CREATED"}}
		for _, op := range operators {
			rows = append(rows, []string{op.ID.String(), op.Email, string(op.Role), operatorState(op),
				formatTime(&op.CreatedAt, "")})
		}

		return writeTable(o.out, rows)
	})
}

func operatorState(op access.Operator) string {
	switch {
	case op.DisabledAt != nil:
		return "disabled " + formatTime(op.DisabledAt, "")
	case op.Invited:
		return "invited"
	}
	return "active"
}

type adminInviteCommand struct {
	config.Storage `embed:""`

	Store    string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Email    string `help:"E-mail address to sign in with." required:"" placeholder:"ADDRESS"`
	Role     string `help:"owner, manager or viewer." enum:"owner,manager,viewer" default:"manager"`
	AdminURL string `help:"URL at which operators reach the administration." default:"http://localhost:8081" placeholder:"URL"`
}

// Run invites an operator and prints the link, which is not sent.
func (c *adminInviteCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		var invited access.Operator
		var token string
		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			invited, token, err = core.Accounts.Operators.Invite(ctx, byCommand(core, q, s.ID), c.Email,
				access.Role(c.Role))
			return err
		})
		if err != nil {
			return err
		}

		_, err = fmt.Fprintf(o.out,
			"%s is invited as %s. They choose their password here, within 7 days:\n  %s/invitation/%s\n", invited.Email,
			invited.Role, strings.TrimRight(c.AdminURL, "/"), token)
		return err
	})
}

// OperatorFlags name an operator.
type OperatorFlags struct {
	Email string `help:"E-mail address of the operator." required:"" placeholder:"ADDRESS"`
	Store string `help:"Id of the store; not needed for an operator of a single one." placeholder:"ID"`
}

// changeOperator finds an operator by e-mail address, calls change in the same transaction, and prints the result.
func changeOperator(
	ctx context.Context, storage config.Storage, o output, who OperatorFlags, result string,
	change func(core *app.Core, tx store.Tx, operatorID access.OperatorID) error,
) error {
	return withCore(ctx, storage, o, func(core *app.Core) error {
		var storeID store.ID
		if who.Store != "" {
			s, err := chooseStore(ctx, core, who.Store)
			if err != nil {
				return err
			}
			storeID = s.ID
		}

		var operator access.Operator
		err := core.DB.Write(ctx, func(q database.Querier) (err error) {
			if operator, err = core.Accounts.Operators.FindByEmail(ctx, q, who.Email, storeID); err != nil {
				return err
			}
			return change(core, byCommand(core, q, operator.StoreID), operator.ID)
		})
		if err != nil {
			return err
		}

		_, err = fmt.Fprintf(o.out, "%s %s.\n", operator.Email, result)
		return err
	})
}

func editOperator(
	ctx context.Context, storage config.Storage, o output, who OperatorFlags, result string, edit account.OperatorEdit,
) error {
	return changeOperator(ctx, storage, o, who, result,
		func(core *app.Core, tx store.Tx, operatorID access.OperatorID) error {
			_, err := core.Accounts.Operators.Edit(ctx, tx, operatorID, edit, nil)
			return err
		})
}

type adminDisableCommand struct {
	config.Storage `embed:""`
	OperatorFlags  `embed:""`
}

func (c *adminDisableCommand) Run(ctx context.Context, o output) error {
	return editOperator(ctx, c.Storage, o, c.OperatorFlags, "can no longer sign in; the sessions have ended",
		account.OperatorEdit{Enabled: new(false)})
}

type adminEnableCommand struct {
	config.Storage `embed:""`
	OperatorFlags  `embed:""`
}

func (c *adminEnableCommand) Run(ctx context.Context, o output) error {
	return editOperator(ctx, c.Storage, o, c.OperatorFlags, "is enabled", account.OperatorEdit{Enabled: new(true)})
}

type adminSetRoleCommand struct {
	config.Storage `embed:""`
	OperatorFlags  `embed:""`
	Role           string `help:"owner, manager or viewer." enum:"owner,manager,viewer" required:""`
}

func (c *adminSetRoleCommand) Run(ctx context.Context, o output) error {
	return editOperator(ctx, c.Storage, o, c.OperatorFlags, "is now "+c.Role,
		account.OperatorEdit{Role: new(access.Role(c.Role))})
}

type adminRemoveCommand struct {
	config.Storage `embed:""`
	OperatorFlags  `embed:""`
}

func (c *adminRemoveCommand) Run(ctx context.Context, o output) error {
	return changeOperator(ctx, c.Storage, o, c.OperatorFlags, "is removed; the sessions have ended",
		func(core *app.Core, tx store.Tx, operatorID access.OperatorID) error {
			return core.Accounts.Operators.Remove(ctx, tx, operatorID, nil)
		})
}
