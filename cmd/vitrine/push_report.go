package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/client/push"
)

// maxPrintedIssues and maxPrintedRuns limit the printed issues of one code and the printed runs.
const (
	maxPrintedIssues = 3
	maxPrintedRuns   = 3
)

// printPushReport prints the report as text. interrupted is set if the push failed before its end.
func printPushReport(w io.Writer, r push.Report, interrupted bool) error {
	fmt.Fprintln(w, reportTitle(r, interrupted))
	took := time.Duration(r.DurationMS) * time.Millisecond
	failed := formatCount(r.Failed)
	if r.Unreadable > 0 {
		failed += fmt.Sprintf(" (%s could not be read)", formatCount(r.Unreadable))
	}

	rows := [][]string{
		{"  received", formatCount(r.Received)}, {"  created", formatCount(r.Created)},
		{"  updated", formatCount(r.Updated)}, {"  unchanged", formatCount(r.Unchanged)},
		{"  failed", failed}, {"  warnings", formatCount(r.Warnings)},
	}
	if r.Archived > 0 {
		rows = append(rows, []string{"  archived", formatCount(r.Archived)})
	}

	rows = append(rows, []string{"  duration", took.String()},
		[]string{"  items/s", formatCount(int64(r.ItemsPerSecond))})
	if err := writeTable(w, rows); err != nil {
		return err
	}

	if r.Charset != "" {
		fmt.Fprintf(w, "The file is read as %s.\n", r.Charset)
	}

	if len(r.IgnoredFields) > 0 {
		fmt.Fprintf(w, "Ignored unknown fields: %s\n", strings.Join(ignoredTexts(r), ", "))
	}

	printPushIssues(w, "Errors", r.Errors, r.ErrorCodes, r.Failed)
	printPushIssues(w, "Warnings", r.WarningsList, r.WarningCodes, r.Warnings)

	switch {
	case r.ImagesPending == 1:
		fmt.Fprintln(w, "1 image is still to be downloaded by the server.")
	case r.ImagesPending > 1:
		fmt.Fprintf(w, "%s images are still to be downloaded by the server.\n", formatCount(r.ImagesPending))
	}

	switch {
	case r.Rejects != "" && r.DryRun:
		fmt.Fprintf(w, "The items that would fail are in %s. Fix them in the file itself: nothing was pushed.\n",
			r.Rejects)
	case r.Rejects != "":
		fmt.Fprintf(w, "The failed items are in %s, to be fixed and pushed again.\n", r.Rejects)
	}

	printRuns(w, r)
	return nil
}

// ignoredTexts returns the unknown fields, those that the gate counted with their counts and the fields that were
// probably meant.
func ignoredTexts(r push.Report) []string {
	texts := make([]string, len(r.IgnoredFields))
	for i, field := range r.IgnoredFields {
		texts[i] = field
		for _, f := range r.Ignored {
			if f.Field != field {
				continue
			}

			if details := ignoredDetails(f); details != "" {
				texts[i] += " (" + details + ")"
			}
		}
	}

	return texts
}

// ignoredDetails says which items have an unknown field, unless it is a column, and what was probably meant.
func ignoredDetails(f push.IgnoredField) string {
	var details []string
	switch f.Count {
	case 0:
	case 1:
		details = append(details, "1 item")
	default:
		details = append(details, formatCount(f.Count)+" items")
	}

	if f.FirstIndex != nil {
		details[0] += fmt.Sprintf(", the first is item %d", *f.FirstIndex)
	}

	if f.DidYouMean != nil {
		details = append(details, fmt.Sprintf("did you mean %s?", *f.DidYouMean))
	}

	return strings.Join(details, "; ")
}

func printRuns(w io.Writer, r push.Report) {
	if len(r.Runs) == 0 {
		return
	}
	names := "The run is " + r.Runs[0]
	id := r.Runs[0]
	if r.Requests > 1 {
		names = "The runs are " + strings.Join(r.Runs[:min(len(r.Runs), maxPrintedRuns)], ", ")
		id = "{id}"
		if more := r.Requests - maxPrintedRuns; more > 0 {
			names += " and " + formatCount(more) + " more"
		}
	}

	at := strings.TrimSuffix(r.To, "/") + "/v2/sync-gate/runs/" + id
	fmt.Fprintf(w, "%s. All errors that the server found are listed at %s/errors, all warnings at %s/warnings, "+
		"for requests with the exchange token; images that cannot be downloaded are added there later.\n", names, at,
		at)
}

func reportTitle(r push.Report, interrupted bool) string {
	switch {
	case interrupted:
		return fmt.Sprintf("The push of the %s in %s to %s was not completed. So far:", r.Entity, r.File, r.To)
	case r.Refused:
		return fmt.Sprintf("The %s in %s were not pushed to %s: some items failed, so none is applied.", r.Entity,
			r.File, r.To)
	case r.Outcome == "nothing_applied" && r.DryRun:
		return fmt.Sprintf("Pushing the %s in %s to %s would apply nothing: all items would fail.", r.Entity, r.File,
			r.To)
	case r.Outcome == "nothing_applied":
		return fmt.Sprintf("Nothing of the %s in %s was applied at %s: all items failed.", r.Entity, r.File, r.To)
	case r.DryRun:
		return fmt.Sprintf("This is what pushing the %s in %s to %s would do:", r.Entity, r.File, r.To)
	}

	if r.Outcome == "with_errors" {
		return fmt.Sprintf("The %s in %s were pushed to %s, but some items failed:", r.Entity, r.File, r.To)
	}

	return fmt.Sprintf("The %s in %s were pushed to %s:", r.Entity, r.File, r.To)
}

func printPushIssues(w io.Writer, title string, issues []push.Issue, codes []push.CodeCount, total int64) {
	if len(issues) == 0 {
		return
	}

	fmt.Fprintf(w, "%s:\n", title)
	var listed int64
	for _, code := range codes {
		most, shown := int64(maxPrintedIssues), int64(0)
		if code.Count == most+1 { // a line about the last one would be as long as the issue itself
			most++
		}

		for _, i := range issues {
			if i.Code == code.Code && shown < most {
				fmt.Fprintf(w, "  %s\n", formatPushIssue(i))
				shown++
			}
		}

		if more := code.Count - shown; more > 0 {
			fmt.Fprintf(w, "  … and %s more with the code %s\n", formatCount(more), code.Code)
		}

		listed += code.Count
	}

	if listed < total {
		fmt.Fprintf(w, "  … and others: %s of %s are counted here, the runs list all of them\n", formatCount(listed),
			formatCount(total))
	}
}

func formatPushIssue(i push.Issue) string {
	var parts []string
	if i.Index != nil {
		parts = append(parts, fmt.Sprintf("item %d", *i.Index))
	}
	if i.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", i.Line))
	}
	if id := i.IDText(); id != "" {
		parts = append(parts, "id "+id)
	}
	if i.Field != "" {
		parts = append(parts, i.Field)
	}
	return fmt.Sprintf("%s: %s (%s)", strings.Join(parts, ", "), i.Message, i.Code)
}

// formatCount formats 1234567 as 1,234,567.
func formatCount(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
