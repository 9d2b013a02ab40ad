package productui

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// saveAddingValues is the step that saves the form and creates the values that it names and that do not exist.
const saveAddingValues = "save-adding-values"

// posted reads the form and does the step that its button names. It returns the form if the button saves, and nil if
// the request is answered.
func (ui *UI) posted(w http.ResponseWriter, r *httpapi.Request, productID string) (*productForm, error) {
	err := frame.ParseLargeForm(r)
	if fault.KindOf(err) == fault.TooLarge {
		return nil, ui.refuseLarge(w, r, productID)
	}
	if err != nil {
		return nil, err
	}

	form, err := readPosted(r, productID)
	if err != nil {
		return nil, err
	}
	name := r.PostForm.Get("step")
	if name == "" || name == "save" || name == savePublishing || name == saveAddingValues {
		return form, nil
	}

	return nil, ui.runStep(w, r, form, name)
}

// readPosted reads the form of the request, whose fields are parsed. Saving changes a form, so a transaction that is
// repeated reads it again.
func readPosted(r *httpapi.Request, productID string) (*productForm, error) {
	form, err := readForm(r.PostForm)
	if err != nil {
		return nil, err
	}
	form.ID = productID
	return form, nil
}

// runStep does a step that does not save, and renders the form again.
func (ui *UI) runStep(w http.ResponseWriter, r *httpapi.Request, form *productForm, name string) error {
	l := ui.pages.Language(r)

	if isPicture, err := ui.pictureStep(r, form.ID, name); isPicture {
		if err != nil {
			return err
		}
		return ui.renderForm(w, r, http.StatusOK, form, "", nil)
	}

	if done, err := (attributeMaker{ui}).step(w, r, form, name); done {
		return err
	}

	known, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (bool, error) {
		return ui.step(ctx, tx, form, name, r.PostForm.Get("new_feature"), l)
	})
	if err != nil {
		return err
	}
	if !known {
		return fault.New(fault.Malformed, "unknown_step", "The form has no such button.")
	}

	return ui.renderForm(w, r, http.StatusOK, form, "", nil)
}

// refuseLarge shows the page without what the operator has typed, which was not read.
func (ui *UI) refuseLarge(w http.ResponseWriter, r *httpapi.Request, productID string) error {
	l := ui.pages.Language(r)
	message := l.T("The form is too large, so nothing was saved. Go back in the browser to find what you typed, " +
		"and save it in parts.")
	if productID == "" {
		return ui.renderForm(w, r, http.StatusRequestEntityTooLarge, &productForm{}, message, nil)
	}

	id := productIDFromPath(r)
	form, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productForm, error) {
		stored, err := ui.readStored(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		return stored.form(1), nil
	})
	if err != nil {
		return err
	}

	return ui.renderForm(w, r, http.StatusRequestEntityTooLarge, form, message, nil)
}

func (ui *UI) create(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.posted(w, r, "")
	if form == nil || err != nil {
		return err
	}

	l := ui.pages.Language(r)
	var sent sentRows
	repeated := false

	created, err := frame.Change(ui.Frame, r, func(
		ctx context.Context, tx store.Tx,
	) (p catalog.Product, err error) {
		if repeated {
			if form, err = readPosted(r, ""); err != nil {
				return p, err
			}
		}

		repeated = true
		var e catalog.ProductEdit
		if e, sent, err = ui.edit(ctx, tx, form, nil, l); err != nil {
			return p, err
		}

		p, err = ui.Catalog.Products.Create(ctx, tx, e)
		if err != nil || !form.Draft {
			return p, err
		}
		return ui.Catalog.Products.MakeDraft(ctx, tx, p.ID)
	})
	if refused, err := ui.refused(w, r, form, sent, err); refused {
		return err
	}

	text := l.T("The product is created. Add images now.")
	if form.Draft {
		text = l.T("The product is a draft: nobody sees it in the shop. Add images, then publish it.")
	}

	return ui.RedirectWith(w, r, "/products/"+created.ID.String(), frame.Toast{Text: text})
}

