package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
)

// readModifiers reads a request body with text as its modifiers. It returns the result, and each error as "field code".
func readModifiers(text string) (kept, wrong string) {
	r := wire.NewReader(strings.NewReader(`{"modifiers": ` + text + `}`))
	err := r.Document(func(string) { kept, _ = ReadModifiers(r) })
	var f *fault.Error
	if !errors.As(err, &f) {
		return kept, ""
	}
	if f.Kind != fault.Invalid {
		return kept, f.Code
	}
	var places []string
	for _, field := range f.Fields {
		places = append(places, field.Field+" "+field.Code)
	}
	return kept, strings.Join(places, ", ")
}

func TestReadModifiers_returnsTextAsSent(t *testing.T) {
	for _, text := range []string{
		`[]`,
		`[ ]`,
		`[{"name":"Sauce"}]`,
		`[{"id":7,"name":"Sauce","min":0,"max":2,"required":true,"items":[{"id":"k","name":"Ketchup","price":10.50},` +
			`{"name":5}]}]`,
		`[{"id":null,"name":"x","min":null,"max":null,"required":null,"items":[{"id":null,"name":"y","price":null}]}]`,
		`[{"name":"x","min":2,"max":2,"max_free":1,"deep":[[{"a":"\u0041\t"}]],"items":[{"name":"y",` +
			`"image":{"id":"z"},"weight":1e400}]}]`,
		` [ {"name" : "\u042f" } ] `,
		`[{"id":"a","name":"x","items":[{"id":"a","name":"x"}]},{"id":"b","name":"x","items":[{"id":"a","name":"x"}]}]`,
	} {
		if kept, wrong := readModifiers(text); kept != strings.TrimSpace(text) || wrong != "" {
			t.Errorf("%s is read as %s: %s", text, kept, wrong)
		}
	}

	if kept, wrong := readModifiers("null"); kept != "[]" || wrong != "" {
		t.Errorf("null is read as %s: %s", kept, wrong)
	}

	most := `["` + strings.Repeat("a", MaxModifiers-4) + `"]`
	if _, wrong := readModifiers(most); wrong != "modifiers[0] wrong_type" {
		t.Errorf("%d bytes: %s", len(most), wrong)
	}
}

func TestReadModifiers_refusesInvalidModifiers(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                             "modifiers wrong_type",
		`"x"`:                            "modifiers wrong_type",
		`[7]`:                            "modifiers[0] wrong_type",
		`[null]`:                         "modifiers[0] wrong_type",
		`[{}]`:                           "modifiers[0].name required",
		`[{"name":" "}]`:                 "modifiers[0].name required",
		`[{"name":null}]`:                "modifiers[0].name wrong_type",
		`[{"name":"x","id":true}]`:       "modifiers[0].id wrong_type",
		`[{"name":"x","id":1.5}]`:        "modifiers[0].id wrong_type",
		`[{"name":"x","min":-1}]`:        "modifiers[0].min out_of_range",
		`[{"name":"x","max":1.5}]`:       "modifiers[0].max out_of_range",
		`[{"name":"x","max":"1"}]`:       "modifiers[0].max wrong_type",
		`[{"name":"x","min":3,"max":2}]`: "modifiers[0].min out_of_range",
		`[{"name":"x"},{"max":2,"min":3,"name":"y"}]`:           "modifiers[1].min out_of_range",
		`[{"name":"x","required":1}]`:                           "modifiers[0].required wrong_type",
		`[{"name":"x","items":null}]`:                           "modifiers[0].items wrong_type",
		`[{"name":"x","items":[{}]}]`:                           "modifiers[0].items[0].name required",
		`[{"name":"x","items":[{"name":"y"},{"price":1}]}]`:     "modifiers[0].items[1].name required",
		`[{"name":"x","items":[{"name":"y","price":-1}]}]`:      "modifiers[0].items[0].price out_of_range",
		`[{"name":"x","items":[{"name":"y","price":0.00001}]}]`: "modifiers[0].items[0].price out_of_range",
		`[{"name":"x","items":[{"name":"y","price":"1"}]}]`:     "modifiers[0].items[0].price wrong_type",
		`[{"name":"x","note":{"a":["\u0000"]}}]`:                "modifiers control_character",
		`[{"name":"x","items":[{"name":"y","n\u0001te":1}]}]`:   "modifiers control_character",
		`[{"id":7,"name":"x"},{"name":"y","id":"7"}]`:           "modifiers[1].id duplicate_id",
		`[{"name":"x","items":[{"id":"a","name":"y"},{"id":null,"name":"y"},` +
			`{"id":"a","name":"z"}]}]`: "modifiers[0].items[2].id duplicate_id",
		`[{"name":"x","name":"y"}]`:                       "malformed_json",
		strings.Repeat("[", 64) + strings.Repeat("]", 64): "malformed_json",
		`["` + strings.Repeat("a", MaxModifiers-3) + `"]`: "modifiers too_long",
	} {
		if _, wrong := readModifiers(text); wrong != want {
			t.Errorf("%.80s: got the errors %q, want %q", text, wrong, want)
		}
	}
}
