package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
)

func runDocs() map[string]httpapi.Route {
	token := exampleToken()
	one := []httpapi.Example{openapi.ResourceExample("A run", Run{RunJSON: runapi.ExampleReport(exchange.Products),
		PushedBy: token})}
	failed := exchange.RunNote{Index: 2, ID: new("1003"), Field: "variants[0].price", Code: "out_of_range",
		Message: "A price may not be negative."}

	return openapi.Group(runsTag, "run", map[string]httpapi.Route{
		"GET " + runsPath: {
			OperationID: "listExchangeRuns", Summary: "List the runs", Response: RunSummary{}, CursorPaged: true,
			Description: "The pushes to the store's exchange gate, whichever token they came with, the newest first, " +
				"without their errors and warnings. Runs are kept for 30 days, " +
				"unless the operator of the server chose otherwise.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("The last run",
				newRunSummary(runapi.ExampleSummary(exchange.Products), token))},
		},
		"GET " + runsPath + "/{id}": {
			OperationID: "getExchangeRun", Summary: "Read a run", Response: Run{},
			Description:      "Answers how far a push is, or what became of it.",
			ResponseExamples: one,
		},
		"GET " + runsPath + "/{id}/errors": {
			OperationID: "listExchangeRunErrors", Summary: "List the errors of a run", Response: exchange.RunNote{},
			CursorPaged:      true,
			Description:      "Lists why items failed, all of them, in the order of the items.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("An error", failed)},
		},
		"GET " + runsPath + "/{id}/warnings": {
			OperationID: "listExchangeRunWarnings", Summary: "List the warnings of a run", Response: exchange.RunNote{},
			CursorPaged: true,
			Description: "Lists what was applied otherwise than it was sent, all of it, " +
				"in the order of the items.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("A warning", runapi.ExampleWarning())},
		},
		"GET " + runsPath + "/{id}/changes": {
			OperationID: "listExchangeRunChanges", Summary: "List what a run has changed",
			Response:    exchange.RunChange{},
			CursorPaged: true,
			Description: "Lists, for each item of an applied file that has changed something, and of a dry run that " +
				"would, what that is, " +
				"in the order of the items; at most 100,000 items. It is empty for other pushes. Past what is kept " +
				"of a store, the rest is missing; the run then has a warning `changes_not_kept`.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("Another price", runapi.ExampleChange())},
		},
		"GET " + runsPath + "/{id}/rejects": {
			OperationID: "getExchangeRunRejects", Summary: "Read the items of a run that failed",
			PlainMediaType: runapi.NDJSON,
			Description: "Answers with each item that failed as it was sent, one a line, " +
				"in their order: correct them and push them again as NDJSON. The failed lines of an uploaded table " +
				"come as a table (`text/csv`), after their numbers and what is wrong with each. Those past what " +
				"is kept of a store are " +
				"missing; the run then has a warning `rejects_not_kept`.",
		},
		"POST " + runsPath + "/{id}/revert": {
			OperationID: "revertExchangeRun", Summary: "Bring back what a run archived", Response: Run{},
			Description: "Brings back the products that the run archived because they were missing from it, " +
				"and that have been archived since. What the push itself changed stays. " +
				"Reverting twice does no harm.",
			ResponseExamples: one,
			Refusals: []httpapi.Refusal{{Status: 409, Code: "run_not_finished",
				When: "The push is still being applied."}},
		},
	})
}

func exampleToken() *TokenRef {
	return &TokenRef{access.KeyID(openapi.ExampleID(exampleKeyID)), "Accounting"}
}
