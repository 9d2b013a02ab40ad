package productui

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// productView is the data of the page of a product. Of a new product, only the form is there.
type productView struct {
	*productForm
	Archived             bool
	CreatedAt, UpdatedAt frame.Timestamp
	PushedAt             *frame.Timestamp // nil for a product that was made here
	Pictures             []pictureView
	// PictureError is what is wrong with a picture that was sent.
	PictureError     string
	ArchivedVariants []archivedVariant
	VariantLinks     []pageLink
	// Differences are what the form and the product differ in, if somebody else has saved the product meanwhile.
	Differences []difference
	// JSONURL is the address of the product in the public API, or its path if the address is not known.
	JSONURL string
}

// archivedVariant is a variant that can be brought back.
type archivedVariant struct{ ID, Label string }

// Form returns the form, for templates.
func (v *productView) Form() *productForm { return v.productForm }

// Path returns the path that the form is posted to.
func (v *productView) Path() string {
	if v.ID == "" {
		return "/products/new"
	}
	return "/products/" + v.ID
}

func productIDFromPath(r *httpapi.Request) catalog.ProductID {
	return httpapi.PathID[catalog.Product](r, "id", "product")
}

func (ui *UI) newPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderForm(w, r, http.StatusOK, &productForm{}, "", nil)
}

func (ui *UI) productPage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	page := frame.PositiveParam(r, "variants", 1<<31)
	v := ui.pages.NewView(r, "Product", "products", nil)
	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productView, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}
		return ui.view(ctx, tx, &v, stored, stored.form(page))
	})
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusOK, v, body)
}

// view returns the data of the page of a stored product with a form.
func (ui *UI) view(
	ctx context.Context, tx store.Tx, v *frame.View, stored *storedProduct, form *productForm,
) (*productView, error) {
	if err := ui.complete(ctx, tx, form); err != nil {
		return nil, err
	}
	pushedAt, err := ui.Catalog.Products.PushedAt(ctx, tx, stored.Key)
	if err != nil {
		return nil, err
	}
	body := &productView{productForm: form, Archived: stored.ArchivedAt != nil,
		CreatedAt: v.Timestamp(stored.CreatedAt), UpdatedAt: v.Timestamp(stored.UpdatedAt),
		Pictures: pictureViews(stored.Images), JSONURL: ui.PublicURL + "/v2/products/" + stored.ID.String()}
	if pushedAt != nil {
		body.PushedAt = new(v.Timestamp(*pushedAt))
	}
	for i := range stored.archived {
		a := &stored.archived[i]
		row := variantRow{SKU: a.SKU, Name: a.Name}
		label := row.Label()
		if label == "" {
			label = v.Money(a.Price, v.Store.Currency)
		}
		body.ArchivedVariants = append(body.ArchivedVariants, archivedVariant{a.ID.String(), label})
	}
	pages := max(1, int64(len(stored.Variants)+variantsPerPage-1)/variantsPerPage)
	for n := int64(1); pages > 1 && n <= pages; n++ {
		u := queryURL(body.Path(), "variants", strconv.FormatInt(n, 10), "variants")
		body.VariantLinks = append(body.VariantLinks, pageLink{Number: n, URL: u, Current: n == form.VariantPage})
	}
	return body, nil
}

// render writes the page of a product.
func (ui *UI) render(w http.ResponseWriter, status int, v frame.View, body *productView) error {
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}}
	if v.Title = v.T("New product"); body.ID != "" {
		v.Title = body.Name
	}
	return ui.pages.Render(w, status, "product", v)
}

// renderForm writes the page with a posted form. It reads what the page shows beside the form.
func (ui *UI) renderForm(
	w http.ResponseWriter, r *httpapi.Request, status int, form *productForm, failure string, differences []difference,
) error {
	v := ui.pages.NewView(r, "Product", "products", nil)
	v.Failure = failure
	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productView, error) {
		if form.ID == "" {
			if err := ui.addStocks(ctx, tx, form); err != nil {
				return nil, err
			}
			return &productView{productForm: form}, ui.complete(ctx, tx, form)
		}
		stored, err := ui.readStored(ctx, tx, productIDFromPath(r))
		if err != nil {
			return nil, err
		}
		return ui.view(ctx, tx, &v, stored, form)
	})
	if err != nil {
		return err
	}
	body.Differences = differences
	return ui.render(w, status, v, body)
}

// addStocks adds the columns of warehouses and a first row to the form of a new product.
func (ui *UI) addStocks(ctx context.Context, tx store.Tx, form *productForm) error {
	if len(form.Stocks) == 0 {
		stocks, _, err := ui.Catalog.Stocks.List(ctx, tx, "", maxStocks, 0)
		if err != nil {
			return err
		}
		form.Stocks = stockChoices(stocks)
		for _, v := range form.Variants {
			v.Stocks, v.Reserved = make([]string, len(stocks)), make([]string, len(stocks))
		}
	}
	if form.Name == "" && len(form.Variants) == 0 {
		form.Variants = append(form.Variants, form.newVariant())
	}
	return nil
}

