package item

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
)

// decodeStocks decodes a body byte by byte and returns the ids of its items, "!" for a failed one.
func decodeStocks(format Format, body string) (ids []string, ignored Ignored, err error) {
	d := &Decoder[catalog.StockPush]{Type: Stock(), Ignored: &ignored}
	for it, err := range d.Decode(format, iotest.OneByteReader(strings.NewReader(body))) {
		switch {
		case err != nil:
			return ids, ignored, err
		case len(it.Errors) > 0:
			ids = append(ids, "!"+it.Errors[0].Message)
		default:
			ids = append(ids, it.ID)
		}
	}
	return ids, ignored, nil
}

// A byte order mark is skipped, and a list without the object around it is taken as the payload.
func TestDecode_isLenientAboutMarksAndBareLists(t *testing.T) {
	for _, c := range []struct {
		format Format
		body   string
	}{
		{JSON, `{"payload": [{"id": 1}, {"id": 2}]}`},
		{JSON, "\ufeff" + `{"payload": [{"id": 1}, {"id": 2}]}`},
		{JSON, ` [{"id": 1}, {"id": 2}] `},
		{JSON, "\ufeff\r\n" + `[{"id": 1}, {"id": 2}]`},
		{NDJSON, "\ufeff" + `{"id": 1}` + "\r\n" + `{"id": 2}`},
	} {
		if ids, _, err := decodeStocks(c.format, c.body); err != nil || !slices.Equal(ids, []string{"1", "2"}) {
			t.Errorf("%s %q: %q, %v", c.format, c.body, ids, err)
		}
	}

	for _, body := range []string{"[]", "\ufeff[]", `{"payload": []}`} {
		if ids, _, err := decodeStocks(JSON, body); err != nil || len(ids) > 0 {
			t.Errorf("%q: %q, %v", body, ids, err)
		}
	}
}

// A body in another encoding and NDJSON that was sent as a document are refused with a message that says what the body
// looks like and what to send.
func TestDecode_saysWhatARefusedBodyLooksLike(t *testing.T) {
	for _, c := range []struct {
		format Format
		body   string
		want   string
	}{
		{JSON, "\xff\xfe{\x00}\x00", "UTF-16; send JSON in UTF-8"},
		{NDJSON, "\xff\xfe{\x00}\x00", "UTF-16; send JSON in UTF-8"},
		{NDJSON, "{\x00}\x00", "UTF-16; send JSON in UTF-8"},
		{NDJSON, "\x1f\x8b\x08\x00", "Content-Encoding: gzip"},
		{JSON, "\x1f\x8b\x08\x00", "Content-Encoding: gzip"},
		{JSON, `{"payload": [{"id": 1, "name": "` + "\xd1\xea\xeb\xe0\xe4" + `"}]}`, "Windows-1251"},
		{JSON, `{"id": 1, "name": "A"}` + "\n" + `{"id": 2, "name": "B"}` + "\n", "send it as application/x-ndjson"},
		{JSON, `[{"id": 1}][{"id": 2}]`, "something after the end"},
	} {
		_, ignored, err := decodeStocks(c.format, c.body)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Malformed || !strings.Contains(f.Message, c.want) || len(ignored.List) > 0 {
			t.Errorf("%s %q: got %v, want %q; ignored %v", c.format, c.body, err, c.want, ignored.List)
		}
	}

	body := "<a>\n" + `{"id": 2}` + "\n" + `{"id": 3, "name": "` + "\xd1\xea\xeb\xe0\xe4" + `"}` + "\n\n" + `{"id": }`
	ids, _, err := decodeStocks(NDJSON, body)
	if err != nil || len(ids) != 4 || ids[1] != "2" || !strings.Contains(ids[2], "Windows-1251") ||
		!strings.Contains(ids[3], "line 5, column 8, at the character '}'") {
		t.Errorf("broken lines are %q, %v", ids, err)
	}
}

