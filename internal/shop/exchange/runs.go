package exchange

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// maxReported is the maximum number of errors, and of warnings, in a report.
const maxReported = 1000

// List returns one page of the runs that were pushed with a credential, newest first. Only runs with keys less than the
// parameter before are returned; 0 selects the newest runs. The result next is the value of before for the next page,
// or 0 after the last page.
func (s *Runs) List(
	ctx context.Context, tx store.Tx, credential access.KeyID, before, limit int64,
) (list []Run, next int64, err error) {
	defer fault.AddContext(&err, "list the runs of store %s", tx.StoreID())
	list, err = runsBefore(ctx, tx, credential, beforeOrMax(before), limit+1)
	if err != nil {
		return nil, 0, err
	}
	list, next = cutRunsPage(list, limit)
	return list, next, s.countPendingImages(ctx, tx, pointersTo(list))
}

// ListAll is like List, but returns the runs of all credentials, for the store's administrators.
func (s *Runs) ListAll(ctx context.Context, tx store.Tx, before, limit int64) (list []Run, next int64, err error) {
	defer fault.AddContext(&err, "list the runs of store %s", tx.StoreID())
	list, err = allRunsBefore(ctx, tx, beforeOrMax(before), limit+1)
	if err != nil {
		return nil, 0, err
	}
	list, next = cutRunsPage(list, limit)
	return list, next, s.countPendingImages(ctx, tx, pointersTo(list))
}

// Period is the time from From up to, but not including, Before. A zero time does not bound it.
type Period struct{ From, Before time.Time }

// ListFailed is like ListAll, but returns only runs that were created in the period and failed as a whole or in part.
// It leaves out dry runs.
func (s *Runs) ListFailed(
	ctx context.Context, tx store.Tx, p Period, before, limit int64,
) (list []Run, next int64, err error) {
	defer fault.AddContext(&err, "list the failed runs of store %s", tx.StoreID())
	list, err = failedRunsBefore(ctx, tx, p, beforeOrMax(before), limit+1)
	if err != nil {
		return nil, 0, err
	}
	list, next = cutRunsPage(list, limit)
	return list, next, s.countPendingImages(ctx, tx, pointersTo(list))
}

// CountFailed returns the number of runs that ListFailed returns and that were created in a period; before is
// exclusive.
func (s *Runs) CountFailed(ctx context.Context, tx store.Tx, from, before time.Time) (n int64, err error) {
	defer fault.AddContext(&err, "count the failed runs of store %s", tx.StoreID())
	return countFailedRuns(ctx, tx, from, before)
}

// HasAny reports whether something was pushed to the store, or a file applied. Runs are deleted after their retention.
func (s *Runs) HasAny(ctx context.Context, tx store.Tx) (_ bool, err error) {
	defer fault.AddContext(&err, "look for runs of store %s", tx.StoreID())
	return hasRun(ctx, tx)
}

// Find returns a run that was pushed with a credential. It returns fault.NotFound for a run of another credential.
func (s *Runs) Find(ctx context.Context, tx store.Tx, credential access.KeyID, runID RunID) (run Run, err error) {
	defer fault.AddContext(&err, "read run %s", runID)
	run, err = selectRun(ctx, tx, credential, runID)
	if err != nil {
		return run, err
	}
	run.Warnings += run.lateWarnings
	err = s.countPendingImages(ctx, tx, []*Run{&run})
	return run, err
}

// FindAny is like Find, but finds the runs of all credentials, for the store's administrators.
func (s *Runs) FindAny(ctx context.Context, tx store.Tx, runID RunID) (run Run, err error) {
	defer fault.AddContext(&err, "read run %s", runID)
	run, err = selectAnyRun(ctx, tx, runID)
	if err != nil {
		return run, err
	}
	run.Warnings += run.lateWarnings
	err = s.countPendingImages(ctx, tx, []*Run{&run})
	return run, err
}

// FindByKey returns the run with a key, or fault.NotFound. It counts neither pending images nor late warnings.
func (s *Runs) FindByKey(ctx context.Context, tx store.Tx, key int64) (Run, error) {
	return selectRunByKey(ctx, tx, key)
}

// Insert inserts a run and sets its Key, in the caller's transaction.
func (s *Runs) Insert(ctx context.Context, tx store.Tx, run *Run) error {
	return insertRun(ctx, tx, run)
}

