package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

func (f *productFixture) variantsPath() string { return f.path() + "/variants" }

// The cases share a server. Each has its own store.
func TestVariant(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct {
			name string
			run  func(t *testing.T, s *apitest.Server)
		}{
			{"is created, read, edited and deleted", testVariantReadsAndWrites},
			{"refuses invalid bodies", testVariantRefusesInvalidBodies},
			{"is archived and restored", testVariantArchiveAndRestore},
			{"is listed in pages, archived ones for writers only", testVariantList},
			{"checks ids, scopes and If-Match", testVariantChecksIDScopeAndIfMatch},
		} {
			t.Run(c.name, func(t *testing.T) { c.run(t, s.WithTB(t).WithKeys(s.NewStore(store.Edit{}))) })
		}
	})
}

func testVariantReadsAndWrites(t *testing.T, s *apitest.Server) {
	f := newProductFixture(s)
	made := s.OK(201, "POST", f.variantsPath(),
		f.expand(`{"id":"SMALL","sku":"l","price":12.5,"external_id":9,"options":[{"option_id":"SIZE",`+
			`"value_id":"L_"}],"remainders":[{"stock_id":"STOCK","quantity":4,"reserved":3}]}`))
	id := made.Text("data.id")
	wantSameJSON(t, made.Text("data"),
		f.expand(`{"id":"`+id+`","external_id":"9","name":"","sku":"l","price":12.5,"barcodes":[],"available":4,"images":[],
		"options":[{"id":"SIZE","name":"Size","value":{"id":"L_","name":"L"}}],"remainders":[{"stock_id":"STOCK","quantity":4,"reserved":0}],"archived_at":null}`))

	path := f.variantsPath() + "/" + id
	if id == f.small || made.Header.Get("Location") != path || made.Header.Get("ETag") != `"v2"` {
		t.Errorf("the Location is %s and the ETag %s", made.Header.Get("Location"), made.Header.Get("ETag"))
	}

	if got := s.Get(path); got.Text("data") != made.Text("data") ||
		got.Header.Get("ETag") != `"v2"` {
		t.Errorf("GET responds with %s", got.Body)
	}

	whole := s.Get(f.path())
	if whole.Header.Get("ETag") != `"v2"` || whole.Text("data.available") != "6.5" || whole.Len("data.variants") != 3 ||
		whole.Has("data.variants.2.archived_at") {
		t.Errorf("the product is %s", whole.Body)
	}

	edited := s.OK(200, "PUT", path, `{"price":13,"remainders":[]}`, apitest.Header("If-Match", `"v2"`))
	if edited.Header.Get("ETag") != `"v3"` || edited.Text("data.price") != "13" ||
		edited.Text("data.available") != "null" || edited.Text("data.sku") != "l" || edited.Len("data.options") != 1 {
		t.Errorf("edited: %s", edited.Body)
	}

	back := s.OK(200, "PUT", path, edited.Text("data")) // the data of a response is accepted as a body
	back.WantSame(edited)
	s.OK(204, "DELETE", path, nil, apitest.Header("If-Match", `"v4"`))
	s.WantProblem("404 not_found", "GET", path, nil)

	if after := s.Get(f.path()); after.Header.Get("ETag") != `"v5"` || after.Text("data.available") != "2.5" ||
		after.Len("data.variants") != 2 {
		t.Errorf("after the deletion the product is %s", after.Body)
	}
}