// errConflict reports that the product is not what it was when the form was rendered.
var errConflict = errors.New("the product has changed")

// savePublishing is the step that saves a draft and puts it on sale.
const savePublishing = "publish"

func (ui *UI) save(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	form, err := ui.posted(w, r, productID.String())
	if form == nil || err != nil {
		return err
	}

	l := ui.pages.Language(r)
	var sent sentRows
	repeated := false

	publish := r.PostForm.Get("step") == savePublishing
	changed, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (bool, error) {
		if repeated {
			if form, err = readPosted(r, productID.String()); err != nil {
				return false, err
			}
		}

		repeated = true
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return false, err
		}

		current := stored.form(form.VariantPage)
		form.takePictures(current)
		if current.Digest != form.Digest || form.picturesChanged(current) {
			return false, errConflict
		}

		var e catalog.ProductEdit
		if e, sent, err = ui.edit(ctx, tx, form, stored, l); err != nil {
			return false, err
		}
		if err := ui.complete(ctx, tx, form); err != nil {
			return false, err
		}
		differs := len(form.differences(current, english())) > 0
		if differs {
			unchanged := func(version int64) bool { return version == stored.Version }
			if _, err = ui.Catalog.Products.Edit(ctx, tx, productID, e, unchanged); err != nil {
				return true, err
			}
		}
		if !publish {
			return differs, nil
		}
		_, err = ui.Catalog.Products.Restore(ctx, tx, productID, nil)
		return true, err
	})
	if errors.Is(err, errConflict) || fault.KindOf(err) == fault.Stale {
		return ui.showConflict(w, r, productID)
	}

	if refused, err := ui.refused(w, r, form, sent, err); refused {
		return err
	}

	text := l.T("The product is saved.")
	switch {
	case publish:
		text = l.T("The product is saved and on sale.")
	case !changed:
		text = l.T("Nothing was changed.")
	}

	target := "/products/" + productID.String()
	if form.VariantPage > 1 {
		target = string(queryURL(target, "variants", strconv.FormatInt(form.VariantPage, 10), "variants"))
	}

	return ui.RedirectWith(w, r, target, frame.Toast{Text: text})
}

// refused reports whether saving failed. If the operator can correct the error, refused renders the form again, and
// otherwise it returns the error.
func (ui *UI) refused(
	w http.ResponseWriter, r *httpapi.Request, form *productForm, sent sentRows, err error,
) (bool, error) {
	if err == nil {
		return false, nil
	}

	l := ui.pages.Language(r)
	message := l.T("Nothing was saved: look at the marked fields.")
	kind := fault.KindOf(err)
	switch {
	case errors.Is(err, errFormInvalid):
	case kind == fault.Invalid || kind == fault.Conflict:
		form.addErrors(err, sent, l)
		if f := new(fault.Error); errors.As(err, &f) && len(f.Fields) == 0 {
			message = l.Fault(f.Message)
		}
	default:
		return true, err
	}

	return true, ui.renderForm(w, r, http.StatusUnprocessableEntity, form, message, nil)
}

// showConflict renders the form beside what is stored now. The members that the operator has not touched are those that
// are stored now, so saving the form writes only what the operator has changed.
func (ui *UI) showConflict(w http.ResponseWriter, r *httpapi.Request, productID catalog.ProductID) error {
	l := ui.pages.Language(r)
	form, err := readPosted(r, productID.String())
	if err != nil {
		return err
	}

	current, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productForm, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}

		page := stored.form(form.VariantPage)
		current := stored.formOfAll()
		form.takePictures(current)
		form.merge(current, page)
		form.Digest, form.Base = page.Digest, page.Base

		return current, ui.complete(ctx, tx, form)
	})
	if err != nil {
		return err
	}

	return ui.renderForm(w, r, http.StatusConflict, form,
		l.T("Somebody else saved this product while you were editing it. Nothing of yours is saved yet."),
		form.differences(current, l))
}
