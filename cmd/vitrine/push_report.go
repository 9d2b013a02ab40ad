package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/client/push"
)

// issuesShown is how many issues of one code are printed, and runsShown how many runs; of the others their number.
const (
	issuesShown = 3
	runsShown   = 3
)

// showReport prints the report for people; cut says that the push did not come to its end.
func showReport(w io.Writer, r pushclient.Report, cut bool) error {
	fmt.Fprintln(w, headline(r, cut))
	took := time.Duration(r.DurationMS) * time.Millisecond
	rows := [][]string{
		{"  received", grouped(r.Received)}, {"  created", grouped(r.Created)}, {"  updated", grouped(r.Updated)},
		{"  unchanged", grouped(r.Unchanged)}, {"  failed", failed(r)}, {"  warnings", grouped(r.Warnings)},
	}
	if r.Archived > 0 {
		rows = append(rows, []string{"  archived", grouped(r.Archived)})
	}
	rows = append(rows, []string{"  duration", took.String()}, []string{"  items/s", grouped(int64(r.ItemsPerSecond))})
	if err := table(w, rows); err != nil {
		return err
	}
	showIssues(w, "Errors", r.Errors, r.ErrorCodes, r.Failed)
	showIssues(w, "Warnings", r.WarningsList, r.WarningCodes, r.Warnings)
	if len(r.IgnoredFields) > 0 {
		fmt.Fprintf(w, "Unknown, and ignored: %s\n", strings.Join(r.IgnoredFields, ", "))
	}
	if r.Rejects != "" {
		fmt.Fprintf(w, "What failed is in %s, to be fixed and pushed again.\n", r.Rejects)
	}
	showRuns(w, r)
	return nil
}

// showRuns says where the gate keeps all that there is to say of a push.
func showRuns(w io.Writer, r pushclient.Report) {
	if len(r.Runs) == 0 {
		return
	}
	names, id := "The run is "+r.Runs[0], r.Runs[0]
	if r.Requests > 1 {
		names, id = "The runs are "+strings.Join(r.Runs[:min(len(r.Runs), runsShown)], ", "), "{id}"
		if more := r.Requests - runsShown; more > 0 {
			names += " and " + grouped(more) + " more"
		}
	}
	at := strings.TrimSuffix(r.To, "/") + "/v2/sync-gate/runs/" + id
	fmt.Fprintf(w, "%s. All that failed is told at %s/errors, all warnings at %s/warnings; images that cannot be fetched are told there later.\n", names, at, at)
}

func headline(r pushclient.Report, cut bool) string {
	switch {
	case cut:
		return fmt.Sprintf("The push of the %s in %s to %s did not come to its end. Until then:", r.Entity, r.File, r.To)
	case r.Refused:
		return fmt.Sprintf("The %s in %s were not pushed to %s: some of them fail, so none is applied.", r.Entity, r.File, r.To)
	case r.DryRun:
		return fmt.Sprintf("This is what pushing the %s in %s to %s would do:", r.Entity, r.File, r.To)
	}
	return fmt.Sprintf("The %s in %s were pushed to %s:", r.Entity, r.File, r.To)
}

func failed(r pushclient.Report) string {
	if r.Unreadable == 0 {
		return grouped(r.Failed)
	}
	return fmt.Sprintf("%s (%s could not be read)", grouped(r.Failed), grouped(r.Unreadable))
}

// showIssues prints the first issues of each code.
func showIssues(w io.Writer, title string, issues []pushclient.Issue, codes []pushclient.CodeCount, total int64) {
	if len(issues) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	var listed int64
	for _, code := range codes {
		shown := int64(0)
		for _, i := range issues {
			if i.Code == code.Code && shown < issuesShown {
				fmt.Fprintf(w, "  %s\n", issueLine(i))
				shown++
			}
		}
		if more := code.Count - shown; more > 0 {
			fmt.Fprintf(w, "  … and %s more with the code %s\n", grouped(more), code.Code)
		}
		listed += code.Count
	}
	if listed < total {
		fmt.Fprintf(w, "  … and others: the gate lists %s of %s here, and all of them in its runs\n", grouped(listed), grouped(total))
	}
}

// issueLine is one issue: where, which item, which field, what.
func issueLine(i pushclient.Issue) string {
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

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
