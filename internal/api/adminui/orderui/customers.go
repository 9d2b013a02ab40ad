package orderui

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// customersBody is the data of the list.
type customersBody struct {
	Q     string
	Rows  []customerRow
	Pager frame.Pager
	Clear string
	Empty frame.Empty
}

// customerRow is a customer. Sums are the totals of the orders, one for each currency.
type customerRow struct {
	ID, Name, Email, Phone string
	Since                  frame.Timestamp
	Orders                 string
	Sums                   []string
}

func (ui *UI) customersPage(w http.ResponseWriter, r *httpapi.Request) error {
	q := strings.TrimSpace(r.Query.SearchText())
	var at *customer.Position
	if numbers, newer := positionParam(r, 1); numbers != nil {
		at = &customer.Position{Key: numbers[0], Newer: newer}
	}

	v := ui.pages.NewView(r, "Customers", "customers", nil)

	body, err := frame.ReadStore(ui.Frame, r, q != "", func(
		ctx context.Context, tx store.Tx,
	) (b customersBody, err error) {
		part, err := ui.Customers.List(ctx, tx, customer.Filter{Search: q}, at, rowsPerPage)
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

		b.Q = q
		for i := range part.Customers {
			b.Rows = append(b.Rows, newCustomerRow(v, &part.Customers[i], totals[keys[i]]))
		}

		b.Pager = frame.NewPager(part.Newer, part.Older, func(name string, at *customer.Position) string {
			return frame.Address("/customers", "q", q, name, strconv.FormatInt(at.Key, 10))
		})
		b.Empty = frame.Empty{Text: v.T("There are no customers yet."),
			Hint: v.T("A customer appears here after signing in on your site. Orders of guests are under Orders.")}
		if q != "" {
			b.Clear = "/customers"
			b.Empty = frame.Empty{Text: v.T("Nothing matches this search."), URL: b.Clear, Action: v.T("Show all")}
		}

		return b, nil
	})
	if err != nil {
		return err
	}

	v.Body = body
	return ui.pages.Render(w, http.StatusOK, "customers", v)
}

func newCustomerRow(v frame.View, c *customer.Customer, t order.CustomerTotals) customerRow {
	row := customerRow{ID: c.ID.String(), Name: c.Name, Email: textOf(c.Email), Phone: textOf(c.Phone),
		Since: v.Timestamp(c.CreatedAt), Orders: v.Number(t.Orders)}
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

// textOf returns the text of p, or "" for nil.
func textOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// customerBody is the data of the page of a customer.
type customerBody struct {
	customerRow
	LoginEmail, LoginPhone string
	OrderRows              []orderRow
	OrdersPager            frame.Pager
	Inquiries              []inquiryRow
}

// shownInquiries is the number of inquiries that the page of a customer shows.
const shownInquiries = 20

func (ui *UI) customerPage(w http.ResponseWriter, r *httpapi.Request) error {
	id := httpapi.PathID[access.Customer](r, "id", "customer")
	at := orderPosition(r)
	v := ui.pages.NewView(r, "Customer", "customers", nil)

	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (b customerBody, err error) {
		c, err := ui.Customers.Customer(ctx, tx, id)
		if err != nil {
			return b, err
		}
		totals, err := ui.Orders.TotalsOfCustomers(ctx, tx, []int64{c.Key})
		if err != nil {
			return b, err
		}

		b = customerBody{customerRow: newCustomerRow(v, &c, totals[c.Key]), LoginEmail: textOf(c.LoginEmail),
			LoginPhone: textOf(c.LoginPhone)}
		if v.May(string(access.OrdersRead)) {
			filter := order.Filter{CustomerKey: c.Key, Submitted: true}
			part, err := ui.Orders.List(ctx, tx, v.Store, filter, at, rowsPerPage)
			if err != nil {
				return b, err
			}
			b.OrderRows, b.OrdersPager = orderRows(v, part), ordersQuery{}.pager("/customers/"+b.ID, part)
		}

		if v.May(string(access.InquiriesRead)) {
			list, err := ui.Inquiries.WithContact(ctx, tx, c.Addresses(), shownInquiries)
			if err != nil {
				return b, err
			}
			b.Inquiries = inquiryRows(v, list)
		}

		return b, nil
	})
	if err != nil {
		return err
	}

	v.Title = body.Title()
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"}}

	return ui.pages.Render(w, http.StatusOK, "customer", v)
}
