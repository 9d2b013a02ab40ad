package exchangeapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// memberValues are JSON values to send for a member, each with a name.
var memberValues = [][2]string{
	{"null", `null`}, {"object", `{"a": 1}`}, {"empty object", `{}`}, {"list", `[1]`}, {"empty list", `[]`},
	{"lists", `[[]]`}, {"true", `true`},
	{"text", `"x"`}, {"empty", `""`}, {"blank", `" "`}, {"long", `"` + strings.Repeat("ä", 300) + `"`},
	{"NUL", `"a\u0000"`}, {"bell", `"\u0007a"`},
	{"whole", `7`}, {"decimal", `1.5`}, {"negative", `-1`}, {"exponent", `1e3`}, {"huge", `1e400`}, {"tiny", `1e-400`},
	{"beyond", `99999999999999999999999`},
}

// validValues has the names of the values that are valid for each kind of member. All other values make the item fail.
var validValues = map[string][]string{
	"id":         {"text", "whole", "negative", "beyond"},
	"id or null": {"null", "text", "whole", "negative", "beyond"},
	"name":       {"text", "whole", "decimal", "negative", "exponent", "huge", "tiny", "beyond"},
	"label": {"null", "text", "empty", "blank", "whole", "decimal", "negative", "exponent", "huge", "tiny",
		"beyond"},
	"text or null":   {"null", "text", "empty", "blank", "long"},
	"amount":         {"whole", "decimal", "exponent"},
	"amount or null": {"null", "whole", "decimal", "exponent"},
	"number":         {"whole", "decimal", "negative", "beyond"},
	"bool":           {"true"},
	"bool or null":   {"null", "true"},
	"list":           {"empty list"},
	"list of ids":    {"empty list", "list"},
	"list or null":   {"null", "empty list"},
	"word":           {},
	"word or null":   {"null"},
	"element":        {},
	"known":          {}, // must be the id of an existing entity, which no value is
}

