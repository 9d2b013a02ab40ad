package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A member of an item is found in the column and the line that it came from.
func TestPlace_locatesMembers(t *testing.T) {
	single := "id,name,categories,feature:colour,feature:size,sku,price,remainder:main,remainder:shop,price:b2b," +
		"price:b2b@10,option:fit,unit_code,unit_name,seo_title,seo_description,seo_noindex\n" +
		"7,Tee,a|b,red|blue,xl,TEE,5,,3,4,3,slim,796,pc,T,D,1\n"
	grouped := "id,name,variant_id,price,remainder:main,remainder:shop\n7,Tee,a,1,2,3\n7,,b,1,,3\n"

	for _, c := range []struct{ table, member, want string }{
		{single, "name", "name"}, {single, "categories[1]", "categories"},
		{single, "features[1].value_id", "feature:colour"},
		{single, "features[2].value_id", "feature:size"}, {single, "variant_price", "price"},
		{single, "variant_remainders[0].quantity", "remainder:shop"},
		{single, "variant_prices[1].price", "price:b2b@10"},
		{single, "variant_prices[0].price", "price:b2b"}, {single, "variant_options[0].value_id", "option:fit"},
		{single, "unit.name", "unit_name"}, {single, "seo.description", "seo_description"}, {single, "slug", "slug"},
		{single, "variants", "variants"}, {grouped, "variants[1].price", "3 price"},
		{grouped, "variants[0].remainders[1].quantity", "remainder:shop"},
		{grouped, "variants[1].remainders[0].quantity", "3 remainder:shop"}, {grouped, "variants[1]", "3 variants[1]"},
		{grouped, "name", "name"}, {grouped, "variants[9].price", "price"}, {grouped, "", ""},
	} {
		it, err := newReader(t, c.table).Next()
		if err != nil || it.Issue != nil {
			t.Fatal(err, it.Issue)
		}

		name, line := it.Place.Locate(it.Body, c.member)
		want := strings.TrimPrefix(c.want, "3 ")
		wantLine := int64(2)
		if want != c.want {
			wantLine = 3
		}
		if name != want || line != wantLine {
			t.Errorf("%s is at the column %s of line %d, want %s of line %d", c.member, name, line, want, wantLine)
		}
	}
}

// The failed lines of a table are read again when they are corrected: the two columns before those of the file are not
// read, and are not repeated if a line fails again.
func TestFailedWriter_isReadAgain(t *testing.T) {
	text := "id;name;price\n\n7;\"A;\"\"b\"\"\nc\";1\n8;X;ten\n"
	rows := newReader(t, text)
	w := NewFailedWriter(Layout{Separator: ";", Columns: rows.columns}, strings.ToUpper)
	written := w.AppendHeader(nil)
	for range 2 {
		it, err := rows.Next()
		if err != nil {
			t.Fatal(err)
		}
		written = w.AppendItem(written, FailedItem{it.Lines, []Problem{
			{Line: it.Lines[0].Number, Column: "price", Message: "bad; worse"}}})
	}

	want := "\ufeffline;error;id;name;price\r\n" + "3;\"price: BAD; WORSE\";7;\"A;\"\"b\"\"\nc\";1\r\n" +
		"5;\"price: BAD; WORSE\";8;X;ten\r\n"
	if diff := cmp.Diff(want, string(written)); diff != "" {
		t.Fatal(diff)
	}

	again := newReader(t, strings.TrimPrefix(string(written), "\ufeff"))
	first, err := again.Next()
	if err != nil || string(first.Body) != `{"id":"7","name":"A;\"b\"\nc","single_variant":true,"variant_price":1}` ||
		len(again.Ignored()) != 0 {
		t.Errorf("the first item is %s, %v; the ignored columns are %v", first.Body, err, again.Ignored())
	}

	second, err := again.Next()
	if err != nil || second.Issue == nil || second.Lines[0] != (Line{4, "8;X;ten"}) {
		t.Errorf("the second item has the lines %v, %v", second.Lines, err)
	}
	if diff := cmp.Diff([]string{"id", "name", "price"}, again.Layout().Columns); diff != "" {
		t.Error(diff)
	}
}

// A table in Windows-1251 gives one back. What that does not have becomes a question mark.
func TestFailedWriter_keepsCharset(t *testing.T) {
	w := NewFailedWriter(Layout{Charset: "Windows-1251", Separator: ",", Columns: []string{"id"}},
		func(string) string { return "Цена ∞, а не число" })
	got := string(w.AppendItem(nil, FailedItem{[]Line{{2, "Стол"}}, []Problem{{Message: "x"}}}))
	if want := windows1251(t, "2,\"Цена ?, а не число\",Стол\r\n"); got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}

// What a file changes is shown by the columns of the file.
func TestColumnOf(t *testing.T) {
	for field, want := range map[string]string{
		"name": "name", "categories": "categories", "features[colour]": "feature:colour", "variant_price": "price",
		"variant_remainders[main]": "remainder:main", "variant_prices[b2b,1]": "price:b2b",
		"variant_prices[b2b,10]": "price:b2b@10", "variants[U-6].price": "price (U-6)",
		"variants[U-6].remainders[main]": "remainder:main (U-6)", "variants[U-6]": "variants[U-6]", "slug": "slug",
		"variants[U-6].name": "variant_name (U-6)", "modifiers": "modifiers",
	} {
		if got := ColumnOf("products", field); got != want {
			t.Errorf("the column of %s is %s, want %s", field, got, want)
		}
	}
	if got := ColumnOf("features", "values[7].name"); got != "value_name (7)" {
		t.Errorf("the column of the name of a value is %s", got)
	}
}
