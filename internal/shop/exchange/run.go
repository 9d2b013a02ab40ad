// Package exchange owns the exchange gate: it applies the items of a push in batches through the catalogue, and keeps a
// record of the outcome, the run. It does not know how items are decoded (item), what the catalogue does with them
// (catalog), nor how a push comes in over HTTP (exchangeapi).
package exchange

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
)

// The entities of the gate, by their path segments.
const (
	Products       = "products"
	VariantOptions = "variant-options"
	Features       = "features"
	Categories     = "categories"
	Stocks         = "stocks"
	Remainders     = "remainders"
	Prices         = "prices"
)

// Status is where a run stands.
type Status string

// The states of a run. A failed one has applied what its counts say.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// RunID names a run.
type RunID = id.Of[Run]

// Params is what a push asks for.
type Params struct {
	Entity     string
	Format     item.Format
	Credential access.KeyID
	Atomic     bool
	DryRun     bool
	// ArchiveMissing archives the products that are not in the push, unless they are more than MaxArchiveShare of the store's.
	ArchiveMissing  bool
	MaxArchiveShare float64
}

// inOneTransaction reports whether all items are applied in one transaction. Categories refer to each other, so a dry run
// has to see all of them together.
func (p *Params) inOneTransaction() bool { return p.Atomic || (p.DryRun && p.Entity == Categories) }

// Run is the record of a push.
type Run struct {
	Key int64
	ID  RunID
	Params
	Background bool
	Status     Status
	Counts
	// Archived is how many products were archived because they were missing, Reverted how many of them were brought back.
	Archived, Reverted int64
	// late is how many warnings came after their items were applied; Warnings has them too where a run is read.
	late int64
	// IgnoredFields are the members that nobody here knows, each once, such as variants[].weigth.
	IgnoredFields []string
	// Problem is why the run failed, if it did.
	Problem               *RunProblem
	CreatedAt             time.Time
	StartedAt, FinishedAt *time.Time
}

// Counts are how many items of a run came to which end, and how many errors and warnings there are.
type Counts struct {
	Received, Created, Updated, Unchanged, Failed int64
	Errors, Warnings                              int64
}

// RunProblem is why a run failed.
type RunProblem struct {
	Code    string `json:"code" example:"archive_refused"`
	Message string `json:"message"`
}

// Severity tells errors from warnings.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// RunNote is one error or warning of a run.
type RunNote struct {
	_ struct{} `doc:"What there is to say of an item."`

	Number  int64   `json:"-"` // from 1, for each severity by itself
	Index   int64   `json:"index" doc:"Which item of the push, from 0."`
	ID      *string `json:"id" doc:"Your id of it; null if it cannot be read."`
	Field   string  `json:"field" doc:"The place in the item; empty for the item itself." example:"variants[1].price"`
	Code    string  `json:"code" doc:"A stable snake_case word." example:"required"`
	Message string  `json:"message"`
}
