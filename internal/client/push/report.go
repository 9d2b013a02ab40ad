package pushclient

import (
	"slices"
	"time"
)

const (
	// maxIssuesPerCode is how many issues of one code a Report lists, and maxListedRuns how many runs: the file of rejects and the gate have all.
	maxIssuesPerCode = 5
	maxListedRuns    = 100
	// maxIgnoredFields is how many ignored fields are named.
	maxIgnoredFields = 100
)

// Report is the sum of what the gate said of all requests of a push, and of what could not be read here.
type Report struct {
	Entity string `json:"entity"`
	To     string `json:"to"`
	File   string `json:"file"`
	DryRun bool   `json:"dry_run"`
	// Resumed is set if the push went on where another was cut; the figures are of both.
	Resumed bool `json:"resumed"`
	// Refused is set if nothing was applied because of what failed: Job.Atomic.
	Refused  bool  `json:"refused"`
	Requests int64 `json:"requests"`

	Received   int64 `json:"received"` // what was sent and what could not be read
	Created    int64 `json:"created"`
	Updated    int64 `json:"updated"`
	Unchanged  int64 `json:"unchanged"`
	Failed     int64 `json:"failed"`     // what could not be read among them
	Archived   int64 `json:"archived"`   // because it was missing
	Warnings   int64 `json:"warnings"`   // in number
	Unreadable int64 `json:"unreadable"` // places of the file that make no item

	DurationMS     int64   `json:"duration_ms"`
	ItemsPerSecond float64 `json:"items_per_second"`

	// Errors and WarningsList are the first few of each code; ErrorCodes and WarningCodes count all that the gate listed.
	Errors        []Issue     `json:"errors"`
	ErrorCodes    []CodeCount `json:"error_codes"`
	WarningsList  []Issue     `json:"warnings_list"`
	WarningCodes  []CodeCount `json:"warning_codes"`
	IgnoredFields []string    `json:"ignored_fields"`
	// Runs are the ids of the first runs.
	Runs []string `json:"runs"`
	// Rejects is the file with what was not applied; empty if there is none.
	Rejects string `json:"rejects"`
}

// CodeCount is how many issues have a code.
type CodeCount struct {
	Code  string `json:"code"`
	Count int64  `json:"count"`
}

// addRun takes a run into the sum. first is the place of the request's first item in the file.
func (r *Report) addRun(run Run, firstIndex int64, lines itemLines) {
	r.Requests++
	r.Received += run.Received
	r.Created += run.Created
	r.Updated += run.Updated
	r.Unchanged += run.Unchanged
	r.Failed += run.Failed
	r.Archived += run.Archived
	r.Warnings += run.Warnings
	if run.ID != "" && len(r.Runs) < maxListedRuns {
		r.Runs = append(r.Runs, run.ID)
	}
	for _, i := range run.Errors {
		r.Errors, r.ErrorCodes = tallyIssue(r.Errors, r.ErrorCodes, filePosition(i, firstIndex, lines))
	}
	for _, i := range run.WarningsList {
		r.WarningsList, r.WarningCodes = tallyIssue(r.WarningsList, r.WarningCodes, filePosition(i, firstIndex, lines))
	}
	r.addIgnoredFields(run.IgnoredFields)
}

// addUnreadable takes a place of the file that makes no item into the sum.
func (r *Report) addUnreadable(i Issue) {
	r.Received++
	r.Failed++
	r.Unreadable++
	r.Errors, r.ErrorCodes = tallyIssue(r.Errors, r.ErrorCodes, i)
}

func (r *Report) addIgnoredFields(fields []string) {
	for _, f := range fields {
		if len(r.IgnoredFields) < maxIgnoredFields && !slices.Contains(r.IgnoredFields, f) {
			r.IgnoredFields = append(r.IgnoredFields, f)
		}
	}
}

// setDuration fills in what is known at the end.
func (r *Report) setDuration(took time.Duration) {
	r.DurationMS = took.Milliseconds()
	if took > 0 {
		r.ItemsPerSecond = float64(int64(10*float64(r.Received)/took.Seconds())) / 10
	}
}

// filePosition turns the place in a request into the place in the file.
func filePosition(i Issue, firstIndex int64, lines itemLines) Issue {
	if i.Index == nil {
		return i
	}
	i.Line = lines.at(*i.Index)
	at := firstIndex + *i.Index
	i.Index = &at
	return i
}

// tallyIssue counts an issue, and lists it if it is one of the first of its code.
func tallyIssue(listed []Issue, counts []CodeCount, i Issue) ([]Issue, []CodeCount) {
	at := slices.IndexFunc(counts, func(c CodeCount) bool { return c.Code == i.Code })
	if at < 0 {
		at = len(counts)
		counts = append(counts, CodeCount{Code: i.Code})
	}
	counts[at].Count++
	if counts[at].Count <= maxIssuesPerCode {
		listed = append(listed, i)
	}
	return listed, counts
}
