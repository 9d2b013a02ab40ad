package push

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop/exchange/item/table"
)

const (
	// maxIssuesPerCode and maxListedRuns limit the issues of one code and the runs in a Report.
	maxIssuesPerCode = 5
	maxListedRuns    = 100
	// maxIgnoredFields limits the ignored fields in a Report.
	maxIgnoredFields = 100
)

// Report sums up the runs of all requests of a push and the entries that could not be read.
type Report struct {
	Entity string `json:"entity"`
	To     string `json:"to"`
	File   string `json:"file"`
	DryRun bool   `json:"dry_run"`
	// Resumed is set if the push resumed an interrupted one. The counts cover both.
	Resumed bool `json:"resumed"`
	// Refused is set if Job.Atomic was set and nothing was applied because an item failed.
	Refused  bool  `json:"refused"`
	Requests int64 `json:"requests"`

	Counts
	Unreadable int64 `json:"unreadable"` // entries of the file that could not be read

	DurationMS     int64   `json:"duration_ms"`
	ItemsPerSecond float64 `json:"items_per_second"`

	// Errors and WarningsList have the first issues of each code. The codes count all issues that the gate listed.
	Errors        []Issue        `json:"errors"`
	ErrorCodes    []CodeCount    `json:"error_codes"`
	WarningsList  []Issue        `json:"warnings_list"`
	WarningCodes  []CodeCount    `json:"warning_codes"`
	IgnoredFields []string       `json:"ignored_fields"`
	Ignored       []IgnoredField `json:"ignored"`
	// Charset is the character set from which a CSV file was decoded, such as Windows-1251; "" for UTF-8.
	Charset string `json:"charset,omitzero"`
	// ImagesPending is the number of images that the server still had to download when the runs ended.
	ImagesPending int64 `json:"images_pending"`
	// Outcome is clean, with_warnings, with_errors or nothing_applied, as for a run; "" if the push was interrupted.
	Outcome string `json:"outcome"`
	// Runs has the ids of the first runs.
	Runs []string `json:"runs"`
	// Rejects is the path of the rejects file; "" if nothing was written.
	Rejects string `json:"rejects"`
}

// CodeCount is the number of issues with a code.
type CodeCount struct {
	Code  string `json:"code"`
	Count int64  `json:"count"`
}

// addRun adds the counts and issues of a run. firstIndex is the index of the request's first item in the file.
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
		r.addError(filePosition(i, firstIndex, lines))
	}

	for _, i := range run.WarningsList {
		r.WarningsList, r.WarningCodes = tallyIssue(r.WarningsList, r.WarningCodes, filePosition(i, firstIndex, lines))
	}

	r.addIgnoredFields(run.IgnoredFields)
	r.addIgnored(run.Ignored, firstIndex)
	r.ImagesPending += run.ImagesPending
}

// addAgain adds the report of a push of the items that failed. The positions of its issues are those of another file,
// so they are left out.
func (r *Report) addAgain(again Report) {
	r.Requests += again.Requests
	r.Created += again.Created
	r.Updated += again.Updated
	r.Unchanged += again.Unchanged
	r.Failed -= again.Received - again.Failed

	r.Warnings += again.Warnings
	for _, i := range again.WarningsList {
		i.Index = nil
		i.Line = 0
		r.WarningsList, r.WarningCodes = tallyIssue(r.WarningsList, r.WarningCodes, i)
	}
	r.Errors = again.Errors
	r.ErrorCodes = again.ErrorCodes
	for i := range r.Errors {
		r.Errors[i].Index = nil
		r.Errors[i].Line = 0
	}

	r.ImagesPending += again.ImagesPending
	r.Runs = append(r.Runs, again.Runs[:min(len(again.Runs), maxListedRuns-len(r.Runs))]...)
	r.Rejects = again.Rejects
	r.setOutcome()
	r.setDuration(time.Duration(r.DurationMS+again.DurationMS) * time.Millisecond)
}

