package orderui

import (
	"context"
	"errors"
	"html/template"
	"maps"
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
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// foundVariants is the number of variants that the page shows for a search.
	foundVariants = 20
	// foundPeople is the number of customers that the page shows for a search.
	foundPeople = 10
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
	// Entry is what only the form of a new order has.
	Entry  entryBody
	Errors frame.FieldErrors
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

// foundVariant is a variant that can be added. Quantity and Agreed are the texts in its fields.
type foundVariant struct {
	ID, Name, SKU, Options string
	Price, Available       string
	Quantity, Agreed       string
	Groups                 []foundGroup
	Wrong                  frame.FieldError
}

// foundGroup is a group of modifiers of a variant that can be added. Of a group with Single one item can be chosen.
type foundGroup struct {
	Name, Rule string
	Required   bool
	Single     bool
	Items      []foundModifier
}

// foundModifier is a modifier that can be chosen. Value stands for it in the form. Quantity is the text in its field.
type foundModifier struct {
	Value, Name, Price, Quantity string
	Chosen                       bool
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
		f.add(order.LineUpdate{Variant: variantID, Modifiers: f.modifiers(field), Quantity: f.quantity(field),
			Price: f.agreedPrice(field)}, field)
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

// agreedPrice returns the price of a line that is added, or nil for the price of the shop.
func (f *orderForm) agreedPrice(line string) *money.Money {
	if strings.TrimSpace(f.Get(line+".price")) == "" {
		return nil
	}
	return f.price(line)
}

// modifiers returns the modifiers that were chosen for a line that is added.
func (f *orderForm) modifiers(line string) (list []modifier.Choice) {
	for _, value := range f.Values[line+".choice"] {
		if chosen, ok := parseModifierValue(value); ok {
			chosen.Quantity = 1
			list = append(list, chosen)
		}
	}

	prefix := line + ".modifier."
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		value, isModifier := strings.CutPrefix(name, prefix)
		text := strings.TrimSpace(f.Get(name))
		chosen, ok := parseModifierValue(value)
		if !isModifier || !ok || text == "" || text == "0" {
			continue
		}
		quantity, err := strconv.ParseInt(text, 10, 64)
		if err != nil || quantity < 1 || quantity > modifier.MaxQuantity {
			f.wrong = append(f.wrong, fault.NewField(line, "out_of_range",
				"A quantity of a modifier is a whole number such as 1 or 2."))
			continue
		}
		chosen.Quantity = quantity
		list = append(list, chosen)
	}

	if len(list) > modifier.MaxChoices {
		f.wrong = append(f.wrong, fault.NewField(line, "too_many", "A line may have at most %d modifiers.",
			modifier.MaxChoices))
		list = nil
	}
	return list
}

// modifierValue returns what stands in a form for a modifier.
func modifierValue(groupID, itemID string) string {
	return url.QueryEscape(groupID) + "/" + url.QueryEscape(itemID)
}

// parseModifierValue is the inverse of modifierValue.
func parseModifierValue(value string) (c modifier.Choice, ok bool) {
	group, item, found := strings.Cut(value, "/")
	var groupErr, itemErr error
	c.GroupID, groupErr = url.QueryUnescape(group)
	c.ItemID, itemErr = url.QueryUnescape(item)
	return c, found && groupErr == nil && itemErr == nil
}

// orderFormPage is what the pages of an order that is edited and of a new one differ in.
type orderFormPage struct {
	// render writes the page again. refused is why the form was refused, or nil.
	render func(status int, form *orderForm, refused error, failure string) error
	save   func(ctx context.Context, tx store.Tx, form *orderForm) (order.Order, error)
	// conflict writes the page of the order if its state does not allow the change; nil shows the form again.
	conflict func() error
	saved    string
}

// sendOrderForm saves the order of a form, or shows what a search has found.
func (ui *UI) sendOrderForm(w http.ResponseWriter, r *httpapi.Request, p orderFormPage) error {
	l := ui.pages.Language(r)
	form := readOrderForm(r.PostForm)
	if form.searches() {
		return p.render(http.StatusOK, form, nil, "")
	}
	marked := l.T("Nothing was saved. Look at the fields that are marked.")
	if form.wrong != nil {
		return p.render(http.StatusUnprocessableEntity, form, fault.Fields(form.wrong), marked)
	}

	o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
		return p.save(ctx, tx, form)
	})
	refused, _ := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return ui.RedirectWith(w, r, "/orders/"+o.ID.String(), frame.Toast{Text: p.saved})
	case fault.KindOf(err) == fault.Stale:
		return p.render(http.StatusConflict, form, nil, l.T("Nothing was saved, because the order has "+
			"changed meanwhile. What you typed is still here; compare it with the order and save it again."))
	case isConflict(err) && refused.Fields == nil && p.conflict != nil:
		return p.conflict()
	case isConflict(err):
		return p.render(http.StatusConflict, form, err, l.FaultMessage(err))
	case fault.KindOf(err) == fault.Invalid:
		return p.render(http.StatusUnprocessableEntity, form, err, marked)
	}
	return err
}

// searches reports whether the form asks for products or customers instead of being saved.
func (f *orderForm) searches() bool { return f.Has("find") || f.Has("choose") || f.Has("nobody") }

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
			index, _, _ = strings.Cut(index, "]") // what follows is a part of the line
			i, err := strconv.Atoi(index)
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
