package runapi

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item"
)

// ExampleSummary returns a run of three items, one of which failed, as an element of a list.
func ExampleSummary(entity string) exchange.RunJSON {
	run := exampleRun(entity)
	return run.JSON(openapi.ExampleDates())
}

// ExampleReport returns the run of ExampleSummary with the error of the failed item.
func ExampleReport(entity string) exchange.RunJSON {
	report := exchange.Report{Run: exampleRun(entity), FirstErrors: []exchange.RunNote{
		{Index: 2, ID: new("1003"), Field: "name", Code: "required", Message: "A new thing needs a name."},
	}}
	return report.JSON(openapi.ExampleDates())
}

// ExampleQueued returns a run that has not been started.
func ExampleQueued(entity string) exchange.RunJSON {
	run := exchange.Run{ID: exampleID(), Params: exchange.Params{Entity: entity}, Status: exchange.Queued}
	report := exchange.Report{Run: run}
	return report.JSON(openapi.ExampleDates())
}

// ExampleWarning returns a warning of a run: an unknown category.
func ExampleWarning() exchange.RunNote {
	return exchange.RunNote{Index: 0, ID: new("1001"), Field: "categories[0]", Code: "unknown_category",
		Message: "There is no category with the id shirts yet; it is linked when it arrives."}
}

// ExampleChange returns what an item of a dry run would change: a price.
func ExampleChange() exchange.RunChange {
	return exchange.RunChange{Index: 0, ID: new("1001"), Action: exchange.ActionUpdated,
		Changes: []exchange.MemberChange{
			{Field: "variants[7].price", From: jsontext.Value("1990"), To: jsontext.Value("1790")},
		}}
}

func exampleRun(entity string) exchange.Run {
	began := openapi.ExampleTime()
	return exchange.Run{
		ID: exampleID(), Params: exchange.Params{Entity: entity}, Status: exchange.Completed,
		Counts:        exchange.Counts{Received: 3, Created: 1, Unchanged: 1, Failed: 1},
		IgnoredFields: []string{"nmae"},
		Ignored: []item.IgnoredField{{Field: "nmae", Count: 1, FirstIndex: new(int64(2)),
			DidYouMean: new("name")}},
		StartedAt: &began, FinishedAt: new(began.Add(41 * time.Millisecond)),
	}
}

func exampleID() exchange.RunID {
	return exchange.RunID(openapi.ExampleID("019a8269-ad40-7b01-8e55-6a7b8c9d0e01"))
}
