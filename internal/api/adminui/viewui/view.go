package viewui

import (
	"cmp"
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/store"
)

// viewBody is the data of the page of a view.
type viewBody struct {
	listview.View
	// URL is the address of the list with the view.
	URL       string
	Name      string
	Shared    bool
	MayShare  bool
	MayChange bool
	Errors    frame.FieldErrors
}

// listOf returns the list of the request. It reports through r.Fail if there is none, or if the operator does not see
// it.
func listOf(r *httpapi.Request) listview.List {
	list := listview.List(r.PathValue("list"))
	switch {
	case !list.Known():
		r.Fail(fault.New(fault.NotFound, "not_found", "There is no such list."))
	case !r.Principal.May(list.Read()):
		r.Fail(fault.New(fault.Denied, "forbidden", "Your role does not include this."))
	}
	return list
}

// path returns the path of a list.
func path(list listview.List) string { return "/" + string(list) }

func (ui *UI) view(r *httpapi.Request) (frame.View, error) {
	list := listOf(r)
	viewID := httpapi.PathID[listview.View](r, "id", "view")
	author := frame.ViewAuthor(r)
	saved, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (listview.View, error) {
		return listview.Find(ctx, tx, list, viewID, author)
	})

	v := ui.pages.NewView(r, "View of a list", string(list), nil)
	if err != nil {
		return v, err
	}

	v.Title = saved.Name
	v.Crumbs = []frame.Link{{Text: v.T(listTexts[list]), URL: frame.ViewURL(path(list), saved)}}
	v.Body = &viewBody{View: saved, URL: frame.ViewURL(path(list), saved), Name: saved.Name,
		Shared: saved.Owner == nil, MayShare: author.May(list.Write()), MayChange: author.MayChange(saved)}
	return v, nil
}

// listTexts has the names of the lists, in English.
var listTexts = map[listview.List]string{
	listview.Orders:    "Orders",
	listview.Inquiries: "Inquiries",
	listview.Customers: "Customers",
	listview.Products:  "Products",
}

// readQuery returns the query of a form as it is saved, after the list has checked it, or nil if the form has none.
func (ui *UI) readQuery(r *httpapi.Request, list listview.List) *string {
	if !r.PostForm.Has("query") || ui.Checks[list] == nil {
		return nil
	}
	query := r.PostForm.Get("query")
	r.URL.RawQuery = query
	ui.Checks[list](r)
	return &query
}

func (ui *UI) create(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	list := listOf(r)
	name, columns := r.PostForm.Get("name"), r.PostForm.Get("columns")
	shared, standard := r.PostForm.Get("shared") == "1", r.PostForm.Get("default") == "1"
	edit := listview.Edit{Name: &name, Query: ui.readQuery(r, list), Columns: &columns, Shared: &shared,
		IsDefault: &standard}

	saved, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (listview.View, error) {
		return listview.Create(ctx, tx, list, edit, frame.ViewAuthor(r))
	})
	return ui.Done(w, r, err, frame.ViewURL(path(list), saved), ui.pages.Language(r).T("“%s” is saved.", saved.Name))
}

func (ui *UI) change(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	list := listOf(r)
	viewID := httpapi.PathID[listview.View](r, "id", "view")
	pre := frame.RenderedVersion(r)
	var edit listview.Edit
	if edit.Query = ui.readQuery(r, list); edit.Query != nil {
		edit.Columns = new(r.PostForm.Get("columns"))
	} else {
		edit.Name = new(r.PostForm.Get("name"))
		edit.Shared = new(r.PostForm.Get("shared") == "1")
		edit.IsDefault = new(r.PostForm.Get("default") == "1")
	}

	saved, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (listview.View, error) {
		return listview.Change(ctx, tx, listview.View{ID: viewID, List: list}, edit, frame.ViewAuthor(r), pre)
	})

	if frame.Refused(err) && edit.Query == nil {
		r.URL.RawQuery = ""
		v, viewErr := ui.view(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*viewBody)
		body.Name, body.Shared, body.IsDefault = *edit.Name, *edit.Shared, *edit.IsDefault
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		message := v.Refusal(err)
		if fault.KindOf(err) == fault.Stale {
			message = v.StaleImpact()
		}
		return ui.pages.Reject(w, "view", v, message)
	}

	return ui.Done(w, r, err, frame.ViewURL(path(list), saved), ui.pages.Language(r).T("“%s” is saved.", saved.Name))
}

func (ui *UI) delete(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	list := listOf(r)
	viewID := httpapi.PathID[listview.View](r, "id", "view")
	deleted, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (listview.View, error) {
		return listview.Delete(ctx, tx, list, viewID, frame.ViewAuthor(r))
	})
	text := ui.pages.Language(r).T("“%s” is deleted.", cmp.Or(deleted.Name, "?"))
	return ui.Done(w, r, err, path(list), text)
}
