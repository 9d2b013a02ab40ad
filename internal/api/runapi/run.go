// Package runapi is the API of runs that the exchange gate and the admin API share: the schemas and examples of a run,
// and the handlers of its errors, warnings and rejects. Each of the two APIs finds the run of a request and checks
// access to it. The JSON of a run is exchange.RunJSON.
package runapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// FindFunc returns the run in the path of a request. If there is none, it fails the request with fault.NotFound.
type FindFunc func(r *httpapi.Request) exchange.Run

// NotesHandler returns a handler that responds with the errors or the warnings of a run, page by page.
func NotesHandler(s *exchange.Service, find FindFunc, severity exchange.Severity) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		c := r.Query.Cursor()
		run := find(r)
		return httpapi.RespondCursorList(w, r, c, false,
			func(ctx context.Context, tx store.Tx, after, limit int64) ([]exchange.RunNote, int64, error) {
				return s.Runs.Notes(ctx, tx, run, severity, after, limit)
			}, httpapi.AsJSON(func(n *exchange.RunNote) exchange.RunNote { return *n }))
	}
}

// ChangesHandler returns a handler that responds with what a dry run would change, page by page.
func ChangesHandler(s *exchange.Service, find FindFunc) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		c := r.Query.Cursor()
		run := find(r)
		return httpapi.RespondCursorList(w, r, c, false,
			func(ctx context.Context, tx store.Tx, after, limit int64) ([]exchange.RunChange, int64, error) {
				return s.Runs.Changes(ctx, tx, run, after, limit)
			}, httpapi.AsJSON(func(c *exchange.RunChange) exchange.RunChange { return *c }))
	}
}

// NDJSON is the media type of bodies with one JSON value per line.
const NDJSON = "application/x-ndjson"

// RejectsHandler returns a handler that responds with the failed items of a run, as WriteRejects writes them.
func RejectsHandler(s *exchange.Service, find FindFunc) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		run := find(r)
		return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			return WriteRejects(ctx, tx, s, run, func(message string) string { return message }, out)
		})
	}
}

// WriteRejects writes the failed items of a run: the lines of a table as a file of the same kind, with messages that
// translate returns, and other items as NDJSON.
func WriteRejects(
	ctx context.Context, tx store.Tx, s *exchange.Service, run exchange.Run, translate func(string) string,
	out *httpapi.Response,
) error {
	if run.HasTable() {
		out.Type = "text/csv; charset=utf-8"
		switch {
		case run.Layout.Format == table.Workbook:
			out.Type = xlsx.MediaType
		case run.Layout.Charset != "":
			out.Type = "text/csv; charset=windows-1251"
		}
		return s.Runs.WriteFailedLines(ctx, tx, run, translate, func(text []byte) error {
			out.B = append(out.B, text...)
			return out.Spill()
		})
	}

	out.Type = NDJSON
	return s.Runs.EachReject(ctx, tx, run, func(line []byte) error {
		out.B = append(append(out.B, line...), '\n')
		return out.Spill()
	})
}
