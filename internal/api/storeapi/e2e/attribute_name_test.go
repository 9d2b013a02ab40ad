package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// The name of an option, a feature or a value is a string or a number with 1 to 255 characters after trimming. It is
// stored trimmed, and a number is stored with the digits that were sent.
func TestAttributeName_acceptsStringsAndNumbers(t *testing.T) {
	t.Parallel()
	good := []struct{ sent, kept string }{
		{`"S"`, "S"},
		{`" \t Large size\n "`, "Large size"},
		{`"\u00a0x\u3000"`, "x"},
		{`"a\tb\nc"`, "a\tb\nc"},
		{`"DEL\u007f"`, "DEL\x7f"},
		{`"\"quoted\" \\ / \u2028x"`, "\"quoted\" \\ / \u2028x"},
		{`"\ud83d\ude00"`, "😀"},
		{`"<b>&amp;"`, "<b>&amp;"},
		{`10.50`, "10.50"},
		{`-0`, "-0"},
		{`1E+2`, "1E+2"},
		{`42`, "42"},
		{`123456789012345678901234567890.000000000000000000001`,
			"123456789012345678901234567890.000000000000000000001"},
		{toJSON(strings.Repeat("ж", 255)), strings.Repeat("ж", 255)},
		{toJSON(strings.Repeat("😀", 255)), strings.Repeat("😀", 255)},
		{toJSON(" " + strings.Repeat("x", 255) + " "), strings.Repeat("x", 255)},
		{strings.Repeat("7", 255), strings.Repeat("7", 255)},
	}

	bad := []struct{ sent, code string }{
		{`""`, "required"},
		{`" \t\n "`, "required"},
		{`"\u00a0"`, "required"},
		{toJSON(strings.Repeat("ж", 256)), "too_long"},
		{toJSON(strings.Repeat("x", 128) + " " + strings.Repeat("x", 127)), "too_long"},
		{strings.Repeat("7", 256), "too_long"},
		{`null`, "wrong_type"},
		{`true`, "wrong_type"},
		{`["S"]`, "wrong_type"},
		{`{"name": "S"}`, "wrong_type"},
		{`"a\u0000b"`, "control_character"},
		{`"\u0001"`, "control_character"},
		{`"a\r"`, "control_character"},
		{`"\u001f"`, "control_character"},
	}

	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, "old")
		for _, c := range good {
			value := `{"name": ` + c.sent + `}`
			r := s.OK(201, "POST", at.list+"?with=values", `{"name": `+c.sent+`, "values": [`+value+`]}`)
			if r.Text("data.name") != c.kept || r.Text("data.values.0.name") != c.kept {
				t.Errorf("%s %s: created as %q with the value %q", at.name, c.sent, r.Text("data.name"),
					r.Text("data.values.0.name"))
			}

			r = s.OK(200, "PUT", at.edit+a.id+"?with=values",
				`{"name": `+c.sent+`, "values": [{"id": "`+a.values[0]+`", "name": `+c.sent+`}, `+value+`]}`)
			last := r.Len("data.values") - 1
			if r.Text("data.name") != c.kept || r.Text("data.values.0.name") != c.kept ||
				r.Texts("data.values", "name")[last] != c.kept {
				t.Errorf("%s %s: edited to %.300s", at.name, c.sent, r.Body)
			}
		}

		for _, c := range bad {
			s.WantProblem("422 name "+c.code, "POST", at.list, `{"name": `+c.sent+`}`)
			s.WantProblem("422 values[1].name "+c.code, "POST", at.list,
				`{"name": "x", "values": [{"name": "x"}, {"name": `+c.sent+`}]}`)
			s.WantProblem("422 name "+c.code+", values[0].name "+c.code+", values[1].name "+c.code, "PUT", at.edit+a.id,
				`{"name": `+c.sent+`, "values": [{"id": "`+a.values[0]+`", "name": `+c.sent+`}, {"name": `+c.sent+`}]}`)
		}
	})
}

