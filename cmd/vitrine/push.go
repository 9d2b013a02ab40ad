package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"vitrine/internal/client/push"
)

// exitFailedItems is the exit code of a push with failed items.
const exitFailedItems = 3

type pushCommand struct {
	File   string `arg:"" help:"The file: JSON, NDJSON, CSV or XLSX, optionally compressed with gzip; - is standard input."`
	To     string `aliases:"url" help:"Address of the store's API: a URL or a host." default:"http://localhost:8080" placeholder:"URL"`
	Token  string `help:"Exchange token. Better set as VITRINE_EXCHANGE_TOKEN." required:"" env:"VITRINE_EXCHANGE_TOKEN,VITRINE_TOKEN" placeholder:"xt_…"`
	Entity string `help:"Entity of the items: products, variant-options, features, categories, stocks, remainders, prices or price-lists. Not needed if the file has that name." placeholder:"ENTITY"`
	Format string `help:"auto, json, ndjson, csv or xlsx." enum:"auto,json,ndjson,csv,xlsx" default:"auto"`
	Sheet  string `help:"Sheet of an XLSX file; the first visible one by default." placeholder:"NAME"`

	DryRun          bool     `help:"Report what the push would do, and change nothing."`
	Atomic          bool     `help:"Apply all items or none of them, in one request."`
	Revertible      bool     `help:"Let the server keep what changes, so that the push can be reverted in the administration."`
	ArchiveMissing  bool     `help:"Archive the products that are not in the file, in one request."`
	MaxArchiveShare *float64 `help:"The largest share of the store's products that --archive-missing may archive; 0.2 by default." placeholder:"SHARE"`
	Async           bool     `help:"Let the server store each request before it processes it, and wait until it is done."`

	BatchItems int    `help:"Maximum number of items per request." default:"5000" placeholder:"N"`
	BatchMiB   int    `name:"batch-mib" help:"Maximum size of a request in MiB, before compression." default:"8" placeholder:"N"`
	Retries    int    `help:"Number of retries of a request after a temporary failure." default:"8" placeholder:"N"`
	Restart    bool   `help:"Start over instead of resuming an interrupted push of the file."`
	Rejects    string `help:"File for the items that failed; FILE.rejects.ndjson by default, none for standard input." placeholder:"FILE"`
	Quiet      bool   `help:"Print only errors."`
	JSON       bool   `help:"Print the report as one JSON object and nothing else."`
}

// Help returns the text that --help prints in addition to the flags.
func (*pushCommand) Help() string {
	return `Sends the items of FILE to a store's exchange gate. Pushing again is safe: unchanged items change nothing. FILE.push-state keeps the progress of an interrupted push, and the same command resumes it.

Exit codes: 0, all items are applied; 1, the push failed; 2, the command line is invalid; 3, some items failed: the others are applied, with --atomic none is. The failed items are in FILE.rejects.ndjson, to be fixed and pushed again.

docs/push.md describes the columns of CSV files.`
}

func (c *pushCommand) Validate() error {
	switch {
	case c.Token == "" && c.File != "" && c.fileIsMissing():
		return fmt.Errorf("the file %s does not exist", c.File)
	case c.File == "" || c.Token == "":
		return nil // kong reports a missing flag
	case c.fileIsMissing():
		return nil // Run reports it
	case c.Entity == "" && push.GuessEntity(c.File) == "":
		return fmt.Errorf("--entity is required, because the name %s is not an entity: %s", c.File,
			strings.Join(push.Entities(), ", "))
	case c.Entity != "" && !slices.Contains(push.Entities(), c.Entity):
		return fmt.Errorf("--entity must be one of %s; %s is not", strings.Join(push.Entities(), ", "), c.Entity)
	case c.BatchItems < 1 || c.BatchMiB < 1 || c.Retries < 0:
		return errors.New("--batch-items and --batch-mib must be 1 or more, --retries 0 or more")
	case c.ArchiveMissing && c.entity() != "products":
		return errors.New("--archive-missing is for products")
	case c.MaxArchiveShare != nil && !c.ArchiveMissing:
		return errors.New("--max-archive-share goes with --archive-missing")
	case c.MaxArchiveShare != nil && (*c.MaxArchiveShare < 0 || *c.MaxArchiveShare > 1):
		return errors.New("--max-archive-share must be between 0 and 1")
	}

	_, err := c.gate()
	return err
}

// fileIsMissing reports whether the file does not exist.
func (c *pushCommand) fileIsMissing() bool {
	_, err := os.Stat(c.File)
	return c.File != push.Stdin && errors.Is(err, fs.ErrNotExist)
}

func (c *pushCommand) gate() (push.Gate, error) {
	gate, err := push.NewGate(c.To, c.Token)
	return gate, withFaultMessageOnly(err)
}

func (c *pushCommand) entity() string { return cmp.Or(c.Entity, push.GuessEntity(c.File)) }

func (c *pushCommand) Run(ctx context.Context, o output) error {
	gate, err := c.gate()
	if err != nil {
		return err
	}

	progress := newPushProgress(o.err, c.Quiet || c.JSON)
	if c.Entity == "" && !c.fileIsMissing() {
		progress.notify(fmt.Sprintf("The file name %s means that the entity is %s.", c.File, c.entity()))
	}

	report, err := push.Push(ctx, push.Job{
		Client: newAPIClient(), Gate: gate, Entity: c.entity(), File: c.File, Input: os.Stdin,
		Format: push.Format(c.Format), Sheet: c.Sheet,
		Items: c.BatchItems, Bytes: int64(c.BatchMiB) << 20, Retries: c.Retries,
		DryRun: c.DryRun, Atomic: c.Atomic, Revertible: c.Revertible, Async: c.Async,
		ArchiveMissing: c.ArchiveMissing, MaxArchiveShare: c.MaxArchiveShare,
		Restart: c.Restart, Rejects: c.rejects(), Progress: progress.update, Notify: progress.notify,
	})
	progress.display.finish()
	if printed := c.print(o, report, err); printed != nil {
		return errors.Join(err, printed)
	}

	if err == nil && report.Failed > 0 {
		return exitCode(exitFailedItems)
	}

	return err
}

// print prints the report, unless the push failed before the gate received an item. With --quiet it prints text only if
// items failed.
func (c *pushCommand) print(o output, r push.Report, err error) error {
	switch {
	case c.JSON && (err == nil || r.Received > 0):
		return printJSON(o.out, r)
	case c.JSON, err != nil && r.Received == 0, c.Quiet && r.Failed == 0:
		return nil
	}
	return printPushReport(o.out, r, err != nil)
}

func (c *pushCommand) rejects() string {
	if c.Rejects != "" || c.File == push.Stdin {
		return c.Rejects
	}
	return push.RejectsFile(c.File)
}

// newAPIClient returns a client for the store's API. It has no timeout, because the server may process a request for
// any time before it responds. It does not follow redirects, so that credentials are sent to no other server.
func newAPIClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// exitCode is an error that only sets the exit code: the command has already reported the failure to the user.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
