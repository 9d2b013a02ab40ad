package orderui

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// customersBody is the data of the list.
type customersBody struct {
	Q string
	// Group is the group whose customers are shown, or nil for all.
	Group *pricelist.Group
	// Tabs are everybody, customers who sign in, and guests; none if only a group is shown.
	Tabs []tab
	// People is the kind that is shown; "" for everybody.
	People string
	Rows   []customerRow
	// Exports are the addresses of the list as a file.
	Exports []frame.Link
	// Choice are the columns.
	Choice frame.ColumnChoice
	Views  frame.Views
	Pager  frame.Pager
	Clear  string
	Empty  frame.Empty
}

// customerRow is a customer. Sums are the totals of the orders, one for each currency.
type customerRow struct {
	ID, Name, Email, Phone string
	Since                  frame.Timestamp
	Orders                 string
	Sums                   []string
	Guest                  bool
}

func (ui *UI) customersPage(w http.ResponseWriter, r *httpapi.Request) error {
	q := strings.TrimSpace(r.Query.SearchText())
	var at *customer.Position
	if numbers, newer := positionParam(r, 1); numbers != nil {
		at = &customer.Position{Key: numbers[0], Newer: newer}
	}

	people, kind := peopleParam(r)
	filter := customer.Filter{Search: q, Tolerant: true, Group: groupParam(r), People: people}
	v := ui.pages.NewView(r, "Customers", "customers", nil)

	body, err := frame.ReadStore(ui.Frame, r, q != "", func(
		ctx context.Context, tx store.Tx,
	) (b customersBody, err error) {
		columns := frame.ReadColumns(r, customerColumns(v.Language), "", nil)
		b.Views, err = frame.ReadViews(ctx, tx, r, listview.Customers, columns.Param())
		if err != nil || b.Views.Redirect != "" {
			return b, err
		}

		group := ""
		if filter.Group != nil {
			g, err := ui.Prices.Groups.Find(ctx, tx, pricelist.GroupID(*filter.Group))
			if err != nil {
				return b, err
			}
			b.Group = &g
			group = g.ID.String()
		}

		part, err := ui.Customers.List(ctx, tx, filter, at, rowsPerPage)
		if err != nil {
			return b, err
		}

		keys := make([]int64, len(part.Customers))
		for i := range part.Customers {
			keys[i] = part.Customers[i].Key
		}

		totals, err := ui.Orders.TotalsOfCustomers(ctx, tx, keys)
		if err != nil {
			return b, err
		}

		b.Q, b.People = q, kind
		if b.Group == nil {
			b.Tabs = peopleTabs(v, q, kind)
		}
		address := func(pairs ...string) string {
			all := append([]string{"q", q, "people", kind, "group", group, "view", b.Views.Param}, pairs...)
			return frame.Address("/customers", all...)
		}
		b.Choice = frame.ColumnChoice{Columns: columns, Path: "/customers", Hidden: frame.HiddenParams(address())}
		for _, format := range []frame.TableFormat{frame.XLSX, frame.CSV} {
			b.Exports = append(b.Exports, frame.Link{Text: strings.ToUpper(string(format)),
				URL: frame.Address("/customers."+string(format), "q", q, "people", kind, "group", group)})
		}
		for i := range part.Customers {
			b.Rows = append(b.Rows, newCustomerRow(v, &part.Customers[i], totals[keys[i]]))
		}

		b.Pager = frame.NewPager(part.Newer, part.Older, func(name string, at *customer.Position) string {
			return address("columns", b.Choice.Param(), name, strconv.FormatInt(at.Key, 10))
		})
		b.Empty = frame.Empty{Text: v.T("There are no customers yet."),
			Hint: v.T("Whoever orders or signs in on your site appears here.")}
		if q != "" || b.Group != nil || kind != "" {
			b.Clear = frame.Address("/customers", "view", b.Views.Param)
			b.Empty = frame.Empty{Text: v.T("Nothing matches this search."), URL: b.Clear, Action: v.T("Show all")}
		}

		return b, nil
	})
	if target := body.Views.Elsewhere(r, err); target != "" {
		return frame.Redirect(w, r.Request, target)
	}
	if err != nil {
		return err
	}

	v.Body = body
	return ui.pages.Render(w, http.StatusOK, "customers", v)
}

