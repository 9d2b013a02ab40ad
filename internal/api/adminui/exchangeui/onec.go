package exchangeui

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// oneCLogin is the login that the page suggests. Any login will do.
const oneCLogin = "1c"

// oneCBody is the data of the page that says how to connect 1C.
type oneCBody struct {
	// URL is the address of the store's API.
	URL   string
	Login string
	// Token is a new exchange token, or "" before one is made. No other page shows it.
	Token string
	// Orders says that the new token may exchange orders, too.
	Orders   bool
	Settings onec.Settings
	Report   onec.Report
	// LastExchange is when the last file was read; nil if there was none.
	LastExchange *frame.Timestamp
	// Contact is the last request of 1C, and ContactAt its time; nil if there was none.
	Contact   onec.Contact
	ContactAt *frame.Timestamp
	Examples  []oneCExample
	States    []oneCState
	Errors    frame.FieldErrors
	// Currency is the currency of the store.
	Currency string
}

// TakenPriceType returns the name of the price type that becomes the price while none of several is chosen, or "".
func (b oneCBody) TakenPriceType() string {
	memory := commerceml.Memory{PriceTypes: b.Report.PriceTypes}
	taken, found := memory.BasePriceType("", b.Currency)
	if !found || len(b.Report.PriceTypes) < 2 || b.Settings.PriceType != "" {
		return ""
	}
	return cmp.Or(taken.Name, taken.ID)
}

// ForeignPriceType returns the price type that would be the price of the shop, but is in another currency, so that its
// prices are left out; nil if the currency is right, or 1C has not said it.
func (b oneCBody) ForeignPriceType() *commerceml.PriceType {
	memory := commerceml.Memory{PriceTypes: b.Report.PriceTypes}
	taken, found := memory.BasePriceType(b.Settings.PriceType, b.Currency)
	if !found || taken.IsIn(b.Currency) {
		return nil
	}
	return &taken
}

// NeedsFullExchange reports whether 1C must send all goods once more, since settings were changed.
func (b oneCBody) NeedsFullExchange() bool { return b.Report.NeedsFullExchange(b.Settings) }

// oneCExample shows what a thing of 1C has become.
type oneCExample struct{ From, To, Item string }

// oneCState is a state of orders: the names that the store gives to it, and the names that 1C has by default.
type oneCState struct{ Field, Name, Chosen, Known string }

// oneCStates returns the states of orders with their names in 1C.
func oneCStates(l *frame.Language, chosen map[string]order.State) (list []oneCState) {
	names := map[order.State]string{
		order.Submitted: l.Of("order", "New"), order.Confirmed: l.Of("order", "Confirmed"),
		order.Completed: l.Of("order", "Completed"), order.Cancelled: l.Of("order", "Cancelled"),
	}
	for _, state := range onec.OrderStates() {
		var own []string
		for _, name := range slices.Sorted(maps.Keys(chosen)) {
			if chosen[name] == state {
				own = append(own, name)
			}
		}
		list = append(list, oneCState{Field: "state_" + string(state), Name: names[state],
			Chosen: strings.Join(own, ", "), Known: strings.Join(onec.DefaultStateNames(state), ", ")})
	}
	return list
}

// Address returns the address to enter in 1C.
func (b oneCBody) Address() string { return b.URL + "/v2/sync-gate/commerceml" }

// PriceTypes returns the price types to choose from: the price types of the last exchange, and the chosen one.
func (b oneCBody) PriceTypes() []commerceml.PriceType {
	list := slices.Clone(b.Report.PriceTypes)
	if set := b.Settings.PriceType; set != "" && !slices.ContainsFunc(list, b.IsChosen) {
		list = append(list, commerceml.PriceType{ID: set, Name: set})
	}
	return list
}

// IsChosen reports whether a price type is the one that is set.
func (b oneCBody) IsChosen(t commerceml.PriceType) bool {
	return b.Settings.PriceType != "" &&
		(t.ID == b.Settings.PriceType || commerceml.SameText(t.Name, b.Settings.PriceType))
}

// ChosenPriceType returns the price type that is set, with its name if 1C has sent it; nil if none is set.
func (b oneCBody) ChosenPriceType() *commerceml.PriceType {
	list := b.PriceTypes()
	if i := slices.IndexFunc(list, b.IsChosen); i >= 0 {
		return &list[i]
	}
	return nil
}