// addIgnored adds the unknown members of a run. A member that earlier runs had is counted on.
func (r *Report) addIgnored(list []IgnoredField, firstIndex int64) {
	for _, f := range list {
		at := slices.IndexFunc(r.Ignored, func(known IgnoredField) bool { return known.Field == f.Field })
		if at >= 0 {
			r.Ignored[at].Count += f.Count
			continue
		}
		if len(r.Ignored) == maxIgnoredFields {
			return
		}
		if f.FirstIndex != nil {
			f.FirstIndex = new(firstIndex + *f.FirstIndex)
		}
		r.Ignored = append(r.Ignored, f)
	}
}

// setOutcome sets the outcome of a push that was not interrupted.
func (r *Report) setOutcome() {
	applied := r.Created + r.Updated + r.Unchanged + r.Archived
	switch {
	case r.Refused || r.Failed > 0 && applied == 0:
		r.Outcome = "nothing_applied"
	case r.Failed > 0:
		r.Outcome = "with_errors"
	case r.Warnings > 0:
		r.Outcome = "with_warnings"
	default:
		r.Outcome = "clean"
	}
}

func (r *Report) addError(i Issue) { r.Errors, r.ErrorCodes = tallyIssue(r.Errors, r.ErrorCodes, i) }

func (r *Report) addIgnoredFields(fields []string) {
	for _, f := range fields {
		if len(r.IgnoredFields) < maxIgnoredFields && !slices.Contains(r.IgnoredFields, f) {
			r.IgnoredFields = append(r.IgnoredFields, f)
		}
	}
}

// addIgnoredColumns adds the columns of a table that are not sent. They have no counts: all items have them.
func (r *Report) addIgnoredColumns(columns []table.IgnoredColumn) {
	for _, c := range columns {
		name := "column " + c.Name
		if len(r.IgnoredFields) < maxIgnoredFields && !slices.Contains(r.IgnoredFields, name) {
			r.IgnoredFields = append(r.IgnoredFields, name)
			r.Ignored = append(r.Ignored, IgnoredField{Field: name, DidYouMean: c.DidYouMean})
		}
	}
}

func (r *Report) setDuration(took time.Duration) {
	r.DurationMS = took.Milliseconds()
	if took > 0 {
		r.ItemsPerSecond = float64(int64(10*float64(r.Received)/took.Seconds())) / 10
	}
}

// filePosition converts the position of an issue from the request to the file.
func filePosition(i Issue, firstIndex int64, lines itemLines) Issue {
	if i.Index == nil {
		return i
	}
	i.Line = lines.at(*i.Index)
	at := firstIndex + *i.Index
	i.Index = &at
	return i
}

// tallyIssue counts an issue and appends it to the list if it is one of the first with its code.
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

// Issue is an error or a warning about one item.
type Issue struct {
	// Index is the item's index in the file, from 0; nil if the issue is about no item that was sent.
	Index *int64 `json:"index"`
	// Line is the number of the item's first line in the file; 0 if it is not known.
	Line    int64          `json:"line,omitzero"`
	ID      jsontext.Value `json:"id"` // as in the gate's response: a string, a number or null
	Field   string         `json:"field"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
}

// IDText returns the item's id as text; "" if it has none.
func (i Issue) IDText() string {
	switch i.ID.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, i.ID)
		return string(text)
	case '0':
		return string(i.ID)
	}
	return ""
}

// maxItemLines limits the line numbers that are kept for the items of a request.
const maxItemLines = 1 << 20

// itemLines are the line numbers of the items of a request.
type itemLines []int64

func (l *itemLines) add(line int64) {
	if len(*l) < maxItemLines {
		*l = append(*l, line)
	}
}

// at returns the line number of an item; 0 if it is not known.
func (l itemLines) at(index int64) int64 {
	if index < 0 || index >= int64(len(l)) {
		return 0
	}
	return l[index]
}
