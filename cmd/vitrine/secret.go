package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/transfer"
)

type secretRotateCommand struct {
	config.Storage `embed:""`

	NewKeyFile string `help:"File of the new key; it is made if there is none." placeholder:"FILE" required:"" env:"-"`
}

// Run replaces the secret key. No server may be running.
func (c *secretRotateCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		count, err := core.RotateSecrets(ctx, c.Storage, c.NewKeyFile)
		if err != nil {
			return err
		}

		fmt.Fprintf(o.out, "The database belongs to the key in %s now: %s rows were encrypted again.\n", c.NewKeyFile,
			formatCount(count))
		if c.SecretKey != "" {
			fmt.Fprintln(o.out, "Give it to all nodes as VITRINE_SECRET_KEY before you start them.")
		} else {
			fmt.Fprintf(o.out, "Put it in the place of %s on all nodes before you start them:\n  mv %s %s\n",
				c.KeyFile(), c.NewKeyFile, c.KeyFile())
		}
		fmt.Fprintln(o.out, "Backups from before need the former key: keep it as long as you keep them.")
		return nil
	})
}

type secretResetCommand struct {
	config.Storage `embed:""`

	Yes  bool `help:"Give up the secrets. Without it, the command changes nothing." env:"-"`
	JSON bool `help:"Print one JSON object and nothing else."`
}

// Run gives up the secrets of a database whose secret key is lost. No server may be running.
func (c *secretResetCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	if !c.Yes {
		if err := app.RequireDatabase(c.Storage); err != nil {
			return err
		}
		return fmt.Errorf("this gives up the secrets in the database for ever, because their key is lost: the " +
			"secrets of webhooks, captcha, mail servers, feeds and second steps of sign-ins. Orders, customers, the " +
			"catalogue, keys and passwords stay. Look for the key in your backups first; then run it with --yes")
	}

	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	lost, err := app.ResetSecrets(ctx, c.Storage, log)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(o.out, lost)
	}

	fmt.Fprintln(o.out, "The database has a new secret key; what the former one encrypted is gone:")
	printLost(o.out, lost)
	if c.SecretKey == "" {
		fmt.Fprintf(o.out, "Keep a copy of %s in another place, and give it to all nodes.\n", c.KeyFile())
	}
	return nil
}

// printLost prints what depends on secrets that are lost, and what to do.
func printLost(w io.Writer, lost map[string]int64) {
	texts := transfer.LostTexts()
	for _, what := range slices.Sorted(maps.Keys(lost)) {
		fmt.Fprintf(w, "  %s: %s\n", formatCount(lost[what]), texts[what])
	}
}
