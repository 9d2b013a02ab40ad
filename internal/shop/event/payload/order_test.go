package payload

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
)

func TestOrderAppend_writesWhatMarshallingWrites(t *testing.T) {
	language, err := locale.Parse("ru")
	if err != nil {
		t.Fatal(err)
	}
	dates := locale.NewDates(language, time.UTC, time.Unix(1_794_657_605, 0))
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t, dates)
		if got, want := string(o.Append(nil)), string(wire.AppendJSON(nil, o)); got != want {
			t.Fatalf("Append writes\n%s\nwant\n%s", got, want)
		}
	})
}

func drawOrder(t *rapid.T, dates *locale.Dates) Order {
	text := func() string { return rapid.StringN(0, 6, -1).Draw(t, "text") }
	orNull := func() schema.Nullable[string] { return schema.NullIfZero(text()) }
	newID := func() schema.ID { return schema.ID(id.New[Order]()) }
	money := func() schema.Money { return schema.Money(rapid.Int64Range(0, 1e15).Draw(t, "money")) }
	date := func() schema.Date {
		return schema.NewDate(time.Unix(rapid.Int64Range(0, 2e9).Draw(t, "time"), 0), dates)
	}
	drawProblems := func() schema.Encoded[[]OrderProblem] {
		if rapid.Bool().Draw(t, "draft") {
			return EncodeProblems([]OrderProblem{{Code: text(), Message: text()}})
		}
		return ""
	}
	o := Order{
		ID: newID(), Number: schema.NullIfZero(rapid.Int64Range(0, 5).Draw(t, "number")), State: text(), Total: money(),
		Currency: text(), Contact: OrderContact{Name: orNull(), Phone: orNull(), Email: orNull()},
		Delivery: OrderDelivery{Address: orNull(), Comment: orNull()}, Comment: orNull(),
		CreatedAt: date(), UpdatedAt: date(), OrderToken: text(),
	}

	if rapid.Bool().Draw(t, "submitted") {
		o.CustomerID = schema.NotNull(newID())
		o.SubmittedAt, o.CancelledAt = schema.NotNull(date()), schema.NotNull(date())
	}

	for range rapid.IntRange(0, 3).Draw(t, "items") {
		options := []VariantOptionValue{{ID: newID(), Name: text(), Value: OptionValue{ID: newID(), Name: text()}}}
		o.Items = append(o.Items, OrderItem{ID: newID(), VariantID: newID(), ProductID: newID(), Name: text(),
			SKU: text(), Options: EncodeOptions(options),
			Modifiers: EncodeModifiers([]OrderModifier{{GroupID: text(), Name: text(), Price: money(), Quantity: 3}}),
			Problems:  drawProblems(), Price: schema.NullIfZero(money()),
			Quantity: schema.NewDecimal(1.5), Total: schema.NullIfZero(money()),
			Image: orNull(), Available: schema.NullIfZero(schema.Decimal(rapid.SampledFrom([]string{"", "0",
				"1.5"}).Draw(t, "available")))})
	}

	return o
}
