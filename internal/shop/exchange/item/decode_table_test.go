package item

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item/table"
)

// A line that cannot be read makes its item fail and names the line; the other items are decoded.
func TestDecode_tableWithUnreadableLine(t *testing.T) {
	var ignored Ignored
	text := "\ufeffid;name;price;width\n7;Tee;1 234,50;1\n8;Cap;ten;1\n9;\"Hat\nwith two lines\";3;1\n"
	decoder := &Decoder[catalog.ProductPush]{Type: Product(), Ignored: &ignored}
	var got []string
	for it, err := range decoder.Decode(CSV, strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		line := it.ID
		for _, e := range it.Errors {
			line += " " + e.Field + " " + e.Code + " " + e.Message
		}
		got = append(got, line)
	}

	want := []string{"7", `8 price unreadable_line price must be a number such as 12.50 or 12,50; "ten" is not.`, "9"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the items are %q, want %q", got, want)
	}
	if diff := cmp.Diff(table.Layout{Separator: ";", Columns: []string{"id", "name", "price", "width"}},
		ignored.Layout); diff != "" {
		t.Error(diff)
	}
	if fields := ignored.Fields(); len(fields) != 1 || fields[0] != "column width" {
		t.Errorf("the ignored columns are %q", fields)
	}
}

// A table without a required column is refused as a whole.
func TestDecode_tableWithoutID(t *testing.T) {
	var ignored Ignored
	decoder := &Decoder[catalog.ProductPush]{Type: Product(), Ignored: &ignored}
	for _, err := range decoder.Decode(CSV, strings.NewReader("name,price\nTee,1\n")) {
		if err == nil || !strings.Contains(err.Error(), "must have the column id") {
			t.Errorf("the error is %v", err)
		}
	}
}
