package catalogui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// attributePages has the pages of options or of features.
type attributePages struct {
	*UI
	kind catalog.Kind
	path string // of the list
}

// navItem returns the item of the navigation: the path without its slash.
func (p attributePages) navItem() string { return p.path[1:] }

// title returns the English title of the list.
//
// messages: "Options" "Features"
func (p attributePages) title() string {
	if p.kind == catalog.Option {
		return "Options"
	}
	return "Features"
}

// attributeForm has the fields of an option or a feature in a form.
type attributeForm struct {
	Name       string
	Type       string // of a feature: select, float or integer
	Filterable bool
}

func newAttributeForm(a catalog.Attribute) attributeForm {
	f := attributeForm{Name: a.Name, Type: string(a.FieldType), Filterable: a.Filterable}
	if a.FieldType == catalog.Range {
		f.Type = string(a.RangeType)
	}
	return f
}

// readForm reads the form of an option or a feature and the edit that it asks for. The error is fault.Invalid.
func (p attributePages) readForm(r *httpapi.Request) (f attributeForm, e catalog.AttributeEdit, err error) {
	f = attributeForm{Name: r.PostForm.Get("name"), Type: r.PostForm.Get("type"),
		Filterable: r.PostForm.Has("filterable")}
	e.Name = &f.Name
	if p.kind == catalog.Option {
		return f, e, nil
	}

	e.Filterable = &f.Filterable

	switch f.Type {
	case "", string(catalog.Select):
		e.FieldType = new(catalog.Select)
	case string(catalog.Float), string(catalog.Integer):
		e.FieldType, e.RangeType = new(catalog.Range), new(catalog.RangeType(f.Type))
	default:
		err = fault.OneField("type", "unknown_choice", "Choose one of the types.")
	}

	return f, e, err
}

// maxListedUsage is the number of links that a list looks at to count the products of a row.
const maxListedUsage = 1000

type attributeList struct {
	Option bool
	Path   string
	Search string
	Rows   []attributeRow
	Total  int64
	Pager  frame.Pager
	// Form is a form for a new one that was refused.
	Form   attributeForm
	Errors frame.FieldErrors
}

// least returns a round number that is not above a count, which ended early: 400 for 403.
func least(count int64) int64 {
	unit := int64(1)
	for count/unit >= 100 {
		unit *= 10
	}
	return count / unit * unit
}

type attributeRow struct {
	catalog.Attribute
	Usage view.Usage
}

func (p attributePages) listView(r *httpapi.Request) (frame.View, error) {
	text := r.Query.SearchText()
	number := max(1, frame.PositiveParam(r, "page", maxPage))
	scans := text != "" || number > deepPage

	body, err := frame.ReadStore(p.Frame, r, scans, func(ctx context.Context, tx store.Tx) (*attributeList, error) {
		list, total, err := p.Catalog.Attributes.List(ctx, tx, p.kind, text, pageSize, (number-1)*pageSize)
		if err != nil {
			return nil, err
		}

		keys := make([]int64, len(list))
		for i, a := range list {
			keys[i] = a.Key
		}

		usage, err := view.AttributeUsage(ctx, tx, p.kind, keys, maxListedUsage)
		b := &attributeList{Option: p.kind == catalog.Option, Path: p.path, Search: text, Total: total,
			Pager: pager(p.path, text, number, total)}
		for _, a := range list {
			b.Rows = append(b.Rows, attributeRow{a, usage[a.Key]})
		}

		return b, err
	})

	return p.pages.NewView(r, p.title(), p.navItem(), body), err
}

func (p attributePages) create(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	form, e, err := p.readForm(r)
	var created catalog.Attribute
	if err == nil {
		created, err = frame.Change(p.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
			return p.Catalog.Attributes.Create(ctx, tx, p.kind, e)
		})
	}

	if frame.Refused(err) {
		v, listErr := p.listView(r)
		if listErr != nil {
			return listErr
		}
		b := v.Body.(*attributeList)
		b.Form, b.Errors = form, frame.NewFieldErrors(v.Language, err, nil)
		return p.pages.Reject(w, "attributes", v, v.T("Nothing was saved: look at the marked fields."))
	}

	return p.Done(w, r, err, p.path+"/"+created.ID.String(),
		p.pages.Language(r).T("“%s” is created. Now add its values.", created.Name))
}