// Requisites returns the requisites to choose from: the chosen ones, and the requisites of the last exchange.
func (b oneCBody) Requisites() []string {
	list := slices.Clone(b.Settings.Requisites)
	for _, name := range b.Report.Requisites {
		if !slices.ContainsFunc(list, func(r string) bool { return commerceml.SameText(r, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// IsFeature reports whether a requisite becomes a feature.
func (b oneCBody) IsFeature(name string) bool {
	return slices.ContainsFunc(b.Settings.Requisites, func(r string) bool { return commerceml.SameText(r, name) })
}

// Archives reports whether missing products are archived.
func (b oneCBody) Archives() bool { return b.Settings.Missing == onec.MissingArchive }

// UsesFullName reports whether products have the full names of goods.
func (b oneCBody) UsesFullName() bool { return b.Settings.NameFrom == onec.NameFromFullName }

// ZeroIsFree reports whether a price of 0 means that a variant is free.
func (b oneCBody) ZeroIsFree() bool { return b.Settings.ZeroPrice == onec.ZeroPriceFree }

// HasFreeStock reports whether 1C sends stock without the goods of orders that it has taken.
func (b oneCBody) HasFreeStock() bool { return *b.Settings.StockIsFree }

func (ui *UI) oneCPage(r *httpapi.Request) (frame.View, error) {
	body, err := ui.readOneCBody(r)
	return ui.oneCView(r, body), err
}

func (ui *UI) oneCView(r *httpapi.Request, body oneCBody) frame.View {
	v := ui.pages.NewView(r, "Connect 1C", "exchange", body)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"}}
	return v
}

func (ui *UI) readOneCBody(r *httpapi.Request) (oneCBody, error) {
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b oneCBody, err error) {
		if b.Settings, b.Report, err = ui.OneC.Settings(ctx, tx); err != nil {
			return b, err
		}
		b.Contact, err = ui.OneC.LastContact(ctx, tx)
		return b, err
	})

	body.URL = ui.APIURL(r.Request)
	body.Login = oneCLogin
	body.Currency = r.Principal.Store.Currency
	if at := body.Report.At; !at.IsZero() {
		body.LastExchange = ui.pages.NewOptionalTimestamp(r, &at)
	}

	if at := body.Contact.At; !at.IsZero() {
		body.ContactAt = ui.pages.NewOptionalTimestamp(r, &at)
	}
	body.States = oneCStates(ui.pages.Language(r), body.Settings.States)
	body.Examples = oneCExamples(ui.pages.Language(r), body.Report.Examples)
	return body, err
}

// oneCExamples returns the examples of the last exchange, in the order in which a shop is filled.
func oneCExamples(l *frame.Language, items map[string]string) (list []oneCExample) {
	for _, e := range []struct{ key, from, to string }{
		{commerceml.Categories, l.T("A group"), l.T("A category")},
		{commerceml.Features, l.T("A property"), l.T("A feature")},
		{commerceml.VariantOptions, l.T("A characteristic"), l.T("An option")},
		{commerceml.Stocks, l.T("A warehouse"), l.T("A warehouse")},
		{commerceml.PriceLists, l.T("A price type"), l.T("A price list")},
		{commerceml.Products + commerceml.Goods, l.T("A good"), l.T("A product")},
		{commerceml.Products + commerceml.Offers, l.T("Offers of a good"), l.T("Variants of a product")},
		{commerceml.Products + commerceml.Archive, l.T("A good marked for deletion"), l.T("An archived product")},
		{commerceml.Prices, l.T("A price"), l.T("The price of a variant")},
		{commerceml.Remainders, l.T("A quantity"), l.T("What a warehouse has of a variant")},
	} {
		if item := jsontext.Value(items[e.key]); item.IsValid() && item.Indent() == nil {
			list = append(list, oneCExample{e.from, e.to, string(item)})
		}
	}

	return list
}

// oneCEdit returns the edit of a form. Fields that the form does not have stay as they are.
func oneCEdit(form url.Values) (e onec.Edit) {
	for name, to := range map[string]**string{
		"price_type": &e.PriceType, "zero_price": &e.ZeroPrice, "missing": &e.Missing, "name_from": &e.NameFrom,
	} {
		if form.Has(name) {
			*to = new(form.Get(name))
		}
	}

	if form.Has("package_minutes") {
		minutes, err := strconv.ParseInt(strings.TrimSpace(form.Get("package_minutes")), 10, 64)
		if err != nil {
			minutes = 0 // which is refused
		}
		e.PackageMinutes = &minutes
	}

	if states, sent := sentStates(form); sent {
		e.States = &states
	}

	requisites := slices.Concat([]string{}, form["requisites"], strings.Split(form.Get("more"), ","))
	e.Requisites = &requisites
	e.StockIsFree = new(form.Get("stock_is_free") == "true")

	return e
}

// sentStates returns the names of 1C that a form gives to the states of orders, separated by commas.
func sentStates(form url.Values) (states map[string]string, sent bool) {
	states = map[string]string{}
	for _, state := range onec.OrderStates() {
		field := "state_" + string(state)
		sent = sent || form.Has(field)
		for name := range strings.SplitSeq(form.Get(field), ",") {
			if name = strings.TrimSpace(name); name != "" {
				states[name] = string(state)
			}
		}
	}
	return states, sent
}

// saveOneC saves the settings of the exchange with 1C.
func (ui *UI) saveOneC(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	edit := oneCEdit(r.PostForm)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		_, changes, err := ui.OneC.Edit(ctx, tx, edit)
		if err != nil || len(changes) == 0 {
			return none, err
		}
		return none, audit.Record(ctx, tx, audit.Entry{Action: audit.SettingsChanged, Changes: changes,
			Object: audit.Object{Kind: "settings", Label: r.Principal.Store.Name}})
	})
	if fault.KindOf(err) == fault.Invalid {
		body, readErr := ui.readOneCBody(r)
		if readErr != nil {
			return readErr
		}
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		v := ui.oneCView(r, body)
		return ui.pages.Reject(w, "onec", v, v.T("Nothing was saved: look at the marked fields."))
	}

	return ui.Done(w, r, err, "/exchange/1c", ui.pages.Language(r).T("The settings are saved."))
}

// createOneCToken makes an exchange token and shows it as the password of 1C.
func (ui *UI) createOneCToken(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	body, err := ui.readOneCBody(r)
	if err != nil {
		return err
	}

	body.Orders = r.PostForm.Get("orders") != ""
	body.Token, err = ui.issueToken(w, r, "1C", access.ExchangeOrders, body.Orders)
	if fault.KindOf(err) == fault.Invalid {
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		v := ui.oneCView(r, body)
		return ui.pages.Reject(w, "onec", v, v.T("No token was made: look at the marked field."))
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusCreated, "onec", ui.oneCView(r, body))
}
