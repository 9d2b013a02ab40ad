package order

import (
	"strconv"
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// AppendJSON appends the JSON form of the order with its items. It is the order in responses of the API and the payload
// of the order's events. Empty texts are written as null.
func (o *Order) AppendJSON(b []byte, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = o.ID.Append(b)
	b = append(b, `","number":`...)
	if o.Number != nil {
		b = strconv.AppendInt(b, *o.Number, 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"state":"`...)
	b = append(b, o.State...)
	b = append(b, `","items":[`...)
	for i := range o.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = o.Items[i].appendJSON(b)
	}
	b = append(b, `],"total":`...)
	b = appendMoney(b, o.Total)
	b = append(b, `,"currency":`...)
	b = wire.AppendString(b, o.Currency)
	b = append(b, `,"contact":{"name":`...)
	b = appendTextOrNull(b, o.Contact.Name)
	b = append(b, `,"phone":`...)
	b = appendTextOrNull(b, o.Contact.Phone)
	b = append(b, `,"email":`...)
	b = appendTextOrNull(b, o.Contact.Email)
	b = append(b, `},"delivery":{"address":`...)
	b = appendTextOrNull(b, o.Delivery.Address)
	b = append(b, `,"comment":`...)
	b = appendTextOrNull(b, o.Delivery.Comment)
	b = append(b, `},"comment":`...)
	b = appendTextOrNull(b, o.Comment)
	b = append(b, `,"customer_id":`...)
	if o.CustomerID != nil {
		b = append(b, '"')
		b = o.CustomerID.Append(b)
		b = append(b, '"')
	} else {
		b = append(b, "null"...)
	}
	for _, member := range []struct {
		name string
		time *time.Time
	}{
		{"submitted_at", o.SubmittedAt}, {"confirmed_at", o.ConfirmedAt},
		{"completed_at", o.CompletedAt}, {"cancelled_at", o.CancelledAt},
		{"created_at", &o.CreatedAt}, {"updated_at", &o.UpdatedAt},
	} {
		b = append(b, `,"`+member.name+`":`...)
		if member.time == nil {
			b = append(b, "null"...)
			continue
		}
		b = dates.AppendJSON(b, *member.time)
	}
	return append(b, '}')
}

func (i *Item) appendJSON(b []byte) []byte {
	b = append(b, `{"id":"`...)
	b = i.ID.Append(b)
	b = append(b, `","variant_id":"`...)
	b = i.VariantID.Append(b)
	b = append(b, `","product_id":"`...)
	b = i.ProductID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, i.Name)
	b = append(b, `,"sku":`...)
	b = wire.AppendString(b, i.SKU)
	b = append(b, `,"options":`...)
	b = append(b, i.Options...)
	b = append(b, `,"price":`...)
	b = appendMoney(b, i.Price)
	b = append(b, `,"quantity":`...)
	b = wire.AppendFixed(b, int64(i.Quantity), catalog.QuantityDecimals)
	b = append(b, `,"total":`...)
	b = appendMoney(b, i.Total())
	return append(b, '}')
}

func appendMoney(b []byte, m catalog.Money) []byte {
	return wire.AppendFixed(b, int64(m), catalog.MoneyDecimals)
}

// appendTextOrNull appends s as a JSON string, or null if s is empty.
func appendTextOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return wire.AppendString(b, s)
}
