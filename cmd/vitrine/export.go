package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"vitrine/internal/client/push"
)

type exportCommand struct {
	Entity       string `arg:"" help:"products, variant-options, features, categories, stocks, remainders, prices or price-lists."`
	URL          string `name:"url" aliases:"to" help:"Address of the store's API: a URL or a host." default:"http://localhost:8080" env:"VITRINE_URL,VITRINE_TO" placeholder:"URL"`
	Token        string `help:"Exchange token with the scope exchange:read. Better set as VITRINE_EXCHANGE_TOKEN." required:"" env:"VITRINE_EXCHANGE_TOKEN,VITRINE_TOKEN" placeholder:"xt_…"`
	Out          string `help:"The file to write; ENTITY.ndjson by default, - is standard output." placeholder:"FILE"`
	ChangedSince string `help:"Export only what changed since the export with this cursor." placeholder:"CURSOR"`
	AssignIDs    bool   `name:"assign-ids" help:"Give what has no external id its own id as one, for good."`
	Retries      int    `help:"Number of retries of the request after a temporary failure." default:"8" placeholder:"N"`
	Quiet        bool   `help:"Print only errors."`
	JSON         bool   `help:"Print the outcome as one JSON object and nothing else."`
}

// Help returns the text that --help prints in addition to the flags.
func (*exportCommand) Help() string {
	return `Writes an entity of a store to a file, one item a line, in the form in which vitrine push sends it. The file is complete or not there at all. The printed cursor is the value of --changed-since for the next export.

docs/export.md has more about exports.`
}

func (c *exportCommand) Validate() error {
	if !slices.Contains(push.Entities(), c.Entity) {
		return fmt.Errorf("ENTITY must be one of %s; %s is not", strings.Join(push.Entities(), ", "), c.Entity)
	}
	return nil
}

func (c *exportCommand) Run(ctx context.Context, o output) error {
	gate, err := push.NewGate(c.URL, c.Token)
	if err != nil {
		return withFaultMessageOnly(err)
	}

	file := cmp.Or(c.Out, c.Entity+".ndjson")
	out, report := o.out, o.out
	finish := func(err error) error { return err }
	if file == push.Stdin {
		report = o.err
	} else {
		part, err := os.Create(file + ".part")
		if err != nil {
			return err
		}

		out = part
		finish = func(err error) error {
			if err = errors.Join(err, part.Close()); err != nil {
				return errors.Join(err, os.Remove(part.Name()))
			}
			return os.Rename(part.Name(), file)
		}
	}

	progress := newCopyProgress(o.err, c.Quiet || c.JSON)
	done, err := push.Export(ctx, push.ExportJob{
		Client: newAPIClient(), Gate: gate, Entity: c.Entity, ChangedSince: c.ChangedSince, AssignIDs: c.AssignIDs,
		Retries: c.Retries, Progress: progress.update(c.Entity), Notify: progress.notify,
	}, out)
	progress.display.finish()
	if err := finish(err); err != nil {
		return err
	}

	switch {
	case c.JSON:
		return printJSON(report, done)
	case c.Quiet:
		return nil
	}

	return printExported(report, done, file)
}

// printExported prints the outcome of an export.
func printExported(w io.Writer, done push.Exported, file string) error {
	text := fmt.Sprintf("%s: %s items in %s\n", done.Entity, formatCount(done.Items), file)
	if done.LeftOut > 0 {
		text += fmt.Sprintf("%s left out, since they or what they refer to have no external id; --assign-ids gives "+
			"them one\n",
			formatCount(done.LeftOut))
	}
	_, err := fmt.Fprintf(w, "%scursor: %s\n", text, done.Cursor)
	return err
}