// Record inserts a run that was applied before with its notes, in the caller's transaction, and ends it.
func (s *Runs) Record(ctx context.Context, tx store.Tx, run *Run, errors, warnings []RunNote) error {
	if err := insertRun(ctx, tx, run); err != nil {
		return err
	}
	if err := insertRunNotes(ctx, tx, run.Key, Error, errors); err != nil {
		return err
	}
	if err := insertRunNotes(ctx, tx, run.Key, Warning, warnings); err != nil {
		return err
	}

	run.FinishedAt = new(s.now())
	return s.End(ctx, tx, run)
}

// SetNotKept stores what the file of a run had and the store has no place for, in the caller's transaction.
func (s *Runs) SetNotKept(ctx context.Context, tx store.Tx, run Run, list []NotKept) error {
	return setRunNotKept(ctx, tx, run.Key, list)
}

// Enqueue adds the job that applies the stored body of a run, in the caller's transaction.
func (s *Runs) Enqueue(ctx context.Context, tx store.Tx, run Run) error {
	return s.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: runKind, Lane: tx.StoreID().String(),
		UniqueName: run.ID.String(), Payload: RunRef{tx.StoreID(), run.Key}.payload()})
}

// countPendingImages sets ImagesPending of each run. Only products have images, and a dry run requests none.
func (s *Runs) countPendingImages(ctx context.Context, tx store.Tx, runs []*Run) error {
	var keys []int64
	for _, r := range runs {
		if r.Entity == Products && !r.DryRun {
			keys = append(keys, r.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	counts, err := s.Catalog.Links.ImagesPending(ctx, tx, keys)
	for _, r := range runs {
		r.ImagesPending = counts[r.Key]
	}
	return err
}

func pointersTo(runs []Run) []*Run {
	list := make([]*Run, len(runs))
	for i := range runs {
		list[i] = &runs[i]
	}
	return list
}

// PendingReference is something that pushed products refer to and that has not arrived yet.
type PendingReference struct {
	Entity  string  // that would bring it
	ID      string  // the client's id of the category, option, feature or price list
	ValueID *string // the client's id of the value; nil for a category or a price list
	// WantedBy is the number of products that refer to it.
	WantedBy    int64
	FirstSeenAt time.Time
}

// Pending returns one page of what the store's pushed products wait for, the most wanted first. The parameter after is
// the result next of the page before, or 0. The result next is 0 on the last page.
func (s *Pushes) Pending(
	ctx context.Context, tx store.Tx, after, limit int64,
) (list []PendingReference, next int64, err error) {
	targets, next, err := s.Catalog.Links.Pending(ctx, tx, after, limit)
	for _, t := range targets {
		p := PendingReference{Entity: Categories, ID: t.ID, WantedBy: t.WantedBy, FirstSeenAt: t.FirstSeenAt}
		switch {
		case t.IsPriceList:
			p.Entity = PriceLists
		case !t.IsCategory:
			p.ValueID = &t.ValueID
			if p.Entity = VariantOptions; t.Kind == catalog.Feature {
				p.Entity = Features
			}
		}
		list = append(list, p)
	}
	return list, next, err
}

// Report returns a run with its first errors and warnings, at most 1,000 of each.
func (s *Runs) Report(ctx context.Context, tx store.Tx, run Run) (report Report, err error) {
	report = Report{Run: run}
	if run.Errors > 0 {
		report.FirstErrors, _, err = s.Notes(ctx, tx, run, Error, 0, maxReported)
	}
	if err == nil && run.Warnings > 0 {
		report.FirstWarnings, _, err = s.Notes(ctx, tx, run, Warning, 0, maxReported)
	}
	return report, err
}

// Notes returns one page of the errors or warnings of a run, beginning with the first number greater than the parameter
// after. They are in the order of the items, but late warnings come last. The result next is the value of after for the
// next page, or 0 on the last page.
func (s *Runs) Notes(
	ctx context.Context, tx store.Tx, run Run, severity Severity, after, limit int64,
) (notes []RunNote, next int64, err error) {
	defer fault.AddContext(&err, "read the %ss of run %s", severity, run.ID)
	notes, err = notesAfter(ctx, tx, run.Key, severity, after, limit+1)
	notes, next = cutPage(notes, limit, func(n RunNote) int64 { return n.Number })
	return notes, next, err
}

// EachReject calls fn with each failed item of a run, in the order of the push, as one line without a line end. The
// item is as it was sent, except that line ends are replaced by spaces: JSON allows line ends only between tokens,
// where a space is equivalent. fn must not retain the bytes.
func (s *Runs) EachReject(ctx context.Context, tx store.Tx, run Run, fn func(line []byte) error) (err error) {
	defer fault.AddContext(&err, "read the rejects of run %s", run.ID)
	var line []byte
	return eachReject(ctx, tx, run.Key, func(sent []byte) error {
		line = append(line[:0], bytes.TrimSpace(sent)...)
		for i, c := range line {
			if c == '\n' || c == '\r' {
				line[i] = ' '
			}
		}
		return fn(line)
	})
}

// HasTable reports whether the failed items of a run are lines of a table, which WriteFailedLines returns.
func (r *Run) HasTable() bool { return !r.Layout.IsZero() }

// WriteFailedLines calls write with the parts of a file of the failed items of a run, which is of the kind of the file
// that was uploaded: the lines as they are in the file, in its character set, after their numbers and what is wrong
// with them. write must not retain the bytes.
func (s *Runs) WriteFailedLines(
	ctx context.Context, tx store.Tx, run Run, translate func(message string) string, write func([]byte) error,
) (err error) {
	defer fault.AddContext(&err, "read the failed lines of run %s", run.ID)

	if run.Layout.Format == table.Workbook {
		return writeFailedWorkbook(ctx, tx, run, translate, write)
	}

	w := table.NewFailedWriter(run.Layout, translate)
	text := w.AppendHeader(nil)
	if err := write(text); err != nil {
		return err
	}

	return eachReject(ctx, tx, run.Key, func(sent []byte) error {
		var failed table.FailedItem
		if err := json.Unmarshal(sent, &failed); err != nil {
			return err
		}
		text = w.AppendItem(text[:0], failed)
		return write(text)
	})
}

// writeFailedWorkbook is WriteFailedLines for a workbook.
func writeFailedWorkbook(
	ctx context.Context, tx store.Tx, run Run, translate func(message string) string, write writerFunc,
) error {
	w, err := table.NewFailedWorkbook(write, run.Layout, translate)
	if err != nil {
		return err
	}

	err = eachReject(ctx, tx, run.Key, func(sent []byte) error {
		var failed table.FailedItem
		if err := json.Unmarshal(sent, &failed); err != nil {
			return err
		}
		return w.Item(failed)
	})
	if err != nil {
		return err
	}

	return w.Close()
}

// writerFunc is an io.Writer.
type writerFunc func([]byte) error

func (f writerFunc) Write(p []byte) (int, error) {
	if err := f(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// beforeOrMax returns before, or the largest key if before is 0, so that the first page begins with the newest run.
func beforeOrMax(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

func cutRunsPage(list []Run, limit int64) ([]Run, int64) {
	for i := range list {
		list[i].Warnings += list[i].lateWarnings
	}
	return cutPage(list, limit, func(r Run) int64 { return r.Key })
}

// cutPage cuts a list that was read with limit+1 to a page of limit elements. The result next is the number of the last
// element of the page, or 0 on the last page.
func cutPage[T any](list []T, limit int64, number func(T) int64) (page []T, next int64) {
	if int64(len(list)) <= limit {
		return list, 0
	}
	return list[:limit], number(list[limit-1])
}

// lateNumberOffset is added to the numbers of late warnings, so that they sort after the warnings of the items, of
// which a running push may still add more.
const lateNumberOffset = 1 << 40

// WarnLate adds a warning about an item of a run, in the caller's transaction, unless the run has been deleted.
func (s *Runs) WarnLate(
	ctx context.Context, tx store.Tx, from catalog.Origin, externalID *string, f fault.Field,
) (err error) {
	defer fault.AddContext(&err, "add a late warning to a run of store %s", tx.StoreID())
	number, err := incrementLateWarnings(ctx, tx, from.RunKey)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}

	n := RunNote{
		Number: lateNumberOffset + number, Index: from.Item, ID: externalID,
		Field: f.Field, Code: f.Code, Message: f.Message,
	}
	notes := []RunNote{n}
	if err := nameNotes(ctx, tx, Products, notes); err != nil { // only products have what comes late: images
		return err
	}
	return insertRunNotes(ctx, tx, from.RunKey, Warning, notes)
}
