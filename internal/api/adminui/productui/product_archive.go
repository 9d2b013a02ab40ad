package productui

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// archive and restore change whether the product is on sale. They need no version: they change nothing else, and each
// undoes the other.
func (ui *UI) archive(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Product, error) {
		return ui.Catalog.Products.Archive(ctx, tx, productID, nil)
	})
	if err != nil {
		return err
	}
	l := ui.pages.Language(r)
	path := "/products/" + productID.String()
	return ui.RedirectWith(w, r, path, frame.Toast{
		Text: l.T("The product is archived: the storefront no longer shows it."),
		Undo: &frame.Undo{Action: path + "/restore"}})
}

func (ui *UI) restore(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Product, error) {
		return ui.Catalog.Products.Restore(ctx, tx, productID, nil)
	})
	if err != nil {
		return err
	}
	l := ui.pages.Language(r)
	path := "/products/" + productID.String()
	return ui.RedirectWith(w, r, path, frame.Toast{Text: l.T("The product is on sale again."),
		Undo: &frame.Undo{Action: path + "/archive"}})
}

func (ui *UI) deletionView(r *httpapi.Request) (frame.View, error) {
	productID := productIDFromPath(r)
	p, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (catalog.Product, error) {
		return ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
	})
	v := ui.pages.NewView(r, "Delete the product?", "products", p)
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"},
		{Text: p.Name, URL: "/products/" + p.ID.String()}}
	return v, err
}

// delete deletes the product, unless it has changed since the page asked whether to delete it.
func (ui *UI) delete(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	productID := productIDFromPath(r)
	seen := r.PostForm.Get("version")
	unchanged := func(version int64) bool { return strconv.FormatInt(version, 10) == seen }
	name, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (string, error) {
		p, err := ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
		if err != nil {
			return "", err
		}
		return p.Name, ui.Catalog.Products.Delete(ctx, tx, productID, unchanged)
	})
	if fault.KindOf(err) == fault.Stale {
		v, err := ui.deletionView(r)
		if err != nil {
			return err
		}
		return ui.pages.Reject(w, "product_delete", v,
			v.T("The product has changed meanwhile, so it is not deleted. Look at it again."))
	}

	if err != nil {
		return err
	}

	ui.Images.Wake()
	return ui.RedirectWith(w, r, "/products", frame.Toast{Text: ui.pages.Language(r).T("%s is deleted.", name)})
}

func (ui *UI) restoreVariant(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	l := ui.pages.Language(r)
	variantID := httpapi.PathID[catalog.Variant](r, "variant", "variant")
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, ui.Catalog.Products.RestoreVariant(ctx, tx, productID, variantID, nil)
	})
	text := l.T("The variant is on sale again.")
	if fault.KindOf(err) == fault.Invalid {
		text = l.T("Another variant has the same options now, so this one stays in the archive.")
	} else if err != nil {
		return err
	}
	return ui.RedirectWith(w, r, "/products/"+productID.String()+"#variants", frame.Toast{Text: text})
}
