package item

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// Each case has an item of a category, a stock, a price or a remainder, its expected content and subject or its errors,
// and its unknown members.
func TestDecodeItem_otherEntities(t *testing.T) {
	decoders := map[string]func(raw string, ignored *Ignored) (Item, any){
		categories: decodeOne(Category()), stocks: decodeOne(Stock()), prices: decodeOne(Price()),
		remainders: decodeOne(Remainder()),
	}
	type want struct {
		content any
		subject string
		wrong   []string
		ignored []string
	}
	category := func(p catalog.CategoryPush) want { return want{content: p, subject: p.ID} }

	stock := func(p catalog.StockPush) want { return want{content: p, subject: p.ID} }
	for _, c := range []struct {
		entity, item string
		want         want
	}{
		{categories, `{"id": 7, "name": " Lamps ", "parent_id": "a"}`,
			category(catalog.CategoryPush{ID: "7", Name: new("Lamps"), Parent: new("a")})},
		{categories, `{"parent_id": 12, "id": "7"}`, category(catalog.CategoryPush{ID: "7", Parent: new("12")})},
		{categories, `{"id": "7", "name": 10.50, "parent_id": null}`,
			category(catalog.CategoryPush{ID: "7", Name: new("10.50"), Root: true})},
		{categories, `{"id": "7", "external_id": null, "created_at": {}, "updated_at": {}, "colour": 1}`,
			want{content: catalog.CategoryPush{ID: "7"}, subject: "7", ignored: []string{"colour"}}},
		{categories, `{"name": "x"}`, want{wrong: []string{"id required"}}},
		{categories, `{"id": null, "name": null, "parent_id": {}}`,
			want{wrong: []string{"id wrong_type", "name wrong_type", "parent_id wrong_type"}}},
		{categories, `{"id": 1.5, "name": " ", "parent_id": ""}`,
			want{wrong: []string{"id wrong_type", "name required", "parent_id required"}}},
		{categories, `[]`, want{wrong: []string{" wrong_type"}}},

		{stocks, `{"id": 7, "name": "Main", "updated_at": "x"}`, stock(catalog.StockPush{ID: "7", Name: new("Main")})},
		{stocks, `{"id": "7", "title": "Main"}`, want{content: catalog.StockPush{ID: "7"}, subject: "7",
			ignored: []string{"title"}}},
		{stocks, `{}`, want{wrong: []string{"id required"}}},
		{stocks, `{"id": {"a": 1}, "name": []}`, want{wrong: []string{"id wrong_type", "name wrong_type"}}},
		{stocks, `7`, want{wrong: []string{" wrong_type"}}},

		{prices, `{"variant_id": 7, "price": 19.9}`,
			want{content: catalog.PricePush{Variant: "7", Price: money.NewPrice(199000)}, subject: "\x007"}},
		{prices, `{"variant_id": "7", "product_id": null, "price": 0}`,
			want{content: catalog.PricePush{Variant: "7", Price: money.NewPrice(0)}, subject: "\x007"}},
		{prices, `{"variant_id": "7", "price": null}`, want{content: catalog.PricePush{Variant: "7"},
			subject: "\x007"}},
		{prices, `{"price": 1, "variant_id": "7", "product_id": 3, "id": 5}`,
			want{content: catalog.PricePush{Variant: "7", Product: new("3"), Price: money.NewPrice(10000)},
				subject: "3\x007", ignored: []string{"id"}}},
		{prices, `{}`, want{wrong: []string{"variant_id required", "price required"}}},
		{prices, `{"variant_id": null, "product_id": [], "price": "1"}`,
			want{wrong: []string{"variant_id wrong_type", "product_id wrong_type", "price wrong_type"}}},
		{prices, `{"variant_id": 7, "price": -1}`, want{wrong: []string{"price out_of_range"}}},
		{prices, `{"variant_id": 7, "price": 0.00001}`, want{wrong: []string{"price out_of_range"}}},
		{prices, `"x"`, want{wrong: []string{" wrong_type"}}},

		{remainders, `{"variant_id": 7, "stock_id": 1, "quantity": 1.5, "reserved": 1}`,
			want{content: catalog.RemainderPush{Variant: "7", Stock: "1", Quantity: 1500}, subject: "\x007\x001"}},
		{remainders, `{"quantity": 2, "product_id": "p", "variant_id": 7, "stock_id": "main"}`,
			want{content: catalog.RemainderPush{Variant: "7", Product: new("p"), Stock: "main", Quantity: 2000},
				subject: "p\x007\x00main"}},
		{remainders, `{}`, want{wrong: []string{"variant_id required", "stock_id required", "quantity required"}}},
		{remainders, `{"variant_id": 7, "stock_id": null, "quantity": -1}`,
			want{wrong: []string{"stock_id wrong_type", "quantity out_of_range"}}},
		{remainders, `null`, want{wrong: []string{" wrong_type"}}},
	} {
		var ignored Ignored
		it, content := decoders[c.entity](c.item, &ignored)
		var wrong []string
		for _, f := range it.Errors {
			wrong = append(wrong, f.Field+" "+f.Code)
		}

		if !slices.Equal(wrong, c.want.wrong) || !slices.Equal(ignored.Fields(), c.want.ignored) {
			t.Errorf("%s %s: errors %q, ignored %q, want %q and %q",
				c.entity, c.item, wrong, ignored.Fields(), c.want.wrong, c.want.ignored)
		}

		if wrong != nil {
			continue
		}

		switch p := content.(type) {
		case catalog.CategoryPush:
			p.Digest = catalog.Digest{}
			content = p
		case catalog.StockPush:
			p.Digest = catalog.Digest{}
			content = p
		}

		if diff := cmp.Diff(c.want.content, content); diff != "" || it.Subject != c.want.subject {
			t.Errorf("%s %s: the subject is %q, want %q\n%s", c.entity, c.item, it.Subject, c.want.subject, diff)
		}
	}
}

// decodeOne returns a function that decodes one item of a type, and returns it with its content.
func decodeOne[T any](of Type[T]) func(raw string, ignored *Ignored) (Item, any) {
	return func(raw string, ignored *Ignored) (Item, any) {
		d := &Decoder[T]{Type: of, Ignored: ignored}
		it := d.decodeItem([]byte(raw), wire.StartOfLine(1))
		return it.Item, it.Content
	}
}

// Items with the same content have the same digest, no matter how their JSON is written. Items whose contents differ
// have different digests.
func TestDigest_dependsOnContentOnly(t *testing.T) {
	digestFor := func(text string) catalog.Digest {
		return readCategoryPush(&itemReader{Reader: wire.NewItem([]byte(text)), ignored: &Ignored{}}).Digest
	}
	first := digestFor(`{"id": 7, "name": "Lamps", "parent_id": "1"}`)
	if again := digestFor(`{"parent_id": 1, "colour": 1, "name": " Lamps", "id": "7"}`); again != first {
		t.Error("the same content has different digests")
	}

	seen := map[catalog.Digest]string{first: "the first"}
	for _, text := range []string{
		`{"id": 7, "name": "Lamps", "parent_id": null}`, `{"id": 7, "name": "Lamps"}`, `{"id": 7}`,
		`{"id": 7, "name": "lamps", "parent_id": "1"}`,
		`{"id": 7, "name": "Lamps", "parent_id": "2"}`, `{"id": 8, "name": "Lamps", "parent_id": "1"}`,
	} {
		d := digestFor(text)
		if other, taken := seen[d]; taken {
			t.Errorf("%s has the digest of %s", text, other)
		}
		seen[d] = text
	}
}
