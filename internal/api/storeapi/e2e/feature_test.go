package e2e

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// valuesMember returns the JSON member "values" with one new value. The argument sent is the JSON of its name.
func valuesMember(sent string) string { return `"values": [{"name": ` + sent + `}]` }

// The name of a value of a range feature must be a decimal number with a point or a comma and without an exponent. It
// must be whole if range_type is integer. range_value is that number.
func TestRangeFeature_acceptsPlainDecimalNumbers(t *testing.T) {
	t.Parallel()
	const float, integer, both = "float", "integer", "both"

	good := []struct{ sent, kept, number, in string }{
		{`"1,5"`, "1,5", "1.5", float},
		{`"1.5"`, "1.5", "1.5", float},
		{`1.5`, "1.5", "1.5", float},
		{`1.50`, "1.50", "1.5", float},
		{`"-3"`, "-3", "-3", both},
		{`-3`, "-3", "-3", both},
		{`0`, "0", "0", both},
		{`-0`, "-0", "0", both},
		{`"-0,00"`, "-0,00", "0", both},
		{`"007"`, "007", "7", both},
		{`" 15 "`, "15", "15", both},
		{`"15,0"`, "15,0", "15", both},
		{`0.1`, "0.1", "0.1", float},
		// The number is not converted to a float, so no digit is lost.
		{`12345678901234567890`, "12345678901234567890", "12345678901234567890", both},
		{`"0,1234567890123456789012345"`, "0,1234567890123456789012345", "0.1234567890123456789012345", float},
		{`"` + strings.Repeat("9", 255) + `"`, strings.Repeat("9", 255), strings.Repeat("9", 255), both},
	}

	bad := []string{`1e5`, `1E5`, `1e-5`, `"1e5"`, `"+1"`, `".5"`, `"5."`, `"5,"`, `"1.5.2"`, `"1,5,2"`, `"1.5,2"`,
		`"1 000"`, `"--1"`, `"-"`, `"-,5"`, `"0x10"`, `"½"`, `"１"`, `"Infinity"`, `"NaN"`, `"1_0"`,
		`"5 kg"`, `"five"`, `"1'000"`}

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		create := func(rangeType, more string) *apitest.Response {
			return s.Do("POST", featuresPath+"?with=values",
				`{"name": "Weight", "field_type": "range", "range_type": "`+rangeType+`", `+more+`}`)
		}
		edited := map[string]string{float: create(float, `"values": []`).Text("data.id"),
			integer: create(integer, `"values": []`).Text("data.id")}
		for _, rangeType := range []string{float, integer} {
			for _, c := range good {
				if c.in != both && c.in != rangeType {
					s.WantProblem("422 values[0].name not_a_number", "POST", featuresPath,
						`{"name": "W", "field_type": "range", "range_type": "integer", `+valuesMember(c.sent)+`}`)
					s.WantProblem("422 values[0].name not_a_number", "PUT", featuresPath+"/"+edited[integer],
						`{`+valuesMember(c.sent)+`}`)
					continue
				}

				r := create(rangeType, valuesMember(c.sent))
				if r.Status != 201 || r.Text("data.values.0.name") != c.kept ||
					r.Text("data.values.0.range_value") != c.number {
					t.Errorf("%s %s is created as %.300s", rangeType, c.sent, r.Text("data.values"))
				}

				r = s.OK(200, "PUT", featuresPath+"/"+edited[rangeType]+"?with=values", `{`+valuesMember(c.sent)+`}`)
				last := fmt.Sprintf("data.values.%d.", r.Len("data.values")-1)
				if r.Text(last+"name") != c.kept || r.Text(last+"range_value") != c.number {
					t.Errorf("%s %s is added as %.300s", rangeType, c.sent, r.Text("data.values"))
				}
			}

			for _, sent := range bad {
				s.WantProblem("422 values[0].name not_a_number", "POST", featuresPath,
					`{"name": "W", "field_type": "range", "range_type": "`+rangeType+`", `+valuesMember(sent)+`}`)
				s.WantProblem("422 values[0].name not_a_number", "PUT", featuresPath+"/"+edited[rangeType],
					`{`+valuesMember(sent)+`}`)
				id := s.Get(featuresPath + "/" + edited[rangeType] + "/values?per_page=1").Text("data.0.id")
				s.WantProblem("422 values[0].name not_a_number", "PUT", featuresPath+"/"+edited[rangeType],
					`{"values": [{"id": "`+id+`", "name": `+sent+`}]}`)
			}
		}

		// A select feature accepts every name, and its range_value is null.
		for _, sent := range append(bad, `"1,5"`, `7`) {
			r := s.OK(201, "POST", featuresPath+"?with=values", `{"name": "W", `+valuesMember(sent)+`}`)
			if r.Text("data.values.0.range_value") != "null" {
				t.Errorf("the range_value of %s on a select feature is %s", sent, r.Text("data.values.0.range_value"))
			}
		}
	})
}

