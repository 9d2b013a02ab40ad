package orderui

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// exportCustomers returns the handler that writes the customers of the list as a file. It reads them in batches, each
// on a snapshot of its own, while the file is sent.
func (ui *UI) exportCustomers(format frame.TableFormat) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		l := ui.pages.Language(r)
		shop := r.Principal.Store
		people, _ := peopleParam(r)
		filter := customer.Filter{Search: strings.TrimSpace(r.Query.SearchText()), Tolerant: true, Group: groupParam(r),
			People: people}

		err := r.RecordDownload(audit.Entry{Action: audit.CustomersDownloaded,
			Object: audit.Object{Kind: "customers"}}, false)
		if err != nil {
			return err
		}

		return r.Respond(w, func(out *httpapi.Response) error {
			file, err := frame.NewTableFile(out, l, format, l.T("Customers"))
			if err != nil {
				return err
			}
			groups, err := frame.InStore(r, ui.Read(r), ui.groupNames)
			if err != nil {
				return err
			}

			err = file.TextRow(l.T("Name"), l.T("E-mail"), l.T("Phone"), l.T("Signs in with"), l.T("Guest"),
				l.T("Customer since"), l.T("Group"), l.T("Orders"), l.T("Sum"), l.T("Currency"), l.T("Note"), "id")
			if err != nil {
				return err
			}

			var at *customer.Position
			var totals map[int64]order.CustomerTotals
			for more := true; more; more = at != nil {
				part, err := frame.InStore(r, ui.Snapshot(r), func(
					ctx context.Context, tx store.Tx,
				) (p customer.Part, err error) {
					if p, err = ui.Customers.List(ctx, tx, filter, at, exportBatch); err != nil {
						return p, err
					}
					keys := make([]int64, len(p.Customers))
					for i := range p.Customers {
						keys[i] = p.Customers[i].Key
					}
					totals, err = ui.Orders.TotalsOfCustomers(ctx, tx, keys)
					return p, err
				})
				if err != nil {
					return err
				}

				for i := range part.Customers {
					c := &part.Customers[i]
					if err := writeCustomer(file, l, shop.Zone(), c, totals[c.Key], groups); err != nil {
						return err
					}
				}

				at = part.Older
			}

			return file.Close(w, "customers-"+ui.Now().In(shop.Zone()).Format(time.DateOnly))
		})
	}
}

// groupNames returns the names of the store's customer groups.
func (ui *UI) groupNames(ctx context.Context, tx store.Tx) (map[access.GroupID]string, error) {
	groups, _, err := ui.Prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0)
	names := make(map[access.GroupID]string, len(groups))
	for _, g := range groups {
		names[access.GroupID(g.ID)] = g.Name
	}
	return names, err
}

// writeCustomer writes the row of a customer. Somebody who ordered in several currencies has one for each; the rows
// after the first have only what differs, and the id.
func writeCustomer(
	file *frame.TableFile, l *frame.Language, zone *time.Location, c *customer.Customer, t order.CustomerTotals,
	groups map[access.GroupID]string,
) error {
	var logins []string
	for _, login := range []string{textOf(c.LoginEmail), textOf(c.LoginPhone)} {
		if login != "" {
			logins = append(logins, login)
		}
	}
	guest, group := "", ""
	if c.Guest {
		guest = l.T("yes")
	}
	if c.GroupID != nil {
		group = groups[*c.GroupID]
	}

	texts := []string{c.Name, textOf(c.Email), textOf(c.Phone), strings.Join(logins, ", "), guest,
		c.CreatedAt.In(zone).Format(time.DateTime), group}
	cells := make([]xlsx.Cell, 0, len(texts)+5)
	for _, text := range texts {
		cells = append(cells, xlsx.Text(text))
	}
	cells = append(cells, xlsx.Number(strconv.FormatInt(t.Orders, 10)))

	for i := range max(1, len(t.Sums)) {
		row := cells
		if i > 0 {
			row = make([]xlsx.Cell, len(cells))
		}
		sum, currency, note := xlsx.Cell{}, "", c.Note
		if i < len(t.Sums) {
			sum = file.Number(int64(t.Sums[i].Total), money.MoneyDecimals)
			currency = t.Sums[i].Currency
		}
		if i > 0 {
			note = ""
		}
		row = append(row, sum, xlsx.Text(currency), xlsx.Text(note), xlsx.Text(c.ID.String()))
		if err := file.Row(row...); err != nil {
			return err
		}
	}
	return nil
}
