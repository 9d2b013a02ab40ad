package storeapi

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/store"
)

// listChanges responds with what changed in the catalogue since a version, or with the present version alone.
func (api *API) listChanges(w http.ResponseWriter, r *httpapi.Request) error {
	since, given := readSince(r)
	cursor := readChangeCursor(r, since, given)
	r.Query.Extras() // there are none
	if err := r.Err(); err != nil {
		return err
	}

	if cursor == nil {
		if err := api.changes.Refresh(r.Context(), r.Principal.Store.ID); err != nil {
			return err
		}
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		switch {
		case cursor != nil:
			page, next, err := change.Next(ctx, tx, *cursor)
			writePage(r, out, page, next)
			return err
		case given:
			page, next, err := change.Since(ctx, tx, since)
			writePage(r, out, page, next)
			return err
		}

		version, err := change.Present(ctx, tx)
		writeChanges(out, spec.Changes{Version: version}, spec.ChangesMeta{})
		return err
	})
}

// readSince reads the query parameter since.
func readSince(r *httpapi.Request) (version int64, given bool) {
	text, given := r.Query.Param("since")
	if !given {
		return 0, false
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 0 || text[0] == '+' {
		r.Query.BadParam("since", "must be a version that an answer or an event had, or 0 for the whole catalogue")
	}
	return version, true
}

// readChangeCursor reads the query parameter cursor. The cursor has the version of since, which may be sent again.
func readChangeCursor(r *httpapi.Request, since int64, given bool) *change.Cursor {
	state := r.Query.StateCursor(change.CursorLength)
	if state == nil {
		return nil
	}
	cursor, ok := change.DecodeCursor(state)
	if !ok || given && since != cursor.Since {
		r.Query.BadParam("cursor", "belongs to another since; leave it out to begin")
		return nil
	}
	return &cursor
}

func writePage(r *httpapi.Request, out *httpapi.Response, page payload.CatalogChange, next *change.Cursor) {
	var meta spec.ChangesMeta
	if next != nil {
		meta.NextCursor = new(r.Query.EncodeStateCursor(next.Encode()))
	}
	writeChanges(out, spec.Changes{Version: page.Version, Products: &page.Products, Categories: &page.Categories,
		PricesOnly: &page.PricesOnly, Tags: page.Tags}, meta)
}

func writeChanges(out *httpapi.Response, data spec.Changes, meta spec.ChangesMeta) {
	out.BeginData()
	out.B = wire.AppendJSON(out.B, data)
	out.AppendMeta(meta)
	out.EndEnvelope()
}