// filterable defaults to false. field_type is select (the default) or range, sent as a string or as an object with an
// id. The range_type of a range feature is float (the default) or integer. That of a select feature is null, and
// setting it is refused with 422.
func TestFeature_typesAndDefaults(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct{ sent, filterable, fieldType, rangeType string }{
			{``, "false", "select", ""},
			{`, "filterable": true`, "true", "select", ""},
			{`, "filterable": false`, "false", "select", ""},
			{`, "field_type": "select"`, "false", "select", ""},
			{`, "field_type": {"id": "select"}, "range_type": null`, "false", "select", ""},
			{`, "field_type": "range"`, "false", "range", "float"},
			{`, "field_type": "range", "range_type": null`, "false", "range", "float"},
			{`, "field_type": {"name": "whatever", "id": "range"}, "range_type": {"id": "integer", "name": "x"}`,
				"false", "range", "integer"},
			{`, "range_type": "float", "field_type": "range"`, "false", "range", "float"}, // members in any order
		} {
			r := s.OK(201, "POST", featuresPath, `{"name": "F"`+c.sent+`}`)
			got := r.Text("data.filterable") + " " + r.Text("data.field_type.id") + " "
			if r.Text("data.range_type") != "null" {
				got += r.Text("data.range_type.id")
			}
			if want := c.filterable + " " + c.fieldType + " " + c.rangeType; got != want {
				t.Errorf("%s gives %s, want %s", c.sent, got, want)
			}
		}

		ranged := s.OK(201, "POST", featuresPath, `{"name": "F", "field_type": "range"}`).Text("data.id")
		selected := s.OK(201, "POST", featuresPath, `{"name": "F"}`).Text("data.id")
		for _, c := range []struct{ sent, create, onSelect, onRange string }{
			{`"range_type": "float"`, "422 range_type not_allowed", "422 range_type not_allowed", "200"},
			{`"field_type": "select", "range_type": "integer"`, "422 range_type not_allowed",
				"422 range_type not_allowed", "422 range_type not_allowed"},
			{`"range_type": {"id": "float"}, "field_type": {"id": "select"}`, "422 range_type not_allowed",
				"422 range_type not_allowed", "422 range_type not_allowed"},
			{`"field_type": "Range"`, "422 field_type unknown_choice", "422 field_type unknown_choice",
				"422 field_type unknown_choice"},
			{`"field_type": {"id": "slider"}`, "422 field_type.id unknown_choice", "422 field_type.id unknown_choice",
				"422 field_type.id unknown_choice"},
			{`"field_type": {}`, "422 field_type.id required", "422 field_type.id required",
				"422 field_type.id required"},
			{`"field_type": null`, "422 field_type wrong_type", "422 field_type wrong_type",
				"422 field_type wrong_type"},
			{`"field_type": 1`, "422 field_type wrong_type", "422 field_type wrong_type", "422 field_type wrong_type"},
			{`"field_type": {"id": null}`, "422 field_type.id wrong_type", "422 field_type.id wrong_type",
				"422 field_type.id wrong_type"},
			{`"range_type": "double"`, "422 range_type unknown_choice", "422 range_type unknown_choice",
				"422 range_type unknown_choice"},
			{`"filterable": null`, "422 filterable wrong_type", "422 filterable wrong_type",
				"422 filterable wrong_type"},
			{`"filterable": "true"`, "422 filterable wrong_type", "422 filterable wrong_type",
				"422 filterable wrong_type"},
			{`"filterable": 1`, "422 filterable wrong_type", "422 filterable wrong_type", "422 filterable wrong_type"},
		} {
			s.WantProblem(c.create, "POST", featuresPath, `{"name": "F", `+c.sent+`}`)
			s.WantProblem(c.onSelect, "PUT", featuresPath+"/"+selected, `{`+c.sent+`}`)
			if c.onRange == "200" {
				s.OK(200, "PUT", featuresPath+"/"+ranged, `{`+c.sent+`}`)
			} else {
				s.WantProblem(c.onRange, "PUT", featuresPath+"/"+ranged, `{`+c.sent+`}`)
			}
		}

		// Options do not have these members, so they are ignored as unknown.
		r := s.OK(201, "POST", optionsPath,
			`{"name": "O", "filterable": 7, "field_type": "slider", "range_type": "float"}`)
		if r.Has("data.filterable") || r.Has("data.field_type") {
			t.Errorf("the option has members of a feature: %s", r.Body)
		}
	})
}

