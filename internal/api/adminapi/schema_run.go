package adminapi

import "vitrine/internal/api/httpapi/openapi"

// Run is the record of a push.
type Run struct {
	_ struct{} `doc:"The record of a push to the exchange gate."`

	ID            openapi.ID                           `json:"id"`
	Entity        string                               `json:"entity" enum:"products,variant-options,features,categories,stocks,remainders,prices" doc:"What was pushed: the last part of the gate's path."`
	Status        string                               `json:"status" enum:"queued,running,completed,failed" doc:"A failed one has applied what its counts say."`
	Received      int64                                `json:"received" doc:"How many items were read, so far while it is running."`
	Created       int64                                `json:"created"`
	Updated       int64                                `json:"updated"`
	Unchanged     int64                                `json:"unchanged" doc:"Items equal to what was last pushed: nothing was written."`
	Failed        int64                                `json:"failed" doc:"Items of which nothing was applied."`
	Warnings      int64                                `json:"warnings" doc:"How many warnings there are."`
	StartedAt     openapi.Nullable[openapi.DateObject] `json:"started_at"`
	FinishedAt    openapi.Nullable[openapi.DateObject] `json:"finished_at"`
	DurationMS    openapi.Nullable[int64]              `json:"duration_ms"`
	Errors        []RunNote                            `json:"errors" doc:"The first 1,000 errors. All of them are under /errors of the run."`
	WarningsList  []RunNote                            `json:"warnings_list" doc:"The first 1,000 warnings. All of them are under /warnings of the run."`
	IgnoredFields []string                             `json:"ignored_fields" doc:"Members that nobody here knows, each once, so that a typo is seen."`
	Archived      int64                                `json:"archived" doc:"Products that were archived because they were missing (archive_missing)."`
	Reverted      int64                                `json:"reverted" doc:"How many of those were brought back."`
	Atomic        bool                                 `json:"atomic"`
	DryRun        bool                                 `json:"dry_run" doc:"Whether all of this only would have been done."`
	Problem       openapi.Nullable[RunProblem]         `json:"problem" doc:"Why it failed; null if it did not."`
	PushedBy      openapi.Nullable[TokenRef]           `json:"pushed_by" doc:"The exchange token that it was pushed with; null if there is no such token any more."`
}

// RunSummary is a run in a list.
type RunSummary struct {
	_ struct{} `doc:"A run without its errors and warnings."`

	ID            openapi.ID                           `json:"id"`
	Entity        string                               `json:"entity" enum:"products,variant-options,features,categories,stocks,remainders,prices"`
	Status        string                               `json:"status" enum:"queued,running,completed,failed"`
	Received      int64                                `json:"received"`
	Created       int64                                `json:"created"`
	Updated       int64                                `json:"updated"`
	Unchanged     int64                                `json:"unchanged"`
	Failed        int64                                `json:"failed"`
	Warnings      int64                                `json:"warnings"`
	StartedAt     openapi.Nullable[openapi.DateObject] `json:"started_at"`
	FinishedAt    openapi.Nullable[openapi.DateObject] `json:"finished_at"`
	DurationMS    openapi.Nullable[int64]              `json:"duration_ms"`
	IgnoredFields []string                             `json:"ignored_fields"`
	Archived      int64                                `json:"archived"`
	Reverted      int64                                `json:"reverted"`
	Atomic        bool                                 `json:"atomic"`
	DryRun        bool                                 `json:"dry_run"`
	Problem       openapi.Nullable[RunProblem]         `json:"problem"`
	PushedBy      openapi.Nullable[TokenRef]           `json:"pushed_by"`
}

// RunProblem is why a push failed.
type RunProblem struct {
	Code    string `json:"code" example:"archive_refused"`
	Message string `json:"message"`
}

// RunNote is one error or warning of a run.
type RunNote struct {
	_ struct{} `doc:"What there is to say of an item."`

	Index   int64                    `json:"index" doc:"Which item of the push, from 0."`
	ID      openapi.Nullable[string] `json:"id" doc:"Accounting's id of it; null if it cannot be read."`
	Field   string                   `json:"field" doc:"The place in the item; empty for the item itself." example:"variants[1].price"`
	Code    string                   `json:"code" doc:"A stable snake_case word." example:"required"`
	Message string                   `json:"message"`
}

// TokenRef names an exchange token.
type TokenRef struct {
	ID   openapi.ID `json:"id"`
	Name string     `json:"name" example:"Accounting"`
}
