package productui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// attributeMaker makes features and options whose names are typed in the form of a product.
type attributeMaker struct{ *UI }

// madeKind returns what a step makes, and the field of its name; "" for other steps.
func madeKind(step string) (kind catalog.Kind, field string) {
	switch step {
	case "create-feature":
		return catalog.Feature, "new_feature_name"
	case "create-option":
		return catalog.Option, "new_option_name"
	}
	return "", ""
}

// step makes what the step is about and adds it to the form, unless there is one with this name already, which is added
// then. It reports whether the step is one that makes something; the request is answered then.
func (ui attributeMaker) step(
	w http.ResponseWriter, r *httpapi.Request, form *productForm, name string,
) (done bool, err error) {
	kind, field := madeKind(name)
	if field == "" {
		return false, nil
	}

	l := ui.pages.Language(r)
	typed := trimText(r.PostForm.Get(field))
	if typed == "" {
		return true, ui.renderForm(w, r, http.StatusUnprocessableEntity, form, l.T("Type the name first."), nil)
	}

	a, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
		listed, _, err := ui.Catalog.Attributes.List(ctx, tx, kind, typed, shownAttributes, 0)
		if err != nil {
			return catalog.Attribute{}, err
		}
		same := func(a catalog.Attribute) bool { return strings.EqualFold(a.Name, typed) }
		if i := slices.IndexFunc(listed, same); i >= 0 {
			return listed[i], nil
		}
		return ui.Catalog.Attributes.Create(ctx, tx, kind, catalog.AttributeEdit{Name: &typed})
	})
	if frame.Refused(err) {
		return true, ui.renderForm(w, r, http.StatusUnprocessableEntity, form, l.FaultMessage(err), nil)
	}
	if err != nil {
		return true, err
	}

	id := a.ID.String()
	isChosen := func(o crossOption) bool { return o.ID == id }
	switch {
	case kind == catalog.Feature:
		form.addFeature(id)
	case !slices.ContainsFunc(form.Cross.Options, isChosen):
		form.Cross.Options = append(form.Cross.Options, crossOption{ID: id, Name: a.Name})
	}
	return true, ui.renderForm(w, r, http.StatusOK, form, "", nil)
}
