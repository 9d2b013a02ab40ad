package orderui

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// foundVariants is the number of variants that the page shows for a search.
	foundVariants = 20
	// maxFoundWords and maxFoundBytes limit the search.
	maxFoundWords = 10
	maxFoundBytes = 1024
)

// editBody is the data of the page that edits an order.
type editBody struct {
	ID, Title string
	Number    string
	Version   int64
	// Seen is the state that the page shows; see orderBody.
	Seen     order.State
	Currency string
	// Texts are the texts in the fields of the contact, the delivery and the comment, by the names of the fields.
	Texts map[string]string
	Lines []editLine
	// Q is the search for variants to add, and Found what it has found. Searched says that there was one.
	Q        string
	Searched bool
	Found    []foundVariant
	Errors   frame.FieldErrors
}

// editLine is a line of an order in the form. Quantity and Price are the texts in its fields.
type editLine struct {
	ID, Name, SKU   string
	Options         []order.ItemOption
	Modifiers       []modifierRow
	Quantity, Price string
	Unit            string
	Removed         bool
	Wrong           frame.FieldError
}

// foundVariant is a variant that can be added. Quantity is the text in its field.
type foundVariant struct {
	ID, Name, SKU, Options string
	Price, Available       string
	Quantity               string
	Wrong                  frame.FieldError
}

// Attributes returns the ARIA attributes of the fields of the line.
func (l editLine) Attributes() template.HTMLAttr { return wrongAttributes(l.Wrong) }

// Attributes returns the ARIA attributes of the field of the variant.
func (f foundVariant) Attributes() template.HTMLAttr { return wrongAttributes(f.Wrong) }

// wrongAttributes returns the ARIA attributes of a field whose name has no characters that need escaping.
func wrongAttributes(wrong frame.FieldError) template.HTMLAttr {
	if len(wrong.Messages) == 0 {
		return ""
	}
	return template.HTMLAttr(`aria-invalid="true" aria-describedby="` + wrong.Name + `-wrong"`)
}

// orderTexts are the names of the text fields of the form, with the texts of an order.
func orderTexts(o *order.Order) map[string]string {
	return map[string]string{"contact.name": o.Contact.Name, "contact.phone": o.Contact.Phone,
		"contact.email": o.Contact.Email, "delivery.address": o.Delivery.Address,
		"delivery.comment": o.Delivery.Comment, "comment": o.Comment}
}

// orderForm is the form of the page as it was sent.
type orderForm struct {
	url.Values
	update order.Update
	// fields has the name of the field of each line of the update.
	fields []string
	// wrong are the fields that cannot be read.
	wrong []fault.Field
}

// readOrderForm reads the form. A field that is not there stays as it is.
func readOrderForm(form url.Values) *orderForm {
	f := &orderForm{Values: form}
	f.update.Contact = order.ContactEdit{Name: f.text("contact.name"),
		Phone: f.checked("contact.phone", contact.CheckPhone), Email: f.checked("contact.email", contact.CheckEmail)}
	f.update.Delivery = order.DeliveryEdit{Address: f.text("delivery.address"), Comment: f.text("delivery.comment")}
	f.update.Comment = f.text("comment")

	for _, item := range form["line"] {
		itemID, err := id.Parse[order.Item](item)
		if err != nil {
			continue
		}
		u := order.LineUpdate{Item: itemID}
		if form.Get("line."+item+".remove") == "" {
			u.Quantity = f.quantity("line." + item)
			u.Price = f.price("line." + item)
		}
		f.add(u, "line."+item)
	}

	for _, variantID := range f.chosen() {
		field := "found." + variantID.String()
		f.add(order.LineUpdate{Variant: variantID, Quantity: f.quantity(field)}, field)
	}

	return f
}

// chosen returns the variants with a quantity, without repetitions.
func (f *orderForm) chosen() (list []catalog.VariantID) {
	for _, variant := range f.Values["found"] {
		variantID, err := id.Parse[catalog.Variant](variant)
		quantity := strings.TrimSpace(f.Get("found." + variant + ".quantity"))
		if err == nil && quantity != "" && !slices.Contains(list, variantID) && len(list) < order.MaxItems {
			list = append(list, variantID)
		}
	}
	return list
}

