package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
)

// runDocs is what is said of the routes about exchange runs.
func runDocs() map[string]httpapi.Route {
	id := []httpapi.Param{{Name: "id", Description: "The id of the run."}}
	one := example("A run", `{"data":`+exampleRun(exampleNotes)+`}`)
	return map[string]httpapi.Route{
		"GET " + runsPath: {
			OperationID: "listExchangeRuns", Tag: runsTag, Status: 200, Answer: RunSummary{}, Cursored: true,
			Summary: "List the runs",
			Description: "The pushes to the store's exchange gate, whichever token they came with, the newest first, without their errors and warnings. Runs are kept for 30 days, " +
				"unless the operator of the server chose otherwise.",
			AnswerExamples: example("The last run", `{"data":[`+exampleRun("")+`],"meta":{"per_page":50,"next_cursor":null}}`),
		},
		"GET " + runsPath + "/{id}": {
			OperationID: "getExchangeRun", Tag: runsTag, Status: 200, Answer: Run{}, InPath: id,
			Summary:        "Read a run",
			Description:    "Answers how far a push is, or what became of it.",
			AnswerExamples: one,
		},
		"GET " + runsPath + "/{id}/errors": {
			OperationID: "listExchangeRunErrors", Tag: runsTag, Status: 200, Answer: RunNote{}, Cursored: true, InPath: id,
			Summary:     "List the errors of a run",
			Description: "Lists why items failed, all of them, in the order of the items.",
			AnswerExamples: example("An error", `{"data":[{"index":2,"id":"1003","field":"variants[0].price","code":"required","message":"A new variant needs a price."}],`+
				`"meta":{"per_page":50,"next_cursor":null}}`),
		},
		"GET " + runsPath + "/{id}/warnings": {
			OperationID: "listExchangeRunWarnings", Tag: runsTag, Status: 200, Answer: RunNote{}, Cursored: true, InPath: id,
			Summary:     "List the warnings of a run",
			Description: "Lists what was applied otherwise than it was sent, all of it, in the order of the items.",
			AnswerExamples: example("A warning", `{"data":[{"index":0,"id":"1001","field":"categories[0]","code":"unknown_category",`+
				`"message":"There is no category with the id shirts yet; it is linked when it arrives."}],"meta":{"per_page":50,"next_cursor":null}}`),
		},
		"GET " + runsPath + "/{id}/rejects": {
			OperationID: "getExchangeRunRejects", Tag: runsTag, Status: 200, Plain: runapi.NDJSON, InPath: id,
			Summary:     "Read the items of a run that failed",
			Description: "Answers with each item that failed as it was sent, one a line, in their order: correct them and push them again as NDJSON.",
		},
		"POST " + runsPath + "/{id}/revert": {
			OperationID: "revertExchangeRun", Tag: runsTag, Status: 200, Answer: Run{}, InPath: id,
			Summary: "Bring back what a run archived",
			Description: "Brings back the products that the run archived because they were missing from it, and that have been archived since. What the push itself changed stays. " +
				"Reverting twice does no harm.",
			AnswerExamples: one,
			Refusals:       []httpapi.Refusal{{Status: 409, Code: "run_not_finished", When: "The push is still being applied."}},
		},
	}
}

// exampleRun is a run with these lists, or with none.
func exampleRun(notes string) string {
	return `{"id":"019a8269-ad40-7b01-8e55-6a7b8c9d0e01","entity":"products","status":"completed","received":3,"created":1,"updated":0,"unchanged":1,"failed":1,"warnings":0,` +
		`"started_at":` + date + `,"finished_at":` + date + `,"duration_ms":41,` + notes + `"ignored_fields":["weigth"],"archived":0,"reverted":0,"atomic":false,"dry_run":false,` +
		`"problem":null,"pushed_by":{"id":"` + keyID + `","name":"Accounting"}}`
}

const exampleNotes = `"errors":[{"index":2,"id":"1003","field":"name","code":"required","message":"A new thing needs a name."}],"warnings_list":[],`
