package productui

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

const (
	// maxBulkProducts is the number of products that one change may have.
	maxBulkProducts = 5_000_000
	// bulkExamples is the number of products that the preview shows.
	bulkExamples = 10
)

// bulkUI serves the pages of changes of many products.
type bulkUI struct{ *UI }

// bulkForm is the page on which an operator checks a change of many products before it is made.
type bulkForm struct {
	// All says that the change is for all products that the list shows with the query string Selection. Otherwise it is
	// for the products IDs.
	Selection string
	All       bool
	IDs       []string
	Action    bulk.Action
	Total     int64
	// Expected identifies the set of products that the preview has shown; see keysDigest.
	Expected string
	Examples []productRow
	// Categories can be chosen for actions on categories; see productForm.
	*productForm
	Category       string
	Feature, Value string
	// AddValue says that the value is to be created. UnknownValue says that it was refused because it does not exist.
	AddValue, UnknownValue bool
	percentForm
	Title                                     string
	NeedsCategory, NeedsFeature, NeedsPercent bool
}

// bulkTitle returns the name of an action.
func bulkTitle(action bulk.Action, l *frame.Language) string {
	switch action {
	case bulk.Archive:
		return l.T("Archive")
	case bulk.Restore:
		return l.T("Bring back from the archive")
	case bulk.AddCategory:
		return l.T("Add to a category")
	case bulk.RemoveCategory:
		return l.T("Take out of a category")
	case bulk.AddFeature:
		return l.T("Give a feature value")
	case bulk.RemoveFeature:
		return l.T("Take a feature value away")
	case changePrices:
		return l.T("Change prices by per cent")
	}

	return ""
}

// readBulkForm reads the selection and the action.
func readBulkForm(form url.Values, l *frame.Language) *bulkForm {
	f := &bulkForm{Selection: form.Get("selection"), All: form.Get("all") == "1", IDs: form["id"],
		Action: bulk.Action(form.Get("action")), Category: form.Get("category"), Feature: form.Get("feature"),
		Value: trimText(form.Get("value")), productForm: &productForm{CategorySearch: form.Get("category_q"),
			FeatureSearch: form.Get("feature_q")},
		percentForm: percentForm{Percent: trimText(form.Get("percent")), Unit: form.Get("unit")}}

	f.Title = bulkTitle(f.Action, l)
	f.AddValue = form.Get("add_value") == "1" && f.Action == bulk.AddFeature
	f.NeedsCategory = f.Action == bulk.AddCategory || f.Action == bulk.RemoveCategory
	f.NeedsFeature = f.Action == bulk.AddFeature || f.Action == bulk.RemoveFeature
	f.NeedsPercent = f.Action == changePrices
	if f.Category != "" {
		f.Categories = []categoryBox{{ID: f.Category, Ticked: true}}
	}
	if f.Feature != "" {
		f.Features = []featureRow{{FeatureID: f.Feature}}
	}
	return f
}

// ListURL returns the address of the list that the selection was made in.
func (f *bulkForm) ListURL() template.URL {
	params, err := url.ParseQuery(f.Selection)
	if err != nil {
		return "/products"
	}
	return listURL("/products", params)
}

// openSheet is the action of the button that opens the selected products in the sheet.
const openSheet = bulk.Action("sheet")

// sheetURL returns the address of the sheet with the ticked products; without a tick it has those of the list.
func (f *bulkForm) sheetURL() string {
	params := url.Values{"ids": {strings.Join(f.IDs[:min(len(f.IDs), search.MaxNames)], ",")}}
	if f.All || len(f.IDs) == 0 {
		var err error
		if params, err = url.ParseQuery(f.Selection); err != nil {
			return sheetPath
		}
	}
	return sheetPath + "?" + params.Encode()
}

// query returns the search that finds the selected products.
func (f *bulkForm) query(r *httpapi.Request) search.Query {
	query := search.Query{Archived: catalog.AnyArchived, IDs: []catalog.ProductID{}}
	if f.All {
		r.URL.RawQuery = f.Selection // the filters are read as in the list
		query = readQuery(r)
	}
	for _, text := range f.IDs {
		productID, err := id.Parse[catalog.Product](text)
		if err == nil && !f.All && len(query.IDs) < search.MaxNames {
			query.IDs = append(query.IDs, productID)
		}
	}
	query.Sort = search.ByKey
	query.Limit = maxBulkProducts
	return query
}

