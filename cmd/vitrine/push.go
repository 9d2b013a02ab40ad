package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"vitrine/internal/client/push"
	"vitrine/internal/kit/fault"
)

// exitFailedItems is the exit code of a push with failed items.
const exitFailedItems = 3

type pushCommand struct {
	File   string `arg:"" help:"The file: JSON, NDJSON or CSV, may be gzip; - is standard input."`
	To     string `help:"Address of the store's API: a URL or a host." default:"http://localhost:8080" placeholder:"URL"`
	Token  string `help:"Exchange token. Best given as VITRINE_EXCHANGE_TOKEN." required:"" env:"VITRINE_EXCHANGE_TOKEN,VITRINE_TOKEN" placeholder:"xt_…"`
	Entity string `help:"What the items are: products, variant-options, features, categories, stocks, remainders or prices. Not needed if the file is called so." placeholder:"ENTITY"`
	Format string `help:"auto, json, ndjson or csv." enum:"auto,json,ndjson,csv" default:"auto"`

	DryRun          bool     `help:"Report what the push would do, and change nothing."`
	Atomic          bool     `help:"All items or none of them, in one request."`
	ArchiveMissing  bool     `help:"Archive the products that are not in the file, in one request."`
	MaxArchiveShare *float64 `help:"The largest share of the store's products that may be archived so, such as 0.2, the default." placeholder:"SHARE"`
	Async           bool     `help:"Let the server take each request in first and work on it afterwards; wait for that."`

	BatchItems int    `help:"How many items a request takes." default:"5000" placeholder:"N"`
	BatchMiB   int    `name:"batch-mib" help:"How many MiB of items, before packing, a request takes." default:"8" placeholder:"N"`
	Retries    int    `help:"How often a request that fails for now is sent again." default:"8" placeholder:"N"`
	Restart    bool   `help:"Begin again, though an earlier push of the file was cut."`
	Rejects    string `help:"Where items that failed are written; FILE.rejects.ndjson by default, nowhere with standard input." placeholder:"FILE"`
	Quiet      bool   `help:"Print only what went wrong."`
	JSON       bool   `help:"Print the report as one JSON object and nothing else."`
}

// Help returns the text that --help prints in addition to the flags.
func (*pushCommand) Help() string {
	return `Sends the items of FILE to a store's exchange gate. Pushing again is safe: items that are the same change nothing. A push that is cut is noted in FILE.push-state, and the same command goes on there.

Exit codes: 0, everything is applied; 1, it could not be done; 2, the command line cannot be read; 3, some items failed: the others are applied, with --atomic none is. What failed is in FILE.rejects.ndjson, to be fixed and pushed again.

The columns of CSV files are described in docs/push.md.`
}

// Validate checks the command line.
func (c *pushCommand) Validate() error {
	switch {
	case c.File == "" || c.Token == "":
		return nil // kong reports a missing flag
	case c.Entity == "" && pushclient.GuessEntity(c.File) == "":
		return fmt.Errorf("--entity is needed, since %s does not say what its items are: %s", c.File, strings.Join(pushclient.Entities(), ", "))
	case c.Entity != "" && !slices.Contains(pushclient.Entities(), c.Entity):
		return fmt.Errorf("--entity must be one of %s; %s is not", strings.Join(pushclient.Entities(), ", "), c.Entity)
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

func (c *pushCommand) gate() (pushclient.Gate, error) {
	gate, err := pushclient.NewGate(c.To, c.Token)
	var f *fault.Error
	if errors.As(err, &f) {
		return gate, errors.New(f.Message)
	}
	return gate, err
}

func (c *pushCommand) entity() string {
	if c.Entity != "" {
		return c.Entity
	}
	return pushclient.GuessEntity(c.File)
}

// Run pushes the file and prints the report.
func (c *pushCommand) Run(ctx context.Context, o output) error {
	gate, err := c.gate()
	if err != nil {
		return err
	}
	w := newPushWatch(o.err, c.Quiet || c.JSON)
	if c.Entity == "" {
		w.say(fmt.Sprintf("By its name %s holds %s.", c.File, c.entity()))
	}
	report, err := pushclient.Push(ctx, pushclient.Job{
		Client: newAPIClient(), Gate: gate, Entity: c.entity(), File: c.File, Input: os.Stdin, Format: pushclient.Format(c.Format),
		Items: c.BatchItems, Bytes: int64(c.BatchMiB) << 20, Retries: c.Retries,
		DryRun: c.DryRun, Atomic: c.Atomic, ArchiveMissing: c.ArchiveMissing, MaxArchiveShare: c.MaxArchiveShare, Async: c.Async,
		Restart: c.Restart, Rejects: c.rejects(), Progress: w.tell, Notify: w.say,
	})
	w.end()
	if printed := c.print(o, report, err); printed != nil {
		return errors.Join(err, printed)
	}
	if err == nil && report.Failed > 0 {
		return exitCode(exitFailedItems)
	}
	return err
}

// print prints the report, unless nothing was received before an error. With --quiet it prints only the report of a
// push with failed items.
func (c *pushCommand) print(o output, r pushclient.Report, err error) error {
	switch {
	case c.JSON && (err == nil || r.Received > 0):
		return printJSON(o.out, r)
	case c.JSON, err != nil && r.Received == 0, c.Quiet && r.Failed == 0:
		return nil
	}
	return printReport(o.out, r, err != nil)
}

func (c *pushCommand) rejects() string {
	if c.Rejects != "" || c.File == pushclient.Stdin {
		return c.Rejects
	}
	return pushclient.RejectsFile(c.File)
}

// newAPIClient returns a client for the store's API. It has no timeout, because a response takes as long as the work.
// It does not follow redirects, so that credentials are sent to no other server.
func newAPIClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// exitCode is an error that was already reported to the user.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