// memberCases has the members of items, by entity. Each case has the path that an error names (or two, separated by |),
// the kind of the member, and an item. VALUE is replaced by the value, NUMBER by a unique number.
var memberCases = map[string][][3]string{
	"products": {
		{"id", "id", `{"id": VALUE, "name": "x"}`}, {"name", "name", `{"id": "bNUMBER", "name": VALUE}`},
		{"", "element", `VALUE`},
		{"description", "text or null", `{"id": "bNUMBER", "name": "x", "description": VALUE}`},
		{"single_variant", "bool or null",
			`{"id": "bNUMBER", "name": "x", "variant_price": 1, "single_variant": VALUE}`},
		{"variant_price", "amount or null",
			`{"id": "bNUMBER", "name": "x", "single_variant": true, "variant_price": VALUE}`},
		{"variant_sku", "label",
			`{"id": "bNUMBER", "name": "x", "single_variant": true, "variant_price": 1, "variant_sku": VALUE}`},
		{"variant_name", "label",
			`{"id": "bNUMBER", "name": "x", "variant_name": VALUE, "single_variant": true, "variant_price": 1}`},
		{"variant_remainders", "list",
			`{"id": "bNUMBER", "name": "x", "single_variant": true, "variant_price": 1, "variant_remainders": VALUE}`},
		{"variant_options", "list",
			`{"id": "bNUMBER", "name": "x", "single_variant": true, "variant_price": 1, "variant_options": VALUE}`},
		{"variants", "list", `{"id": "bNUMBER", "name": "x", "variants": VALUE}`},
		{"variants[0]", "element", `{"id": "bNUMBER", "name": "x", "variants": [VALUE]}`},
		{"variants[0].id", "id", `{"id": "bNUMBER", "name": "x", "variants": [{"id": VALUE, "price": 1}]}`},
		{"variants[0].name", "label",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "name": VALUE}]}`},
		{"variants[0].sku", "label",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "sku": VALUE}]}`},
		{"variants[1].price", "amount or null",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1}, {"id": 2, "price": VALUE}]}`},
		{"variants[0].options", "list",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "options": VALUE}]}`},
		{"variants[0].options[0].id", "id",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "options": [{"id": VALUE, ` +
				`"value_id": 1}]}]}`},
		{"variants[0].options[0].value_id", "id",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "options": [{"id": 1, ` +
				`"value_id": VALUE}]}]}`},
		{"variants[0].remainders", "list",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "remainders": VALUE}]}`},
		{"variants[0].remainders[0].stock_id", "id",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "remainders": [{"stock_id": VALUE, ` +
				`"quantity": 1}]}]}`},
		{"variants[0].remainders[0].quantity", "amount",
			`{"id": "bNUMBER", "name": "x", "variants": [{"id": 1, "price": 1, "remainders": [{"stock_id": 1, ` +
				`"quantity": VALUE}]}]}`},
		{"features", "list", `{"id": "bNUMBER", "name": "x", "features": VALUE}`},
		{"features[0].id", "id", `{"id": "bNUMBER", "name": "x", "features": [{"id": VALUE, "value_id": 1}]}`},
		{"features[0].value_id", "id", `{"id": "bNUMBER", "name": "x", "features": [{"id": 1, "value_id": VALUE}]}`},
		{"categories", "list of ids", `{"id": "bNUMBER", "name": "x", "categories": VALUE}`},
		{"categories[1]", "id", `{"id": "bNUMBER", "name": "x", "categories": [1, VALUE]}`},
		{"images", "list", `{"id": "bNUMBER", "name": "x", "images": VALUE}`},
		{"images_mode", "word", `{"id": "bNUMBER", "name": "x", "images_mode": VALUE}`},
		{"modifiers", "list or null", `{"id": "bNUMBER", "name": "x", "modifiers": VALUE}`},
		{"modifiers", "element", `{"id": "bNUMBER", "name": "x", "modifiers": [VALUE]}`},
		{"modifiers", "name", `{"id": "bNUMBER", "name": "x", "modifiers": [{"name": VALUE}]}`},
	},
	"variant-options": {
		{"id", "id", `{"id": VALUE, "name": "x"}`}, {"name", "name", `{"id": "bNUMBER", "name": VALUE}`},
		{"", "element", `VALUE`},
		{"values", "list", `{"id": "bNUMBER", "name": "x", "values": VALUE}`},
		{"values[0]", "element", `{"id": "bNUMBER", "name": "x", "values": [VALUE]}`},
		{"values[0].id", "id", `{"id": "bNUMBER", "name": "x", "values": [{"id": VALUE, "name": "v"}]}`},
		{"values[0].name", "name", `{"id": "bNUMBER", "name": "x", "values": [{"id": 1, "name": VALUE}]}`},
		{"removed_values", "list of ids", `{"id": "bNUMBER", "name": "x", "removed_values": VALUE}`},
		{"removed_values[0]", "id", `{"id": "bNUMBER", "name": "x", "removed_values": [VALUE]}`},
	},
	"features": {
		{"id", "id", `{"id": VALUE, "name": "x"}`}, {"name", "name", `{"id": "bNUMBER", "name": VALUE}`},
		{"", "element", `VALUE`},
		{"filterable", "bool", `{"id": "bNUMBER", "name": "x", "filterable": VALUE}`},
		{"field_type", "word", `{"id": "bNUMBER", "name": "x", "field_type": VALUE}`},
		{"range_type", "word or null", `{"id": "bNUMBER", "name": "x", "range_type": VALUE}`},
		{"values", "list", `{"id": "bNUMBER", "name": "x", "values": VALUE}`},
		{"values[0].id", "id", `{"id": "bNUMBER", "name": "x", "values": [{"id": VALUE, "name": "v"}]}`},
		{"values[0].name", "number",
			`{"id": "bNUMBER", "name": "x", "field_type": "range", "values": [{"id": 1, "name": VALUE}]}`},
	},
	"categories": {
		{"id", "id", `{"id": VALUE, "name": "x"}`}, {"name", "name", `{"id": "bNUMBER", "name": VALUE}`},
		{"", "element", `VALUE`},
		{"parent_id", "id or null", `{"id": "bNUMBER", "name": "x", "parent_id": VALUE}`},
	},
	"stocks": {{"id", "id", `{"id": VALUE, "name": "x"}`}, {"name", "name", `{"id": "bNUMBER", "name": VALUE}`},
		{"", "element", `VALUE`}},
	"remainders": {
		{"", "element", `VALUE`},
		{"variant_id", "known", `{"variant_id": VALUE, "product_id": "good", "stock_id": 1, "quantity": 1}`},
		{"stock_id", "id", `{"variant_id": "v", "product_id": "good", "stock_id": VALUE, "quantity": 1}`},
		{"quantity", "amount", `{"variant_id": "v", "product_id": "good", "stock_id": 1, "quantity": VALUE}`},
		{"product_id|variant_id", "word or null",
			`{"variant_id": "v", "product_id": VALUE, "stock_id": 1, "quantity": 1}`},
	},
	"prices": {
		{"", "element", `VALUE`}, {"variant_id", "known", `{"variant_id": VALUE, "product_id": "good", "price": 1}`},
		{"price", "amount or null", `{"variant_id": "v", "product_id": "good", "price": VALUE}`},
		{"product_id|variant_id", "word or null", `{"variant_id": "v", "product_id": VALUE, "price": 1}`},
	},
}

