package item

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// These are the entities, as keys of the test tables.
const (
	products   = "products"
	options    = "variant-options"
	features   = "features"
	categories = "categories"
	stocks     = "stocks"
	remainders = "remainders"
	prices     = "prices"
)

// Each case has an item of an option or a feature, its expected content or errors, and its unknown members.
func TestDecodeItem_attributes(t *testing.T) {
	types := map[string]Type[catalog.AttributePush]{options: Option(), features: Feature()}
	for _, c := range []struct {
		entity, item   string
		want           catalog.AttributePush
		wrong, ignored []string
	}{
		{entity: options, item: `{"id": 7, "name": " Size ", "values": [{"id": 1, "name": "S"}, {"name": 10.50, ` +
			`"id": "2"}], "removed_values": [3, "x"]}`,
			want: catalog.AttributePush{ID: "7", Name: new("Size"),
				Values:  []catalog.ValuePush{{ID: "1", Name: "S"}, {ID: "2", Name: "10.50"}},
				Removed: []string{"3", "x"}}},
		{entity: options, item: `{"id": "7", "store_id": "x", "created_at": {}, "updated_at": {}, ` +
			`"values": [{"id": 1, "name": "S", "colour": 1}], "filterable": true}`,
			want:    catalog.AttributePush{ID: "7", Values: []catalog.ValuePush{{ID: "1", Name: "S"}}},
			ignored: []string{"values[].colour", "filterable"}},
		{entity: options, item: `{"name": "Size"}`, wrong: []string{"id required"}},
		{entity: options, item: `{"id": 7, "name": null, "values": null, "removed_values": [null]}`,
			wrong: []string{"name wrong_type", "values wrong_type", "removed_values[0] wrong_type"}},
		{entity: options, item: `{"id": 7, "values": [{"id": 1}, {"name": "S"}, {"id": "1", "name": ""}, 5], ` +
			`"removed_values": [2, "2"]}`,
			wrong: []string{"values[0].name required", "values[1].id required", "values[2].name required",
				"values[2].id duplicate_id", "values[3] wrong_type", "removed_values[1] duplicate_id"}},
		{entity: options, item: `[]`, wrong: []string{" wrong_type"}},

		{entity: features, item: `{"id": 7, "filterable": false, "field_type": "range", ` +
			`"range_type": {"id": "integer", "name": "Whole"}, "values": [{"id": 1, "name": 5, "range_value": 5, ` +
			`"created_at": {}}]}`,
			want: catalog.AttributePush{ID: "7", Filterable: new(false), FieldType: new(catalog.Range),
				RangeType: new(catalog.Integer), Values: []catalog.ValuePush{{ID: "1", Name: "5"}}}},
		{entity: features, item: `{"id": 7, "field_type": {"id": "select"}, "range_type": null, "store_id": 1}`,
			want: catalog.AttributePush{ID: "7", FieldType: new(catalog.Select)}, ignored: []string{"store_id"}},
		{entity: features, item: `{"id": 7, "filterable": 1, "field_type": "free", "range_type": {}}`,
			wrong: []string{"filterable wrong_type", "field_type unknown_choice", "range_type.id required"}},
	} {
		d := &Decoder[catalog.AttributePush]{Type: types[c.entity], Ignored: &Ignored{}}
		it := d.decodeItem([]byte(c.item), wire.StartOfLine(1))
		var wrong []string
		for _, f := range it.Errors {
			wrong = append(wrong, f.Field+" "+f.Code)
		}

		if !slices.Equal(wrong, c.wrong) || !slices.Equal(d.Ignored.Fields(), c.ignored) {
			t.Errorf("%s %s: errors %q, ignored %q, want %q and %q",
				c.entity, c.item, wrong, d.Ignored.Fields(), c.wrong, c.ignored)
		}

		if wrong != nil {
			continue
		}

		got := it.Content
		if got.Digest == (catalog.Digest{}) || it.ID != c.want.ID || it.Subject != c.want.ID {
			t.Errorf("%s %s: id %q, subject %q, digest %x", c.entity, c.item, it.ID, it.Subject, got.Digest)
		}

		got.Digest = catalog.Digest{}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.entity, c.item, diff)
		}
	}
}

func TestDecodeItem_keepsNoValuesAfterBrokenOne(t *testing.T) {
	for _, text := range []string{
		`{"id": 7, "name": "x", "values": [{}` + strings.Repeat(`,{}`, 10_000) + `]}`,
		`{"id": 7, "name": "x", "removed_values": [1, 1` + strings.Repeat(`,1`, 10_000) + `]}`,
	} {
		d := &Decoder[catalog.AttributePush]{Type: Feature(), Ignored: &Ignored{}}
		for it, err := range d.Decode(NDJSON, strings.NewReader(text)) {
			if kept := len(it.Content.Values) + len(it.Content.Removed); err != nil || kept > 1 || len(it.Errors) == 0 {
				t.Errorf("%.40s…: %d values are kept, %d errors, %v", text, kept, len(it.Errors), err)
			}
		}
	}
}
