package exchange

import (
	"strconv"
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

// Report is a run with the first of what there is to say of it; Notes has all of it.
type Report struct {
	Run
	FirstErrors, FirstWarnings []RunNote
}

// AppendMembers appends a run as every surface shows it, without the braces around it.
func (r *Run) AppendMembers(b []byte, dates *locale.Dates) []byte {
	return r.appendRest(r.appendCounts(b, dates))
}

// AppendMembers appends the run with its lists, without the braces around it.
func (r *Report) AppendMembers(b []byte, dates *locale.Dates) []byte {
	b = r.appendCounts(b, dates)
	b = append(b, `,"errors":`...)
	b = AppendNotes(b, r.FirstErrors)
	b = append(b, `,"warnings_list":`...)
	b = AppendNotes(b, r.FirstWarnings)
	return r.appendRest(b)
}

// appendCounts appends what stands before the lists of a run.
func (r *Run) appendCounts(b []byte, dates *locale.Dates) []byte {
	b = append(b, `"id":"`...)
	b = r.ID.Append(b)
	b = append(b, `","entity":`...)
	b = wire.AppendString(b, r.Entity)
	b = append(b, `,"status":`...)
	b = wire.AppendString(b, string(r.Status))
	b = appendCount(b, "received", r.Received)
	b = appendCount(b, "created", r.Created)
	b = appendCount(b, "updated", r.Updated)
	b = appendCount(b, "unchanged", r.Unchanged)
	b = appendCount(b, "failed", r.Failed)
	b = appendCount(b, "warnings", r.Warnings)
	b = append(b, `,"started_at":`...)
	b = appendOptionalDate(b, r.StartedAt, dates)
	b = append(b, `,"finished_at":`...)
	b = appendOptionalDate(b, r.FinishedAt, dates)
	if r.StartedAt == nil || r.FinishedAt == nil {
		return append(b, `,"duration_ms":null`...)
	}
	return appendCount(b, "duration_ms", r.FinishedAt.Sub(*r.StartedAt).Milliseconds())
}

// appendRest appends what stands behind the lists of a run.
func (r *Run) appendRest(b []byte) []byte {
	b = append(b, `,"ignored_fields":[`...)
	for i, field := range r.IgnoredFields {
		b = comma(b, i)
		b = wire.AppendString(b, field)
	}
	b = append(b, ']')
	b = appendCount(b, "archived", r.Archived)
	b = appendCount(b, "reverted", r.Reverted)
	b = append(b, `,"atomic":`...)
	b = strconv.AppendBool(b, r.Atomic)
	b = append(b, `,"dry_run":`...)
	b = strconv.AppendBool(b, r.DryRun)
	if r.Problem == nil {
		return append(b, `,"problem":null`...)
	}
	b = append(b, `,"problem":{"code":`...)
	b = wire.AppendString(b, r.Problem.Code)
	b = append(b, `,"message":`...)
	b = wire.AppendString(b, r.Problem.Message)
	return append(b, '}')
}

// AppendNotes appends a list of errors or warnings.
func AppendNotes(b []byte, notes []RunNote) []byte {
	b = append(b, '[')
	for i, n := range notes {
		b = comma(b, i)
		b = append(b, `{"index":`...)
		b = strconv.AppendInt(b, n.Index, 10)
		b = append(b, `,"id":`...)
		if n.ID == nil {
			b = append(b, "null"...)
		} else {
			b = wire.AppendString(b, *n.ID)
		}
		b = append(b, `,"field":`...)
		b = wire.AppendString(b, n.Field)
		b = append(b, `,"code":`...)
		b = wire.AppendString(b, n.Code)
		b = append(b, `,"message":`...)
		b = wire.AppendString(b, n.Message)
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendCount(b []byte, name string, n int64) []byte {
	b = append(b, `,"`+name+`":`...)
	return strconv.AppendInt(b, n, 10)
}

func appendOptionalDate(b []byte, t *time.Time, dates *locale.Dates) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return dates.AppendJSON(b, *t)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
