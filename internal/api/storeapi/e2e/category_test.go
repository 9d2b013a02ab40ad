package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

func TestCategory_movesInTheTree(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		tees := createNamed(s, categoriesPath, "Tees", shirts)
		sale := createNamed(s, categoriesPath, "Sale")
		parent := func(id string) string { return s.Get(categoriesPath + "/" + id).Text("data.parent_id") }

		for _, step := range []struct{ moved, body, want string }{
			{tees, `{"parent_id": "` + sale + `"}`, sale},
			{tees, `{"name": "T-shirts"}`, sale}, // without parent_id, the parent stays
			{tees, `{"parent_id": "` + strings.ToUpper(sale) + `"}`, sale},
			{tees, `{"parent_id": null}`, "null"},
			{clothes, `{"parent_id": "` + tees + `"}`, tees}, // its descendants move with it
			{shirts, `{}`, clothes},
		} {
			if got := s.OK(200, "PUT", categoriesPath+"/"+step.moved,
				step.body).Text("data.parent_id"); got != step.want || parent(step.moved) != step.want {
				t.Errorf("%s: the parent is %s, want %s", step.body, got, step.want)
			}
		}

		for _, c := range []struct{ moved, parent, problem string }{
			{tees, `"` + tees + `"`, "422 parent_id category_cycle"},
			{tees, `"` + clothes + `"`, "422 parent_id category_cycle"},
			{tees, `"` + shirts + `"`, "422 parent_id category_cycle"},
			{shirts, `"` + unknownID + `"`, "422 parent_id unknown_category"},
			{shirts, `"00000000-0000-0000-0000-000000000000"`, "422 parent_id unknown_category"},
			{shirts, `"` + createNamed(s.WithKeys(s.Other), categoriesPath, "theirs") + `"`,
				"422 parent_id unknown_category"},
			{shirts, `"` + createNamed(s, stocksPath, "a stock") + `"`, "422 parent_id unknown_category"},
			{shirts, `"Clothes"`, "422 parent_id invalid_id"},
			{shirts, `""`, "422 parent_id invalid_id"},
			{shirts, `7`, "422 parent_id wrong_type"},
			{shirts, `{"id": "` + clothes + `"}`, "422 parent_id wrong_type"},
		} {
			s.WantProblem(c.problem, "PUT", categoriesPath+"/"+c.moved, `{"parent_id": `+c.parent+`}`)
			if !strings.HasSuffix(c.problem, "cycle") {
				s.WantProblem(c.problem, "POST", categoriesPath, `{"name": "x", "parent_id": `+c.parent+`}`)
			}
		}

		s.WantProblem("422 name required, parent_id unknown_category", "POST", categoriesPath,
			`{"parent_id": "`+unknownID+`"}`)
	})
}

// The query parameter parent_id selects one level of the tree.
func TestCategories_areFilteredByParent(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		sale := createNamed(s, categoriesPath, "Sale")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		createNamed(s, categoriesPath, "Tees", shirts)

		trousers := createNamed(s, categoriesPath, "Trousers", clothes)
		for query, want := range map[string][]string{
			"parent_id=root":                              {clothes, sale},
			"parent_id=root&q=sa":                         {sale},
			"parent_id=" + clothes:                        {shirts, trousers},
			"parent_id=" + strings.ToUpper(clothes):       {shirts, trousers},
			"parent_id=" + clothes + "&q=tees":            {},
			"parent_id=" + clothes + "&per_page=1&page=2": {trousers},
			"parent_id=" + trousers:                       {},
		} {
			if got := s.Get(categoriesPath+"?"+query, apitest.As(s.Publishable)).Texts("data", "id"); !slices.Equal(got,
				want) {
				t.Errorf("%s lists %q, want %q", query, got, want)
			}
		}

		for _, value := range []string{"", "null", "Root", "x", "{" + clothes + "}",
			strings.ReplaceAll(clothes, "-", ""), clothes + "&parent_id=" + sale, "%00"} {
			s.WantProblem("400 malformed_query", "GET", categoriesPath+"?parent_id="+value, nil)
		}

		for _, id := range []string{unknownID, "00000000-0000-0000-0000-000000000000",
			createNamed(s.WithKeys(s.Other), categoriesPath, "theirs")} {
			s.WantProblem("422 parent_id unknown_category", "GET", categoriesPath+"?parent_id="+id, nil)
		}
	})
}

// Deleting a category removes it from its products and moves its children up to its parent. This changes the ETags of
// the products and the children, but not their updated_at.
func TestCategory_deletionKeepsProductsAndChildren(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		tees := createNamed(s, categoriesPath, "Tees", shirts)
		made := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "categories": []string{shirts, tees}})
		path := "/v2/products/" + made.Text("data.id")

		s.Clock.Advance(time.Minute)
		s.OK(204, "DELETE", categoriesPath+"/"+shirts, nil)

		product := s.Get(path)
		if got := product.Texts("data.categories", "id"); !slices.Equal(got, []string{tees}) {
			t.Errorf("the product is in %q, want %q", got, tees)
		}

		child := s.Get(categoriesPath + "/" + tees)
		if got := child.Text("data.parent_id"); got != clothes {
			t.Errorf("the child is in %s, want %s", got, clothes)
		}

		for what, r := range map[string]*apitest.Response{"product": product, "child": child} {
			if r.Header.Get("ETag") != `"v2"` ||
				r.Text("data.updated_at.timestamp") != r.Text("data.created_at.timestamp") {
				t.Errorf("the %s has the ETag %s and was updated at %s", what, r.Header.Get("ETag"),
					r.Text("data.updated_at.iso"))
			}
		}

		if got := s.Get(categoriesPath).Texts("data", "id"); !slices.Equal(got, []string{clothes, tees}) {
			t.Errorf("the remaining categories are %q", got)
		}
	}, apitest.Alone())
}