// keysDigest returns a digest of the row keys of products. The number alone would not notice that one product has left
// the selection and another has entered it, and a version of the catalogue changes with every order and push, so that
// in a busy shop no preview would still be valid.
func keysDigest(keys []int64) string {
	digest := sha256.New()
	b := make([]byte, 0, 8*1024)
	for chunk := range slices.Chunk(keys, 1024) {
		b = b[:0]
		for _, key := range chunk {
			b = binary.BigEndian.AppendUint64(b, uint64(key))
		}
		digest.Write(b)
	}
	return hex.EncodeToString(digest.Sum(nil)[:16])
}

// previewBulk shows how many products a change would have, and some of them.
func (ui bulkUI) previewBulk(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	l := ui.pages.Language(r)
	form := readBulkForm(r.PostForm, l)
	if form.Action == openSheet || r.PostForm.Get("open") == string(openSheet) {
		return frame.Redirect(w, r.Request, form.sheetURL())
	}
	if form.Title == "" {
		return fault.New(fault.Malformed, "malformed_form", "There is no such change.")
	}
	if !form.All && len(form.IDs) == 0 {
		return ui.RedirectWith(w, r, string(form.ListURL()),
			frame.Toast{Text: l.T("Tick the products to change first.")})
	}
	return ui.renderBulk(w, r, http.StatusOK, form, "")
}

// renderBulk writes the preview.
func (ui bulkUI) renderBulk(
	w http.ResponseWriter, r *httpapi.Request, status int, form *bulkForm, failure string,
) error {
	v := ui.pages.NewView(r, "Change products", "products", nil)

	err := frame.FindProducts(ui.Frame, r, ui.Search, form.query(r),
		func(ctx context.Context, tx store.Tx, found search.Result) error {
			form.Total, form.Expected = found.Total, keysDigest(found.Keys)
			rows, err := view.Summaries(ctx, tx, found.Keys[:min(len(found.Keys), bulkExamples)])
			if err != nil {
				return err
			}

			form.Examples = nil
			for i := range rows {
				form.Examples = append(form.Examples, newProductRow(&v, &rows[i]))
			}

			if form.NeedsPercent {
				return ui.previewPrices(ctx, tx, &v, form, found.Keys[:min(len(found.Keys), bulkExamples)])
			}
			return ui.completeBulk(ctx, tx, form)
		})
	if err != nil {
		return err
	}

	v.Body, v.Failure = form, failure
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}}
	return ui.pages.Render(w, status, "bulk", v)
}

// completeBulk adds what can be chosen from.
func (ui bulkUI) completeBulk(ctx context.Context, tx store.Tx, form *bulkForm) error {
	switch {
	case form.NeedsCategory:
		return ui.completeCategories(ctx, tx, form.productForm)
	case form.NeedsFeature:
		if err := ui.completeFeatures(ctx, tx, form.productForm); err != nil {
			return err
		}
		for _, f := range form.Features {
			form.AllFeatures = withChoice(form.AllFeatures, choice{ID: f.FeatureID, Name: f.FeatureName})
		}
	}
	return nil
}

