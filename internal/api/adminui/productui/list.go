package productui

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// listPage shows a page of the products that match the filters. It takes the query parameters of GET /v2/products, and
// origin.
func (ui *UI) listPage(w http.ResponseWriter, r *httpapi.Request) error {
	query := readQuery(r)
	page := r.Query.Page()
	query.Limit, query.Offset = page.PerPage, page.Offset()
	var rows []view.ProductSummary
	var found search.Result
	v := ui.pages.NewView(r, "Products", "products", nil)
	list := newProductList(&v, "/products", query, page)
	list.chooseColumns(&v, r)

	err := ui.findWithFacets(r, query, func(ctx context.Context, tx store.Tx, result search.Result) (err error) {
		list.Views, err = frame.ReadViews(ctx, tx, r, listview.Products, list.Choice.Param())
		if err != nil || list.Views.Redirect != "" {
			return err
		}
		found = result
		rows, err = view.Summaries(ctx, tx, found.Keys)
		return err
	})

	if target := list.Views.Elsewhere(r, err); target != "" {
		return frame.Redirect(w, r.Request, target)
	}
	list.showView()
	if kind := fault.KindOf(err); kind == fault.Malformed || kind == fault.Invalid {
		v.Body = list
		return ui.pages.Reject(w, "products", v, v.FaultMessage(err))
	}

	if err != nil {
		return err
	}

	for i := range rows {
		list.Rows = append(list.Rows, newProductRow(&v, &rows[i]))
	}
	list.fill(&v, found, len(rows))
	v.Body = list
	return ui.pages.Render(w, http.StatusOK, "products", v)
}

// CheckView reads the query of the request as that of a saved view of the products. It reports errors through r.Fail.
func (ui *UI) CheckView(r *httpapi.Request) { readQuery(r) }

// findWithFacets calls read with the products that a query finds and with their facets. Facets that would take too much
// work are left out.
func (ui *UI) findWithFacets(
	r *httpapi.Request, query search.Query, read func(ctx context.Context, tx store.Tx, found search.Result) error,
) error {
	query.WithFacets = true
	err := frame.FindProducts(ui.Frame, r, ui.Search, query, read)
	if search.FacetsUnavailable(err) {
		query.WithFacets = false
		err = frame.FindProducts(ui.Frame, r, ui.Search, query, read)
	}
	return err
}

// readQuery reads the filters of the list, before any other parameter of the request is read. Without a sort order, the
// newest products come first. An empty parameter comes from an empty form field.
func readQuery(r *httpapi.Request) search.Query {
	typed := r.URL.RawQuery
	r.URL.RawQuery = plainNumbers(r.URL.Query())
	query := productapi.ReadQuery(r)
	r.URL.RawQuery = typed

	if sort, _ := r.Query.Param("sort"); sort == "" {
		query.Sort = search.ByCreatedDesc
	}

	switch archived, _ := r.Query.Param("archived"); archived {
	case "":
	case "draft":
		query.Archived = catalog.OnlyDrafts
	default:
		query.Archived = productapi.ReadArchived(r)
	}

	switch origin, _ := r.Query.Param("origin"); origin {
	case "":
	case "pushed":
		query.Origin = search.Pushed
	case "here":
		query.Origin = search.MadeHere
	default:
		r.Query.BadParam("origin", "may be pushed or here")
	}

	return query
}

// plainNumbers returns a query string in which the bounds are the numbers that the API takes. People type 1 990,50.
func plainNumbers(params url.Values) string {
	for name, values := range params {
		if !strings.HasSuffix(name, "[from]") && !strings.HasSuffix(name, "[to]") {
			continue
		}
		for i, text := range values {
			if number, ok := parseNumber(strings.TrimSpace(text)); ok {
				values[i] = number
			}
		}
	}
	return params.Encode()
}

// picturePath returns the path of an image in the administration, or "" for nil.
func picturePath(im *catalog.Image, size imagefile.Size) string {
	if im == nil {
		return ""
	}
	return "/pictures/" + im.ID.String() + "/" + im.File(size)
}