func testVariantRefusesInvalidBodies(t *testing.T, s *apitest.Server) {
	cases := []struct{ want, body string }{
		{"422 wrong_type", `[]`},
		{"422 price out_of_range", `{"price":-1}`},
		{"422 sku too_long", `{"price":1,"sku":"` + strings.Repeat("я", 256) + `"}`},
		{"422 options wrong_type", `{"price":1,"options":null}`},
		{"422 options[0].option_id required, options[0].value_id required", `{"price":1,"options":[{}]}`},
		{"422 options[0].value_id unknown_value", `{"price":1,"options":[{"option_id":"SIZE","value_id":"W1"}]}`},
		{"422 options[1].option_id duplicate_option",
			`{"price":1,"options":[{"option_id":"SIZE","value_id":"L_"},{"id":"SIZE","value":{"id":"S_"}}]}`},
		{"422 options duplicate_combination", `{"price":1,"options":[{"option_id":"SIZE","value_id":"S_"}]}`},
		{"422 remainders[0].quantity out_of_range",
			`{"price":1,"remainders":[{"stock_id":"STOCK","quantity":0.0001}]}`},
		{"422 remainders[0].stock_id unknown_stock", `{"price":1,"remainders":[{"stock_id":"SIZE","quantity":1}]}`},
		{"409 external_id_taken", `{"price":1,"external_id":"a"}`},
		{"400 malformed_json", `{"price":1,"price":2}`},
	}

	f := newProductFixture(s)
	s.WantProblem("422 price required", "POST", f.variantsPath(), `{"sku":"x"}`)
	for _, c := range cases {
		s.WantProblem(c.want, "POST", f.variantsPath(), f.expand(c.body))
		s.WantProblem(c.want, "PUT", f.variantsPath()+"/"+f.xl, f.expand(c.body))
	}
}

func testVariantArchiveAndRestore(t *testing.T, s *apitest.Server) {
	f := newProductFixture(s)
	small := f.variantsPath() + "/" + f.small
	for range 2 { // the second request changes nothing
		r := s.OK(200, "POST", small+"/archive", nil)
		if r.Header.Get("ETag") != `"v2"` || r.Text("data.archived_at.iso_utc") != "2026-11-14T12:00:05+00:00" ||
			r.Text("data.available") != "2.5" {
			t.Errorf("archived: %s", r.Body)
		}
	}

	s.WantProblem("404 not_found", "GET", small, nil, apitest.As(s.Publishable))
	if whole := s.Get(f.path()); whole.Len("data.variants") != 1 || whole.Text("data.available") != "null" {
		t.Errorf("the product is %s", whole.Body)
	}

	taken := s.OK(201, "POST", f.variantsPath(),
		f.expand(`{"price":1,"options":[{"option_id":"SIZE","value_id":"S_"}]}`)).Text("data.id")
	s.WantProblem("422 options duplicate_combination", "POST", small+"/restore", nil)

	// An edit of an archived variant does not restore it. This edit gives it an unused combination of values, so that
	// it can be restored afterwards.
	edited := s.OK(200, "PUT", small, f.expand(`{"price":3,"options":[{"option_id":"SIZE","value_id":"L_"}]}`))
	if edited.Text("data.archived_at") == "null" {
		t.Errorf("an edit restored the variant: %s", edited.Body)
	}

	s.WantProblem("412 precondition_failed", "POST", small+"/restore", `{}`, apitest.Header("If-Match", `"v1"`))
	r := s.OK(200, "POST", small+"/restore", `{}`)
	if r.Text("data.archived_at") != "null" || r.Text("data.price") != "3" ||
		r.Text("data.options.0.value.name") != "L" {
		t.Errorf("restored: %s", r.Body)
	}

	if got := s.Get(f.variantsPath()).Texts("data", "id"); strings.Join(got, " ") != f.small+" "+f.xl+" "+taken {
		t.Errorf("the product has the variants %v", got)
	}
}