// startBulk makes the change that the preview has shown.
func (ui bulkUI) startBulk(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	l := ui.pages.Language(r)
	form := readBulkForm(r.PostForm, l)
	if form.Title == "" {
		return fault.New(fault.Malformed, "malformed_form", "There is no such change.")
	}

	var by raise
	if form.NeedsPercent {
		var err error
		if by, err = form.raise(l); err != nil {
			return ui.renderBulk(w, r, http.StatusUnprocessableEntity, form, l.FaultMessage(err))
		}
	}

	var keys []int64
	var prices []catalog.Cell
	err := frame.FindProducts(ui.Frame, r, ui.Search, form.query(r),
		func(ctx context.Context, tx store.Tx, found search.Result) (err error) {
			if keys = found.Keys; form.NeedsPercent {
				prices, err = ui.priceCells(ctx, tx, keys, by)
			}
			return err
		})
	if fault.KindOf(err) == fault.Invalid {
		return ui.renderBulk(w, r, http.StatusUnprocessableEntity, form, l.FaultMessage(err))
	}
	if err != nil {
		return err
	}

	if keysDigest(keys) != r.PostForm.Get("expected") {
		return ui.renderBulk(w, r, http.StatusConflict, form,
			l.T("Other products match the filters meanwhile. Check them again."))
	}

	change, err := frame.Change(ui.Frame, r, func(
		ctx context.Context, tx store.Tx,
	) (c bulk.Change, err error) {
		selection, err := ui.selectionChanges(ctx, tx, form)
		if err != nil {
			return c, err
		}
		if form.NeedsPercent {
			if c, err = ui.Bulk.StartCells(ctx, tx, form.Title+": "+by.label(l), prices); err != nil {
				return c, err
			}
			return c, audit.Record(ctx, tx, bulkEntry(c, by.label(l), selection...))
		}

		target, label, err := ui.bulkTarget(ctx, tx, form, l)
		if err != nil {
			return c, err
		}
		if c, err = ui.Bulk.Start(ctx, tx, form.Action, target, label, keys); err != nil {
			return c, err
		}

		_, targetName, _ := strings.Cut(label, ": ")
		return c, audit.Record(ctx, tx, bulkEntry(c, targetName, selection...))
	})
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.NotFound {
		return ui.renderBulk(w, r, http.StatusUnprocessableEntity, form, l.FaultMessage(err))
	}

	if err != nil {
		return err
	}

	return ui.bulkStarted(w, r, change)
}

// bulkStarted redirects to the list after a change that is done, and to the page with its progress otherwise.
func (ui bulkUI) bulkStarted(w http.ResponseWriter, r *httpapi.Request, c bulk.Change) error {
	path := "/product-changes/" + c.ID.String()
	if c.FinishedAt == nil {
		return frame.Redirect(w, r.Request, path)
	}
	return ui.RedirectWith(w, r, "/products", ui.bulkToast(r, c))
}

func (ui bulkUI) bulkToast(r *httpapi.Request, c bulk.Change) frame.Toast {
	l := ui.pages.Language(r)
	toast := frame.Toast{Text: l.Plural(c.Changed, "%d product was changed.", "%d products were changed.")}
	if c.Action.OfCells() {
		toast.Text = l.Plural(c.Changed, "%d field was changed.", "%d fields were changed.")
		if left := c.Total - c.Changed; left > 0 {
			toast.Text += " " + l.Plural(left, "%d stays as it is, since somebody else has changed it meanwhile.",
				"%d stay as they are, since somebody else has changed them meanwhile.")
		}
	}
	if c.Changed > 0 && c.UndoOf == nil {
		toast.Undo = &frame.Undo{Action: "/product-changes/" + c.ID.String() + "/undo"}
	}
	return toast
}

// bulkEntry returns the entry of the audit log for a change. It has codes, which the log shows in the reader's
// language. selection says how the products were chosen.
func bulkEntry(c bulk.Change, targetName string, selection ...audit.Change) audit.Entry {
	return audit.Entry{Action: audit.ProductsChanged,
		Object: audit.Object{Kind: "products", ID: c.ID.String(), Label: targetName},
		Changes: append([]audit.Change{{Field: "action", To: string(c.Action)},
			{Field: "count", To: strconv.FormatInt(c.Total, 10)}}, selection...)}
}

// selectionChanges returns how the products of the form were chosen: ticked, or by the filters of the list.
func (ui bulkUI) selectionChanges(ctx context.Context, tx store.Tx, form *bulkForm) ([]audit.Change, error) {
	if !form.All {
		return []audit.Change{{Field: "selection", To: "ticked"}}, nil
	}

	list := []audit.Change{{Field: "selection", To: "all"}}
	params, err := url.ParseQuery(form.Selection)
	if err != nil {
		return list, nil //nolint:nilerr // the list shows all products for such a query
	}

	for _, name := range []string{"q", "in_stock", "archived", "origin", "price_from", "price_to"} {
		if value := params.Get(name); value != "" {
			list = append(list, audit.Change{Field: "filter." + name, To: value})
		}
	}

	if categoryID, err := id.Parse[catalog.Category](params.Get("category")); err == nil {
		c, err := ui.Catalog.Categories.Find(ctx, tx, categoryID)
		if err != nil {
			return nil, err
		}
		list = append(list, audit.Change{Field: "filter.category", To: c.Name})
	}

	values := 0
	for name := range params {
		if strings.HasPrefix(name, "features") || strings.HasPrefix(name, "options") {
			values++
		}
	}

	if values > 0 {
		list = append(list, audit.Change{Field: "filter.values", To: strconv.Itoa(values)})
	}

	return list, nil
}

