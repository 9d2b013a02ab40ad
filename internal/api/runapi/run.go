// Package runapi owns what the surfaces that show runs of the exchange gate have in common, the gate itself and the
// administration: the schemas and examples of a run, and the handlers of its errors, warnings and rejects. Which run a
// request means, and whether it may see it, is theirs to find out. What a run looks like on the wire is exchange.RunJSON.
package runapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// Find returns the run that a request means, or fault.NotFound.
type Find func(r *httpapi.Request) (exchange.Run, error)

// Notes answers with the errors or the warnings of a run, all of them.
func Notes(s *exchange.Service, find Find, severity exchange.Severity) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		c, err := r.Cursor()
		if err != nil {
			return err
		}
		run, err := find(r)
		if err != nil {
			return err
		}
		return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			notes, next, err := s.Notes(ctx, tx, run, severity, c.At, c.PerPage)
			if err != nil {
				return err
			}
			out.Data()
			out.B = wire.AppendJSON(out.B, notes)
			out.MetaCursor(c, next)
			out.End()
			return nil
		})
	}
}

// NDJSON is the type of answers with one JSON value a line.
const NDJSON = "application/x-ndjson"

// Rejects answers with the items of a run that failed, one a line.
func Rejects(s *exchange.Service, find Find) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		run, err := find(r)
		if err != nil {
			return err
		}
		return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			out.Type = NDJSON
			return s.EachReject(ctx, tx, run, func(line []byte) error {
				out.B = append(append(out.B, line...), '\n')
				return out.Spill()
			})
		})
	}
}
