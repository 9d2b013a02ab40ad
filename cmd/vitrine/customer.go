package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/store"
)

// personFlags say which person of which store is meant.
type personFlags struct {
	config.Storage `embed:""`

	Store    string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Customer string `help:"Id of the customer." placeholder:"ID" env:"-"`
	Email    string `help:"E-mail address of the person, who may be a guest without an account." placeholder:"ADDRESS" env:"-"`
	Phone    string `help:"Phone number of the person, with the country code as in the orders." placeholder:"NUMBER" env:"-"`
}

// subject returns the person, or fault.Invalid.
func (f *personFlags) subject() (s privacy.Subject, err error) {
	s = privacy.Subject{Email: f.Email, Phone: f.Phone}
	if f.Customer != "" {
		if s.CustomerID, err = id.Parse[access.Customer](f.Customer); err != nil {
			return s, fault.New(fault.Invalid, "invalid_id",
				"--customer must be the id of a customer; it is in the address of the customer's page.")
		}
	}
	if s == (privacy.Subject{}) {
		return s, fault.New(fault.Invalid, "subject_required", "Say who: --customer, --email or --phone.")
	}
	return s.Check()
}

// open opens the database and calls fn with the store and the person.
func (f *personFlags) open(
	ctx context.Context, o output, fn func(*app.Core, store.Store, privacy.Subject) error,
) error {
	subject, err := f.subject()
	if err != nil {
		return err
	}
	return withCore(ctx, f.Storage, o, func(core *app.Core) error {
		shop, err := chooseStore(ctx, core, f.Store)
		if err != nil {
			return err
		}
		return fn(core, shop, subject)
	})
}

type customerEraseCommand struct {
	personFlags

	DryRun bool `help:"Only say what would be erased." env:"-"`
	JSON   bool `help:"Print one JSON object and nothing else."`
}

// Run erases a person. A server may be running on the same database.
func (c *customerEraseCommand) Run(ctx context.Context, o output) error {
	return c.open(ctx, o, func(core *app.Core, shop store.Store, subject privacy.Subject) (err error) {
		people := core.NewPrivacy()
		var r privacy.Report
		if c.DryRun {
			err = core.DB.Snapshot(ctx, func(q database.Querier) (err error) {
				r, err = people.Preview(ctx, store.In(q, shop.ID), subject)
				return err
			})
		} else {
			r, err = people.Erase(ctx, shop.ID, store.Actor{Kind: store.ByCommand}, subject)
		}

		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(o.out, r)
		}

		return printErasure(o, r, c.DryRun)
	})
}

func printErasure(o output, r privacy.Report, dryRun bool) error {
	switch {
	case r.IsEmpty():
		fmt.Fprintln(o.out, "The store has nothing about this person.")
		return nil
	case dryRun:
		fmt.Fprintln(o.out, "This would be erased; nothing is changed:")
	default:
		fmt.Fprintln(o.out, "Erased:")
	}

	rows := [][]string{{"  customers", strconv.Itoa(r.Customers)}, {"  carts", strconv.Itoa(r.Carts)},
		{"  inquiries", strconv.Itoa(r.Inquiries)}, {"  messages in the mailbox", strconv.Itoa(r.Messages)},
		{"  personal data in orders", strconv.Itoa(r.Orders)},
		{"  contact data of other customers", strconv.Itoa(r.Profiles)}}
	if err := writeTable(o.out, rows); err != nil {
		return err
	}

	if r.OpenOrders > 0 {
		fmt.Fprintf(o.out, "%d of the orders are not completed or cancelled; "+
			"after the erasure nobody knows whom to send them to.\n", r.OpenOrders)
	}

	if len(r.Addresses) > 0 {
		fmt.Fprintf(o.out, "There are further addresses in this data. Give those of the same person, too, "+
			"with --email "+
			"and --phone:\n  %s\n", strings.Join(r.Addresses, "\n  "))
	}

	return nil
}

type customerExportCommand struct {
	personFlags
}

// Run prints what the store has about a person.
func (c *customerExportCommand) Run(ctx context.Context, o output) error {
	return c.open(ctx, o, func(core *app.Core, shop store.Store, subject privacy.Subject) error {
		var export privacy.Export
		err := core.DB.Snapshot(ctx, func(q database.Querier) (err error) {
			export, err = core.NewPrivacy().Export(ctx, store.In(q, shop.ID), shop, subject)
			return err
		})
		if err != nil {
			return err
		}

		err = core.DB.Write(ctx, func(q database.Querier) error {
			// The entry does not name the person: it would outlive what is erased.
			return audit.Record(ctx, byCommand(core, q, shop.ID),
				audit.Entry{Action: audit.CustomerExported, Object: audit.Object{Kind: "customer"}})
		})
		if err != nil {
			return err
		}

		return printJSON(o.out, export)
	})
}
