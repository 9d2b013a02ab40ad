package exchangeui

import (
	"unicode"
	"unicode/utf8"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/exchange"
)

// entityName returns the name of an entity for people.
func entityName(l *frame.Language, entity string) string {
	switch entity {
	case exchange.Products:
		return l.T("Products")
	case exchange.VariantOptions:
		return l.T("Options")
	case exchange.Features:
		return l.T("Features")
	case exchange.Categories:
		return l.T("Categories")
	case exchange.Stocks:
		return l.T("Warehouses")
	case exchange.Remainders:
		return l.T("Quantities in stock")
	case exchange.Prices:
		return l.T("Prices")
	case exchange.PriceLists:
		return l.T("Price lists")
	case exchange.Orders:
		return l.T("Orders")
	}

	return entity
}

// entityChoice is an entity to choose from.
type entityChoice struct{ ID, Name string }

func entities(l *frame.Language) (list []entityChoice) {
	for _, id := range exchange.Entities() {
		list = append(list, entityChoice{id, entityName(l, id)})
	}
	return list
}

// runState returns the badge of a run: its status while it is running, then its outcome.
func runState(l *frame.Language, run *exchange.Run) frame.State {
	switch run.Outcome() {
	case exchange.Clean:
		return frame.State{Code: "good", Text: l.T("Completed")}
	case exchange.WithWarnings:
		return frame.State{Code: "warn", Text: l.T("With warnings")}
	case exchange.WithErrors:
		return frame.State{Code: "bad", Text: l.T("With errors")}
	case exchange.NothingApplied:
		return frame.State{Code: "bad", Text: l.T("Nothing applied")}
	}
	if run.Status == exchange.Queued {
		return frame.State{Code: "off", Text: l.T("Queued")}
	}
	return frame.State{Code: "info", Text: l.T("Running")}
}

// runSummary says in a sentence how a run ended, or what it does.
func runSummary(l *frame.Language, run *exchange.Run) string {
	if run.DryRun {
		return dryRunSummary(l, run)
	}

	switch run.Outcome() {
	case exchange.Clean:
		return l.T("Everything was applied.")
	case exchange.WithWarnings:
		return l.T("Everything was applied. Look at the warnings below.")
	case exchange.WithErrors:
		return l.T("Only a part was applied. What failed is listed below; the rest is in the shop.")
	case exchange.NothingApplied:
		return l.T("Nothing was applied. The shop is as it was.")
	}

	if run.Status == exchange.Queued {
		return l.T("It waits for its turn.")
	}

	return l.T("It is being applied.")
}

func dryRunSummary(l *frame.Language, run *exchange.Run) string {
	switch run.Outcome() {
	case exchange.Clean:
		return l.T("A trial: nothing was changed. Everything would be applied.")
	case exchange.WithWarnings:
		return l.T("A trial: nothing was changed. Everything would be applied, with the warnings below.")
	case exchange.WithErrors:
		return l.T("A trial: nothing was changed. Only a part would be applied; what would fail is listed below.")
	case exchange.NothingApplied:
		return l.T("A trial: nothing was changed, and nothing could be applied.")
	}
	return l.T("It is being checked. Nothing is changed.")
}

// lowerFirst returns a text as it is written within a sentence.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}
