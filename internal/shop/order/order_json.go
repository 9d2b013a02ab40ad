package order

import (
	"cmp"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
)

// AppendJSON appends the result of JSON to b.
func (o *Order) AppendJSON(b []byte, dates *locale.Dates) []byte {
	j := o.JSON(dates)
	return j.Append(b)
}

// JSON returns the order with its items, as the responses of the API and the order's events show it. Empty texts are
// null.
func (o *Order) JSON(dates *locale.Dates) payload.Order {
	items := make([]payload.OrderItem, len(o.Items))
	for n := range o.Items {
		i := &o.Items[n]
		items[n] = payload.OrderItem{
			ID: schema.ID(i.ID), VariantID: schema.ID(i.VariantID), ProductID: schema.ID(i.ProductID),
			Name: i.Name, Slug: schema.NullIfZero(string(i.Slug)), SKU: i.SKU,
			Barcode: schema.NullIfZero(i.Barcode), Unit: unitJSON(i.Unit),
			VATRate:   schema.NullIfZero(schema.Decimal(i.VATRate.Text())),
			Options:   schema.Encoded[[]payload.VariantOptionValue](i.Options),
			Available: availableJSON(i), Image: o.imageURL(i),
			Modifiers: schema.Encoded[[]payload.OrderModifier](cmp.Or(i.Modifiers, modifier.None)),
			Problems:  o.problemsJSON(i),
			Price:     moneyJSON(i.Price),
			Quantity:  decimalOf(i.Quantity),
			Total:     moneyJSON(i.Total()),
		}
		if o.ForShop {
			items[n].PriceListID = new(listJSON(i))
		}
	}

	shown := payload.Order{
		ID: schema.ID(o.ID), Number: schema.OrNull(o.Number), State: string(o.State), Items: items,
		Total: schema.Money(o.Total), Currency: o.Currency,
		Contact: payload.OrderContact{
			Name: schema.NullIfZero(o.Contact.Name), Phone: schema.NullIfZero(o.Contact.Phone),
			Email: schema.NullIfZero(o.Contact.Email),
		},
		Delivery: payload.OrderDelivery{
			Address: schema.NullIfZero(o.Delivery.Address), Comment: schema.NullIfZero(o.Delivery.Comment),
		},
		Comment: schema.NullIfZero(o.Comment), Tracking: trackingJSON(o.Tracking),
		PaidAt: schema.DateOrNull(o.PaidAt, dates), CustomerID: schema.IDOrNull(o.CustomerID),
		SubmittedAt: schema.DateOrNull(o.SubmittedAt, dates), ConfirmedAt: schema.DateOrNull(o.ConfirmedAt, dates),
		CompletedAt: schema.DateOrNull(o.CompletedAt, dates), CancelledAt: schema.DateOrNull(o.CancelledAt, dates),
		CreatedAt: schema.NewDate(o.CreatedAt, dates), UpdatedAt: schema.NewDate(o.UpdatedAt, dates),
	}
	if o.ForShop {
		shown.Tags = new(append([]string{}, o.Tags...))
	}

	return shown
}

// trackingJSON returns how the goods travel, or null if nothing is known of it.
func trackingJSON(t Tracking) schema.Nullable[payload.OrderTracking] {
	if t == (Tracking{}) {
		return schema.Nullable[payload.OrderTracking]{}
	}
	return schema.NotNull(payload.OrderTracking{Number: schema.NullIfZero(t.Number),
		Carrier: schema.NullIfZero(t.Carrier), URL: schema.NullIfZero(t.URL)})
}

// listJSON returns the price list that gave the price of an item.
func listJSON(i *Item) schema.Nullable[schema.ID] {
	if i.PriceList.IsZero() {
		return schema.Nullable[schema.ID]{}
	}
	return schema.NotNull(schema.ID(i.PriceList))
}

func unitJSON(u catalog.Unit) schema.Nullable[payload.Unit] {
	if u == (catalog.Unit{}) {
		return schema.Nullable[payload.Unit]{}
	}
	return schema.NotNull(payload.Unit{Code: schema.NullIfZero(u.Code), Name: u.Name})
}

// moneyJSON returns the price or the total of an item.
func moneyJSON(p money.Price) schema.Nullable[schema.Money] {
	return schema.OrNull((*schema.Money)(p.OrNil()))
}

// availableJSON returns the available quantity of an item of a draft.
func availableJSON(i *Item) schema.Nullable[schema.Decimal] {
	if i.Available == nil {
		return schema.Nullable[schema.Decimal]{}
	}
	return schema.NotNull(decimalOf(*i.Available))
}

func decimalOf(n money.Quantity) schema.Decimal {
	return schema.Decimal(wire.AppendFixed(nil, int64(n), money.QuantityDecimals))
}

// imageURL returns the URL of the thumbnail of an item, or null without a thumbnail or a base URL.
func (o *Order) imageURL(i *Item) schema.Nullable[string] {
	if i.ThumbnailPath == "" || o.ImageBaseURL == "" {
		return schema.Nullable[string]{}
	}
	return schema.NotNull(o.ImageBaseURL + i.ThumbnailPath)
}

// ItemOption is an option of an item's variant with its value, such as Colour and red.
type ItemOption struct{ Name, Value string }

// OptionNames returns the options of the item by name.
func (i *Item) OptionNames() []ItemOption {
	var stored []struct {
		Name  string `json:"name"`
		Value struct {
			Name string `json:"name"`
		} `json:"value"`
	}
	if json.Unmarshal([]byte(i.Options), &stored) != nil {
		return nil // never: encodeOptions has written it
	}
	list := make([]ItemOption, len(stored))
	for n, o := range stored {
		list[n] = ItemOption{o.Name, o.Value.Name}
	}
	return list
}

// encodeOptions encodes the option values of a variant. Items store this text, so that a submitted order does not
// depend on the catalogue.
func encodeOptions(options []catalog.AttributeValue) string {
	list := make([]payload.VariantOptionValue, len(options))
	for i := range options {
		o := &options[i]
		list[i] = payload.VariantOptionValue{ID: schema.ID(o.AttributeID), Name: o.Name,
			Value: payload.OptionValue{ID: schema.ID(o.Value.ID), Name: o.Value.Name}}
	}
	return string(payload.EncodeOptions(list))
}
