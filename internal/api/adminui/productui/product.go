package productui

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// productView is the data of the page of a product. Of a new product, only the form is there.
type productView struct {
	*productForm
	Archived bool
	// IsDraft says that the product is archived because it has not been on sale yet.
	IsDraft              bool
	CreatedAt, UpdatedAt frame.Timestamp
	Problems             []saleProblem
	PushedAt             *frame.Timestamp // nil for a product that was made here
	Pictures             []pictureView
	// PictureError is what is wrong with an image that was sent.
	PictureError     string
	ArchivedVariants []archivedVariant
	VariantLinks     []pageLink
	// Differences are what the form and the product differ in, if somebody else has saved the product meanwhile.
	Differences []difference
	Members     []memberRow
	writers     map[productfield.Set]string // of the members
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
	form, err := ui.newForm(r)
	if err != nil {
		return err
	}
	return ui.renderForm(w, r, http.StatusOK, form, "", nil)
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

	if form.Unsaved {
		form.takePictures(stored.formOfAll())
	}
	pushedAt, err := view.PushedAt(ctx, tx, stored.Key)
	if err != nil {
		return nil, err
	}

	body := &productView{productForm: form, Archived: stored.ArchivedAt != nil, IsDraft: stored.Draft,
		CreatedAt: v.Timestamp(stored.CreatedAt), UpdatedAt: v.Timestamp(stored.UpdatedAt),
		Pictures: pictureViews(stored.Images), Problems: stored.saleProblems(v.Language)}
	if body.writers, err = ui.writers(ctx, tx, v.Language, stored.Key); err != nil {
		return nil, err
	}

	if pushedAt != nil {
		body.PushedAt = new(v.Timestamp(*pushedAt))
	}

	for i := range stored.archived {
		a := &stored.archived[i]
		row := variantRow{Texts: variantTexts(a)}
		label := row.Label()
		if label == "" {
			label = v.Price(a.Price, v.Store.Currency)
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
	body.Members = body.memberRows(v.Language, body.writers)
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}}
	if v.Title = v.T("New product"); body.ID != "" {
		v.Title = body.Text("name")
	}

	name := "product"
	if !v.May(string(access.CatalogWrite)) {
		name = "product_values"
	}
	return ui.pages.Render(w, status, name, v)
}

// renderForm writes the page with a posted form. It reads what the page shows beside the form.
func (ui *UI) renderForm(
	w http.ResponseWriter, r *httpapi.Request, status int, form *productForm, failure string, differences []difference,
) error {
	v := ui.pages.NewView(r, "Product", "products", nil)
	v.Failure, v.Problems = failure, form.problems(v.Language)

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
			v.Stocks = make([]string, len(stocks))
			v.Reserved = make([]string, len(stocks))
		}
	}
	if form.Texts["name"] == "" && len(form.Variants) == 0 {
		form.Variants = append(form.Variants, form.newVariant())
	}
	return nil
}