// An unknown member is listed once, with the number of items that have it, the first of them and a similar member.
func TestIgnored_countsItemsAndSuggestsMembers(t *testing.T) {
	var ignored Ignored
	d := &Decoder[catalog.ProductPush]{Type: Product(), Ignored: &ignored}
	body := `{"store": 7, "payload": [{"id": 1, "titel": 1}, {"id": 2, "Name": "x", "variants": [{"id": 1, "pirce": 1}, {"id": 2, "pirce": 1}]},
		{"id": 4, "unit": {"nmae": "pcs", "code": "796"}}, {"id": 5, "unit": {"name": "pcs", "kode": "796"}},
		{"id": 3, "price": 1, "variants": [{"id": 1, "pirce": 1, "weigth": 2}], "variantPrice": 1, "name ": ""}]}`
	for _, err := range d.Decode(JSON, strings.NewReader(body)) {
		if err != nil {
			t.Fatal(err)
		}
	}

	var lines []string
	for _, f := range ignored.List {
		line := f.Field + " " + strings.Repeat("*", int(f.Count))
		if f.FirstIndex != nil {
			line += " " + string(rune('0'+*f.FirstIndex))
		}
		if f.DidYouMean != nil {
			line += " " + *f.DidYouMean
		}
		lines = append(lines, line)
	}

	want := []string{"store *", "titel * 0", "Name * 1 name", "variants[].pirce ** 1 variants[].price",
		"unit.nmae * 2 unit.name", "unit.kode * 3 unit.code", "price * 4 variants[].price", "variants[].weigth * 4",
		"variantPrice * 4 variant_price", "name  * 4 name"}
	if !slices.Equal(lines, want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
}

// The members that are suggested are members that items may have.
func TestTypeMembers_areKnown(t *testing.T) {
	check := func(entity string, members []string, decode func(raw string, ignored *Ignored) (Item, any)) {
		for _, path := range members {
			raw := "null"
			rest := path
			for rest != "" {
				parent, name := splitMember(rest)
				raw = `{"` + strings.TrimSuffix(name, "[]") + `": ` + raw + `}`
				if rest = parent; strings.HasSuffix(parent, "[]") {
					raw = `[` + raw + `]`
				}
			}

			var ignored Ignored
			decode(raw, &ignored)
			if len(ignored.List) > 0 {
				t.Errorf("%s: %s is not known: %s", entity, path, raw)
			}
		}
	}

	check("product", Product().members, decodeOne(Product()))
	check("option", Option().members, decodeOne(Option()))
	check("feature", Feature().members, decodeOne(Feature()))
	check("category", Category().members, decodeOne(Category()))
	check("stock", Stock().members, decodeOne(Stock()))
	check("price", Price().members, decodeOne(Price()))
	check("remainder", Remainder().members, decodeOne(Remainder()))
}

// Members that the form of a product does not use are a warning, not a silent loss.
func TestUnusedMembers_areAWarning(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id": 1, "variant_price": 1, "variant_sku": "A"}`: "variant_price: " +
			"variant_price, variant_sku: not used",
		`{"id": 1, "variant_price": "x", "single_variant": false}`: "variant_price: " +
			"variant_price: not used",
		`{"id": 1, "variants": [{"id": 1}], "single_variant": true, "variant_price": 1}`: "variants: variants: not " +
			"used",
		`{"id": 1, "variants": [{"id": 1}]}`:                                              "",
		`{"id": 1, "single_variant": true, "variant_price": 1, "variant_remainders": []}`: "",
		`{"id": 1, "name": "Only a name"}`:                                                "",
	} {
		var ignored Ignored
		it, _ := decodeOne(Product())(raw, &ignored)
		got := ""
		for _, w := range it.Warnings {
			if got += w.Field + ": " + w.Message; w.Code != "unused_members" {
				t.Errorf("%s: the code is %s", raw, w.Code)
			}
		}

		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || len(it.Errors) > 0 || len(ignored.List) > 0 {
			t.Errorf("%s: warnings %q, want %q; errors %v, ignored %v", raw, got, want, it.Errors, ignored.List)
		}
	}
}
