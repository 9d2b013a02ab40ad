package exchangeapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/shop/access"
)

// members returns the names of the members of a JSON object, in their order.
func members(t *testing.T, text []byte) (names []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}

	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}

		names = append(names, name.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}

	return names
}

// gateDocument returns an OpenAPI document with only the routes of the gate.
func gateDocument(t *testing.T) []byte {
	t.Helper()
	document, err := openapi.NewDocument(openapi.About{Title: "Gate", Version: "1",
		Tags: []openapi.Tag{exchangeapi.Tag()}}, exchangeapi.New(exchangeapi.Deps{}).Routes())
	if err != nil {
		t.Fatal(err)
	}
	text, err := document.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The examples of runs have exactly the members of their schemas.
func TestDocument_examplesMatchRunSchemas(t *testing.T) {
	t.Parallel()
	routes := exchangeapi.New(exchangeapi.Deps{}).Routes()
	var parsed struct {
		Components struct {
			Schemas map[string]struct{ Properties json.RawMessage }
		}
	}
	if err := json.Unmarshal(gateDocument(t), &parsed); err != nil {
		t.Fatal(err)
	}

	looked := 0
	for _, route := range routes {
		schema := map[string]string{"listRuns": "RunSummary", "listRunErrors": "RunNote", "listRunWarnings": "RunNote",
			"listRunChanges": "RunChange", "getRunRejects": "", "listPending": "PendingReference"}
		name, other := schema[route.OperationID]
		if !other {
			name = "Run"
		}

		for _, e := range slices.Concat(route.ResponseExamples, route.AcceptedExamples) {
			var body struct{ Data json.RawMessage }
			if err := json.Unmarshal([]byte(e.JSON), &body); err != nil {
				t.Fatal(err)
			}

			var list []json.RawMessage
			if json.Unmarshal(body.Data, &list) != nil {
				list = []json.RawMessage{body.Data}
			}

			for _, one := range list {
				looked++
				if got, want := members(t, one),
					members(t, parsed.Components.Schemas[name].Properties); !slices.Equal(got, want) {
					t.Errorf("%s: the example has %v, the schema %s %v", route.OperationID, got, name, want)
				}
			}
		}
	}

	if looked < 19 {
		t.Errorf("the test compared %d examples, want at least 19", looked)
	}
}

// The document has the security, the parameters and the responses of each push, so that clients can be generated.
func TestDocument_describesPushes(t *testing.T) {
	t.Parallel()
	var parsed struct {
		Paths map[string]map[string]struct {
			Security   []map[string][]string
			Parameters []struct {
				Name   string
				Schema struct{ Type string }
			}
			Responses map[string]struct {
				Ref     string `json:"$ref"`
				Content map[string]struct {
					Schema struct {
						AllOf []struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(gateDocument(t), &parsed); err != nil {
		t.Fatal(err)
	}

	for _, entity := range access.EntityScopes() {
		post := parsed.Paths["/v2/sync-gate/{token}/"+string(entity)]["post"]
		if len(post.Security) != 1 || !slices.Equal(post.Security[0]["exchangeToken"], []string{string(entity)}) {
			t.Errorf("%s: the security is %v", entity, post.Security)
		}

		types := map[string]string{}
		for _, p := range post.Parameters {
			types[p.Name] = p.Schema.Type
		}

		if types["atomic"] != "boolean" || types["dry_run"] != "boolean" {
			t.Errorf("%s: the parameters are %v", entity, types)
		}

		want := map[string]string{"202": "", "400": "BadRequestWithRun", "500": "InternalWithRun",
			"503": "UnavailableWithRun"}
		withOwnCodes := []string{"401", "422"}
		if entity == "products" {
			withOwnCodes = append(withOwnCodes, "409")
			if types["archive_missing"] != "boolean" || types["max_archive_share"] != "number" {
				t.Errorf("the parameters are %v", types)
			}
		}

		for status, name := range want {
			if got, ok := post.Responses[status]; !ok || path.Base("/"+got.Ref) != path.Base("/"+name) {
				t.Errorf("%s: %s is described by %q, want %q", entity, status, got.Ref, name)
			}
		}

		for _, status := range withOwnCodes {
			body := post.Responses[status].Content["application/problem+json"].Schema.AllOf
			if len(body) != 2 || path.Base(body[0].Ref) != "ProblemWithRun" {
				t.Errorf("%s: the problem of %s is described by %v, want ProblemWithRun", entity, status, body)
			}
		}
	}
}

// schemas are the named schemas of the gate's document.
type schemas map[string]struct {
	Properties map[string]struct {
		Ref   string `json:"$ref"`
		Items struct {
			Ref   string `json:"$ref"`
			OneOf []struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Required []string
}

// members returns the members of a schema in the notation of docs/push.md: lists have brackets, required members are
// bold. The elements of the lists variant_… are left out: docs/push.md describes them once, under variants.
func (s schemas) members(ref, prefix string) (list []string) {
	schema := s[path.Base(ref)]
	for name, member := range schema.Properties {
		cell := "`" + prefix + name + "`"
		if slices.Contains(schema.Required, name) {
			cell = "**" + cell + "**"
		}

		list = append(list, cell)
		inside := []string{member.Items.Ref}
		for _, one := range member.Items.OneOf {
			inside = append(inside, one.Ref)
		}

		for _, ref := range inside {
			if ref != "" && !strings.HasPrefix(name, "variant_") {
				list = append(list, s.members(ref, prefix+name+"[].")...)
			}
		}
	}

	return list
}

// memberRow matches a table row in docs/push.md whose first cell is a member.
var memberRow = regexp.MustCompile("(?m)^\\| ((?:\\*\\*)?`[^`|]+`(?:\\*\\*)?) \\|")

// docs/push.md lists each member of each item, and no others.
func TestPushDocs_listEveryMember(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/push.md")
	if err != nil {
		t.Fatal(err)
	}

	var parsed struct {
		Components struct{ Schemas schemas }
	}
	if err := json.Unmarshal(gateDocument(t), &parsed); err != nil {
		t.Fatal(err)
	}

	for entity, schema := range map[access.Scope]string{
		"products": "PushedProduct", "variant-options": "PushedOption", "features": "PushedFeature",
		"categories": "PushedCategory",
		"stocks":     "PushedStock", "remainders": "PushedQuantity", "prices": "PushedPrice",
	} {
		_, section, _ := strings.Cut(string(text), "\n### "+string(entity)+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		var got []string
		for _, m := range memberRow.FindAllStringSubmatch(section, -1) {
			got = append(got, m[1])
		}

		want := parsed.Components.Schemas.members(schema, "")
		slices.Sort(got)
		slices.Sort(want)
		if len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: docs/push.md has\n%s\nand the schema\n%s", entity, strings.Join(got, " "),
				strings.Join(want, " "))
		}
	}
}
