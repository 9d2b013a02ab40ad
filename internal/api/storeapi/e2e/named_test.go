package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// createNamed creates a category, optionally with a parent, or a stock, and returns its id.
func createNamed(s *apitest.Server, list, name string, parent ...string) string {
	body := map[string]any{"name": name}
	if len(parent) > 0 {
		body["parent_id"] = parent[0]
	}
	return s.OK(201, "POST", list, body).Text("data.id")
}

// eachNamed runs fn on both engines for categories and for stocks, each in a new store.
func eachNamed(t *testing.T, fn func(t *testing.T, s *apitest.Server, list string)) {
	t.Helper()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, list := range []string{categoriesPath, stocksPath} {
			t.Run(strings.TrimPrefix(list, "/v2/"),
				func(t *testing.T) { fn(t, s.WithTB(t).WithKeys(s.NewStore(store.Edit{})), list) })
		}
	})
}

func TestCategoryAndStock_haveExactlyTheirMembers(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		categoriesPath: {"id", "external_id", "name", "slug", "seo", "description", "image", "parent_id", "created_at",
			"updated_at"},
		stocksPath: {"id", "external_id", "name", "created_at", "updated_at"},
	}

	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		made := s.OK(201, "POST", list, `{"name": "x"}`)
		path := list + "/" + made.Text("data.id")
		for _, r := range []*apitest.Response{made, s.OK(200, "PUT", path, `{}`), s.Get(path),
			s.Get(path, apitest.As(s.Publishable))} {
			if got := memberNames(t, r); !slices.Equal(got, want[list]) {
				t.Errorf("the members are %q, want %q", got, want[list])
			}
		}

		if got := made.Header.Get("Location"); got != path {
			t.Errorf("Location is %s, want %s", got, path)
		}
	})
}

// memberNames returns the names of the members of the response's data, in their order.
func memberNames(t *testing.T, r *apitest.Response) (names []string) {
	t.Helper()
	var root struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.Body, &root); err != nil {
		t.Fatal(err)
	}

	d := json.NewDecoder(strings.NewReader(string(root.Data)))
	_, _ = d.Token()
	for d.More() {
		name, _ := d.Token()
		names = append(names, fmt.Sprint(name))
		var value json.RawMessage
		_ = d.Decode(&value)
	}

	return names
}

// The rules are the same for creations and edits, except that only a creation requires a name.
func TestCategoryAndStock_refuseInvalidBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ж", 256)

	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		path := list + "/" + createNamed(s, list, "x")
		s.WantProblem("422 name required", "POST", list, `{}`)
		s.WantProblem("422 name required", "POST", list,
			`{"Name": "x", "external_id": "7"}`) // member names are case-sensitive
		for _, c := range []struct{ body, problem string }{
			{`[]`, "422 wrong_type"},
			{`"x"`, "422 wrong_type"},
			{`null`, "422 wrong_type"},
			{`7`, "422 wrong_type"},
			{`{"name": ""}`, "422 name required"},
			{`{"name": " \t\n "}`, "422 name required"},
			{`{"name": null}`, "422 name wrong_type"},
			{`{"name": true}`, "422 name wrong_type"},
			{`{"name": ["x"]}`, "422 name wrong_type"},
			{`{"name": "` + long + `"}`, "422 name too_long"},
			{`{"name": "a\u0000b"}`, "422 name control_character"},
			{`{"name": "x", "external_id": ""}`, "422 external_id required"},
			{`{"name": "x", "external_id": 1.5}`, "422 external_id wrong_type"},
			{`{"name": "x", "external_id": 1e5}`, "422 external_id wrong_type"},
			{`{"name": "x", "external_id": {"id": 7}}`, "422 external_id wrong_type"},
			{`{"name": "x", "external_id": "` + long + `"}`, "422 external_id too_long"},
			{`{"name": {}, "external_id": []}`, "422 name wrong_type, external_id wrong_type"},
			{`{"name": "x"`, "400 malformed_json"},
			{`{"name": "x", "name": "y"}`, "400 malformed_json"},
			{`{"name": "x"} {}`, "400 malformed_json"},
		} {
			s.WantProblem(c.problem, "POST", list, c.body)
			s.WantProblem(c.problem, "PUT", path, c.body)
		}

		s.WantProblem("415 unsupported_media_type", "POST", list, `{"name": "x"}`,
			apitest.Header("Content-Type", "text/plain"))
		s.WantProblem("400 malformed_query", "POST", list+"?with=values", `{"name": "x"}`)
		s.WantProblem("400 malformed_query", "PUT", path+"?with=values", `{"name": "x"}`)
		s.WantProblem("400 malformed_query", "DELETE", path+"?with=values", nil)
		s.WantProblem("400 malformed_query", "GET", path+"?with=values", nil)

		for _, query := range []string{"with=values", "page=0", "per_page=251", "page=x", "q=a&q=b", "q=%00",
			"q=" + strings.Repeat("x", 1025)} {
			s.WantProblem("400 malformed_query", "GET", list+"?"+query, nil)
		}
	})
}

