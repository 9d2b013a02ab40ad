package priceui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/store"
)

// groupsPage is the data of the page with the customer groups.
type groupsPage struct {
	Rows []groupRow
	Form groupForm // a new group that was refused
	// Lists are the price lists that groups can get.
	Lists  []catalog.PriceList
	Errors frame.FieldErrors
}

// groupRow is a customer group with its price lists, the first that has a price first.
type groupRow struct {
	pricelist.Group
	Lists []catalog.PriceList
}

// groupForm is what the form of a group has. Chosen are the ids of its price lists, one for each choice of the form;
// "" is no list.
type groupForm struct {
	Name, ExternalID string
	Chosen           []string
}

// spareChoices is the number of empty choices after the price lists of a group.
const spareChoices = 2

// fillChoices appends empty choices, at most as many as there are lists altogether.
func (f *groupForm) fillChoices(lists int) {
	f.Chosen = slices.DeleteFunc(f.Chosen, func(chosen string) bool { return chosen == "" })
	for range spareChoices {
		if len(f.Chosen) < lists {
			f.Chosen = append(f.Chosen, "")
		}
	}
}

// readGroupForm returns the edit that a form asks for, and the form itself to show it again. What is no id becomes the
// zero id, which no list has.
func readGroupForm(r *httpapi.Request) (e pricelist.GroupEdit, form groupForm) {
	form = groupForm{Name: r.PostForm.Get("name"), ExternalID: strings.TrimSpace(r.PostForm.Get("external_id")),
		Chosen: r.PostForm["price_lists"]}
	lists := []catalog.PriceListID{}
	for _, chosen := range form.Chosen {
		if chosen == "" {
			continue
		}
		listID, _ := id.Parse[catalog.PriceList](chosen)
		lists = append(lists, listID)
	}
	return pricelist.GroupEdit{Name: &form.Name, ExternalID: &form.ExternalID, PriceLists: &lists}, form
}

// usableLists returns the lists whose prices groups can get: those in the currency of the store.
func usableLists(lists []catalog.PriceList, currency string) []catalog.PriceList {
	return slices.DeleteFunc(slices.Clone(lists), func(l catalog.PriceList) bool { return l.Currency != currency })
}

func (ui *UI) groupsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Customer groups", "customers", nil)
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *groupsPage, err error) {
		lists, err := ui.readLists(ctx, tx)
		if err != nil {
			return nil, err
		}
		groups, err := ui.readGroups(ctx, tx)
		if err != nil {
			return nil, err
		}

		byID := map[catalog.PriceListID]catalog.PriceList{}
		for _, l := range lists {
			byID[l.ID] = l
		}

		b = &groupsPage{Lists: usableLists(lists, v.Store.Currency)}
		for _, g := range groups {
			row := groupRow{Group: g}
			for _, listID := range g.PriceLists {
				row.Lists = append(row.Lists, byID[listID])
			}
			b.Rows = append(b.Rows, row)
		}
		b.Form.fillChoices(len(b.Lists))
		return b, nil
	})
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"}}
	return v, err
}

func (ui *UI) createGroup(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	e, form := readGroupForm(r)
	created, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (pricelist.Group, error) {
		return ui.Prices.Groups.Create(ctx, tx, e)
	})
	if frame.Refused(err) {
		v, viewErr := ui.groupsView(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*groupsPage)
		body.Form = form
		body.Form.fillChoices(len(body.Lists))
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "groups", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, groupsPath, ui.pages.Language(r).T("“%s” is created.", created.Name))
}

// groupPage is the data of the page of a customer group, and of the page that asks whether to delete it.
type groupPage struct {
	pricelist.Group
	Path   string
	Form   groupForm
	Lists  []catalog.PriceList
	Errors frame.FieldErrors
}

// ListNames returns the names of the price lists of the group, in the order in which they are asked for a price.
func (p *groupPage) ListNames() string {
	var names []string
	for _, chosen := range p.Form.Chosen {
		for _, list := range p.Lists {
			if list.ID.String() == chosen {
				names = append(names, list.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func groupIDOf(r *httpapi.Request) pricelist.GroupID {
	return httpapi.PathID[pricelist.Group](r, "id", "customer group")
}

func (ui *UI) groupView(r *httpapi.Request) (frame.View, error) {
	groupID := groupIDOf(r)
	v := ui.pages.NewView(r, "Customer group", "customers", nil)
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *groupPage, err error) {
		b = &groupPage{Path: groupsPath + "/" + groupID.String()}
		if b.Group, err = ui.Prices.Groups.Find(ctx, tx, groupID); err != nil {
			return nil, err
		}
		lists, err := ui.readLists(ctx, tx)
		b.Lists = usableLists(lists, v.Store.Currency)
		return b, err
	})
	if err != nil {
		return v, err
	}

	body.Form.Name = body.Name
	if body.ExternalID != nil {
		body.Form.ExternalID = *body.ExternalID
	}
	for _, listID := range body.PriceLists {
		body.Form.Chosen = append(body.Form.Chosen, listID.String())
	}
	body.Form.fillChoices(len(body.Lists))

	v.Title = body.Name
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"},
		{Text: v.T("Customer groups"), URL: groupsPath}}
	return v, nil
}

func (ui *UI) editGroup(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	groupID := groupIDOf(r)
	pre := frame.RenderedVersion(r)
	e, form := readGroupForm(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (pricelist.Group, error) {
		return ui.Prices.Groups.Edit(ctx, tx, groupID, e, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.groupView(r)
		if viewErr != nil {
			return viewErr
		}
		body := v.Body.(*groupPage)
		body.Form = form
		body.Form.fillChoices(len(body.Lists))
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		if fault.KindOf(err) == fault.Stale {
			return ui.pages.Reject(w, "group", v, v.Stale(v.T("“%s”", body.Name)))
		}
		return ui.pages.Reject(w, "group", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, groupsPath+"/"+groupID.String(), ui.pages.Language(r).T("Saved."))
}

func (ui *UI) deleteGroup(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	groupID := groupIDOf(r)
	pre := frame.RenderedVersion(r)
	deleted, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (pricelist.Group, error) {
		g, err := ui.Prices.Groups.Find(ctx, tx, groupID)
		if err != nil {
			return g, err
		}
		return g, ui.Prices.Groups.Delete(ctx, tx, groupID, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.groupView(r)
		if viewErr != nil {
			return viewErr
		}
		return ui.pages.Reject(w, "group_delete", v, v.StaleImpact())
	}

	return ui.Done(w, r, err, groupsPath, ui.pages.Language(r).T("“%s” is deleted.", deleted.Name))
}
