package frame

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/store"
)

// viewParam is the query parameter with the id of the view that a list shows, or NoView. The address of a view has its
// filters, too, so a list without the view looks the same.
const (
	viewParam = "view"
	// NoView says that the list shows no view, although it has a default one.
	NoView = "none"
	// unfitParam says that filters of the view were left out.
	unfitParam = "unfit"
)

// Views is the bar with the saved views of a list: the data of the template "views".
type Views struct {
	List listview.List
	Path string // of the list
	// Param is the value of the query parameter view for the links of the list.
	Param string
	Tabs  []ViewTab
	// Current is the view that the list shows; nil for none. Changed says that the list shows something else by now.
	Current *listview.View
	Changed bool
	// MayChange says that the operator may change the current view, MayShare that of all operators.
	MayChange, MayShare bool
	// Query and Columns are what would be saved. CanSave says that they are more than the list without a query.
	Query, Columns string
	CanSave        bool
	// Unfit says that filters of the current view were left out.
	Unfit bool
	// Redirect is the address of the default view if the list was opened without a query; "" otherwise.
	Redirect string
}

// ViewTab is a link to a view.
type ViewTab struct {
	Name, URL       string
	Current, Shared bool
}

// PlainURL returns the address of the list without a view.
func (v Views) PlainURL() string { return Address(v.Path, viewParam, NoView) }

// ViewURL returns the address of a view of the list at path.
func ViewURL(path string, v listview.View) string {
	query, err := url.ParseQuery(v.Query)
	if err != nil {
		query = url.Values{}
	}
	query.Set(viewParam, v.ID.String())
	if v.Columns != "" {
		query.Set(columnsParam, v.Columns)
	}
	return path + "?" + query.Encode()
}

// ReadViews returns the bar of the list at path. columns is the choice of columns in the query.
func ReadViews(
	ctx context.Context, tx store.Tx, r *httpapi.Request, list listview.List, columns string,
) (Views, error) {
	author := ViewAuthor(r)
	bar := Views{List: list, Path: r.URL.Path, MayShare: author.May(list.Write()), Columns: columns}
	views, err := listview.Of(ctx, tx, list, author.Operator)
	if err != nil {
		return bar, err
	}

	bar.Param, _ = r.Query.Param(viewParam)
	standard := listview.Default(views)
	if standard != nil && r.URL.RawQuery == "" {
		bar.Redirect = ViewURL(bar.Path, *standard)
		return bar, nil
	}

	query := r.URL.Query()
	bar.Query = list.Canonical(query)
	bar.Unfit = query.Has(unfitParam)
	for i := range views {
		current := views[i].ID.String() == bar.Param
		bar.Tabs = append(bar.Tabs, ViewTab{Name: views[i].Name, URL: ViewURL(bar.Path, views[i]), Current: current,
			Shared: views[i].Owner == nil})
		if current {
			bar.Current = &views[i]
			bar.Changed = views[i].Query != bar.Query || views[i].Columns != columns
			bar.MayChange = author.MayChange(views[i])
		}
	}

	if bar.Current == nil {
		bar.Param, bar.Unfit = "", false
		if standard != nil {
			bar.Param = NoView
		}
	}
	bar.CanSave = (bar.Query != "" || columns != "") && (bar.Current == nil || bar.Changed)
	return bar, nil
}

// Elsewhere returns the address to which the list leads instead of showing itself: its default view, or the present
// view without the filters that the error refuses. It returns "" if the list shows itself or the error.
func (v Views) Elsewhere(r *httpapi.Request, err error) string {
	if err != nil {
		return withoutUnfit(r, err)
	}
	return v.Redirect
}

// ViewAuthor returns the operator of the request as the author of views.
func ViewAuthor(r *httpapi.Request) listview.Author {
	return listview.Author{Operator: r.Principal.Operator.ID, May: r.Principal.May}
}

// withoutUnfit returns the address of a view without the filters that an error refuses: what they name may be deleted.
// It returns "" if the request shows no view, or if the error is about something else.
func withoutUnfit(r *httpapi.Request, err error) string {
	query := r.URL.Query()
	switch kind := fault.KindOf(err); {
	case query.Get(viewParam) == "" || query.Get(viewParam) == NoView:
		return ""
	case kind != fault.Invalid && kind != fault.Malformed && kind != fault.NotFound:
		return ""
	}

	before := len(query)
	var f *fault.Error
	if errors.As(err, &f) {
		for _, field := range f.Fields {
			for name := range query {
				if field.Field != "" && strings.HasPrefix(name, field.Field) {
					query.Del(name)
				}
			}
		}
	}
	if len(query) == before {
		query = url.Values{viewParam: query[viewParam], unfitParam: query[unfitParam]}
	}
	if query.Del(unfitParam); len(query) == before {
		return ""
	}

	query.Set(unfitParam, "1")
	return r.URL.Path + "?" + query.Encode()
}
