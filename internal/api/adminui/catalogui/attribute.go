package catalogui

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// attributePage is the data of the page of an option or a feature.
type attributePage struct {
	catalog.Attribute
	Option bool
	Path   string // of the page
	Search string
	Values []valueRow
	Total  int64 // the number of values that match
	Pager  frame.Pager
	// Back is the address of this page with its search, for forms that return to it.
	Back string
	Form attributeForm
	// Lines is the text of new values that was refused.
	Lines  string
	Errors frame.FieldErrors
}

// Orderable reports whether the list shows how to move values: only in the whole list is a place what people see.
func (b *attributePage) Orderable() bool { return b.ValueCount > 1 && b.ValueCount <= catalog.LongList }

type valueRow struct {
	catalog.ListedValue
	Usage view.Usage
	// Up and Down are the places before and after; 0 for none.
	Up, Down int64
	// NameField and PlaceField are the fields of the row.
	NameField, PlaceField frame.RowField
}

func (p attributePages) idOf(r *httpapi.Request) catalog.AttributeID {
	return httpapi.PathID[catalog.Attribute](r, "id", p.kind.Noun())
}

func (p attributePages) pathOf(r *httpapi.Request) string { return p.path + "/" + p.idOf(r).String() }

// view returns the page of the option or feature in the path, with the values that the query selects.
func (p attributePages) view(r *httpapi.Request) (frame.View, error) {
	attributeID := p.idOf(r)
	text := r.Query.SearchText()
	number := max(1, frame.PositiveParam(r, "page", maxPage))
	scans := text != "" || number > deepPage

	body, err := frame.ReadStore(p.Frame, r, scans, func(ctx context.Context, tx store.Tx) (*attributePage, error) {
		a, err := p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID)
		if err != nil {
			return nil, err
		}
		list, total, err := p.Catalog.Attributes.FindValues(ctx, tx, a, text, pageSize, (number-1)*pageSize)
		if err != nil {
			return nil, err
		}

		ids := make([]catalog.ValueID, len(list))
		for i, one := range list {
			ids[i] = one.ID
		}

		usage, err := view.ValueUsage(ctx, tx, a, ids, maxListedUsage)
		path := p.path + "/" + a.ID.String()
		b := &attributePage{Attribute: a, Option: p.kind == catalog.Option, Path: path, Search: text, Total: total,
			Form: newAttributeForm(a), Pager: pager(path, text, number, total),
			Back: pageURL(path, text, number)}
		for _, one := range list {
			row := valueRow{ListedValue: one, Usage: usage[one.ID], Up: one.Place - 1,
				NameField:  frame.RowField{Text: one.Name},
				PlaceField: frame.RowField{Text: strconv.FormatInt(one.Place, 10)}}
			if one.Place < a.ValueCount {
				row.Down = one.Place + 1
			}
			b.Values = append(b.Values, row)
		}

		return b, err
	})
	if err != nil {
		return frame.View{}, err
	}

	v := p.pages.NewView(r, p.title(), p.navItem(), body)
	v.Title = body.Name
	v.Crumbs = []frame.Link{{Text: v.T(p.title()), URL: p.path}}

	return v, nil
}

// reject shows the page again with the reason why a form was refused. The function fill puts what the operator wrote
// into the page.
func (p attributePages) reject(
	w http.ResponseWriter, r *httpapi.Request, err error, fill func(v frame.View, b *attributePage) (message string),
) error {
	if r.Method == http.MethodPost {
		frame.ShowAgain(r, p.pathOf(r))
	}
	v, viewErr := p.view(r)
	if viewErr != nil {
		return viewErr
	}
	b := v.Body.(*attributePage)
	b.Errors = frame.NewFieldErrors(v.Language, err, nil)
	return p.pages.Reject(w, "attribute", v, fill(v, b))
}

// rejectRow shows the page again with the reason why a form in the row of a value was refused. The function field
// returns the field of the row.
func (p attributePages) rejectRow(
	w http.ResponseWriter, r *httpapi.Request, err error, typed string, field func(*valueRow) *frame.RowField,
	reason func(v frame.View) string,
) error {
	valueID := valueIDOf(r)
	return p.reject(w, r, err, func(v frame.View, b *attributePage) string {
		b.Errors = nil // fields of these names belong to the option or feature
		i := slices.IndexFunc(b.Values, func(row valueRow) bool { return row.ID == valueID })
		if i < 0 {
			return reason(v)
		}
		*field(&b.Values[i]) = frame.RowField{Text: typed, Message: reason(v)}
		return v.T("Nothing was saved: look at the marked fields.")
	})
}