// Names are stored byte for byte, on both engines.
func TestAttributeName_isStoredUnchanged(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		sent := []string{"e\u0301", "é", "İ", "ǅ", "\u202eright to left", "\u200b", "%", "_",
			"'; DROP TABLE attributes; --", `\`, "$1", "?1", "\ufeffmark", "\ufffd"}
		a := createAttribute(s, optionsPath, sent...)
		wantNames(t, valueNames(s, optionsPath, a.id), sent...)
		for i, n := range sent {
			body := map[string]any{"values": []any{map[string]any{"id": a.values[i], "name": n + "!"}}}
			s.OK(200, "PUT", optionsPath+"/"+a.id, body)
			sent[i] = n + "!"
		}
		wantNames(t, valueNames(s, optionsPath, a.id), sent...)
	})
}

func TestAttributeName_isRequiredOnCreateOnly(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		s.WantProblem("422 name required", "POST", at.list, `{}`)
		s.WantProblem("422 name required", "POST", at.list, `{"values": [{"name": "S"}]}`)
		s.WantProblem("422 values[0].name required", "POST", at.list, `{"name": "Size", "values": [{}]}`)
		s.WantProblem("422 values[0].name required", "POST", at.list,
			`{"name": "Size", "values": [{"Name": "S", "NAME": "S"}]}`) // member names are case-sensitive
		s.WantProblem("422 values[0] wrong_type, values[1] wrong_type", "POST", at.list,
			`{"name": "Size", "values": ["S", null]}`)

		a := createAttribute(s, at.list, "S")
		s.WantProblem("422 values[0].name required", "PUT", at.edit+a.id, `{"values": [{"id": "`+a.values[0]+`"}]}`)
		s.WantProblem("422 values[0].name required", "PUT", at.edit+a.id, `{"values": [{}]}`)

		r := s.OK(200, "PUT", at.edit+a.id+"?with=values", `{}`)
		if r.Text("data.name") != "Attribute" || r.Len("data.values") != 1 {
			t.Errorf("%s: after an empty edit the response is %s", at.name, r.Body)
		}
	})
}

// The members values and removed_values must be lists. null and other types are refused with 422.
func TestAttributeLists_refuseOtherTypes(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, "S")
		for _, no := range []string{`null`, `{}`, `"S"`, `7`, `false`} {
			s.WantProblem("422 values wrong_type", "POST", at.list, `{"name": "Size", "values": `+no+`}`)
			s.WantProblem("422 values wrong_type", "PUT", at.edit+a.id, `{"name": "Size", "values": `+no+`}`)
			s.WantProblem("422 removed_values wrong_type", "PUT", at.edit+a.id,
				`{"name": "Size", "removed_values": `+no+`}`)
			s.WantProblem("422 removed_values wrong_type", "DELETE",
				"/v2/product-variants/"+createAttribute(s, optionsPath, "S").id, `{"removed_values": `+no+`}`)
		}

		// Empty lists are accepted.
		s.OK(201, "POST", at.list, `{"name": "Size", "values": []}`)
		s.OK(200, "PUT", at.edit+a.id, `{"values": [], "removed_values": []}`)
		wantNames(t, valueNames(s, at.list, a.id), "S")
	})
}

// POST ignores the member id in values, whatever its type.
func TestAttributeCreate_ignoresValueIDs(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		old := createAttribute(s, at.list, "S")
		for _, id := range []string{`"` + old.values[0] + `"`, `"` + unknownID + `"`, `"nonsense"`, `null`, `7`, `{}`} {
			a := parseAttribute(s.OK(201, "POST", at.list+"?with=values",
				`{"name": "Size", "values": [{"id": `+id+`, "name": "S"}]}`))
			if a.values[0] == old.values[0] || a.values[0] == unknownID {
				t.Errorf("%s: the new value has the id %s of the request", at.name, id)
			}
		}
		wantNames(t, valueNames(s, at.list, old.id), "S")
	})
}

// A response contains values only if the request says with=values, also for writes.
func TestAttributeValues_areReturnedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		id := createAttribute(s, at.list, "S").id
		requests := []struct{ method, path, body string }{
			{"GET", at.list, ""},
			{"GET", at.list + "/" + id, ""},
			{"POST", at.list, `{"name": "Size", "values": [{"name": "S"}]}`},
			{"PUT", at.edit + id, `{"values": [{"name": "M"}]}`},
		}
		if at.list == optionsPath {
			gone := createAttribute(s, optionsPath, "S", "M")
			requests = append(requests,
				struct{ method, path, body string }{"DELETE", "/v2/product-variants/" + gone.id,
					`{"removed_values": ["%"]}`})
		}

		for _, q := range requests {
			for _, query := range []string{"", "?with=", "?with=values"} {
				var body any
				if q.body != "" {
					body = q.body
				}

				if q.method == "DELETE" {
					gone := createAttribute(s, optionsPath, "S", "M")
					q.path, body = "/v2/product-variants/"+gone.id, strings.Replace(q.body, "%", gone.values[0], 1)
				}

				r := s.Do(q.method, q.path+query, body)
				if r.Status >= 300 {
					t.Fatalf("%s %s: %s", q.method, q.path+query, r.Body)
				}

				path := "data.values"
				if _, isList := r.JSON().(map[string]any)["data"].([]any); isList {
					path = "data.0.values"
				}

				if want := query == "?with=values"; r.Has(path) != want {
					t.Errorf("%s %s: the response has values: %t, want %t", q.method, q.path+query, !want, want)
				}
			}
		}
	})
}

// The data of a response is accepted as the body of a PUT, which changes only updated_at, and of a POST, which creates
// a copy.
func TestAttribute_acceptsItsOwnResponseAsBody(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		bodies := []string{`{"name": "Size", "values": [{"name": "S"}, {"name": 42.0}]}`}
		if at.list == featuresPath {
			bodies = append(bodies,
				`{"name": "Weight", "filterable": true, "field_type": "range", "range_type": "integer", `+
					`"values": [{"name": "5"}]}`)
		}

		for _, body := range bodies {
			read := s.OK(201, "POST", at.list+"?with=values", body)
			id := read.Text("data.id")
			back := s.OK(200, "PUT", at.edit+id+"?with=values", read.Text("data"))
			if got, want := dataWithoutDates(t, back, false), dataWithoutDates(t, read, false); got != want {
				t.Errorf("%s: PUT with the data of a response gives\n%s\nwant\n%s", at.name, got, want)
			}

			again := s.OK(201, "POST", at.list+"?with=values", read.Text("data"))
			if got, want := dataWithoutDates(t, again, true), dataWithoutDates(t, read, true); got != want ||
				again.Text("data.id") == id {
				t.Errorf("%s: POST with the data of a response gives\n%s\nwant\n%s", at.name, got, want)
			}
		}
	})
}

// dataWithoutDates returns the data of a response without its dates, and without its ids if withoutIDs is set.
func dataWithoutDates(t *testing.T, r *apitest.Response, withoutIDs bool) string {
	t.Helper()
	var strip func(v any) any

	strip = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if name == "created_at" || name == "updated_at" || (withoutIDs && name == "id") {
					delete(v, name)
				} else {
					v[name] = strip(member)
				}
			}
		case []any:
			for i := range v {
				v[i] = strip(v[i])
			}
		}

		return v
	}

	var tree any
	if err := json.Unmarshal([]byte(r.Text("data")), &tree); err != nil {
		t.Fatal(err)
	}

	return toJSON(strip(tree))
}
