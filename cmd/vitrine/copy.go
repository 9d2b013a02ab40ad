package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"vitrine/internal/client/push"
)

type copyCommand struct {
	From      string `help:"Address of the API of the store to copy: a URL or a host." required:"" placeholder:"URL"`
	To        string `help:"Address of the API of the store to copy to." required:"" placeholder:"URL"`
	FromToken string `help:"Exchange token of the store to copy, with the scope exchange:read. Better set as VITRINE_FROM_TOKEN." required:"" env:"VITRINE_FROM_TOKEN" placeholder:"xt_…"`
	ToToken   string `help:"Exchange token of the store to copy to. Better set as VITRINE_TO_TOKEN." required:"" env:"VITRINE_TO_TOKEN" placeholder:"xt_…"`
	AssignIDs bool   `name:"assign-ids" help:"Give what has no external id its own id as one, for good, in the store to copy."`
	DryRun    bool   `help:"Report what the copy would do, and change nothing."`
	Retries   int    `help:"Number of retries of a request after a temporary failure." default:"8" placeholder:"N"`
	Quiet     bool   `help:"Print only errors."`
	JSON      bool   `help:"Print the report as one JSON object and nothing else."`
}

// Help returns the text that --help prints in addition to the flags.
func (*copyCommand) Help() string {
	return `Copies the catalogue of one store to another: stocks, variant options, features, categories, products with their prices, stock and images. Nothing is written to a file. The other store downloads the images by their addresses. Copying again is safe: what is equal changes nothing.

Exit codes: 0, everything is copied; 1, the copy failed; 2, the command line is invalid; 3, some items failed.`
}

// copied is the result of copying one entity: its export and its push.
type copied struct {
	push.Exported
	Report push.Report `json:"push"`
}

const (
	copyBatchItems = 5000
	copyBatchBytes = 8 << 20
)

func (c *copyCommand) Run(ctx context.Context, o output) error {
	from, err := push.NewGate(c.From, c.FromToken)
	if err != nil {
		return withFaultMessageOnly(err)
	}
	to, err := push.NewGate(c.To, c.ToToken)
	if err != nil {
		return withFaultMessageOnly(err)
	}

	progress := newCopyProgress(o.err, c.Quiet || c.JSON)
	var list []copied
	failed := int64(0)
	for _, entity := range push.CopyOrder() {
		done, report, err := push.Copy(ctx,
			push.ExportJob{Client: newAPIClient(), Gate: from, Entity: entity, AssignIDs: c.AssignIDs,
				Retries:  c.Retries,
				Progress: progress.update(entity), Notify: progress.notify},
			push.Job{Client: newAPIClient(), Gate: to, Items: copyBatchItems, Bytes: copyBatchBytes, Retries: c.Retries,
				DryRun: c.DryRun, Progress: func(push.Progress) {}, Notify: progress.notify})
		if err != nil {
			progress.display.finish()
			return err
		}

		list = append(list, copied{done, report})
		failed += report.Failed
	}

	progress.display.finish()
	if err := c.print(o.out, list); err != nil {
		return err
	}
	if failed > 0 {
		return exitCode(exitFailedItems)
	}

	return nil
}

func (c *copyCommand) print(w io.Writer, list []copied) error {
	switch {
	case c.JSON:
		return printJSON(w, list)
	case c.Quiet:
		return nil
	}

	for _, one := range list {
		r := one.Report
		_, err := fmt.Fprintf(w, "%s: %s items, %s created, %s updated, %s unchanged, %s failed, %s left out\n",
			one.Entity,
			formatCount(one.Items), formatCount(r.Created), formatCount(r.Updated), formatCount(r.Unchanged),
			formatCount(r.Failed), formatCount(one.LeftOut))
		if err != nil {
			return err
		}
	}

	return nil
}

// copyProgress shows how many items of an entity have arrived.
type copyProgress struct {
	display *progressDisplay
	quiet   bool
}

func newCopyProgress(w io.Writer, quiet bool) *copyProgress {
	return &copyProgress{display: newProgressDisplay(w, pushLineInterval), quiet: quiet}
}

func (p *copyProgress) notify(message string) {
	if !p.quiet {
		p.display.println(message)
	}
}

// update returns the function that is called with the progress of an entity.
func (p *copyProgress) update(entity string) func(done, total int64) {
	return func(done, total int64) {
		if p.quiet {
			return
		}
		p.display.update(func(time.Time) progressStatus {
			label := fmt.Sprintf("%s: %s of %s items", entity, formatCount(done), formatCount(total))
			return progressStatus{done: done, total: total, label: label, line: label}
		})
	}
}
