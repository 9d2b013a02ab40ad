package openapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
)

type thing struct {
	_ struct{} `doc:"A thing."`

	Zeal   schema.ID                          `json:"zeal"`
	Age    schema.Nullable[schema.Money]      `json:"age"`
	Born   schema.Nullable[schema.DateObject] `json:"born" doc:"When."`
	Name   NameInput                          `json:"name,omitempty"`
	Code   schema.Nullable[string]            `json:"code"`
	Alias  OneOf[string, bool]                `json:"alias,omitempty"`
	Pieces []schema.ID                        `json:"pieces,omitempty"`
}

func thingRoutes() []httpapi.Route {
	responses := []httpapi.Example{{Name: "One", JSON: `{"data":{"zeal":"b","age":1.50}}`}}
	id := []httpapi.Param{{Name: "id", Description: "The id of the thing."}}

	return []httpapi.Route{
		{Method: "POST", Path: "/v2/things", Needs: access.CatalogWrite, OperationID: "createThing", Tag: "Things",
			Summary: "Create", Description: "Creates.", Status: 201, HasETag: true,
			Body: thing{}, BodyExamples: []httpapi.Example{{Name: "One", JSON: `{"name":"x"}`}},
			Response: thing{}, ResponseExamples: responses,
			Refusals: []httpapi.Refusal{{Status: 422, Code: "too_big", When: "it is too big"}}},
		{Method: "GET", Path: "/v2/things", Needs: access.CatalogRead, OperationID: "listThings", Tag: "Things",
			Summary: "List", Description: "Lists.", Status: 200, Paged: true,
			QueryParams: []httpapi.Param{{Name: "with", Description: "Extras.", Values: []string{"a", "b"},
				Example: "a,b"}},
			Response: thing{}, ResponseExamples: responses},
		{Method: "PUT", Path: "/v2/things/{id}", Needs: access.CatalogWrite, OperationID: "editThing", Tag: "Things",
			Summary: "Edit", Description: "Edits.", Status: 200, PathParams: id,
			Body:         thing{},
			BodyExamples: []httpapi.Example{{Name: "One", JSON: `{"name":"x"}`}}, Response: thing{},
			ResponseExamples: responses},
		{Method: "DELETE", Path: "/v2/things/{id}", Needs: access.CatalogWrite, OperationID: "deleteThing",
			Tag: "Things", Summary: "Delete", Description: "Deletes.", Status: 204, PathParams: id},
	}
}

func aboutThings() About {
	return About{Title: "Things", Version: "1.2.3", Intro: "About things.",
		Tags: []Tag{{Name: "Things", Description: "All of them."}}}
}