// posted reads the form and does the step that its button names. If the button saves, done is false.
func (ui *UI) posted(w http.ResponseWriter, r *httpapi.Request, productID string) (done bool, err error) {
	frame.ParseForm(w, r)
	if err := r.Err(); err != nil {
		return true, err
	}
	name := r.PostForm.Get("step")
	if name == "" || name == "save" {
		return false, nil
	}
	form := readForm(r.PostForm)
	form.ID = productID
	l := ui.pages.Language(r)
	known, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (bool, error) {
		return ui.step(ctx, tx, form, name, r.PostForm.Get("new_feature"), l)
	})
	if err != nil {
		return true, err
	}
	if !known {
		return true, fault.New(fault.Malformed, "unknown_step", "The form has no such button.")
	}
	return true, ui.renderForm(w, r, http.StatusOK, form, "", nil)
}

func (ui *UI) create(w http.ResponseWriter, r *httpapi.Request) error {
	if done, err := ui.posted(w, r, ""); done || err != nil {
		return err
	}
	l := ui.pages.Language(r)
	var form *productForm
	var sent sentRows
	created, err := frame.Change(ui.Frame, r, func(
		ctx context.Context, tx store.Tx,
	) (p catalog.Product, _ audit.Entry, err error) {
		form = readForm(r.PostForm) // a transaction may be repeated
		form.author = frame.Actor(r)
		var e catalog.ProductEdit
		if e, sent, err = ui.edit(ctx, tx, form, nil, l); err != nil {
			return p, audit.Entry{}, err
		}
		p, err = ui.Catalog.Products.Create(ctx, tx, e)
		return p, audit.Entry{Action: "product.created", Object: productObject(p.ID.String(), p.Name)}, err
	})
	if refused, err := ui.refused(w, r, form, sent, err); refused {
		return err
	}
	return ui.RedirectWith(w, r, "/products/"+created.ID.String(),
		frame.Toast{Text: l.T("The product is created. Add pictures now.")})
}

// errConflict reports that the product is not what it was when the form was rendered.
var errConflict = errors.New("the product has changed")

func (ui *UI) save(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	if done, err := ui.posted(w, r, productID.String()); done || err != nil {
		return err
	}
	l := ui.pages.Language(r)
	var form *productForm
	var sent sentRows
	changed, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (bool, audit.Entry, error) {
		form = readForm(r.PostForm) // a transaction may be repeated
		form.author = frame.Actor(r)
		form.ID = productID.String()
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return false, audit.Entry{}, err
		}
		current := stored.form(form.VariantPage)
		if current.Digest != form.Digest {
			return false, audit.Entry{}, errConflict
		}
		var e catalog.ProductEdit
		if e, sent, err = ui.edit(ctx, tx, form, stored, l); err != nil {
			return false, audit.Entry{}, err
		}
		if err := ui.complete(ctx, tx, form); err != nil {
			return false, audit.Entry{}, err
		}
		changes := auditChanges(current, form)
		if len(changes) == 0 {
			return false, audit.Entry{}, nil
		}
		unchanged := func(version int64) bool { return version == stored.Version }
		p, err := ui.Catalog.Products.Edit(ctx, tx, productID, e, unchanged)
		return true, audit.Entry{Action: "product.edited", Object: productObject(productID.String(), p.Name),
			Changes: changes}, err
	})
	if errors.Is(err, errConflict) || fault.KindOf(err) == fault.Stale {
		return ui.showConflict(w, r, productID)
	}
	if refused, err := ui.refused(w, r, form, sent, err); refused {
		return err
	}
	text := l.T("The product is saved.")
	if !changed {
		text = l.T("Nothing was changed.")
	}
	target := "/products/" + productID.String()
	if form.VariantPage > 1 {
		target = string(queryURL(target, "variants", strconv.FormatInt(form.VariantPage, 10), "variants"))
	}
	return ui.RedirectWith(w, r, target, frame.Toast{Text: text})
}

// refused renders the form again if the error is about what the operator has typed, and reports whether the request is
// answered. Other errors are returned.
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
			message = f.Message
		}
	default:
		return true, err
	}
	return true, ui.renderForm(w, r, http.StatusUnprocessableEntity, form, message, nil)
}

// showConflict renders the form beside what is stored now. The form gets the new digest, so the operator can save it as
// it is, or start again from the stored product.
func (ui *UI) showConflict(w http.ResponseWriter, r *httpapi.Request, productID catalog.ProductID) error {
	l := ui.pages.Language(r)
	form := readForm(r.PostForm)
	form.ID = productID.String()
	current, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productForm, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}
		current := stored.form(form.VariantPage)
		if err := ui.complete(ctx, tx, current); err != nil {
			return nil, err
		}
		return current, ui.complete(ctx, tx, form)
	})
	if err != nil {
		return err
	}
	form.Digest = current.Digest
	form.takeNewVariants(current)
	return ui.renderForm(w, r, http.StatusConflict, form,
		l.T("Somebody else saved this product while you were editing it. Nothing of yours is saved yet."),
		form.differences(current, l))
}

