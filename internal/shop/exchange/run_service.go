package exchange

import (
	"bytes"
	"context"
	"math"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// maxReported is how many errors and warnings a report has of each.
const maxReported = 1000

// Runs returns runs that were pushed with a credential, the newest first: those with keys below before, or the very newest if that is 0.
// next is where the following ones go on, 0 if there are none.
func (s *Service) Runs(ctx context.Context, tx store.Tx, credential access.KeyID, before, limit int64) (list []Run, next int64, err error) {
	list, err = runsBefore(ctx, tx, credential, fromNewest(before), limit+1)
	list, next = firstRuns(list, limit)
	return list, next, err
}

// AllRuns is Runs for those who look after the store: whoever pushed them.
func (s *Service) AllRuns(ctx context.Context, tx store.Tx, before, limit int64) (list []Run, next int64, err error) {
	list, err = allRunsBefore(ctx, tx, fromNewest(before), limit+1)
	list, next = firstRuns(list, limit)
	return list, next, err
}

// Find returns a run that was pushed with a credential; that of another one is fault.NotFound.
func (s *Service) Find(ctx context.Context, tx store.Tx, credential access.KeyID, runID RunID) (Run, error) {
	run, err := oneRun(ctx, tx, credential, runID)
	run.Warnings += run.late
	return run, err
}

// FindAny is Find for those who look after the store: whoever pushed it.
func (s *Service) FindAny(ctx context.Context, tx store.Tx, runID RunID) (Run, error) {
	run, err := anyRun(ctx, tx, runID)
	run.Warnings += run.late
	return run, err
}

// Report returns a run with its first errors and warnings, at most 1,000 of each.
func (s *Service) Report(ctx context.Context, tx store.Tx, run Run) (told Report, err error) {
	told = Report{Run: run}
	if run.Errors > 0 {
		if told.FirstErrors, _, err = s.Notes(ctx, tx, run, Error, 0, maxReported); err != nil {
			return told, err
		}
	}
	if run.Warnings > 0 {
		told.FirstWarnings, _, err = s.Notes(ctx, tx, run, Warning, 0, maxReported)
	}
	return told, err
}

// Notes returns errors or warnings of a run in the order of the items, late warnings behind: those with numbers above after. next is where
// the following ones go on, 0 if there are none.
func (s *Service) Notes(ctx context.Context, tx store.Tx, run Run, severity Severity, after, limit int64) (notes []RunNote, next int64, err error) {
	notes, err = notesAfter(ctx, tx, run.Key, severity, after, limit+1)
	notes, next = firstOf(notes, limit, func(n RunNote) int64 { return n.Number })
	return notes, next, err
}

// EachReject gives fn the items of a run that failed, as they were sent, in their order, each as a line without its end. Outside of strings,
// the only place where JSON has line ends, they mean no more than a space does. The bytes are fn's only until it returns.
func (s *Service) EachReject(ctx context.Context, tx store.Tx, run Run, fn func(line []byte) error) error {
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

// fromNewest is before as the database takes it: no run has a key above.
func fromNewest(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

func firstRuns(list []Run, limit int64) ([]Run, int64) {
	for i := range list {
		list[i].Warnings += list[i].late
	}
	return firstOf(list, limit, func(r Run) int64 { return r.Key })
}

// firstOf leaves the first of a list that was read one longer than the limit, and returns the number of the last one if others follow.
func firstOf[T any](list []T, limit int64, number func(T) int64) (first []T, next int64) {
	if int64(len(list)) <= limit {
		return list, 0
	}
	return list[:limit], number(list[limit-1])
}
