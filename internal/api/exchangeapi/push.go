package exchangeapi

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// defaultArchiveShare is the default of the query parameter max_archive_share.
	defaultArchiveShare = 0.2
	// reportTimeout limits the time for reading the report of a failed push.
	reportTimeout = 10 * time.Second
)

// pushHandler returns the handler that receives pushes of an entity.
func (api *API) pushHandler(entity string) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		params := readPushParams(r, entity)
		body, err := r.Stream("application/json", runapi.NDJSON)
		if err != nil {
			api.exchange.Pushes.CountRefused(params)
			return err
		}
		defer body.Release()

		params.Format = item.JSON
		if body.MediaType == runapi.NDJSON {
			params.Format = item.NDJSON
		}

		if r.Prefers("respond-async") {
			return api.spoolPush(w, r, params, body)
		}

		run, err := api.exchange.Pushes.Push(r.Context(), r.Principal.Store.ID, params, body)
		if err != nil {
			return api.withReport(r, params, run, err)
		}

		return api.respondWithRun(w, r, run)
	}
}

// spoolPush stores a push that is applied after the response, and responds with its queued run.
func (api *API) spoolPush(
	w http.ResponseWriter, r *httpapi.Request, params exchange.Params, body *httpapi.Stream,
) error {
	run, err := api.exchange.Pushes.Spool(r.Context(), r.Principal.Store.ID, params, body)
	if err != nil {
		return api.withReport(r, params, run, err)
	}
	w.Header().Set("Preference-Applied", "respond-async")
	return r.Respond(w, func(out *httpapi.Response) error {
		out.Status = http.StatusAccepted
		out.Location = prefix + "runs/" + run.ID.String()
		report := exchange.Report{Run: run}
		out.WriteData(runapi.Run{RunJSON: report.JSON(r.Dates())})
		return nil
	})
}

// withReport adds the report of the run to the fault of a push. A push without a run was refused. withReport does not
// use the context of the request, which may have ended because the body was cut off, while the client still waits for
// the response.
func (api *API) withReport(
	r *httpapi.Request, params exchange.Params, run exchange.Run, cause error,
) error {
	if run.ID.IsZero() {
		api.exchange.Pushes.CountRefused(params)
		return cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), reportTimeout)
	defer cancel()
	var report exchange.Report
	err := api.db.Snapshot(ctx, func(q database.Querier) (err error) {
		report, err = api.exchange.Runs.Report(ctx, store.In(q, r.Principal.Store.ID), run)
		return err
	})
	if err != nil {
		report = exchange.Report{Run: run} // the report could not be read: send only the counts
	}
	return httpapi.WithProblemMember(cause, "run", wire.AppendJSON(nil, runapi.Run{RunJSON: report.JSON(r.Dates())}))
}

// readPushParams reads the query of a push. The server has refused unknown parameters, such as a misspelt dry_run.
func readPushParams(r *httpapi.Request, entity string) exchange.Params {
	p := exchange.Params{Entity: entity, Credential: r.Principal.CredentialID, MaxArchiveShare: defaultArchiveShare,
		RequestID: r.ID, Size: max(r.ContentLength, 0),
		Atomic: r.Query.BoolParam("atomic"), DryRun: r.Query.BoolParam("dry_run"),
		ArchiveMissing: r.Query.BoolParam("archive_missing"), KeepChanges: r.Query.BoolParam("revertible")}
	if share, given := r.Query.Param("max_archive_share"); given {
		p.MaxArchiveShare = readArchiveShare(r, share, p.ArchiveMissing)
	}
	return p
}

// plainDecimal matches a share in plain decimal notation. ParseFloat would also accept others, such as 1e-1.
var plainDecimal = regexp.MustCompile(`^[01](\.[0-9]{1,15})?$`)

func readArchiveShare(r *httpapi.Request, text string, archiveMissing bool) float64 {
	if !archiveMissing {
		r.Query.BadParam("max_archive_share",
			"says how much archive_missing=true may archive; send that too, or leave this out")
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !plainDecimal.MatchString(text) || share > 1 {
		r.Query.BadParam("max_archive_share",
			"must be a number from 0 to 1, such as 0.2 for a fifth of the store's products")
	}
	return share
}