func TestCategoryAndStock_storeNamesAndExternalIDsAsStrings(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		path := list + "/" + createNamed(s, list, "first")
		for i, c := range []struct{ body, name, external string }{
			{`{"name": " Main \n", "external_id": " a-1 "}`, "Main", "a-1"},
			{`{"name": 10.50, "external_id": 12345678901234567890123}`, "10.50", "12345678901234567890123"},
			{`{"name": "😀 'x' \\ %"}`, "😀 'x' \\ %", "12345678901234567890123"},
			{`{"external_id": null}`, "😀 'x' \\ %", "null"},
			{`{"external_id": -7}`, "😀 'x' \\ %", "-7"},
			{`{}`, "😀 'x' \\ %", "-7"},
			{`{"unknown": {"name": 1}, "created_at": "x"}`, "😀 'x' \\ %", "-7"},
		} {
			r := s.OK(200, "PUT", path, c.body)
			if got := r.Text("data.name"); got != c.name {
				t.Errorf("%s: the name is %q, want %q", c.body, got, c.name)
			}
			if got := r.Text("data.external_id"); got != c.external {
				t.Errorf("%s: the external id is %q, want %q", c.body, got, c.external)
			}
			if got, want := r.Header.Get("ETag"), fmt.Sprintf(`"v%d"`, i+2); got != want {
				t.Errorf("%s: the ETag is %s, want %s", c.body, got, want)
			}

			s.Get(path).WantSame(r)
		}
	})
}

// An external id is unique among the resources of one kind in a store. Another resource may use it after its resource
// was deleted or got another external id.
func TestCategoryAndStock_externalIDsAreUnique(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		holder := s.OK(201, "POST", list, `{"name": "holder", "external_id": 7}`).Text("data.id")
		other := createNamed(s, list, "other")
		for _, sent := range []string{`"7"`, `7`, `" 7 "`} {
			s.WantProblem("409 external_id_taken", "POST", list, `{"name": "x", "external_id": `+sent+`}`)
			s.WantProblem("409 external_id_taken", "PUT", list+"/"+other, `{"external_id": `+sent+`}`)
		}

		if got := s.Do("POST", list, `{"name": "x", "external_id": 7}`).Text("errors.0.field"); got != "external_id" {
			t.Errorf("the conflict is reported for the field %s", got)
		}

		s.OK(200, "PUT", list+"/"+holder, `{"external_id": 7}`) // its own external id is no conflict
		s.OK(201, "POST", list, `{"name": "x", "external_id": "07"}`)
		s.OK(201, "POST", map[string]string{categoriesPath: stocksPath, stocksPath: categoriesPath}[list],
			`{"name": "x", "external_id": 7}`)
		s.WithKeys(s.Other).OK(201, "POST", list, `{"name": "x", "external_id": 7}`)

		s.OK(200, "PUT", list+"/"+holder, `{"external_id": null}`)
		s.OK(200, "PUT", list+"/"+other, `{"external_id": 7}`)
		s.OK(204, "DELETE", list+"/"+other, nil)
		s.OK(200, "PUT", list+"/"+holder, `{"external_id": 7}`)
	})
}

