package adminapi

import (
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
)

// Run is the record of a push, with its first errors and warnings, in a response.
type Run struct {
	_ struct{} `doc:"The record of a push to the exchange gate."`

	exchange.RunJSON
	PushedBy *TokenRef `json:"pushed_by" doc:"The exchange token that it was pushed with; null if there is no such token any more."`
}

// RunSummary is an element in the list of runs. It has no errors or warnings.
type RunSummary struct {
	_ struct{} `doc:"A run without its errors and warnings."`

	runapi.RunSummary
	PushedBy *TokenRef `json:"pushed_by"`
}

func newRunSummary(run exchange.RunJSON, token *TokenRef) RunSummary {
	return RunSummary{RunSummary: runapi.RunSummary{RunJSON: run}, PushedBy: token}
}

// TokenRef is the exchange token of a run.
type TokenRef struct {
	ID   access.KeyID `json:"id"`
	Name string       `json:"name" example:"Accounting"`
}

// memberDocs returns descriptions by schema and member. They replace the descriptions of the public API or of an
// embedded type.
func memberDocs() map[string]string {
	return map[string]string{
		"CreatedKey.hint": "The prefix of the token and its last four characters.",
		"Run.entity":      "What was pushed: the last part of the gate's path.",
		"Run.received":    "How many items were read, so far while it is running.",
		"RunNote.id":      "Accounting's id of it; null if it cannot be read.",
	}
}
