package storeapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/store"
)

// listQueries responds with what visitors searched for.
func (api *API) listQueries(w http.ResponseWriter, r *httpapi.Request) error {
	f := readQueryFilter(r, api.searches.Today(r.Principal.Store))
	return httpapi.RespondList(w, r, httpapi.Filtered(f, searchlog.List), httpapi.AsJSON(searchQueryOf))
}

// readQueryFilter reads the query parameters from, to and found.
func readQueryFilter(r *httpapi.Request, today int64) searchlog.Filter {
	f := searchlog.Filter{From: today - searchlog.RetentionDays + 1, To: today}
	if day, given := r.Query.Day("from"); given {
		f.From = max(f.From, store.DayNumber(day))
	}
	if day, given := r.Query.Day("to"); given {
		f.To = min(f.To, store.DayNumber(day))
	}

	switch found, given := r.Query.Param("found"); {
	case !given, found == "any":
	case found == "none":
		f.Unfound = true
	default:
		r.Query.BadParam("found", "must be none or any")
	}

	return f
}

func searchQueryOf(q *searchlog.Query) spec.SearchQuery {
	return spec.SearchQuery{Day: store.DayTime(q.Day).Format(time.DateOnly), Query: q.Query, Count: q.Count,
		Found: q.Found, Clicks: q.Clicks, Orders: q.Orders}
}

// searchClick is the body of a click.
type searchClick struct {
	query     string
	productID catalog.ProductID
}

// maxClickQuery is how many characters the query of a click may have, like that of a search.
const maxClickQuery = 1024

func readSearchClick(r *wire.Reader) (c searchClick) {
	r.ObjectWith(func(name string) {
		switch name {
		case "query":
			c.query, _ = wire.As(r, r.String, checkClickQuery)
		case "product_id":
			c.productID = readProductID(r)
		}
	}, wire.Required{Member: "query", Message: "Send the query whose results were shown."},
		wire.Required{Member: "product_id", Message: "Send the id of the product that was clicked."})
	return c
}

// checkClickQuery is the rule of the query of a click.
func checkClickQuery(sent string) (string, *fault.Field) {
	if strings.TrimSpace(sent) == "" {
		return "", fault.Broken("required", "The query is empty; send the one whose results were shown.")
	}
	return sent, rule.Length(sent, maxClickQuery)
}

// countClick counts a click on a result of a search. It uses no database, unless the request has an Idempotency-Key.
func (api *API) countClick(w http.ResponseWriter, r *httpapi.Request) error {
	c := readBody(r, readSearchClick)
	count := func() { api.searches.Click(r.Principal.Store, c.query, c.productID) }

	if r.Header.Get("Idempotency-Key") == "" {
		return r.Respond(w, func(out *httpapi.Response) error {
			out.Status = http.StatusNoContent
			count()
			return nil
		})
	}

	return r.Write(w, false, func(_ context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		tx.Unscoped().AfterCommit(count)
		return nil
	})
}