// validItem returns an item that must be applied although an invalid one precedes it.
func validItem(entity string, number int) string {
	switch entity {
	case "remainders":
		return fmt.Sprintf(`{"variant_id": "v", "product_id": "good", "stock_id": "g%d", "quantity": 1}`, number)
	case "prices":
		return fmt.Sprintf(`{"variant_id": "v", "product_id": "good", "price": %d}`, number)
	}
	return fmt.Sprintf(`{"id": "g%d", "name": "Good"}`, number)
}

// An item with an invalid value of a member fails, its error names that member, and the item after it is applied. The
// test tries each value for each member.
func TestPush_reportsInvalidValueOfEachMember(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		gateServer{shared, t}.push("products",
			`{"payload": [{"id": "good", "name": "x", "variants": [{"id": "v", "price": 1}]}]}`)
		for _, entity := range slices.Sorted(maps.Keys(memberCases)) {
			t.Run(entity, func(t *testing.T) {
				checkMembers(gateServer{shared.WithTB(t), t}, entity, memberCases[entity])
			})
		}
		for _, complaint := range shared.Log.WarningsAndErrors() {
			t.Errorf("unexpected log line: %s", complaint)
		}
	})
}

// checkMembers pushes each value for each member, all in one push, and a valid item after each.
func checkMembers(s gateServer, entity string, list [][3]string) {
	var items []string
	var places []string // by item: the path that its error must name, or "-" if it is valid
	for _, m := range list {
		for _, v := range memberValues {
			place := m[0]
			if slices.Contains(validValues[m[1]], v[0]) {
				place = "-"
			}
			number := len(items)
			items = append(items, strings.NewReplacer("VALUE", v[1], "NUMBER", fmt.Sprint(number)).Replace(m[2]),
				validItem(entity, number))
			places = append(places, place, "-")
		}
	}

	r := s.push(entity, payload(items))
	fieldsOf := map[int][]string{}
	for i := range r.Len("data.errors") {
		at := fmt.Sprintf("data.errors.%d.", i)
		index, err := strconv.Atoi(r.Text(at + "index"))
		if err != nil || index >= len(items) {
			s.t.Fatalf("an error has an invalid index: %s", r.Text(strings.TrimSuffix(at, ".")))
		}

		fieldsOf[index] = append(fieldsOf[index], r.Text(at+"field"))
		if r.Text(at+"code") == "" || r.Text(at+"message") == "" {
			s.t.Errorf("%s: %s", items[index], r.Text(strings.TrimSuffix(at, ".")))
		}
	}

	failed := 0
	for i, place := range places {
		switch {
		case place == "-" && fieldsOf[i] != nil:
			s.t.Errorf("%s fails at %q", items[i], fieldsOf[i])
		case place == "-":
		case fieldsOf[i] == nil:
			s.t.Errorf("%s is applied, want a failure at %s", items[i], place)
		case !slices.ContainsFunc(strings.Split(place, "|"),
			func(p string) bool { return strings.HasPrefix(fieldsOf[i][0], p) }):
			s.t.Errorf("%s fails at %q, want %s", items[i], fieldsOf[i], place)
		}

		if place != "-" {
			failed++
		}
	}

	if got := []string{r.Text("data.received"), r.Text("data.failed")}; got[0] != fmt.Sprint(len(items)) ||
		got[1] != fmt.Sprint(failed) {
		s.t.Errorf("%s items were received and %s failed, want %d and %d", got[0], got[1], len(items), failed)
	}

	if rejects := string(s.Get(s.path("runs/" + r.Text("data.id") + "/rejects")).Body); strings.Count(rejects,
		"\n") != failed {
		s.t.Errorf("the run has %d rejects, want %d", strings.Count(rejects, "\n"), failed)
	}
}
