package exchangeapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// exportTimeout limits the time that an export takes in the database. A million products take a minute or two.
const exportTimeout = 20 * time.Minute

// exportDenied explains the refusal of an export. The scopes of a token cannot be changed later.
const exportDenied = "This exchange token is valid, but may not read exports: it lacks the scope exchange:read, " +
	"which " +
	"must be named, also beside *. Make a token that has it on the page Keys of the administration, or with " +
	"vitrine key create --kind exchange --scopes '*,exchange:read'."

// The headers of an export.
const (
	totalHeader   = "X-Export-Total"
	leftOutHeader = "X-Export-Left-Out"
	cursorHeader  = "X-Export-Cursor"
)

// exportHandler returns the handler that responds with all items of an entity. Like every response, an export is
// rendered before its first byte is sent: so a slow client holds no snapshot, and the headers have the counts.
func (api *API) exportHandler(entity string) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		params := exchange.ExportParams{Entity: entity, ImageBaseURL: r.BaseURL(api.publicURL)}
		params.ChangedSince, _ = r.Query.Param("changed_since")

		if r.Query.BoolParam("assign_ids") {
			if err := api.assignIDs(r, entity); err != nil {
				return err
			}
		}

		return r.ReadLong(w, exportTimeout, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
			out.Type = runapi.NDJSON
			exported, err := api.exchange.Exports.Export(ctx, tx, params, func(part []byte) error {
				out.B = append(out.B, part...)
				return out.Spill()
			})
			if err != nil {
				return err
			}

			h := w.Header()
			h.Set(totalHeader, strconv.FormatInt(exported.Lines, 10))
			h.Set(leftOutHeader, strconv.FormatInt(exported.LeftOut, 10))
			h.Set(cursorHeader, exported.Cursor)

			return nil
		})
	}
}

// assignIDs gives what the export would leave out an external id. That is a change, so the token needs the push scope
// of what gets the ids as well, and the log says who did it.
func (api *API) assignIDs(r *httpapi.Request, entity string) error {
	if r.Err() != nil {
		return r.Err()
	}
	changed := exchange.AssignScope(entity)
	if !r.Principal.MayExchange(access.Scope(changed)) {
		return fault.New(fault.Denied, "forbidden",
			"This token may read exports, but not change %[1]s: assign_ids needs the scope %[1]s, too.", changed)
	}
	return api.exchange.Exports.AssignIDs(r.Context(), r.Principal.Store.ID, entity, r.Actor())
}
