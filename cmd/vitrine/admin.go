package main

import (
	"cmp"
	"context"
	"fmt"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

type adminCreateCommand struct {
	config.Storage `embed:""`

	Store    string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Email    string `help:"E-mail address to sign in with." required:"" placeholder:"ADDRESS"`
	Role     string `help:"owner, manager or viewer." enum:"owner,manager,viewer" default:"manager"`
	Password string `help:"Password of 8 to 128 characters; by default one is generated and shown. Better set as VITRINE_PASSWORD." env:"VITRINE_PASSWORD" placeholder:"PASSWORD"`
	JSON     bool   `help:"Print one JSON object and nothing else."`
}

type operatorJSON struct {
	ID       string `json:"id"`
	Email    string `json:"email"`
	Role     string `json:"role"`
	Password string `json:"password,omitempty"`
}

func (c *adminCreateCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}
		password, generated := passwordOrGenerated(c.Password)
		prepared, err := core.Access.PrepareOperator(ctx,
			access.NewOperator{Email: c.Email, Role: access.Role(c.Role), Password: password})
		if err != nil {
			return err
		}
		var operator access.Operator
		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			operator, err = core.Access.CreateOperator(ctx, store.In(q, s.ID), prepared)
			return err
		})
		if err != nil {
			return err
		}
		return printOperator(o, c.JSON, operator, generated)
	})
}

type adminResetPasswordCommand struct {
	config.Storage `embed:""`

	Email    string `help:"E-mail address of the operator." required:"" placeholder:"ADDRESS"`
	Password string `help:"The new password; by default one is generated and shown. Better set as VITRINE_PASSWORD." env:"VITRINE_PASSWORD" placeholder:"PASSWORD"`
	JSON     bool   `help:"Print one JSON object and nothing else."`
}

func (c *adminResetPasswordCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		password, generated := passwordOrGenerated(c.Password)
		prepared, err := core.Access.PreparePassword(ctx, password)
		if err != nil {
			return err
		}
		var operator access.Operator
		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			operator, err = core.Access.ResetPassword(ctx, q, c.Email, prepared)
			return err
		})
		if err != nil {
			return err
		}
		return printOperator(o, c.JSON, operator, generated)
	})
}

// passwordOrGenerated returns the given password. If it is empty, it generates one and returns it as both results.
func passwordOrGenerated(given string) (password, generated string) {
	if given == "" {
		generated = access.GeneratePassword()
	}
	return cmp.Or(given, generated), generated
}

func printOperator(o output, asJSON bool, op access.Operator, generated string) error {
	if asJSON {
		return printJSON(o.out, operatorJSON{op.ID.String(), op.Email, string(op.Role), generated})
	}
	if _, err := fmt.Fprintf(o.out, "%s (%s) can sign in.\n", op.Email, op.Role); err != nil || generated == "" {
		return err
	}
	_, err := fmt.Fprintf(o.out, "The password is shown only now: save it.\n  %s\n", generated)
	return err
}
