package runapi

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange"
)

// ExampleOne returns an example of a response with one resource.
func ExampleOne(name string, data any) httpapi.Example {
	return httpapi.Example{Name: name, JSON: `{"data":` + string(wire.AppendJSON(nil, data)) + `}`}
}

// ExampleList returns an example of a response with a list of one element.
func ExampleList(name string, element any) httpapi.Example {
	text := string(wire.AppendJSON(nil, element))
	return httpapi.Example{Name: name, JSON: `{"data":[` + text + `],"meta":{"per_page":50,"next_cursor":null}}`}
}

// ExampleSummary returns a run of three items, one of which failed, as an element of a list.
func ExampleSummary(entity string) exchange.RunJSON {
	run := exampleRun(entity)
	return run.JSON(exampleDates())
}

// ExampleReport returns the run of ExampleSummary with its error.
func ExampleReport(entity string) exchange.RunJSON {
	report := exchange.Report{Run: exampleRun(entity), FirstErrors: []exchange.RunNote{
		{Index: 2, ID: new("1003"), Field: "name", Code: "required", Message: "A new thing needs a name."},
	}}
	return report.JSON(exampleDates())
}

// ExampleQueued returns a run that was not started yet.
func ExampleQueued(entity string) exchange.RunJSON {
	run := exchange.Run{ID: exampleID(), Params: exchange.Params{Entity: entity}, Status: exchange.Queued}
	report := exchange.Report{Run: run}
	return report.JSON(exampleDates())
}

// ExampleWarning returns a warning of a run.
func ExampleWarning() exchange.RunNote {
	return exchange.RunNote{Index: 0, ID: new("1001"), Field: "categories[0]", Code: "unknown_category",
		Message: "There is no category with the id shirts yet; it is linked when it arrives."}
}

func exampleRun(entity string) exchange.Run {
	began := time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	return exchange.Run{
		ID: exampleID(), Params: exchange.Params{Entity: entity}, Status: exchange.Completed,
		Counts:        exchange.Counts{Received: 3, Created: 1, Unchanged: 1, Failed: 1},
		IgnoredFields: []string{"weigth"},
		StartedAt:     &began, FinishedAt: new(began.Add(41 * time.Millisecond)),
	}
}

func exampleID() exchange.RunID {
	runID, err := id.Parse[exchange.Run]("019a8269-ad40-7b01-8e55-6a7b8c9d0e01")
	if err != nil {
		panic("runapi: " + err.Error())
	}
	return runID
}

// exampleDates formats dates as of two minutes after the example run.
func exampleDates() *locale.Dates {
	language, err := locale.Parse("en")
	if err != nil {
		panic("runapi: " + err.Error())
	}
	zone, err := locale.Zone("Europe/Moscow")
	if err != nil {
		panic("runapi: " + err.Error())
	}
	return locale.NewDates(language, zone, time.Date(2026, 11, 14, 12, 2, 5, 0, time.UTC))
}