// bulkTarget returns what the products get or lose, and describes the change. It returns fault.Invalid if nothing is
// chosen, or it does not exist.
func (ui bulkUI) bulkTarget(
	ctx context.Context, tx store.Tx, form *bulkForm, l *frame.Language,
) (target bulk.Target, label string, err error) {
	switch {
	case form.NeedsCategory:
		if target.Category, err = id.Parse[catalog.Category](form.Category); err != nil {
			return target, "", fault.OneField("category", "required", "%s", l.T("Choose a category."))
		}
		c, err := ui.Catalog.Categories.Find(ctx, tx, target.Category)
		return target, form.Title + ": " + c.Name, err

	case form.NeedsFeature:
		if target.Feature, err = id.Parse[catalog.Attribute](form.Feature); err != nil {
			return target, "", fault.OneField("feature", "required", "%s", l.T("Choose a feature."))
		}

		a, err := ui.Catalog.Attributes.Find(ctx, tx, catalog.Feature, target.Feature)
		if err != nil {
			return target, "", err
		}
		if form.AddValue && form.Value != "" { // leaves one that exists as it is
			names := []string{form.Value}
			if _, err := ui.Catalog.Attributes.AddValues(ctx, tx, catalog.Feature, a.ID, names, nil); err != nil {
				return target, "", err
			}
		}
		found, err := view.ValuesByName(ctx, tx, ui.Catalog.Attributes, map[int64][]string{a.Key: {form.Value}})
		if err != nil {
			return target, "", err
		}

		value, ok := found[a.Key][form.Value]
		if !ok {
			form.UnknownValue = form.Action == bulk.AddFeature && form.Value != ""
			return target, "", fault.OneField("value", "unknown_value", "%s",
				l.T("%s has no value “%s”.", a.Name, form.Value))
		}

		target.Value = value.ID
		return target, form.Title + ": " + a.Name + " " + value.Name, nil
	}

	return target, form.Title, nil
}

// bulkView is the page with the progress of a change.
type bulkView struct {
	bulk.Change
	Percent int64
	CanUndo bool
}

// bulkPage shows the progress of a change.
func (ui bulkUI) bulkPage(w http.ResponseWriter, r *httpapi.Request) error {
	changeID := httpapi.PathID[bulk.Change](r, "id", "change")
	c, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (bulk.Change, error) {
		return ui.Bulk.Find(ctx, tx, changeID)
	})
	if err != nil {
		return err
	}
	body := bulkView{Change: c, CanUndo: c.FinishedAt != nil && c.Changed > 0 && c.UndoOf == nil}
	if c.Total > 0 {
		body.Percent = 100 * c.Done / c.Total
	}
	v := ui.pages.NewView(r, "Changing products", "products", body)
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}}
	return ui.pages.Render(w, http.StatusOK, "bulk_progress", v)
}

// undoBulk starts a change that undoes another one.
func (ui bulkUI) undoBulk(w http.ResponseWriter, r *httpapi.Request) error {
	changeID := httpapi.PathID[bulk.Change](r, "id", "change")
	l := ui.pages.Language(r)

	c, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (bulk.Change, error) {
		was, err := ui.Bulk.Find(ctx, tx, changeID)
		if err != nil {
			return was, err
		}
		c, err := ui.Bulk.Undo(ctx, tx, changeID, l.T("Undone: %s", was.Label))
		if err != nil {
			return c, err
		}

		return c, audit.Record(ctx, tx, bulkEntry(c, "", audit.Change{Field: "selection", To: "undo"}))
	})

	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Conflict {
		return ui.RedirectWith(w, r, "/product-changes/"+changeID.String(), frame.Toast{Text: l.Fault(f.Message)})
	}
	if err != nil {
		return err
	}

	return ui.bulkStarted(w, r, c)
}
