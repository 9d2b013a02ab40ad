package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/productfield"
)

// The entities of the gate. Each value is the last segment of the path to which the entity is pushed.
const (
	Products       = "products"
	VariantOptions = "variant-options"
	Features       = "features"
	Categories     = "categories"
	Stocks         = "stocks"
	Remainders     = "remainders"
	Prices         = "prices"
	PriceLists     = "price-lists"
)

// Orders is the entity of the runs of files with orders that 1C sends back. It is not pushed.
const Orders = "orders"

// Status is the state of a run.
type Status string

// The states of a run. A failed run may have applied items: its counts say how many.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Outcome says in one word how a push ended.
type Outcome string

// The outcomes. NothingApplied means that all items failed, or that the push was rejected or broke off before anything
// was applied. WithErrors means that only a part of it was applied.
const (
	Clean          Outcome = "clean"
	WithWarnings   Outcome = "with_warnings"
	WithErrors     Outcome = "with_errors"
	NothingApplied Outcome = "nothing_applied"
)

// RunID identifies a run.
type RunID = id.Of[Run]

// Params are the parameters of a push.
type Params struct {
	Entity string
	Format item.Format
	// Credential is the exchange token of a push. It is zero for the file of an operator.
	Credential access.KeyID
	// Operator is who uploaded or applied the file FileName; zero for a push.
	Operator access.OperatorID
	FileName string
	// Mapping says what the columns of a table are; nil if they have our names.
	Mapping *table.Mapping
	// columns are the names of the columns of an uploaded table that nobody has said what they are. They are not
	// stored.
	columns []string
	// Undoes is the key of the run whose changes the file reverts; 0 if it reverts none.
	Undoes int64
	// RequestID is the id of the request that pushes, for the log. It is not stored.
	RequestID string
	// Size is the number of bytes that the client declares to send, and 0 if it does not. It is not stored.
	Size   int64
	Atomic bool
	DryRun bool
	// ArchiveMissing archives products that are not in the push, unless they are a larger share of the store's live
	// products than MaxArchiveShare, a number from 0 to 1.
	ArchiveMissing  bool
	MaxArchiveShare float64
	// KeepChanges makes a push keep what it changes, as the file of an operator does, so that Undo can revert it.
	KeepChanges bool
}

// inOneTransaction reports whether all items are applied in one transaction. This includes a dry run of categories:
// they refer to each other, and the categories of earlier batches would be missing if each batch were rolled back.
func (p *Params) inOneTransaction() bool { return p.Atomic || (p.DryRun && p.Entity == Categories) }

// withWriter returns a context in which products are written by the token or the operator of the push.
func (p *Params) withWriter(ctx context.Context) context.Context {
	if !p.Operator.IsZero() {
		return productfield.WithWriter(ctx, productfield.WriterOf(p.Operator))
	}
	return productfield.WithWriter(ctx, productfield.WriterOf(p.Credential))
}

// Run is the record of a push.
type Run struct {
	Key int64
	ID  RunID
	Params
	Background bool
	// KeptUntil is set for the dry run of an uploaded file: until then, QueueUpload can apply the file.
	KeptUntil *time.Time
	// BodyKey is the key of the dry run whose file the run applies; 0 if the run has a body of its own.
	BodyKey int64
	Status  Status
	Counts
	// Archived is the number of products archived as missing; Reverted is how many of these Revert restored.
	Archived, Reverted int64
	// lateWarnings is the number of warnings that were added after their items were applied, such as by WarnLate. The
	// database counts them separately; Find, FindAny and the lists add them to Warnings.
	lateWarnings int64
	// IgnoredFields are the unknown members of the items, each once, such as variants[].weigth.
	IgnoredFields []string
	// Ignored has the same members with their counts.
	Ignored []item.IgnoredField
	// Layout says how a table was written; zero for other formats, and before the run has ended.
	Layout table.Layout
	// NotKept is what a file of 1C had and the store has no place for. One of the runs of the file has it.
	NotKept []NotKept
	// ImagesPending is the number of images of the run that are still to be downloaded. It is not stored with the run:
	// it is counted when the run ends, and by Find, FindAny and the lists.
	ImagesPending int64
	// Problem says why the run failed. It is nil if the run did not fail.
	Problem               *RunProblem
	CreatedAt             time.Time
	StartedAt, FinishedAt *time.Time
}

// Outcome returns how the push ended, or "" if it has not ended.
func (r *Run) Outcome() Outcome {
	applied := r.Created + r.Updated + r.Unchanged + r.Archived
	switch incomplete := r.Status == Failed || r.Failed > 0; {
	case r.FinishedAt == nil:
		return ""
	case incomplete && applied == 0:
		return NothingApplied
	case incomplete:
		return WithErrors
	case r.Warnings > 0:
		return WithWarnings
	}
	return Clean
}

// Counts are the numbers of items of a run by outcome, and the numbers of errors and warnings.
type Counts struct {
	Received, Created, Updated, Unchanged, Failed int64
	Errors, Warnings                              int64
}

// NotKept is something that came and has no place in the store, by its name in accounting.
type NotKept struct {
	_ struct{} `doc:"Something that came and has no place in the store."`

	What  string `json:"what" doc:"Its name in accounting." example:"Комплектующие"`
	Count int64  `json:"count" doc:"How often it came."`
}

// RunProblem says why a run failed.
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

	Number  int64   `json:"-"` // from 1; errors and warnings are numbered separately
	Index   int64   `json:"index" doc:"Which item of the push, from 0."`
	ID      *string `json:"id" doc:"Your id of it; null if it cannot be read."`
	Name    string  `json:"name" doc:"What people call it: its name and, in brackets, its article; empty if they are not known." example:"T-shirt (TSHIRT)"`
	Line    int64   `json:"-"` // of the file, from 1; 0 if it is no table
	Field   string  `json:"field" doc:"The place in the item; empty for the item itself." example:"variants[1].price"`
	Code    string  `json:"code" doc:"A stable snake_case word." example:"required"`
	Message string  `json:"message"`
}
