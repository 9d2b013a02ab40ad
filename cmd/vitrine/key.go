package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

type keyCreateCommand struct {
	config.Storage `embed:""`

	Store     string        `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Kind      string        `help:"secret, publishable or exchange." enum:"secret,publishable,exchange" default:"secret"`
	Name      string        `help:"Name to recognise the key by." placeholder:"NAME"`
	Scopes    []string      `help:"Permissions such as catalog:read; for an exchange token the entities it may push, exchange:read and orders. By default *: all, for an exchange token all entities but neither exchange:read nor orders." placeholder:"SCOPE"`
	Members   []string      `help:"Members of products that an exchange token writes: ${members}. All by default." placeholder:"MEMBER"`
	ExpiresIn time.Duration `help:"Lifetime, such as 720h; unlimited by default." placeholder:"TIME"`
	JSON      bool          `help:"Print one JSON object and nothing else."`
}

type keyJSON struct {
	ID      string   `json:"id"`
	StoreID string   `json:"store_id"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Scopes  []string `json:"scopes"`
	Token   string   `json:"token"`
}

func (c *keyCreateCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		newKey := access.NewKey{Kind: access.Kind(c.Kind), Name: c.Name, Scopes: c.Scopes, Members: c.Members}
		if c.ExpiresIn > 0 {
			newKey.ExpiresAt = new(time.Now().Add(c.ExpiresIn))
		}

		var key access.Key
		var token string
		err = core.DB.Write(ctx, func(q database.Querier) (err error) {
			key, token, err = core.Access.CreateKey(ctx, byCommand(core, q, s.ID), newKey)
			return err
		})
		if err != nil {
			return err
		}

		return printKey(o, c.JSON, key, token)
	})
}

func printKey(o output, asJSON bool, key access.Key, token string) error {
	if asJSON {
		return printJSON(o.out, keyJSON{
			key.ID.String(), key.StoreID.String(), string(key.Kind), key.Name, strings.Fields(key.Scopes.Text()), token,
		})
	}
	_, err := fmt.Fprintf(o.out, "Created the %s key %s. It is shown only now: save it.\n  %s\n", key.Kind, key.ID,
		token)
	return err
}

type keyListCommand struct {
	config.Storage `embed:""`

	Store string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
}

func (c *keyListCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		s, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		var keys []access.Key
		err = core.DB.Read(ctx, func(q database.Querier) (err error) {
			keys, err = core.Access.Keys(ctx, store.In(q, s.ID))
			return err
		})
		if err != nil {
			return err
		}

		rows := [][]string{{"ID", "KIND", "NAME", "KEY", "SCOPES", "STATE", "LAST USED"}}
		for _, k := range keys {
			rows = append(rows, []string{
				k.ID.String(), string(k.Kind), k.Name, k.Hint, k.Scopes.Text(), keyState(k),
				formatTime(k.LastUsedAt, "never"),
			})
		}

		return writeTable(o.out, rows)
	})
}

func keyState(k access.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + formatTime(k.RevokedAt, "")
	case !k.Active(time.Now()):
		return "expired " + formatTime(k.ExpiresAt, "")
	case k.ExpiresAt != nil:
		return "until " + formatTime(k.ExpiresAt, "")
	}
	return "active"
}

func formatTime(t *time.Time, never string) string {
	if t == nil {
		return never
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

type keyRotateCommand struct {
	config.Storage `embed:""`

	Key     string        `arg:"" help:"Id of the key, or the key itself."`
	Overlap time.Duration `help:"How long the old key stays valid." default:"24h"`
	JSON    bool          `help:"Print one JSON object and nothing else."`
}

func (c *keyRotateCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		var key access.Key
		var token string
		err := core.DB.Write(ctx, func(q database.Querier) error {
			old, err := core.Access.FindKey(ctx, q, c.Key)
			if err != nil {
				return err
			}
			key, token, err = core.Access.RotateKey(ctx, byCommand(core, q, old.StoreID), old.ID, c.Overlap)
			return err
		})
		if err != nil {
			return err
		}

		return printKey(o, c.JSON, key, token)
	})
}

type keyRevokeCommand struct {
	config.Storage `embed:""`

	Key string `arg:"" help:"Id of the key, or the key itself."`
}

func (c *keyRevokeCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		var key access.Key
		err := core.DB.Write(ctx, func(q database.Querier) (err error) {
			if key, err = core.Access.FindKey(ctx, q, c.Key); err != nil {
				return err
			}
			return core.Access.RevokeKey(ctx, byCommand(core, q, key.StoreID), key.ID)
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(o.out, "The %s key %s (%s) is revoked.\n", key.Kind, key.ID, key.Hint)
		return err
	})
}

// byCommand returns a transaction on the store, with the command line as the author of its changes.
func byCommand(core *app.Core, q database.Querier, storeID store.ID) store.Tx {
	return store.In(q, storeID).By(store.Actor{Kind: store.ByCommand}, core.Now())
}
