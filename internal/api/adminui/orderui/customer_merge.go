package orderui

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// mergeBody is the data of the page that joins a customer with another one.
type mergeBody struct {
	ID, Name string
	// Q is the search for the other customer, and Found what it has found.
	Q        string
	Searched bool
	Found    []mergeChoice
	// Kept and Merged are the two people, once the other one is chosen.
	Kept, Merged *mergePerson
	// Rows are what the shop knows of both.
	Rows []mergeRow
}

// mergeRow is what the shop knows of both people.
type mergeRow struct{ Name, Kept, Merged string }

// mergeChoice is a customer who can be chosen.
type mergeChoice struct {
	customerRow
	URL string
}

// mergePerson is one of the people who are joined.
type mergePerson struct {
	customerRow
	Logins, Group, Note string
	Version             int64
}

func customerIDFromPath(r *httpapi.Request) customer.ID {
	return httpapi.PathID[access.Customer](r, "id", "customer")
}

// merging serves the pages that join customers.
type merging struct{ *UI }

// mergePage finds another customer, and shows what joining both means.
func (ui merging) mergePage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderMerge(w, r, r.URL.Query(), http.StatusOK, "")
}

// renderMerge writes the page. fields say what is searched, or who was chosen.
func (ui merging) renderMerge(
	w http.ResponseWriter, r *httpapi.Request, fields url.Values, status int, failure string,
) error {
	customerID := customerIDFromPath(r)
	v := ui.pages.NewView(r, "Join customers", "customers", nil)
	search := searchText(fields.Get("q"))

	body, err := frame.ReadStore(ui.Frame, r, search != "",
		func(ctx context.Context, tx store.Tx) (b mergeBody, err error) {
			c, err := customer.Find(ctx, tx, customerID)
			if err != nil {
				return b, err
			}
			b = mergeBody{ID: c.ID.String(), Name: newCustomerRow(v, &c, order.CustomerTotals{}).Title(), Q: search}
			if other, err := id.Parse[access.Customer](fields.Get("with")); err == nil && other != customerID {
				err := ui.readPair(ctx, tx, v, &b, customerID, other)
				return b, err
			}
			err = ui.readMergeChoices(ctx, tx, v, &b, &c)
			return b, err
		})
	if err != nil {
		return err
	}

	v.Failure = failure
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"},
		{Text: body.Name, URL: "/customers/" + body.ID}}
	return ui.pages.Render(w, status, "customer_merge", v)
}

// readPair reads the two people.
func (ui merging) readPair(
	ctx context.Context, tx store.Tx, v frame.View, b *mergeBody, first, second customer.ID,
) error {
	p, err := order.Merges{Orders: ui.Orders}.Pair(ctx, tx, first, second)
	if err != nil {
		return err
	}
	totals, err := ui.Orders.TotalsOfCustomers(ctx, tx, []int64{p.Kept.Key, p.Merged.Key})
	if err != nil {
		return err
	}

	for _, one := range []struct {
		from *customer.Customer
		to   **mergePerson
	}{{&p.Kept, &b.Kept}, {&p.Merged, &b.Merged}} {
		c := one.from
		person := &mergePerson{customerRow: newCustomerRow(v, c, totals[c.Key]), Note: c.Note, Version: c.Version,
			Logins: provenText(c)}
		if person.Group, err = access.GroupName(ctx, tx, c.GroupID); err != nil {
			return err
		}
		*one.to = person
	}

	kept, merged := b.Kept, b.Merged
	b.Rows = []mergeRow{{v.T("E-mail"), kept.Email, merged.Email}, {v.T("Phone"), kept.Phone, merged.Phone},
		{v.T("Signs in with"), kept.Logins, merged.Logins}, {v.T("Group"), kept.Group, merged.Group},
		{v.T("Orders"), kept.customerRow.Orders, merged.customerRow.Orders},
		{v.T("Sum"), strings.Join(kept.Sums, ", "), strings.Join(merged.Sums, ", ")},
		{v.T("Note"), kept.Note, merged.Note}}
	return nil
}

// readMergeChoices reads whom a search finds, or who may be the same person.
func (ui merging) readMergeChoices(
	ctx context.Context, tx store.Tx, v frame.View, b *mergeBody, c *customer.Customer,
) (err error) {
	var list []customer.Customer
	if b.Q == "" {
		list, err = customer.Duplicates(ctx, tx, c)
	} else {
		var part customer.Part
		part, err = ui.Customers.List(ctx, tx, customer.Filter{Search: b.Q, Tolerant: true}, nil, foundPeople)
		list = part.Customers
		b.Searched = true
	}

	for i := range list {
		if list[i].Key != c.Key {
			b.Found = append(b.Found, mergeChoice{newCustomerRow(v, &list[i], order.CustomerTotals{}),
				frame.Address("/customers/"+b.ID+"/merge", "with", list[i].ID.String())})
		}
	}
	return err
}

// mergeCustomers joins two customers.
func (ui merging) mergeCustomers(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	customerID := customerIDFromPath(r)
	l := ui.pages.Language(r)
	other, err := id.Parse[access.Customer](r.PostForm.Get("with"))
	if err != nil {
		return ui.renderMerge(w, r, r.PostForm, http.StatusUnprocessableEntity, l.T("Choose another customer."))
	}

	kept, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (customer.Customer, error) {
		return order.Merges{Orders: ui.Orders}.Merge(ctx, tx, customerID, other,
			versionNamed(r.PostForm, "kept"), versionNamed(r.PostForm, "merged"))
	})
	switch {
	case err == nil:
		return ui.RedirectWith(w, r, "/customers/"+kept.ID.String(),
			frame.Toast{Text: l.T("The customers are joined.")})
	case fault.KindOf(err) == fault.Stale:
		return ui.renderMerge(w, r, r.PostForm, http.StatusConflict,
			l.T("Nothing was done: somebody else has changed one of the customers meanwhile. Look at both again."))
	case isConflict(err) || fault.KindOf(err) == fault.Invalid:
		return ui.renderMerge(w, r, url.Values{}, http.StatusConflict, l.FaultMessage(err))
	}
	return err
}

// versionNamed returns the precondition that the object has the version of a field of a form.
func versionNamed(form url.Values, name string) fault.Precondition {
	want, err := strconv.ParseInt(form.Get(name), 10, 64)
	return func(version int64) bool { return err == nil && version == want }
}

// provenText returns the addresses that a customer signs in with.
func provenText(c *customer.Customer) string {
	var list []string
	for _, address := range []*string{c.LoginEmail, c.LoginPhone} {
		if address != nil {
			list = append(list, *address)
		}
	}
	return strings.Join(list, ", ")
}