// customerColumns returns the columns of the list.
func customerColumns(l *frame.Language) []frame.Column {
	return []frame.Column{
		{Text: l.T("Customer")},
		{Name: "contact", Text: l.T("Contact")},
		{Name: "since", Text: l.T("Customer since")},
		{Name: "orders", Text: l.T("Orders"), Class: "number"},
		{Name: "sum", Text: l.T("Sum"), Class: "number"},
	}
}

// CheckCustomersView reads the query of the request as that of a saved view of the customers. It reports errors through
// r.Fail.
func CheckCustomersView(r *httpapi.Request) {
	r.Query.SearchText()
	peopleParam(r)
	groupParam(r)
}

// peopleParam returns the kind of customers that is asked for, and its name; "" for everybody.
func peopleParam(r *httpapi.Request) (people customer.People, name string) {
	switch name = r.URL.Query().Get("people"); name {
	case "":
		return customer.Everybody, ""
	case "customers":
		return customer.SignedIn, name
	case "guests":
		return customer.Guests, name
	}
	r.Query.BadParam("people", "must be customers or guests")
	return customer.Everybody, ""
}

// peopleTabs returns the links to everybody, customers who sign in, and guests.
func peopleTabs(v frame.View, q, current string) (tabs []tab) {
	for _, t := range []struct{ text, name string }{
		{v.T("Everybody"), ""}, {v.T("Signed in"), "customers"}, {v.T("Guests"), "guests"},
	} {
		tabs = append(tabs, tab{Text: t.text, URL: frame.Address("/customers", "q", q, "people", t.name),
			Current: t.name == current})
	}
	return tabs
}

// groupParam returns the group whose customers are asked for, or nil for all customers.
func groupParam(r *httpapi.Request) *access.GroupID {
	text := r.URL.Query().Get("group")
	if text == "" {
		return nil
	}
	groupID, err := id.Parse[access.CustomerGroup](text)
	if err != nil {
		r.Query.BadParam("group", "must be the id of a customer group")
	}
	return &groupID
}

func newCustomerRow(v frame.View, c *customer.Customer, t order.CustomerTotals) customerRow {
	row := customerRow{ID: c.ID.String(), Name: c.Name, Email: textOf(c.Email), Phone: textOf(c.Phone),
		Since: v.Timestamp(c.CreatedAt), Orders: v.Number(t.Orders), Guest: c.Guest}
	for _, sum := range t.Sums {
		row.Sums = append(row.Sums, v.Money(sum.Total, sum.Currency))
	}
	return row
}

// Title returns the name of the customer, or an address.
func (row customerRow) Title() string {
	for _, name := range []string{row.Name, row.Email, row.Phone} {
		if name != "" {
			return name
		}
	}
	return row.ID
}

func textOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// customerBody is the data of the page of a customer.
type customerBody struct {
	customerRow
	Version int64
	// Groups are all groups of the store; Group is the customer's, or nil.
	Groups                 []pricelist.Group
	Group                  *pricelist.Group
	LoginEmail, LoginPhone string
	OrderTable             orderTable
	OrdersPager            frame.Pager
	// Unproven are the last orders that are shown under the customer and are not the customer's: those of guests with
	// an address that the customer signs in with, which become the customer's at the next sign-in, and those of people
	// with whom the shop has joined the customer.
	Unproven  orderTable
	Inquiries inquiryTable
	// Last is the time of the newest order; nil without one. Averages are what an order costs on average, if all have
	// the same currency.
	Last    *frame.Timestamp
	Average string
	// NoteText is the text in the field of the note, which was refused if it differs from Note.
	Note, NoteText string
	Errors         frame.FieldErrors
	// Duplicates are other customers with the same address.
	Duplicates []customerRow
	customerPlaces
}

// shownInquiries is the number of inquiries that the page of a customer shows.
const shownInquiries = 20

