package exchange

import (
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/exchange/item"
)

// Report is a run with its first errors and warnings. Runs.Notes returns all of them.
type Report struct {
	Run
	FirstErrors, FirstWarnings []RunNote
}

// RunJSON is the JSON form of a run in the responses of all APIs and in the event exchange.completed. The OpenAPI
// documents derive its schema from it, with the tags doc, enum and required.
type RunJSON struct {
	ID         RunID        `json:"id"`
	Entity     string       `json:"entity" enum:"products,variant-options,features,categories,stocks,remainders,prices,orders" doc:"What was pushed: the last part of the path. orders are states of orders that 1C has sent back."`
	Status     Status       `json:"status" enum:"queued,running,completed,failed" doc:"A failed one has applied what its counts say."`
	Outcome    *Outcome     `json:"outcome" enum:"clean,with_warnings,with_errors,nothing_applied" doc:"How it ended; null until then. with_errors: only a part of it was applied. nothing_applied: all items failed, or it was rejected or broke off before anything was applied."`
	Received   int64        `json:"received" doc:"How many items were read."`
	Created    int64        `json:"created"`
	Updated    int64        `json:"updated"`
	Unchanged  int64        `json:"unchanged" doc:"Items equal to what was last pushed: nothing was written."`
	Failed     int64        `json:"failed" doc:"Items of which nothing was applied."`
	Warnings   int64        `json:"warnings" doc:"How many warnings there are."`
	StartedAt  *locale.Date `json:"started_at"`
	FinishedAt *locale.Date `json:"finished_at"`
	DurationMS *int64       `json:"duration_ms"`
	// Errors and WarningsList are absent if they are nil: in a list of runs and in the event.
	Errors        []RunNote           `json:"errors,omitzero" required:"true" doc:"The first 1,000 errors. All of them are under /errors of the run."`
	WarningsList  []RunNote           `json:"warnings_list,omitzero" required:"true" doc:"The first 1,000 warnings. All of them are under /warnings of the run."`
	IgnoredFields []string            `json:"ignored_fields" doc:"Members that nobody here knows, each once, so that a typo is seen."`
	Ignored       []item.IgnoredField `json:"ignored" doc:"The same members, with what is known of each."`
	NotKept       []NotKept           `json:"not_kept" doc:"What a file of 1C had and the store has no place for: elements, requisites and price types by their names. One of the runs of the file has it; empty for other pushes."`
	ImagesPending int64               `json:"images_pending" doc:"How many images of this push are still to be downloaded. An image that a later push names too counts there."`
	Archived      int64               `json:"archived" doc:"Products that were archived because they were missing (archive_missing)."`
	Reverted      int64               `json:"reverted" doc:"How many of those were brought back."`
	Atomic        bool                `json:"atomic"`
	DryRun        bool                `json:"dry_run" doc:"Whether all of this only would have been done."`
	Problem       *RunProblem         `json:"problem" doc:"Why it failed; null if it did not."`
}

// JSON returns the run as it is shown in a list and in the event: without its errors and warnings.
func (r *Run) JSON(dates *locale.Dates) RunJSON {
	j := RunJSON{
		ID: r.ID, Entity: r.Entity, Status: r.Status,
		Received: r.Received, Created: r.Created, Updated: r.Updated, Unchanged: r.Unchanged, Failed: r.Failed,
		Warnings:  r.Warnings,
		StartedAt: dates.Date(r.StartedAt), FinishedAt: dates.Date(r.FinishedAt),
		IgnoredFields: r.IgnoredFields, Ignored: r.Ignored, NotKept: append([]NotKept{}, r.NotKept...),
		ImagesPending: r.ImagesPending, Archived: r.Archived,
		Reverted: r.Reverted,
		Atomic:   r.Atomic, DryRun: r.DryRun, Problem: r.Problem,
	}
	if o := r.Outcome(); o != "" {
		j.Outcome = &o
	}

	if r.StartedAt != nil && r.FinishedAt != nil {
		j.DurationMS = new(r.FinishedAt.Sub(*r.StartedAt).Milliseconds())
	}

	return j
}

// JSON returns the run with its first errors and warnings.
func (r *Report) JSON(dates *locale.Dates) RunJSON {
	j := r.Run.JSON(dates)
	j.Errors, j.WarningsList = append([]RunNote{}, r.FirstErrors...), append([]RunNote{}, r.FirstWarnings...) // not nil
	return j
}