func (f *orderForm) add(u order.LineUpdate, field string) {
	f.update.Lines = append(f.update.Lines, u)
	f.fields = append(f.fields, field)
}

// text returns the trimmed text of a field, or nil if the form has none.
func (f *orderForm) text(name string) *string {
	if !f.Has(name) {
		return nil
	}
	return new(strings.TrimSpace(strings.ReplaceAll(f.Get(name), "\r\n", "\n")))
}

// checked is like text for an address, which check normalizes.
func (f *orderForm) checked(name string, check func(string) (string, error)) *string {
	text := f.text(name)
	if text == nil || *text == "" {
		return text
	}
	normal, err := check(*text)
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		f.wrong = append(f.wrong, fault.NewField(name, refused.Code, "%s", refused.Message))
	}
	return &normal
}

// quantity returns the quantity of a line. It is more than 0.
func (f *orderForm) quantity(line string) money.Quantity {
	quantity, ok := money.ParseTypedQuantity(f.Get(line + ".quantity"))
	if !ok || quantity == 0 {
		f.wrong = append(f.wrong, fault.NewField(line, "out_of_range", "A quantity is a number such as 10 or 1.5."))
	}
	return quantity
}

// price returns the price of a line.
func (f *orderForm) price(line string) *money.Money {
	price, broken := money.ParseTypedPrice(f.Get(line + ".price"))
	if broken != nil {
		f.wrong = append(f.wrong, broken.At(line))
	}
	return price.OrNil()
}

// editPage shows the form that edits an order.
func (ui *UI) editPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderEdit(w, r, http.StatusOK, nil, nil, "")
}

// editOrder changes an order, or shows what a search for variants to add has found.
func (ui *UI) editOrder(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := orderIDFromPath(r)
	frame.ParseForm(r)
	pre := versionField(r)
	shop := r.Principal.Store
	l := ui.pages.Language(r)
	form := readOrderForm(r.PostForm)

	if form.Has("find") {
		return ui.renderEdit(w, r, http.StatusOK, form, nil, "")
	}
	if form.wrong != nil {
		return ui.renderEdit(w, r, http.StatusUnprocessableEntity, form, fault.Fields(form.wrong),
			l.T("Nothing was saved. Look at the fields that are marked."))
	}

	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
		return ui.Orders.Update(ctx, tx, shop, orderID, form.update, pre, "")
	})
	refused, _ := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return ui.RedirectWith(w, r, "/orders/"+orderID.String(), frame.Toast{Text: l.T("The order is changed.")})
	case fault.KindOf(err) == fault.Stale:
		return ui.renderEdit(w, r, http.StatusConflict, form, nil, l.T("Nothing was saved, because the order has "+
			"changed meanwhile. What you typed is still here; compare it with the order and save it again."))
	case isConflict(err) && refused.Fields == nil:
		return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
	case isConflict(err):
		return ui.renderEdit(w, r, http.StatusConflict, form, err, l.FaultMessage(err))
	case fault.KindOf(err) == fault.Invalid:
		return ui.renderEdit(w, r, http.StatusUnprocessableEntity, form, err,
			l.T("Nothing was saved. Look at the fields that are marked."))
	}
	return err
}

// renderEdit writes the page that edits an order. Without a form, its fields have what is stored. refused is why the
// form was refused, or nil.
func (ui *UI) renderEdit(
	w http.ResponseWriter, r *httpapi.Request, status int, form *orderForm, refused error, failure string,
) error {
	orderID := orderIDFromPath(r)
	v := ui.pages.NewView(r, "Edit the order", "orders", nil)
	search := ""
	if form != nil {
		search = searchText(form.Get("q"))
	}

	body, err := frame.ReadStore(ui.Frame, r, search != "",
		func(ctx context.Context, tx store.Tx) (b editBody, err error) {
			o, err := ui.Orders.Order(ctx, tx, v.Store, orderID, order.Caller{AllOrders: true})
			if err != nil {
				return b, err
			}
			b = newEditBody(v, &o, form)
			if form != nil {
				b.Q, b.Searched = search, search != ""
				b.Found, err = findVariants(ctx, tx, v, form, search)
			}
			return b, err
		})
	if err != nil {
		return err
	}

	switch { // it cannot be edited any more: its page says why
	case body.ID == "" && form != nil:
		return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
	case body.ID == "":
		return frame.Redirect(w, r.Request, "/orders/"+orderID.String())
	}

	body.mark(v.Language, form, refused)
	v.Title = v.T("Edit order No. %s", body.Number)
	v.Failure = failure
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"}, {Text: body.Title, URL: "/orders/" + body.ID}}
	return ui.pages.Render(w, status, "order_edit", v)
}