// edit saves the name of an option, or the name and the type of a feature and whether it is shown in filters. The
// switch in the list of features changes only the last.
func (p attributePages) edit(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	pre := frame.RenderedVersion(r)
	form, e, err := p.readForm(r)

	switched := r.PostForm.Has("switch")
	if switched {
		e = catalog.AttributeEdit{Filterable: new(r.PostForm.Get("switch") == "on")}
		pre = nil
		err = nil
	}

	var edited catalog.Attribute
	if err == nil {
		edited, err = p.save(r, e, pre)
	}

	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, b *attributePage) string {
			present := b.Form
			b.Form = form
			if fault.KindOf(err) == fault.Stale {
				return v.Stale(p.describe(v, present))
			}
			return v.T("Nothing was saved: look at the marked fields.")
		})
	}

	if err != nil {
		return err
	}

	l := p.pages.Language(r)
	target := p.pathOf(r)
	var text string
	switch {
	case !switched:
		text = l.T("Saved.")
	case edited.Filterable:
		target = frame.BackTo(r, p.path)
		text = l.T("“%s” is shown in filters.", edited.Name)
	default:
		target = frame.BackTo(r, p.path)
		text = l.T("“%s” is no longer shown in filters.", edited.Name)
	}

	return p.RedirectWith(w, r, target, frame.Toast{Text: text})
}

// describe returns what the form of an option or a feature shows, as text.
func (p attributePages) describe(v frame.View, f attributeForm) string {
	text := v.T("“%s”", f.Name)
	if p.kind == catalog.Option {
		return text
	}
	text += ", " + map[string]string{string(catalog.Float): v.T("numbers"),
		string(catalog.Integer): v.T("whole numbers"),
		string(catalog.Select):  v.T("words")}[f.Type]
	if f.Filterable {
		return text + ", " + v.T("shown in filters")
	}
	return text + ", " + v.T("not shown in filters")
}

func (p attributePages) save(
	r *httpapi.Request, e catalog.AttributeEdit, pre fault.Precondition,
) (catalog.Attribute, error) {
	attributeID := p.idOf(r)
	return frame.ChangeLong(r,
		func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
			return p.Catalog.Attributes.Edit(ctx, tx, p.kind, attributeID, e, pre)
		})
}

// attributeDeletion is the data of the page that asks whether to delete an option or a feature.
type attributeDeletion struct {
	catalog.Attribute
	Option bool
	Path   string
	Usage  view.Usage
}

// maxImpactUsage is the number of links that the page before a deletion looks at.
const maxImpactUsage = 200_000

func (p attributePages) deletionView(r *httpapi.Request) (frame.View, error) {
	attributeID := p.idOf(r)
	body, err := frame.ReadStore(p.Frame, r, true, func(ctx context.Context, tx store.Tx) (attributeDeletion, error) {
		a, err := p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID)
		if err != nil {
			return attributeDeletion{}, err
		}
		usage, err := view.AttributeUsage(ctx, tx, p.kind, []int64{a.Key}, maxImpactUsage)
		return attributeDeletion{a, p.kind == catalog.Option, p.path + "/" + a.ID.String(), usage[a.Key]}, err
	})
	if err != nil {
		return frame.View{}, err
	}
	v := p.pages.NewView(r, "Delete", p.navItem(), body)
	v.Crumbs = []frame.Link{{Text: v.T(p.title()), URL: p.path}, {Text: body.Name, URL: body.Path}}
	return v, nil
}

func (p attributePages) delete(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	attributeID := p.idOf(r)
	pre := frame.RenderedVersion(r)
	deleted, err := frame.ChangeLong(r,
		func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
			a, err := p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID)
			if err != nil {
				return a, err
			}
			return a, p.Catalog.Attributes.Delete(ctx, tx, p.kind, attributeID, pre)
		})
	if frame.Refused(err) {
		v, viewErr := p.deletionView(r)
		if viewErr != nil {
			return viewErr
		}
		return p.pages.Reject(w, "attribute_delete", v, v.StaleImpact())
	}

	return p.Done(w, r, err, p.path, p.pages.Language(r).T("“%s” is deleted.", deleted.Name))
}
