package settingsui

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// maxParked is how many parked jobs the page shows.
const maxParked = 200

// parkedRow is a parked job, formatted for people.
type parkedRow struct {
	Key  int64
	Name string
	// URL is the page of what the job works on, or empty.
	URL           string
	Deaths        int64
	Added, Parked frame.Timestamp
	// Overwrites says that a retry may write older values over newer ones.
	Overwrites bool
	// MayChange says that the person may try it again or discard it.
	MayChange bool
}

// scopeOfParked returns the right that trying a parked job again or discarding it needs: the right for the work itself.
// Each role that has one of these has CatalogWrite, which the routes ask for.
func scopeOfParked(kind string) access.Scope {
	switch kind {
	case "exchange.run", "exchange.commerceml", "image.download", "bulk":
		return access.CatalogWrite
	case "webhook.deliver":
		return access.WebhooksWrite
	}
	return access.StoreWrite
}

// parkedPage lists the jobs of the store that were set aside, because processes died while they ran them.
func (ui *UI) parkedPage(w http.ResponseWriter, r *httpapi.Request) error {
	rows, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (rows []parkedRow, err error) {
		list, err := ui.Queue.Parked(ctx, tx.Unscoped(), tx.StoreID().String(), "", maxParked)
		for _, job := range list {
			rows = append(rows, ui.newParkedRow(r, job))
		}
		return rows, err
	})
	if err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "parked", ui.pages.NewView(r, "Set aside", "settings", rows))
}

func (ui *UI) newParkedRow(r *httpapi.Request, job queue.ParkedJob) parkedRow {
	l := ui.pages.Language(r)
	row := parkedRow{Key: job.Key, Name: job.Kind, Deaths: int64(job.Deaths),
		MayChange: r.Principal.May(scopeOfParked(job.Kind)),
		Added:     ui.pages.NewTimestamp(r, job.AddedAt), Parked: ui.pages.NewTimestamp(r, job.ParkedAt)}
	switch job.Kind {
	case "exchange.run":
		row.Name = l.T("Push")
		row.URL = "/exchange/" + job.UniqueName
		row.Overwrites = true
	case "exchange.commerceml":
		row.Name = l.T("File of 1C")
		row.Overwrites = true
	case "image.download":
		row.Name = l.T("Image to be downloaded")
	case "webhook.deliver":
		row.Name = l.T("Webhook")
		row.URL = "/deliveries/" + job.UniqueName
	case "mail.send", "mail.event":
		row.Name = l.T("Message to be sent")
	case "bulk":
		row.Name = l.T("Change of many products")
		row.URL = "/product-changes/" + job.UniqueName
		row.Overwrites = true
	}

	return row
}

func (ui *UI) retryParked(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.changeParked(w, r, audit.JobRetried, ui.Queue.Unpark, "It is tried again now.")
}

func (ui *UI) discardParked(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.changeParked(w, r, audit.JobDiscarded, ui.Queue.Discard, "It is discarded.")
}

//messages: "It is tried again now." "It is discarded."

// changeParked changes a parked job of the store, and shows the page again. Which right it needs depends on the job.
func (ui *UI) changeParked(w http.ResponseWriter, r *httpapi.Request, action audit.Action,
	change func(ctx context.Context, tx database.Querier, owner string, key int64) (queue.ParkedJob, error),
	done string,
) error {
	key, err := strconv.ParseInt(r.PathValue("key"), 10, 64)
	if err != nil {
		return fault.New(fault.NotFound, "no_parked_job",
			"There is no such parked job. It may have been tried again already.")
	}

	_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (queue.ParkedJob, error) {
		job, err := change(ctx, tx.Unscoped(), tx.StoreID().String(), key)
		if err != nil {
			return job, err
		}

		if scope := scopeOfParked(job.Kind); !r.Principal.May(scope) {
			return job, fault.New(fault.Denied, "forbidden",
				"This credential is valid, but may not do this; it would need the scope %s.", scope)
		}

		return job, audit.Record(ctx, tx, audit.Entry{Action: action, Object: audit.Object{
			Kind: "job", ID: strconv.FormatInt(key, 10), Label: ui.newParkedRow(r, job).Name}})
	})
	return ui.Done(w, r, err, "/settings/jobs", ui.pages.Language(r).T(done))
}
