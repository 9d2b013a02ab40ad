package orderui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// handlingForms are what the shop has added to a submitted order, and the forms that change it.
type handlingForms struct {
	// Has says that the order can have such things: it is no cart.
	Has bool
	// May says that the operator may change them.
	May      bool
	Note     string
	Tags     []tagLink
	Tracking order.Tracking
	Paid     *frame.Timestamp
	// NoteText, TagsText and Parcel are the texts in the fields, which were refused if they differ from what is stored.
	NoteText, TagsText string
	Parcel             order.Tracking
	Errors             frame.FieldErrors
}

// tagLink is a tag with the address of the list of the orders with it.
type tagLink struct{ Text, URL string }

// changeRow is a changed member of an order. From or To is empty if it had or has no value.
type changeRow struct{ Field, From, To string }

func newHandlingForms(v frame.View, o *order.Order) handlingForms {
	f := handlingForms{Has: o.State != order.Draft, May: v.May(string(access.OrdersWrite)), Note: o.Note,
		Tags: tagLinks(o.Tags), Tracking: o.Tracking,
		NoteText: o.Note, TagsText: strings.Join(o.Tags, ", "), Parcel: o.Tracking}
	if o.PaidAt != nil {
		f.Paid = new(v.Timestamp(*o.PaidAt))
	}
	return f
}

func tagLinks(tags []string) (list []tagLink) {
	for _, tag := range tags {
		list = append(list, tagLink{tag, frame.Address("/orders", "tag", tag)})
	}
	return list
}

// updateSteps returns the changes of a submitted order by the log, besides those of its state, the oldest first.
func updateSteps(v frame.View, d orderData) (list []step) {
	noted := v.T("Note changed")
	for _, e := range slices.Backward(d.log) {
		s := step{time: e.At, By: actorName(v, e.Actor)}
		switch e.Action {
		case audit.OrderNoted:
			s.Icon, s.Text = "pencil", noted
		case audit.OrderEntered:
			s.Icon, s.Text = "phone", v.T("The shop entered the order")
		case audit.OrderUpdated:
			s.Icon, s.Text = "pencil", v.T("Changed")
		default:
			continue
		}

		for _, c := range e.Changes {
			s.Changes = append(s.Changes, newChangeRow(v, c))
		}
		if len(e.Changes) == 1 && e.Changes[0].Field == "paid_at" {
			s.Icon, s.Text, s.Changes = paidStep(v, e.Changes[0])
		}
		list = append(list, s)
	}

	// An event belongs to the last change that began before it.
	for _, u := range d.updates {
		for i := range slices.Backward(list) {
			if s := &list[i]; s.Text != noted && !s.time.After(u.At) {
				s.Deliveries = append(s.Deliveries, stepDeliveries(v, d, u.ID)...)
				break
			}
		}
	}

	return list
}

// paidStep returns icon, text and changes of a step that only marks an order as paid, or not.
func paidStep(v frame.View, c audit.Change) (icon, text string, changes []changeRow) {
	if c.To == "" {
		return "undo-2", v.T("Marked as not paid"), nil
	}
	return "circle-check", v.T("Paid"), nil
}

// newChangeRow returns a change for people.
func newChangeRow(v frame.View, c audit.Change) changeRow {
	row := changeRow{c.Field, c.From, c.To}

	switch c.Field {
	case "note":
		row.Field = v.T("Note")
	case "tags":
		row.Field = v.T("Tags")
	case "tracking.number":
		row.Field = v.T("Number of the parcel")
	case "tracking.carrier":
		row.Field = v.T("Carrier")
	case "tracking.url":
		row.Field = v.T("Link to the parcel")
	case "paid_at":
		row = changeRow{v.T("Paid"), momentText(v, c.From), momentText(v, c.To)}
	case "payment_number":
		row.Field = v.T("Number of the payment in 1C")
	case "contact.name":
		row.Field = v.T("Name")
	case "contact.phone":
		row.Field = v.T("Phone")
	case "contact.email":
		row.Field = v.T("E-mail")
	case "delivery.address":
		row.Field = v.T("Address")
	case "delivery.comment":
		row.Field = v.T("Delivery comment")
	case "comment":
		row.Field = v.T("Comment")
	case "lines":
		row.Field = v.T("Line")
	case "total":
		row.Field = v.T("Total")
	}

	return row
}

