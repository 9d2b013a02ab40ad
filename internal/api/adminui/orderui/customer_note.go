package orderui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// customerPlaces is what the newest orders of a customer say of the person: the distinct delivery addresses and
// contacts, newest first.
type customerPlaces struct {
	Addresses []string
	Contacts  []order.Contact
}

// placesOf returns what orders say of their customer.
func placesOf(orders []order.Order) (p customerPlaces) {
	for i := range orders {
		o := &orders[i]
		if address := strings.TrimSpace(o.Delivery.Address); address != "" && !slices.Contains(p.Addresses, address) {
			p.Addresses = append(p.Addresses, address)
		}
		erased := o.Contact.Name == order.ErasedName
		if o.Contact != (order.Contact{}) && !erased && !slices.Contains(p.Contacts, o.Contact) {
			p.Contacts = append(p.Contacts, o.Contact)
		}
	}
	return p
}

// averageOf returns what an order costs on average, or "" if the orders have no common currency.
func averageOf(v frame.View, t order.CustomerTotals) string {
	if len(t.Sums) != 1 || t.Orders == 0 {
		return ""
	}
	return v.Money(t.Sums[0].Total/money.Money(t.Orders), t.Sums[0].Currency)
}

// saveCustomerNote replaces the note that the shop has on a customer.
func (ui *UI) saveCustomerNote(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	customerID := httpapi.PathID[access.Customer](r, "id", "customer")
	pre := versionField(r)
	note := strings.ReplaceAll(r.PostForm.Get("note"), "\r\n", "\n")

	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (customer.Customer, error) {
		return ui.Customers.SetNote(ctx, tx, customerID, note, pre)
	})
	if isConflict(err) || fault.KindOf(err) == fault.Invalid {
		return ui.refuseCustomerNote(w, r, note, err)
	}
	if err != nil {
		return err
	}

	return ui.RedirectWith(w, r, "/customers/"+customerID.String(),
		frame.Toast{Text: ui.pages.Language(r).T("The note is saved.")})
}

// refuseCustomerNote writes the page of a customer with a note that was refused, still in its field.
func (ui *UI) refuseCustomerNote(w http.ResponseWriter, r *httpapi.Request, note string, refused error) error {
	v, err := ui.customerView(r)
	if err != nil {
		return err
	}
	body := v.Body.(customerBody)
	body.NoteText = note

	if !isConflict(refused) {
		body.Errors = frame.NewFieldErrors(v.Language, refused, nil)
		v.Body = body
		return ui.pages.Reject(w, "customer", v, v.T("The note was not saved."))
	}
	v.Body = body
	v.Failure = v.T("Somebody else has changed this customer meanwhile.")
	if note != body.Note {
		v.Failure += " " + v.T("Your note is still in the field; compare it with the stored one and save it again.")
	}
	return ui.pages.Render(w, http.StatusConflict, "customer", v)
}
