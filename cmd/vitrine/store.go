package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// withCore opens the database of a shop for a command, calls fn, and closes it. It creates nothing: a command with the
// wrong settings must not leave an empty shop. Warnings are logged as text.
func withCore(ctx context.Context, c config.Storage, o output, fn func(*app.Core) error) error {
	return withOpened(ctx, c, o, slog.LevelWarn, app.OpenExisting, fn)
}

// withNewCore is withCore for the commands that may create a shop.
func withNewCore(ctx context.Context, c config.Storage, o output, fn func(*app.Core) error) error {
	return withOpened(ctx, c, o, slog.LevelWarn, app.Open, fn)
}

// opener is the type of app.Open and app.OpenExisting.
type opener func(context.Context, config.Storage, *slog.Logger) (*app.Core, error)

func withOpened(
	ctx context.Context, c config.Storage, o output, level slog.Level, open opener, fn func(*app.Core) error,
) error {
	makeFilesPrivate()
	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: level}))
	core, err := open(ctx, c, log)
	if err != nil {
		return err
	}
	return errors.Join(fn(core), core.Close())
}

type storeCreateCommand struct {
	config.Storage `embed:""`

	Name     *string `help:"Name of the shop." placeholder:"NAME"`
	Timezone *string `help:"IANA timezone, such as Europe/Berlin." placeholder:"ZONE"`
	Locale   *string `help:"Language of dates and labels: de, en, es, fr, kk, ru or uk." placeholder:"TAG"`
	Currency *string `help:"ISO 4217 code, such as EUR." placeholder:"CODE"`
	SiteURL  *string `name:"site-url" help:"Address of the shop's site." placeholder:"URL"`
	Email    string  `help:"E-mail address of the owner; by default one is generated. A person who has an account already is invited: the link is printed." placeholder:"ADDRESS"`

	ExistingAccount `embed:""`

	JSON bool `help:"Print one JSON object and nothing else."`
}

// Run creates a store. A server may be running on the same database.
func (c *storeCreateCommand) Run(ctx context.Context, o output) error {
	return withNewCore(ctx, c.Storage, o, func(core *app.Core) error {
		created, err := core.CreateStore(ctx,
			store.Edit{Name: c.Name, Timezone: c.Timezone, Locale: c.Locale, Currency: c.Currency, SiteURL: c.SiteURL},
			account.NewOwner{Email: c.Email, JoinExisting: c.JoinExisting})
		if err != nil {
			return err
		}
		if created.AdminInvitation != "" {
			created.AdminInvitation = c.link(created.AdminInvitation)
		}
		if c.JSON {
			return printJSON(o.out, created)
		}
		return printStore(o, created, "Its keys are shown only now: save them.")
	})
}

// printStore prints the keys of a new store after a sentence about them.
func printStore(o output, created account.ProvisionedStore, aboutKeys string) error {
	fmt.Fprintf(o.out, "Created the store. %s\n", aboutKeys)
	rows := [][]string{
		{"  store id", created.StoreID.String()}, {"  secret key", created.SecretKey},
		{"  publishable key", created.PublishableKey},
		{"  exchange token", created.ExchangeToken}, {"  operator", created.AdminEmail},
		{"  password", cmp.Or(created.AdminPassword, "the one of their other stores")},
	}
	if created.AdminInvitation != "" {
		rows = append(rows, []string{"  invitation", created.AdminInvitation})
	}

	if err := writeTable(o.out, rows); err != nil || created.AdminInvitation == "" {
		return err
	}

	_, err := fmt.Fprintf(o.out,
		"%s has an account already and owns the store after accepting the invitation, within 7 days.\n",
		created.AdminEmail)
	return err
}

type storeListCommand struct {
	config.Storage `embed:""`

	JSON bool `help:"Print a JSON array."`
}

type storeJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Timezone  string `json:"timezone"`
	Locale    string `json:"locale"`
	Currency  string `json:"currency"`
	CreatedAt string `json:"created_at"`
}

func (c *storeListCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		stores, err := core.Stores.List(ctx)
		if err != nil {
			return err
		}

		list := []storeJSON{}
		rows := [][]string{{"ID", "NAME", "TIMEZONE", "LOCALE", "CURRENCY", "CREATED"}}
		for _, s := range stores {
			storeID := s.ID.String()
			created := s.CreatedAt.UTC().Format(time.RFC3339)
			list = append(list, storeJSON{storeID, s.Name, s.Timezone, s.Locale, s.Currency, created})
			rows = append(rows, []string{storeID, s.Name, s.Timezone, s.Locale, s.Currency, created})
		}

		if c.JSON {
			return printJSON(o.out, list)
		}

		return writeTable(o.out, rows)
	})
}

// chooseStore returns the store with the given id, or the only store if the flag is empty.
func chooseStore(ctx context.Context, core *app.Core, flag string) (store.Store, error) {
	if flag != "" {
		storeID, err := id.Parse[store.Store](flag)
		if err != nil {
			return store.Store{}, fault.New(fault.Invalid, "invalid_id",
				"--store must be the id of a store; vitrine store list shows them.")
		}
		return core.Stores.Find(ctx, storeID)
	}

	stores, err := core.Stores.List(ctx)
	if err != nil {
		return store.Store{}, err
	}

	if len(stores) != 1 {
		var list strings.Builder
		for _, s := range stores[:min(len(stores), maxListedStores)] {
			fmt.Fprintf(&list, "\n  %s  %s", s.ID, s.Name)
		}
		return store.Store{}, fault.New(fault.Invalid, "store_required",
			"There are %d stores; choose one with --store. vitrine store list shows them.%s", len(stores), &list)
	}

	return stores[0], nil
}

// maxListedStores limits the stores that an error message lists.
const maxListedStores = 20

type versionCommand struct{}

func (versionCommand) Run(o output) error {
	_, err := fmt.Fprintln(o.out, "vitrine", version)
	return err
}

func printJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

func writeTable(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}