// PUT changes only the members that are sent.
func TestFeature_editKeepsOmittedMembers(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := featuresPath + "/" +
			s.OK(201, "POST", featuresPath,
				`{"name": "Year", "filterable": true, "field_type": "range", "range_type": "integer", `+
					`"values": [{"name": 1}]}`).Text("data.id")

		state := func() string {
			r := s.Get(path + "?with=values")
			rangeType := "null"
			if r.Has("data.range_type.id") {
				rangeType = r.Text("data.range_type.id")
			}
			return fmt.Sprintf("%s %s %s %s %q", r.Text("data.name"), r.Text("data.filterable"),
				r.Text("data.field_type.id"), rangeType, r.Texts("data.values", "range_value"))
		}
		for _, step := range []struct{ sent, want string }{
			{`{}`, `Year true range integer ["1"]`},
			{`{"name": "Age"}`, `Age true range integer ["1"]`},
			{`{"filterable": false}`, `Age false range integer ["1"]`},
			{`{"field_type": "range"}`, `Age false range integer ["1"]`},
			{`{"range_type": null}`, `Age false range integer ["1"]`},
			{`{"range_type": "float"}`, `Age false range float ["1"]`},
			{`{"values": [{"name": "2,5"}]}`, `Age false range float ["1" "2.5"]`},
			{`{"field_type": "select"}`, `Age false select null ["null" "null"]`},
			{`{"field_type": "range"}`, `Age false range float ["1" "2.5"]`},
		} {
			s.OK(200, "PUT", path, step.sent)
			if got := state(); got != step.want {
				t.Errorf("after %s: %s, want %s", step.sent, got, step.want)
			}
		}
	})
}