// momentText returns a time of the log for people.
func momentText(v frame.View, text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return v.Timestamp(at).Text
}

// readUpdate returns the change that a form of the page of an order asks for: what it has no field of stays.
func (ui *UI) readUpdate(form url.Values) (u order.Update) {
	if form.Has("note") {
		u.Note = new(strings.ReplaceAll(form.Get("note"), "\r\n", "\n"))
	}

	if form.Has("tags") {
		u.Tags = new(order.TagsOf(form.Get("tags")))
	}

	if form.Has("tracking.number") {
		u.Tracking = &order.Tracking{Number: form.Get("tracking.number"), Carrier: form.Get("tracking.carrier"),
			URL: form.Get("tracking.url")}
	}

	switch form.Get("paid") {
	case "yes":
		u.PaidAt = new(ui.Now())
	case "no":
		u.PaidAt = &time.Time{}
	}

	return u
}

// updateOrder changes what the shop has added to an order.
func (ui *UI) updateOrder(w http.ResponseWriter, r *httpapi.Request) error {
	id := orderIDFromPath(r)
	frame.ParseForm(r)
	pre := versionField(r)
	shop := r.Principal.Store
	u := ui.readUpdate(r.PostForm)

	o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
		return ui.Orders.Update(ctx, tx, shop, id, u, pre, "")
	})
	switch {
	case isConflict(err) || fault.KindOf(err) == fault.Invalid:
		return ui.refuseUpdate(w, r, u, err)
	case err != nil:
		return err
	}

	return ui.RedirectWith(w, r, "/orders/"+id.String(), updateToast(ui.pages.Language(r), u, &o))
}

// updateToast returns the message after a change. A payment can be undone.
func updateToast(l *frame.Language, u order.Update, o *order.Order) frame.Toast {
	switch {
	case u.Note != nil:
		return frame.Toast{Text: l.T("The note is saved.")}
	case u.PaidAt != nil && u.PaidAt.IsZero():
		return frame.Toast{Text: l.T("The order is marked as not paid.")}
	case u.PaidAt != nil:
		undo := &frame.Undo{Action: "/orders/" + o.ID.String() + "/update", Fields: versionFields(o.Version)}
		undo.Fields.Set("paid", "no")
		return frame.Toast{Text: l.T("The order is marked as paid."), Undo: undo}
	}
	return frame.Toast{Text: l.T("Saved.")}
}

// refuseUpdate writes the page of an order whose change was refused, with the texts still in their fields.
func (ui *UI) refuseUpdate(w http.ResponseWriter, r *httpapi.Request, u order.Update, refused error) error {
	v, d, err := ui.readOrderView(r)
	if err != nil {
		return err
	}

	body := newOrderBody(v, d)
	v.Title = body.Title
	f := &body.Handling
	if u.Note != nil {
		f.NoteText = *u.Note
	}

	if u.Tags != nil {
		f.TagsText = strings.Join(*u.Tags, ", ")
	}

	if u.Tracking != nil {
		f.Parcel = *u.Tracking
	}

	if !isConflict(refused) {
		f.Errors = frame.NewFieldErrors(v.Language, refused, nil)
		v.Body = body
		return ui.pages.Reject(w, "order", v, v.T("Nothing was saved. Look at the field that is marked."))
	}

	v.Failure = v.T("Nothing was saved, because the order has changed meanwhile. It is now “%s”.", body.State.Text)
	if len(d.log) > 0 {
		v.Failure += " " + v.T("The last change was by %s on %s.", actorName(v, d.log[0].Actor),
			v.Timestamp(d.log[0].At).Text)
	}
	if u.Note != nil || u.Tags != nil || u.Tracking != nil {
		v.Failure += " " + v.T("What you typed is still in its field; compare it with what is stored and save it "+
			"again.")
	}
	v.Body = body
	return ui.pages.Render(w, http.StatusConflict, "order", v)
}
