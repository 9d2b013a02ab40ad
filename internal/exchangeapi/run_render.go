package exchangeapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/exchange"
	"vitrine/internal/httpapi"
	"vitrine/internal/locale"
	"vitrine/internal/wire"
)

// maxListed is how many errors and warnings are in a run itself; all of them are under paths of their own.
const maxListed = 1000

// report is a run with what there is to say of it.
type report struct {
	exchange.Run
	errors, warnings []exchange.Note
}

// report reads what there is to say of a run.
func (api *API) report(ctx context.Context, r *httpapi.Request, run exchange.Run) (told report, err error) {
	err = api.db.Snapshot(ctx, func(q database.Querier) (err error) {
		told, err = api.reportIn(ctx, q, r, run)
		return err
	})
	return told, err
}

func (api *API) reportIn(ctx context.Context, q database.Querier, r *httpapi.Request, run exchange.Run) (told report, err error) {
	told = report{Run: run}
	if run.Errors > 0 {
		if told.errors, err = api.exchange.Notes(ctx, q, r.Principal.Store.ID, run, exchange.Error, 0, maxListed); err != nil {
			return told, err
		}
	}
	if run.Warnings > 0 {
		told.warnings, err = api.exchange.Notes(ctx, q, r.Principal.Store.ID, run, exchange.Warning, 0, maxListed)
	}
	return told, err
}

// answer sends a run with what there is to say of it.
func (api *API) answer(w http.ResponseWriter, r *httpapi.Request, run exchange.Run) error {
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		told, err := api.reportIn(ctx, q, r, run)
		if err != nil {
			return err
		}
		out.Data()
		out.B = told.append(out.B, r.Dates())
		out.End()
		return nil
	})
}

// append appends the run with its lists.
func (t report) append(b []byte, dates *locale.Dates) []byte { return appendRun(b, &t.Run, &t, dates) }

// appendRun appends a run; without a report its lists are left out.
func appendRun(b []byte, run *exchange.Run, told *report, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = run.ID.Append(b)
	b = append(b, `","entity":`...)
	b = wire.AppendString(b, run.Entity)
	b = append(b, `,"status":`...)
	b = wire.AppendString(b, string(run.Status))
	b = appendCounts(b, []count{
		{"received", run.Received}, {"created", run.Created}, {"updated", run.Updated}, {"unchanged", run.Unchanged}, {"failed", run.Failed}, {"warnings", run.Warnings},
	})
	b = append(b, `,"started_at":`...)
	b = appendOptionalDate(b, run.StartedAt, dates)
	b = append(b, `,"finished_at":`...)
	b = appendOptionalDate(b, run.FinishedAt, dates)
	b = append(b, `,"duration_ms":`...)
	if run.StartedAt == nil || run.FinishedAt == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, run.FinishedAt.Sub(*run.StartedAt).Milliseconds(), 10)
	}
	if told != nil {
		b = append(b, `,"errors":`...)
		b = appendNotes(b, told.errors)
		b = append(b, `,"warnings_list":`...)
		b = appendNotes(b, told.warnings)
	}
	b = append(b, `,"ignored_fields":[`...)
	for i, field := range run.IgnoredFields {
		b = comma(b, i)
		b = wire.AppendString(b, field)
	}
	b = append(b, ']')
	b = appendCounts(b, []count{{"archived", run.Archived}, {"reverted", run.Reverted}})
	b = append(b, `,"atomic":`...)
	b = strconv.AppendBool(b, run.Atomic)
	b = append(b, `,"dry_run":`...)
	b = strconv.AppendBool(b, run.DryRun)
	b = append(b, `,"problem":`...)
	b = appendRunProblem(b, run.Problem)
	return append(b, '}')
}

type count struct {
	name string
	n    int64
}

func appendCounts(b []byte, counts []count) []byte {
	for _, c := range counts {
		b = append(b, `,"`+c.name+`":`...)
		b = strconv.AppendInt(b, c.n, 10)
	}
	return b
}

func appendRunProblem(b []byte, p *exchange.Problem) []byte {
	if p == nil {
		return append(b, "null"...)
	}
	b = append(b, `{"code":`...)
	b = wire.AppendString(b, p.Code)
	b = append(b, `,"message":`...)
	b = wire.AppendString(b, p.Message)
	return append(b, '}')
}

func appendOptionalDate(b []byte, t *time.Time, dates *locale.Dates) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return dates.AppendJSON(b, *t)
}

func appendNotes(b []byte, notes []exchange.Note) []byte {
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

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
