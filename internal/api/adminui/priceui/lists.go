package priceui

import (
	"context"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/store"
)

// listsPage is the data of the page with the price lists.
type listsPage struct {
	Rows   []listRow
	Form   listForm // a new list that was refused
	Errors frame.FieldErrors
}

// listRow is a price list with the groups that get its prices.
type listRow struct {
	catalog.PriceList
	Groups []pricelist.Group
	// Foreign says that the list is in another currency than the store's, so that no group can get its prices.
	Foreign bool
}

// listForm is what the form of a price list has.
type listForm struct{ Name, Currency, ExternalID string }

// readListForm returns the edit that a form asks for, and the form itself to show it again.
func readListForm(r *httpapi.Request) (e pricelist.ListEdit, form listForm) {
	form = listForm{r.PostForm.Get("name"), strings.TrimSpace(r.PostForm.Get("currency")),
		strings.TrimSpace(r.PostForm.Get("external_id"))}
	e = pricelist.ListEdit{Name: &form.Name, ExternalID: &form.ExternalID}
	if form.Currency != "" {
		currency := strings.ToUpper(form.Currency)
		e.Currency = &currency
	}
	return e, form
}

func (ui *UI) listsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Price lists", "prices", nil)
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *listsPage, err error) {
		b = &listsPage{Form: listForm{Currency: v.Store.Currency}}
		lists, err := ui.readLists(ctx, tx)
		if err != nil {
			return nil, err
		}
		groups, err := ui.readGroups(ctx, tx)
		if err != nil {
			return nil, err
		}

		byList := map[catalog.PriceListID][]pricelist.Group{}
		for _, g := range groups {
			for _, listID := range g.PriceLists {
				byList[listID] = append(byList[listID], g)
			}
		}

		for _, l := range lists {
			b.Rows = append(b.Rows, listRow{l, byList[l.ID], l.Currency != v.Store.Currency})
		}
		return b, nil
	})
	v.Body = body
	return v, err
}

// readLists returns all price lists of the store.
func (ui *UI) readLists(ctx context.Context, tx store.Tx) ([]catalog.PriceList, error) {
	lists, _, err := ui.Prices.Lists.List(ctx, tx, "", pricelist.MaxLists, 0)
	return lists, err
}

// readGroups returns all customer groups of the store.
func (ui *UI) readGroups(ctx context.Context, tx store.Tx) ([]pricelist.Group, error) {
	groups, _, err := ui.Prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0)
	return groups, err
}

func (ui *UI) createList(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	e, form := readListForm(r)
	created, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.PriceList, error) {
		return ui.Prices.Lists.Create(ctx, tx, e)
	})
	if frame.Refused(err) {
		v, viewErr := ui.listsView(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*listsPage)
		body.Form = form
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "lists", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, listsPath, ui.pages.Language(r).T("“%s” is created.", created.Name))
}

// listPage is the data of the page of a price list, and of the page that asks whether to delete it.
type listPage struct {
	catalog.PriceList
	Path    string
	Form    listForm
	Errors  frame.FieldErrors
	Groups  []pricelist.Group // that get its prices
	Foreign bool
}

func priceListIDOf(r *httpapi.Request) catalog.PriceListID {
	return httpapi.PathID[catalog.PriceList](r, "id", "price list")
}

func (ui *UI) listView(r *httpapi.Request) (frame.View, error) {
	listID := priceListIDOf(r)
	v := ui.pages.NewView(r, "Price list", "prices", nil)
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *listPage, err error) {
		b = &listPage{Path: listsPath + "/" + listID.String()}
		if b.PriceList, err = ui.Prices.Lists.Find(ctx, tx, listID); err != nil {
			return nil, err
		}
		groups, err := ui.readGroups(ctx, tx)
		for _, g := range groups {
			if g.Uses(listID) {
				b.Groups = append(b.Groups, g)
			}
		}
		return b, err
	})
	if err != nil {
		return v, err
	}

	body.Foreign = body.Currency != v.Store.Currency
	body.Form = listForm{Name: body.Name, Currency: body.Currency}
	if body.ExternalID != nil {
		body.Form.ExternalID = *body.ExternalID
	}

	v.Title = body.Name
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Price lists"), URL: listsPath}}
	return v, nil
}

func (ui *UI) editList(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	listID := priceListIDOf(r)
	pre := frame.RenderedVersion(r)
	e, form := readListForm(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.PriceList, error) {
		return ui.Prices.Lists.Edit(ctx, tx, listID, e, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.listView(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*listPage)
		body.Form = form
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		if fault.KindOf(err) == fault.Stale {
			return ui.pages.Reject(w, "list", v, v.Stale(v.T("“%s”", body.Name)))
		}
		return ui.pages.Reject(w, "list", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, listsPath+"/"+listID.String(), ui.pages.Language(r).T("Saved."))
}

func (ui *UI) deleteList(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	listID := priceListIDOf(r)
	pre := frame.RenderedVersion(r)
	deleted, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (catalog.PriceList, error) {
		l, err := ui.Prices.Lists.Find(ctx, tx, listID)
		if err != nil {
			return l, err
		}
		return l, ui.Prices.Lists.Delete(ctx, tx, listID, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.listView(r)
		if viewErr != nil {
			return viewErr
		}
		return ui.pages.Reject(w, "list_delete", v, v.StaleImpact())
	}

	return ui.Done(w, r, err, listsPath, ui.pages.Language(r).T("“%s” is deleted.", deleted.Name))
}