// The data of a response is accepted as the body of a PUT, and of a POST, which creates another resource.
func TestCategoryAndStock_acceptTheirOwnResponseAsBody(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		for _, body := range []string{`{"name": "x"}`,
			`{"name": "y", "external_id": 7, "parent_id": "` + createNamed(s, categoriesPath, "parent") + `"}`} {
			id := s.OK(201, "POST", list, body).Text("data.id")
			read, _ := s.Get(list + "/" + id).At("data")
			again, _ := s.OK(200, "PUT", list+"/"+id, read).At("data")
			for _, d := range []any{read, again} {
				delete(d.(map[string]any), "updated_at")
			}

			if toJSON(read) != toJSON(again) {
				t.Errorf("PUT with the data of a response gives\n%s\nwant\n%s", toJSON(again), toJSON(read))
			}

			read.(map[string]any)["external_id"] = nil
			delete(read.(map[string]any), "slug") // it is taken
			if made := s.OK(201, "POST", list, read).Text("data.id"); made == id {
				t.Error("the new resource has the id of the request")
			}
		}
	})
}

func TestCategoryAndStock_honourIfMatch(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		path := list + "/" + createNamed(s, list, "x")
		read := s.Get(path).Header.Get("ETag")
		ifMatch := func(tag string) apitest.RequestOption { return apitest.Header("If-Match", tag) }

		changed := s.OK(200, "PUT", path, `{"name": "y"}`, ifMatch(read)).Header.Get("ETag")
		if changed == read || s.Get(path).Header.Get("ETag") != changed {
			t.Errorf("the edit left the ETag at %s", changed)
		}

		s.WantProblem("412 precondition_failed", "PUT", path, `{"name": "z"}`, ifMatch(read))
		s.WantProblem("412 precondition_failed", "DELETE", path, nil, ifMatch(read))
		s.OK(200, "PUT", path, `{"name": "z"}`, ifMatch("*"))
		s.OK(204, "DELETE", path, nil, ifMatch(s.Get(path).Header.Get("ETag")))

		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.WantProblem("404 not_found", method, path, map[string]any{"PUT": `{}`}[method])
		}
	})
}

func TestCategoryAndStock_creationIsIdempotent(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		key := apitest.Header("Idempotency-Key", "k")
		first := s.OK(201, "POST", list, `{"name": "x"}`, key)
		again := s.OK(201, "POST", list, `{"name": "x"}`, key)
		if again.WantSame(first); again.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the response was not replayed")
		}
		s.WantProblem("422 Idempotency-Key idempotency_key_reused", "POST", list, `{"name": "y"}`, key)
		if n := s.Get(list).Len("data"); n != 1 {
			t.Errorf("%d resources were created, want 1", n)
		}
	})
}

// Lists are paginated in the order of creation, also after edits. q searches the words of the name.
func TestCategoryAndStock_listsArePaginated(t *testing.T) {
	t.Parallel()
	eachNamed(t, func(t *testing.T, s *apitest.Server, list string) {
		names := []string{"Main warehouse", "Corner shop", "Второй склад", "Main street", "100%"}
		var ids []string
		for _, name := range names {
			ids = append(ids, createNamed(s, list, name))
		}

		s.OK(200, "PUT", list+"/"+ids[0], `{"external_id": "street"}`)

		for _, c := range []struct {
			query string
			want  []int
			total string
		}{
			{"", []int{0, 1, 2, 3, 4}, "5"},
			{"?per_page=2", []int{0, 1}, "5"},
			{"?per_page=2&page=3", []int{4}, "5"},
			{"?per_page=2&page=4", nil, "5"},
			{"?q=", []int{0, 1, 2, 3, 4}, "5"},
			{"?q=MAIN", []int{0, 3}, "2"},
			{"?q=main&per_page=1&page=2", []int{3}, "2"},
			{"?q=ware+main", []int{0}, "1"},
			{"?q=street", []int{3}, "1"}, // q does not search the external id
			{"?q=" + "%D0%92%D0%A2%D0%9E%D0%A0", []int{2}, "1"},
			{"?q=arehouse", nil, "0"},
			{"?q=%25", nil, "0"},
			{"?q=100%25", []int{4}, "1"},
		} {
			r := s.Get(list+c.query, apitest.As(s.Publishable))
			want := []string{}
			for _, i := range c.want {
				want = append(want, ids[i])
			}

			if got := r.Texts("data", "id"); !slices.Equal(got, want) || r.Text("meta.total") != c.total {
				t.Errorf("%s lists %q of %s, want %d of %s", c.query, r.Texts("data", "name"), r.Text("meta.total"),
					c.want, c.total)
			}
		}

		r := s.Get(list + "?page=2")
		if r.Len("data") != 0 || r.Text("meta.last_page") != "1" {
			t.Errorf("the page after the last one is %s", r.Body)
		}
	})
}