func (ui *UI) customerView(r *httpapi.Request) (frame.View, error) {
	customerID := httpapi.PathID[access.Customer](r, "id", "customer")
	at := orderPosition(r, order.ByNewest)
	v := ui.pages.NewView(r, "Customer", "customers", nil)

	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (b customerBody, err error) {
		c, err := customer.Find(ctx, tx, customerID)
		if err != nil {
			return b, err
		}
		totals, err := ui.Orders.TotalsOfCustomers(ctx, tx, []int64{c.Key})
		if err != nil {
			return b, err
		}

		b = customerBody{customerRow: newCustomerRow(v, &c, totals[c.Key]), Version: c.Version,
			LoginEmail: textOf(c.LoginEmail), LoginPhone: textOf(c.LoginPhone), Note: c.Note, NoteText: c.Note}
		b.Average = averageOf(v, totals[c.Key])
		if b.Groups, _, err = ui.Prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0); err != nil {
			return b, err
		}
		for i := range b.Groups {
			if c.GroupID != nil && b.Groups[i].ID.String() == c.GroupID.String() {
				b.Group = &b.Groups[i]
			}
		}

		if v.May(string(access.OrdersRead)) {
			filter := order.Filter{CustomerKey: c.Key, Submitted: true}
			if c.Guest {
				filter = order.Filter{GuestKey: c.Key, Submitted: true}
			} else if b.Unproven.Rows, err = unprovenRows(ctx, tx, ui.Orders, v, c.Key); err != nil {
				return b, err
			}
			part, err := ui.Orders.List(ctx, tx, v.Store, filter, at, rowsPerPage)
			if err != nil {
				return b, err
			}
			b.OrderTable.Columns = frame.NewColumns(orderColumns(v.Language, false))
			b.OrderTable.Rows, b.OrdersPager = orderRows(v, part), ordersQuery{}.pager("/customers/"+b.ID, part)

			newest := part
			if at != nil {
				if newest, err = ui.Orders.List(ctx, tx, v.Store, filter, nil, rowsPerPage); err != nil {
					return b, err
				}
			}
			b.customerPlaces = placesOf(newest.Orders)
			if len(newest.Orders) > 0 {
				b.Last = new(v.Timestamp(*newest.Orders[0].SubmittedAt))
			}
		}

		duplicates, err := customer.Duplicates(ctx, tx, &c)
		if err != nil {
			return b, err
		}
		for i := range duplicates {
			b.Duplicates = append(b.Duplicates, newCustomerRow(v, &duplicates[i], order.CustomerTotals{}))
		}

		if v.May(string(access.InquiriesRead)) {
			list, err := ui.Inquiries.WithContact(ctx, tx, c.Addresses(), shownInquiries)
			if err != nil {
				return b, err
			}
			b.Inquiries = inquiryTable{inquiryRows(v, list), frame.NewColumns(inquiryColumns(v.Language))}
		}

		return b, nil
	})
	if err != nil {
		return v, err
	}

	v.Title = body.Title()
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"}}

	return v, nil
}

// unprovenRows returns the last orders that are shown under a customer and are not the customer's.
func unprovenRows(
	ctx context.Context, tx store.Tx, orders *order.Service, v frame.View, customerKey int64,
) ([]orderRow, error) {
	filter := order.Filter{GuestKey: customerKey, Submitted: true}
	part, err := orders.List(ctx, tx, v.Store, filter, nil, rowsPerPage)
	return orderRows(v, part), err
}

// moveToGroup puts a customer into a group, or into none.
func (ui *UI) moveToGroup(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	customerID := httpapi.PathID[access.Customer](r, "id", "customer")
	pre := frame.RenderedVersion(r)
	var groupID access.GroupID // none
	var err error
	if text := r.PostForm.Get("group"); text != "" {
		if groupID, err = id.Parse[access.CustomerGroup](text); err != nil {
			err = access.UnknownGroup("group")
		}
	}

	if err == nil {
		_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (customer.Customer, error) {
			return ui.Customers.EditCustomer(ctx, tx, customerID, customer.Edit{GroupID: &groupID}, pre)
		})
	}

	if frame.Refused(err) {
		v, viewErr := ui.customerView(r)
		if viewErr != nil {
			return viewErr
		}
		if fault.KindOf(err) == fault.Stale {
			return ui.pages.Reject(w, "customer", v, v.StaleImpact())
		}
		return ui.pages.Reject(w, "customer", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, "/customers/"+customerID.String(), ui.pages.Language(r).T("Saved."))
}