// findVariants returns the variants of the form that have a quantity, and then those that the search finds.
func findVariants(
	ctx context.Context, tx store.Tx, v frame.View, form *orderForm, search string,
) (list []foundVariant, err error) {
	chosen := form.chosen()
	offers, err := catalog.OffersOf(ctx, tx, chosen, "")
	if err != nil {
		return nil, err
	}
	for _, variant := range chosen {
		if offer := offers[variant]; offer != nil {
			list = append(list, newFoundVariant(v, offer, form))
		}
	}

	if search == "" {
		return list, nil
	}
	levels, err := view.ReadLevels(ctx, tx, view.LevelFilter{Search: search}, view.LevelPage{Limit: foundVariants})
	for i := range levels.List {
		if offer := &levels.List[i].Offer; offers[offer.ID] == nil {
			list = append(list, newFoundVariant(v, offer, form))
		}
	}
	return list, err
}

// searchText returns the text of a search with at most maxFoundWords words.
func searchText(typed string) string {
	words := strings.Fields(typed)
	text := strings.Join(words[:min(len(words), maxFoundWords)], " ")
	if len(text) > maxFoundBytes {
		return ""
	}
	return text
}

// newEditBody returns the form with what is stored, or with what was typed. It is empty if the order is not open.
func newEditBody(v frame.View, o *order.Order, form *orderForm) editBody {
	if o.State != order.Submitted && o.State != order.Confirmed {
		return editBody{}
	}

	b := editBody{ID: o.ID.String(), Title: v.T("Order No. %s", orderNumber(o)), Number: orderNumber(o),
		Version: o.Version, Seen: o.State, Currency: o.Currency, Texts: orderTexts(o)}
	for name := range b.Texts {
		if form != nil && form.Has(name) {
			b.Texts[name] = form.Get(name)
		}
	}

	for i := range o.Items {
		item := &o.Items[i]
		line := editLine{ID: item.ID.String(), Name: item.Name, SKU: item.SKU, Options: item.OptionNames(),
			Modifiers: modifierRows(v, item, o.Currency), Quantity: typedNumber(v, item.Quantity.Text()),
			Price: typedNumber(v, item.Price.Text()),
			Unit:  item.Unit.Name}
		if field := "line." + line.ID; form != nil && form.Has(field+".quantity") {
			line.Quantity, line.Price = form.Get(field+".quantity"), form.Get(field+".price")
			line.Removed = form.Has(field + ".remove")
		}
		b.Lines = append(b.Lines, line)
	}

	return b
}

// typedNumber returns a plain decimal number as a person writes it in the language.
func typedNumber(v frame.View, number string) string {
	if v.DecimalComma() {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

func newFoundVariant(v frame.View, offer *catalog.Offer, form *orderForm) foundVariant {
	found := foundVariant{ID: offer.ID.String(), Name: offer.Name(), SKU: offer.SKU, Options: offer.OptionText(),
		Price: v.Price(offer.Price, v.Store.Currency)}
	if offer.Available != nil {
		found.Available = v.Decimal(*offer.Available)
	}
	found.Quantity = form.Get("found." + found.ID + ".quantity")
	return found
}

// mark sets the messages of a refused form at its fields.
func (b *editBody) mark(l *frame.Language, form *orderForm, refused error) {
	b.Errors = frame.FieldErrors{}
	f, _ := errors.AsType[*fault.Error](refused)
	if f == nil {
		return
	}

	for _, field := range f.Fields {
		name := field.Field
		if index, ok := strings.CutPrefix(name, "lines["); ok {
			i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
			if err == nil && i < len(form.fields) {
				name = form.fields[i]
			}
		}
		b.Errors[name] = append(b.Errors[name], l.Fault(field.Message))
	}

	for i := range b.Lines {
		b.Lines[i].Wrong = b.Errors.For("line." + b.Lines[i].ID)
	}
	for i := range b.Found {
		b.Found[i].Wrong = b.Errors.For("found." + b.Found[i].ID)
	}
}