func newThingDocument(t *testing.T) *Document {
	t.Helper()
	d, err := NewDocument(aboutThings(), thingRoutes())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func thingDocumentJSON(t *testing.T) []byte {
	t.Helper()
	text, err := newThingDocument(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// memberAt returns the member at a path of a decoded document. It fails the test if there is none.
func memberAt(t *testing.T, v any, path ...string) any {
	t.Helper()
	for i, name := range path {
		object, _ := v.(map[string]any)
		member, ok := object[name]
		if !ok {
			t.Fatalf("the document has no %s", strings.Join(path[:i+1], " → "))
		}
		v = member
	}
	return v
}

func decode(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func sortedKeys(v any) []string {
	var names []string
	for name := range v.(map[string]any) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestDocument_listsStatusesOfEachRoute(t *testing.T) {
	paths := memberAt(t, decode(t, thingDocumentJSON(t)), "paths")
	for _, c := range []struct{ path, method, want string }{
		{"/v2/things", "post", "201 400 401 403 408 409 413 415 422 429 500 503"},
		{"/v2/things", "get", "200 304 400 401 403 429 500 503"},
		{"/v2/things/{id}", "put", "200 400 401 403 404 408 412 413 415 422 429 500 503"},
		{"/v2/things/{id}", "delete", "204 400 401 403 404 412 429 500 503"},
		{"/docs", "get", "200"},
		{"/docs/{file}", "get", "200 404"},
	} {
		if got := strings.Join(sortedKeys(memberAt(t, paths, c.path, c.method, "responses")), " "); got != c.want {
			t.Errorf("%s %s has the statuses %s, want %s", c.method, c.path, got, c.want)
		}
	}
}

func TestDocument_describesParametersHeadersAndScopes(t *testing.T) {
	doc := decode(t, thingDocumentJSON(t))
	post := memberAt(t, doc, "paths", "/v2/things", "post")
	text, err := json.Marshal(post)
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		`"security":[{"bearer":["catalog:write"]}]`, `parameters/IdempotencyKey`, `parameters/RequestId`,
		`headers/Location`, `headers/ETag`, `headers/IdempotentReplayed`,
		"**Needs** `catalog:write`: a secret key with this scope; a publishable key may not.",
		"- 422 `too_big`: it is too big",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("POST /v2/things lacks %s in %s", want, text)
		}
	}

	list, err := json.Marshal(memberAt(t, doc, "paths", "/v2/things", "get"))
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{`parameters/Page"`, `parameters/PerPage"`, `"explode":false`, `"enum":["a","b"]`,
		`"meta":{"$ref":"#/components/schemas/PageMeta"}`, "any publishable key"} {
		if !strings.Contains(string(list), want) {
			t.Errorf("GET /v2/things lacks %s in %s", want, list)
		}
	}

	if got := memberAt(t, doc, "paths", "/docs", "get", "security"); len(got.([]any)) != 0 {
		t.Errorf("/docs asks for %v", got)
	}
}

// A route of the exchange gate has its own security scheme, may respond with 202, and may have an additional member in
// its problems.
func TestDocument_describesExchangeRoutes(t *testing.T) {
	routes := thingRoutes()
	routes[0].Exchange = true
	routes[0].QueryParams = []httpapi.Param{{Name: "all", Type: "boolean", Description: "All."},
		{Name: "share", Type: "number", Description: "A share.", Example: "0.2"}}
	routes[0].AcceptedExamples = []httpapi.Example{{Name: "Later", JSON: `{"data":{"zeal":"later"}}`}}
	routes[0].ProblemMember = &httpapi.ProblemMember{Name: "done", Description: "What was done.", Value: thing{},
		Statuses: []int{400, 503}}

	d, err := NewDocument(aboutThings(), routes)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		`"security":[{"exchangeToken":["catalog:write"]}]`,
		`"security":[{"bearer":["catalog:read"]},{"customerToken":[]}]`,
		`"name":"all","schema":{"type":"boolean"}`,
		`"example":0.2,"in":"query","name":"share","schema":{"type":"number"}`,
		`"value":{"data":{"zeal":"later"}}`,
		`"400":{"$ref":"#/components/responses/BadRequestWithDone"}`,
		`"503":{"$ref":"#/components/responses/UnavailableWithDone"}`,
		`"403":{"$ref":"#/components/responses/Forbidden"}`,
		`"ProblemWithDone":{"allOf":[{"$ref":"#/components/schemas/Problem"},` +
			`{"properties":{"done":{"$ref":"#/components/schemas/Thing","description":"What was done."}},` +
			`"type":"object"}]}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %s", want)
		}
	}

	doc := decode(t, text)
	memberAt(t, doc, "paths", "/v2/things", "post", "responses", "202", "headers", "Location")
	memberAt(t, doc, "components", "responses", "UnavailableWithDone")
	memberAt(t, doc, "components", "securitySchemes", "exchangeToken")

	if got := sortedKeys(memberAt(t, decode(t, thingDocumentJSON(t)), "components",
		"securitySchemes")); !slices.Equal(got, []string{"bearer", "customerToken", "orderToken"}) {
		t.Errorf("without a gate the security schemes are %v", got)
	}
}

func TestDocument_writesOpenAPI31Schemas(t *testing.T) {
	text := string(thingDocumentJSON(t))
	for _, want := range []string{
		`"Thing":{"description":"A thing.","properties":{"zeal":{`, // in the order of the struct, not sorted
		`"age":{"anyOf":[{"$ref":"#/components/schemas/Money"},{"type":"null"}]}`,
		`"born":{"anyOf":[{"$ref":"#/components/schemas/DateObject"},{"type":"null"}],"description":"When."}`,
		`"code":{"type":["string","null"]}`,
		`"pieces":{"items":{"description":"A UUIDv7.","examples":["` + schema.ExampleID +
			`"],"format":"uuid","type":"string"},"type":"array"}`, // never null
		`"alias":{"oneOf":[{"type":"string"},{"type":"boolean"}]}`,
		`"required":["zeal","age","born","code"]`,
		`"value":{"data":{"zeal":"b","age":1.50}}`, // examples are not reformatted
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %s", want)
		}
	}

	// Payloads of webhooks have exactly the documented members.
	if strings.Contains(text[strings.Index(text, `"components":`):], "additionalProperties") {
		t.Error("the document forbids additional properties, but the API ignores unknown members")
	}
	if strings.Index(text, `"/v2/things"`) > strings.Index(text, `"/docs"`) {
		t.Error("the paths are not in the order of the table of routes")
	}
}

func TestNewDocument_refusesIncompleteRoutes(t *testing.T) {
	for _, c := range []struct {
		name       string
		breakRoute func(r *httpapi.Route)
		want       string
	}{
		{"no operation id", func(r *httpapi.Route) { r.OperationID = "" }, "OperationID"},
		{"an id with a blank", func(r *httpapi.Route) { r.OperationID = "create thing" }, "OperationID"},
		{"an id that is taken", func(r *httpapi.Route) { r.OperationID = "listThings" }, "taken by"},
		{"no summary", func(r *httpapi.Route) { r.Summary = "" }, "Summary"},
		{"no description", func(r *httpapi.Route) { r.Description = "" }, "Description"},
		{"an unknown tag", func(r *httpapi.Route) { r.Tag = "Others" }, "Tag"},
		{"no status", func(r *httpapi.Route) { r.Status = 0 }, "Status"},
		{"no response type", func(r *httpapi.Route) { r.Response = nil }, "response type"},
		{"no example of the response", func(r *httpapi.Route) { r.ResponseExamples = nil }, "example"},
		{"no example of the body", func(r *httpapi.Route) { r.BodyExamples = nil }, "example"},
		{"an example that is not JSON",
			func(r *httpapi.Route) { r.BodyExamples = []httpapi.Example{{Name: "x", JSON: `{`}} }, "valid JSON"},
		{"an example of a 202 that is not JSON",
			func(r *httpapi.Route) { r.AcceptedExamples = []httpapi.Example{{Name: "x", JSON: `{`}} }, "valid JSON"},
		{"a problem member without a description",
			func(r *httpapi.Route) { r.ProblemMember = &httpapi.ProblemMember{Name: "run"} },
			"member \"run\" of problems"},
		{"an undocumented path parameter", func(r *httpapi.Route) { r.Path = "/v2/things/{other_id}/x" }, "{other_id}"},
		{"a parameter without a description", func(r *httpapi.Route) { r.QueryParams = []httpapi.Param{{Name: "q"}} },
			"description"},
		{"no credential and an envelope", func(r *httpapi.Route) { r.Needs = "" }, "credential"},
		{"a refusal with an unknown status",
			func(r *httpapi.Route) { r.Refusals = []httpapi.Refusal{{Status: 418, Code: "teapot", When: "always"}} },
			"refusal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			routes := thingRoutes()
			c.breakRoute(&routes[0])

			_, err := NewDocument(aboutThings(), routes)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestProblems_haveDistinctStatuses(t *testing.T) {
	seen := map[int]bool{}
	for _, p := range problemDocs() {
		if seen[p.status] || http.StatusText(p.status) == "" {
			t.Errorf("%s has status %d, which is unknown or taken", p.name, p.status)
		}
		seen[p.status] = true
	}
	if len(seen) != 14 {
		t.Errorf("%d statuses are described, want 14", len(seen))
	}
}

// Owner is the type of members of the structs below.
type Owner struct {
	Name string `json:"name"`
}

// Origin is embedded in marshalledThing.
type Origin struct {
	ID   id.Of[thing] `json:"id"`
	Born *locale.Date `json:"born" doc:"When."`
}

type marshalledThing struct {
	_ struct{} `doc:"A thing."`

	Origin
	Owner *Owner `json:"owner" doc:"Whose it is."`
	Heir  *Owner `json:"heir,omitzero"`
	Age   *int64 `json:"age"`
}

type describedThing struct {
	_ struct{} `doc:"A thing."`

	ID    schema.ID                          `json:"id"`
	Born  schema.Nullable[schema.DateObject] `json:"born" doc:"When."`
	Owner schema.Nullable[Owner]             `json:"owner" doc:"Whose it is."`
	Heir  Owner                              `json:"heir,omitempty"`
	Age   schema.Nullable[int64]             `json:"age"`
}

// thingSchema returns the JSON of the schema of a response type.
func thingSchema(t *testing.T, about About, response any) string {
	t.Helper()
	routes := thingRoutes()[1:2]
	routes[0].Response = response

	d, err := NewDocument(about, routes)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}

	var document struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}

	name := reflect.TypeOf(response).Name()
	return string(document.Components.Schemas[strings.ToUpper(name[:1])+name[1:]])
}

func TestDocument_derivesSchemaFromMarshalledType(t *testing.T) {
	want := thingSchema(t, aboutThings(), describedThing{})
	got := thingSchema(t, aboutThings(), marshalledThing{})
	if want == "" || got != want {
		t.Errorf("the schema is\n%s, want\n%s", got, want)
	}
}

func TestDocument_docsOverrideMemberDescriptions(t *testing.T) {
	about := aboutThings()
	about.Docs = map[string]string{"MarshalledThing.born": "Once."}
	if got := thingSchema(t, about, marshalledThing{}); !strings.Contains(got, `"Once."`) ||
		strings.Contains(got, `"When."`) {
		t.Errorf("the schema is %s", got)
	}
}