// takeNewVariants adds the variants that were saved since the form was rendered: a form that does not have them would
// not show them again. Those that are gone are no longer variants to change.
func (form *productForm) takeNewVariants(current *productForm) {
	known := map[string]bool{}
	for _, v := range current.Variants {
		known[v.ID] = true
	}
	kept := form.Variants[:0]
	for _, v := range form.Variants {
		if v.IsNew() || known[v.ID] {
			kept = append(kept, v)
		}
		known[v.ID] = false
	}
	form.Variants = kept
	if len(form.Options) != len(current.Options) || len(form.Stocks) != len(current.Stocks) {
		return // the columns differ; variants that the form does not have stay as they are
	}
	for _, v := range current.Variants {
		if known[v.ID] {
			form.Variants = append(form.Variants, v)
		}
	}
}

// archive and restore change whether the product is on sale.
func (ui *UI) archive(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Product, audit.Entry, error) {
		p, err := ui.Catalog.Products.Archive(ctx, tx, productID, nil)
		return p, audit.Entry{Action: "product.archived", Object: productObject(productID.String(), p.Name)}, err
	})
	if err != nil {
		return err
	}
	l, path := ui.pages.Language(r), "/products/"+productID.String()
	return ui.RedirectWith(w, r, path, frame.Toast{
		Text: l.T("The product is archived: the storefront no longer shows it."),
		Undo: &frame.Undo{Action: path + "/restore"}})
}

func (ui *UI) restore(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Product, audit.Entry, error) {
		p, err := ui.Catalog.Products.Restore(ctx, tx, productID, nil)
		return p, audit.Entry{Action: "product.restored", Object: productObject(productID.String(), p.Name)}, err
	})
	if err != nil {
		return err
	}
	l, path := ui.pages.Language(r), "/products/"+productID.String()
	return ui.RedirectWith(w, r, path, frame.Toast{Text: l.T("The product is on sale again."),
		Undo: &frame.Undo{Action: path + "/archive"}})
}

func (ui *UI) deletePage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	p, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (catalog.Product, error) {
		return ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
	})
	if err != nil {
		return err
	}
	v := ui.pages.NewView(r, "Delete the product?", "products", p)
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"},
		{Text: p.Name, URL: "/products/" + p.ID.String()}}
	return ui.pages.Render(w, http.StatusOK, "product_delete", v)
}

func (ui *UI) delete(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	name, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (string, audit.Entry, error) {
		p, err := ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
		if err != nil {
			return "", audit.Entry{}, err
		}
		return p.Name, audit.Entry{Action: "product.deleted", Object: productObject(productID.String(), p.Name)},
			ui.Catalog.Products.Delete(ctx, tx, productID, nil)
	})
	if err != nil {
		return err
	}
	ui.Images.Wake()
	return ui.RedirectWith(w, r, "/products", frame.Toast{Text: ui.pages.Language(r).T("%s is deleted.", name)})
}

func (ui *UI) restoreVariant(w http.ResponseWriter, r *httpapi.Request) error {
	productID, l := productIDFromPath(r), ui.pages.Language(r)
	variantID := httpapi.PathID[catalog.Variant](r, "variant", "variant")
	_, err := frame.Change(ui.Frame, r, func(
		ctx context.Context, tx store.Tx,
	) (none struct{}, _ audit.Entry, err error) {
		p, err := ui.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
		if err != nil {
			return none, audit.Entry{}, err
		}
		err = ui.Catalog.Products.RestoreVariant(ctx, tx, productID, variantID, nil)
		return none, audit.Entry{Action: "product.edited", Object: productObject(productID.String(), p.Name),
			Changes: []audit.Change{{Field: "variants", To: variantID.String()}}}, err
	})
	text := l.T("The variant is on sale again.")
	if fault.KindOf(err) == fault.Invalid {
		text = l.T("Another variant has the same options now, so this one stays in the archive.")
	} else if err != nil {
		return err
	}
	return ui.RedirectWith(w, r, "/products/"+productID.String()+"#variants", frame.Toast{Text: text})
}

// maxSuggestions is the number of values that are suggested while an operator types.
const maxSuggestions = 20

// suggestValues answers with the names of values of an option or a feature that match the text, as a JSON list.
func (ui *UI) suggestValues(w http.ResponseWriter, r *httpapi.Request) error {
	text, kind := r.SearchText(), catalog.Feature
	if name, _ := r.Param("kind"); name == string(catalog.Option) {
		kind = catalog.Option
	}
	attribute, _ := r.Param("attribute")
	attributeID, err := id.Parse[catalog.Attribute](attribute)
	if err != nil {
		return fault.Missing(kind.Noun())
	}
	values, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) ([]catalog.Value, error) {
		a, err := ui.Catalog.Attributes.Find(ctx, tx, kind, attributeID)
		if err != nil {
			return nil, err
		}
		return ui.Catalog.Attributes.SearchValues(ctx, tx, a, text, maxSuggestions)
	})
	if err != nil {
		return err
	}
	b := []byte{'['}
	for _, v := range values {
		b = wire.AppendString(appendComma(b), v.Name)
	}
	frame.SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, ']')) // a client that disconnected needs no response
	return nil
}