func testVariantList(t *testing.T, s *apitest.Server) {
	f := newProductFixture(s)
	third := s.OK(201, "POST", f.variantsPath(), `{"price":3}`).Text("data.id")
	s.OK(200, "POST", f.variantsPath()+"/"+f.xl+"/archive", nil)
	_, reader := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{string(access.CatalogRead)}})
	for _, c := range []struct{ query, as, want, meta string }{
		{"", s.Publishable, f.small + " " + third, `{"current_page":1,"last_page":1,"per_page":50,"total":2}`},
		{"", s.Secret, f.small + " " + third, `{"current_page":1,"last_page":1,"per_page":50,"total":2}`},
		{"?archived=true", s.Secret, f.xl, `{"current_page":1,"last_page":1,"per_page":50,"total":1}`},
		{"?archived=any&per_page=2", s.Secret, f.small + " " + f.xl,
			`{"current_page":1,"last_page":2,"per_page":2,"total":3}`},
		{"?archived=any&per_page=2&page=2", s.Secret, third, `{"current_page":2,"last_page":2,"per_page":2,"total":3}`},
		{"?archived=any&per_page=2&page=3", s.Secret, "", `{"current_page":3,"last_page":2,"per_page":2,"total":3}`},
	} {
		r := s.Get(f.variantsPath()+c.query, apitest.As(c.as))
		if got := strings.Join(r.Texts("data", "id"), " "); got != c.want || r.Text("meta") != c.meta {
			t.Errorf("%q lists %s, %s", c.query, got, r.Text("meta"))
		}

		for i, id := range r.Texts("data", "id") {
			if archived := r.Texts("data", "archived_at")[i] != "null"; archived != (id == f.xl) {
				t.Errorf("%q lists %s as archived: %t", c.query, id, archived)
			}
		}
	}

	for _, query := range []string{"?archived=true", "?archived=any"} {
		s.WantProblem("403 forbidden", "GET", f.variantsPath()+query, nil, apitest.As(s.Publishable))
		s.WantProblem("403 forbidden", "GET", f.variantsPath()+query, nil, apitest.As(reader))
	}

	for _, query := range []string{"?archived=", "?archived=false", "?archived=yes", "?archived=any&archived=any",
		"?with=options", "?page=0"} {
		s.WantProblem("400 malformed_query", "GET", f.variantsPath()+query, nil)
	}

	s.WantProblem("404 not_found", "GET", f.variantsPath()+"/"+f.xl, nil, apitest.As(reader))
	s.Get(f.variantsPath() + "/" + f.xl)
}

func testVariantChecksIDScopeAndIfMatch(t *testing.T, s *apitest.Server) {
	f := newProductFixture(s)
	elsewhere := createProduct(s, newVariant("x"))
	other := s.WithKeys(s.Other)
	theirs := createProduct(other, newVariant("y"))
	their := other.Get(productsPath + "/" + theirs).Text("data.variants.0.id")
	for _, at := range []string{
		f.variantsPath() + "/" + unknownID, f.variantsPath() + "/x", f.variantsPath() + "/" + f.shirt,
		f.variantsPath() + "/" + their, productsPath + "/" + elsewhere + "/variants/" + f.small,
		productsPath + "/" + theirs + "/variants/" + their, productsPath + "/" + unknownID + "/variants/" + f.small,
		productsPath + "/x/variants/" + f.small,
	} {
		s.WantProblem("404 not_found", "GET", at, nil)
		s.WantProblem("404 not_found", "PUT", at, `{"price":1}`)
		s.WantProblem("404 not_found", "DELETE", at, nil)
		s.WantProblem("404 not_found", "POST", at+"/archive", nil)
		s.WantProblem("404 not_found", "POST", at+"/restore", nil)
	}

	for _, path := range []string{theirs, unknownID, "x"} {
		s.WantProblem("404 not_found", "GET", productsPath+"/"+path+"/variants", nil)
		s.WantProblem("404 not_found", "POST", productsPath+"/"+path+"/variants", `{"price":1}`)
	}

	small := f.variantsPath() + "/" + f.small
	for _, c := range []struct{ method, path string }{
		{"POST", f.variantsPath()}, {"PUT", small}, {"DELETE", small}, {"POST", small + "/archive"},
		{"POST", small + "/restore"}, {"PUT", f.variantsPath() + "/" + unknownID},
	} {
		s.WantProblem("403 forbidden", c.method, c.path, `{"price":1}`, apitest.As(s.Publishable))
		if c.path != f.variantsPath()+"/"+unknownID {
			s.WantProblem("412 precondition_failed", c.method, c.path, `{"price":1}`,
				apitest.Header("If-Match", `"v9"`))
			s.WantProblem("400 malformed_query", c.method, c.path+"?with=options", `{"price":1}`)
		}
	}

	key := apitest.Header("Idempotency-Key", "k")
	first := s.OK(201, "POST", f.variantsPath(), `{"price":1}`, key)
	again := s.OK(201, "POST", f.variantsPath(), `{"price":1}`, key)
	first.WantSame(again)
	if again.Header.Get("Idempotent-Replayed") != "true" || s.Get(f.variantsPath()).Len("data") != 3 {
		t.Error("the creation was not replayed")
	}
}
