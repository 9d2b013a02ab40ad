package settingsui

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/store"
)

const (
	redirectsPath = "/settings/redirects"
	// redirectsPerPage is how many redirects a page shows.
	redirectsPerPage = 100
)

// redirectsPage is the data of the page with the redirects.
type redirectsPage struct {
	Rows   []address.Redirect
	Total  int64
	Pager  frame.Pager
	Form   address.RedirectEdit // a new redirect that was refused
	Errors frame.FieldErrors
	// Tried is the path whose target the page shows; empty for none. Result is nil if it leads to nothing.
	Tried    string
	TriedBad string
	Result   *redirectResult
}

// redirectResult is what a path leads to.
type redirectResult struct {
	Kind      string
	Canonical string
	// URL is the page of the product or category, or empty.
	URL        string
	IsRedirect bool
	Names      string // of the categories above it
}

// redirectsView returns the page with the redirects and, if the query has a path, with what that leads to.
func (ui *UI) redirectsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Redirects", "settings", nil)
	query := r.URL.Query()
	number, err := strconv.ParseInt(query.Get("page"), 10, 32)
	if err != nil || number < 1 {
		number = 1
	}

	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *redirectsPage, err error) {
		b = &redirectsPage{Tried: strings.TrimSpace(query.Get("path"))}
		b.Rows, b.Total, err = ui.Addresses.ListRedirects(ctx, tx, redirectsPerPage, (number-1)*redirectsPerPage)
		if err != nil || b.Tried == "" {
			return b, err
		}
		return b, ui.tryPath(ctx, tx, r, b)
	})
	if err != nil {
		return v, err
	}

	pageURL := func(n int64) string {
		return redirectsPath + "?" + url.Values{"page": {strconv.FormatInt(n, 10)}}.Encode()
	}
	if number > 1 {
		body.Pager.Previous = pageURL(number - 1)
	}
	if number*redirectsPerPage < body.Total {
		body.Pager.Next = pageURL(number + 1)
	}
	v.Body = body
	return v, nil
}

// tryPath fills in what the path of the page leads to.
func (ui *UI) tryPath(ctx context.Context, tx store.Tx, r *httpapi.Request, b *redirectsPage) error {
	path, broken := address.ReadPath(b.Tried)
	if broken != nil {
		b.TriedBad = frame.NewFieldErrors(ui.pages.Language(r), fault.Fields([]fault.Field{broken.At("path")}),
			nil)["path"][0]
		return nil
	}

	found, err := address.Resolve(ctx, tx, r.Principal.Store, path)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}

	names := make([]string, 0, len(found.Crumbs))
	for _, c := range found.Crumbs {
		names = append(names, c.Name)
	}
	b.Result = &redirectResult{Kind: string(found.Kind), Canonical: found.Canonical, IsRedirect: found.IsRedirect,
		Names: strings.Join(names, " › ")}
	switch found.Kind {
	case address.ProductPath:
		b.Result.URL = "/products/" + found.ID.String()
	case address.CategoryPath:
		b.Result.URL = "/categories/" + found.ID.String()
	}
	return nil
}

func (ui *UI) createRedirect(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	field := formField(r)
	form := address.RedirectEdit{From: field("from"), To: field("to")}
	created, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (address.Redirect, error) {
		return ui.Addresses.CreateRedirect(ctx, tx, r.Principal.Store, form)
	})
	if frame.Refused(err) {
		v, viewErr := ui.redirectsView(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*redirectsPage)
		body.Form = form
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "redirects", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, redirectsPath, ui.pages.Language(r).T("%s is redirected now.", created.From))
}

func (ui *UI) deleteRedirect(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	redirectID := httpapi.PathID[address.Redirect](r, "id", "redirect")
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (struct{}, error) {
		return struct{}{}, ui.Addresses.DeleteRedirect(ctx, tx, redirectID)
	})
	return ui.Done(w, r, err, redirectsPath, ui.pages.Language(r).T("The redirect is deleted."))
}