// Changing field_type to range is refused with 422 if values that would remain after the same request are not numbers.
// The message names them.
func TestFeature_typeChangeChecksRemainingValues(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, pad := range []int{0, longListLen} { // longListLen values are read in several batches
			numbers := numberedNames("", pad)
			a := createAttribute(s, featuresPath, append([]string{"1,5", "heavy", "light"}, numbers...)...)
			path := featuresPath + "/" + a.id
			r := s.WantProblem("422 field_type values_do_not_fit", "PUT", path, `{"field_type": "range"}`)
			if message := r.Text("errors.0.message"); !strings.Contains(message, `"heavy", "light"`) ||
				strings.Contains(message, "1,5") {
				t.Errorf("the message does not name the two values: %s", message)
			}

			s.WantProblem("422 field_type values_do_not_fit", "PUT", path,
				withMembers(`"field_type": "range"`, attributeEdit{Removed: a.values[1:2]}))
			s.WantProblem("422 field_type values_do_not_fit", "PUT", path,
				withMembers(`"field_type": "range"`,
					attributeEdit{Values: []map[string]any{renamedValue(a.values[1], "2")}}))
			s.WantProblem("422 values[0].name not_a_number", "PUT", path,
				withMembers(`"field_type": "range"`,
					attributeEdit{Values: []map[string]any{renamedValue(a.values[1], "very heavy")},
						Removed: a.values[2:3]}))
			s.WantProblem("422 values[0].name not_a_number", "PUT", path,
				withMembers(`"field_type": "range"`, attributeEdit{Values: newValues("new"), Removed: a.values[1:3]}))

			// The request that changes the type renames a number to a name that is not a number.
			s.WantProblem("422 values[0].name not_a_number", "PUT", path,
				withMembers(`"field_type": "range"`,
					attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "x")}, Removed: a.values[1:3]}))

			s.OK(200, "PUT", path, withMembers(`"field_type": "range"`,
				attributeEdit{Values: append(newValues("-2"), renamedValue(a.values[1], "30")),
					Removed: a.values[2:3]}))
			r = s.Get(path + "?with=values")
			wantNames(t, r.Texts("data.values", "range_value"),
				append(append([]string{"1.5", "30"}, numbers...), "-2")...)

			r = s.WantProblem("422 range_type values_do_not_fit", "PUT", path, `{"range_type": "integer"}`)
			if message := r.Text("errors.0.message"); !strings.Contains(message, `"1,5"`) ||
				strings.Contains(message, "30") {
				t.Errorf("the message does not name the value: %s", message)
			}

			s.OK(200, "PUT", path, withMembers(`"range_type": "integer"`,
				attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "2")}}))
			s.WantProblem("422 values[0].name not_a_number", "PUT", path, attributeEdit{Values: newValues("2.5")})

			// One request changes the type to select and renames a number to a word. The other names stay, and
			// range_value becomes null.
			s.OK(200, "PUT", path, withMembers(`"field_type": "select"`,
				attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "two")}}))
			r = s.Get(path + "?with=values")
			if r.Text("data.values.0.name") != "two" || r.Text("data.values.1.name") != "30" ||
				strings.Join(r.Texts("data.values", "range_value"), "") != strings.Repeat("null", 3+pad) {
				t.Errorf("as a select feature it has the values %.300s", r.Text("data.values"))
			}
		}
	})
}

// withMembers returns the JSON of an edit with additional members in front.
func withMembers(members string, e attributeEdit) string {
	return `{` + members + `, ` + strings.TrimPrefix(toJSON(e), "{")
}

func TestFeature_typeNamesAreLocalized(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		seen := map[string]string{}
		for _, language := range []string{"en", "ru", "de", "es", "fr", "uk", "kk"} {
			shop := s.WithKeys(s.NewStore(localeEdit(language, "UTC")))
			r := shop.OK(201, "POST", featuresPath, `{"name": "F", "field_type": "range", "range_type": "integer"}`)
			word := r.Text("data.range_type.name")
			if other := seen[word]; word == "" || word == "integer" || other != "" {
				t.Errorf("in %s the name of integer is %q, already used in %q", language, word, other)
			}

			seen[word] = language
			plain := shop.OK(201, "POST", featuresPath, `{"name": "F"}`)
			if plain.Text("data.field_type.name") == "" ||
				plain.Text("data.field_type.name") == r.Text("data.field_type.name") {
				t.Errorf("in %s the field types have the names %q and %q", language, plain.Text("data.field_type.name"),
					r.Text("data.field_type.name"))
			}
		}

		if seen["Целое число"] != "ru" {
			t.Errorf("the names are %v", seen)
		}
	})
}
