package adminapi_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/api/adminapi"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

func TestDocument_describesEveryRoute(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		got := s.do(apitest.As(""), "GET", "/openapi.json", "").wantStatus(200)
		var document struct {
			Paths map[string]map[string]struct {
				OperationID string                `json:"operationId"`
				Description string                `json:"description"`
				Security    []map[string][]string `json:"security"`
			} `json:"paths"`
		}
		if err := json.Unmarshal(got.Body, &document); err != nil {
			t.Fatal(err)
		}

		routes := adminapi.New(adminapi.Deps{}).Routes()
		for _, r := range routes {
			op := document.Paths[r.Path][strings.ToLower(r.Method)]
			if op.OperationID != r.OperationID || len(op.Security) != 2 {
				t.Errorf("%s %s has the operation %+v, want %s with two credentials: a secret key or a session",
					r.Method, r.Path, op, r.OperationID)
			}

			if strings.Contains(op.Description, "publishable key may") ||
				strings.Contains(op.Description, "any publishable key") {
				t.Errorf("%s %s: the description mentions publishable keys, which the administration refuses: %s",
					r.Method, r.Path, op.Description)
			}
		}

		paths := map[string]bool{"/openapi.json": true}
		for _, r := range routes {
			paths[r.Path] = true
		}

		for path := range document.Paths {
			if !paths[path] && !strings.HasPrefix(path, "/docs") {
				t.Errorf("the document describes %s, which is no route", path)
			}
		}
	})
}

// The test calls each route that has a response type. The data of the response, and the data of each example in the
// document, must have exactly the members of the schema, in the same order.
func TestDocument_responsesMatchTheirSchemas(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		key := s.keyID(owner, "publishable")
		run := s.push(`{"payload":[{"id":1,"name":"Lamp","categories":["light"]},{"id":2}]}`)
		dryRun := s.push(`{"payload":[{"id":3,"name":"Shade"}]}`, "?dry_run=true")
		s.doAPI(apitest.As(s.store.PublishableKey), "POST", "/v2/auth/passwordless/request",
			`{"email":"anna@shop.example"}`).wantStatus(202)
		receiver := s.newReceiver(`{"url":"` + unreachable + `","webhook_types":["*"]}`).ID
		var sent delivery
		s.do(owner, "POST", receiversPath+"/"+receiver+"/test", "").wantStatus(202).decode(&sent)
		storetest.Eventually(t, "the test event is attempted", func() bool {
			s.do(owner, "GET", deliveriesPath+"/"+sent.ID, "").wantStatus(200).decode(&sent)
			return len(sent.Attempts) > 0
		})
		s.signIn(access.Viewer)
		ids := strings.NewReplacer("keys/{id}", "keys/"+key, "operators/{id}", "operators/"+s.operatorID("viewer"),
			"exchange-runs/{id}/changes", "exchange-runs/"+dryRun+"/changes", "exchange-runs/{id}",
			"exchange-runs/"+run,
			"receivers/{id}", "receivers/"+receiver, "deliveries/{id}", "deliveries/"+sent.ID)
		var described document

		served := s.do(apitest.As(""), "GET", "/openapi.json", "").wantStatus(200)
		if err := json.Unmarshal(served.Body, &described); err != nil {
			t.Fatal(err)
		}

		for _, r := range adminapi.New(adminapi.Deps{}).Routes() {
			if r.Response == nil {
				continue
			}

			path := ids.Replace(r.Path)
			body := ""
			if r.Body != nil {
				body = s.withPassword(r.BodyExamples[len(r.BodyExamples)-1].JSON)
			}

			got := s.do(owner, r.Method, path, body).wantStatus(r.Status)
			checkMembers(t, r, described.members(t, r), string(got.Body))

			for _, e := range r.ResponseExamples {
				checkMembers(t, r, described.members(t, r), e.JSON)
			}

			if r.HasETag != (got.Header.Get("ETag") != "") {
				t.Errorf("%s %s: the ETag is %q, but HasETag is %v", r.Method, r.Path, got.Header.Get("ETag"),
					r.HasETag)
			}
		}
	})
}

// withPassword returns a JSON object with the owner's password as the member password.
func (s *fixture) withPassword(object string) string {
	s.t.Helper()
	members := map[string]any{}
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		s.t.Fatal(err)
	}
	members["password"] = s.store.AdminPassword
	body, err := json.Marshal(members)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

// checkMembers fails the test unless the member data of the body has exactly the members in want, in the same order. If
// data is a list, its first element is checked.
func checkMembers(t *testing.T, r httpapi.Route, want []string, body string) {
	t.Helper()
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal([]byte(body), &envelope); err != nil {
		t.Fatal(err)
	}

	data := envelope.Data
	if r.Paged || r.CursorPaged {
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
			t.Fatalf("%s %s: data is not a list, or is empty: %s (%v)", r.Method, r.Path, data, err)
		}
		data = list[0]
	}

	if got := members(t, data); !slices.Equal(got, want) {
		t.Errorf("%s %s: the members are %v, the schema has %v", r.Method, r.Path, got, want)
	}
}

// members returns the names of the members of a JSON object, in their order.
func members(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	var names []string
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}

	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}

		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}

		names = append(names, name.(string))
	}

	return names
}

// document is the part of the OpenAPI document that the tests read.
type document struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema struct{ Properties struct{ Data dataSchema } }
			}
		}
	}
	Components struct {
		Schemas map[string]struct{ Properties json.RawMessage }
	}
}

// dataSchema is the schema of the member data of a response: a resource or a list of them.
type dataSchema struct {
	Ref   string `json:"$ref"`
	Items struct {
		Ref string `json:"$ref"`
	}
}

// members returns the names of the members in the response of a route according to the document, in their order.
func (d *document) members(t *testing.T, r httpapi.Route) []string {
	t.Helper()
	data := d.Paths[r.Path][strings.ToLower(
		r.Method)].Responses[strconv.Itoa(r.Status)].Content["application/json"].Schema.Properties.Data
	name := strings.TrimPrefix(cmp.Or(data.Ref, data.Items.Ref), "#/components/schemas/")
	return members(t, d.Components.Schemas[name].Properties)
}
