package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// The removal of a value can give several variants the same combination of values. Impact reports these variants. They
// are kept and can be edited as long as their options do not change. Variants without options are not compared. A
// variant with one option twice is refused with 422.
func TestCombinations_keepCollisionsAfterRemoval(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S", "M")
		colour := createAttribute(s, optionsPath, "red")
		id := createProduct(s, newVariant("1", size.asOption(0), colour.asOption(0)),
			newVariant("2", size.asOption(1), colour.asOption(0)), newVariant("3"), newVariant("4"))

		impact := s.OK(200, "POST", optionsPath+"/"+size.id+"/impact", attributeEdit{Removed: size.values})
		ids := s.Get("/v2/products/"+id).Texts("data.variants", "id")
		if got, want := impact.Text("data.collisions"), toJSON([]any{map[string]any{"product_id": id,
			"variant_ids": ids[:2]}}); got != want {
			t.Errorf("the collisions are %s, want %s", got, want)
		}

		s.OK(200, "PUT", "/v2/product-variants/"+size.id, attributeEdit{Removed: size.values})
		wantNames(t, variantSummary(s, id), "1: red", "2: red", "3: ", "4: ")

		// Edit the prices and SKUs of all four variants, but not their options.
		list := []map[string]any{}
		for i, v := range ids {
			list = append(list, map[string]any{"id": v, "sku": fmt.Sprint("new ", i), "price": 20})
		}

		s.OK(200, "PUT", "/v2/products/"+id, map[string]any{"variants": list})
		wantNames(t, variantSummary(s, id), "new 0: red", "new 1: red", "new 2: ", "new 3: ")

		// The data of the response is accepted as a body.
		s.OK(200, "PUT", "/v2/products/"+id, s.Get("/v2/products/"+id).Text("data"))
		wantNames(t, variantSummary(s, id), "new 0: red", "new 1: red", "new 2: ", "new 3: ")

		// A third variant with this combination is refused, and so is changing another variant to it.
		s.WantProblem("422 variants[4].options duplicate_combination", "PUT", "/v2/products/"+id,
			map[string]any{"variants": append(slices.Clone(list), newVariant("5", colour.asOption(0)))})
		touched := slices.Clone(list)
		touched[2] = map[string]any{"id": ids[2], "options": []any{colour.asOption(0)}}
		s.WantProblem("422 variants[2].options duplicate_combination", "PUT", "/v2/products/"+id,
			map[string]any{"variants": touched})
		twice := newVariant("6", colour.asOption(0), colour.asOption(0))
		s.WantProblem("422 variants[0].options[1].option_id duplicate_option", "POST", "/v2/products",
			map[string]any{"name": "Shirt", "variants": []any{twice}})
	})
}

// The totals of impact are exact, its lists have at most 1,000 elements, and it changes nothing.
func TestImpact_limitsListsAndCountsAll(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		const groups = 1005

		// Each product has two values of one feature.
		material := createAttribute(s, featuresPath, "cotton", "wool", "silk")
		var carried []catalog.ValueRef
		for _, value := range material.values[:2] {
			carried = append(carried,
				catalog.ValueRef{Attribute: parseID[catalog.Attribute](t, material.id),
					Value: parseID[catalog.Value](t, value)})
		}

		s.Write(func(ctx context.Context, q database.Querier) error {
			for i := range groups { // without HTTP requests, which would be slow
				if _, err := s.App.Catalog.Products.Create(ctx, store.In(q, s.StoreID),
					catalog.ProductEdit{Name: new(fmt.Sprint("P", i)), Features: &carried}); err != nil {
					return err
				}
			}
			return nil
		})

		// One product has two variants of each number, one with the size S and one with the size M, and one variant
		// with the size L. If the values S and M are removed, the two variants of each number collide.
		size := createAttribute(s, optionsPath, "S", "M", "L")
		number := createAttribute(s, optionsPath,
			numberedNames("n", groups)...)
		var variants []map[string]any
		for i := range groups {
			variants = append(variants, newVariant("S", size.asOption(0), number.asOption(i)),
				newVariant("M", size.asOption(1), number.asOption(i)))
		}

		createProduct(s, append(variants, newVariant("L", size.asOption(2), number.asOption(0)))...)

		if s.Engine == database.Postgres { // the planner needs statistics, and autovacuum is off in tests
			s.Write(func(ctx context.Context, q database.Querier) error {
				_, err := q.Exec(ctx, "ANALYZE")
				return err
			})
		}

		before := s.Dump()
		r := s.OK(200, "POST", optionsPath+"/"+size.id+"/impact", attributeEdit{Removed: size.values[:2]})
		if r.Len("data.variants") != 1000 || r.Text("data.variants_total") != fmt.Sprint(2*groups) ||
			r.Len("data.collisions") != 1000 {
			t.Errorf("%d of %s variants and %d collisions are listed, want 1000 of %d and 1000", r.Len("data.variants"),
				r.Text("data.variants_total"), r.Len("data.collisions"), 2*groups)
		}

		for i := range 1000 {
			if r.Len(fmt.Sprintf("data.collisions.%d.variant_ids", i)) != 2 {
				t.Fatalf("the collision %s does not have two variants", r.Text(fmt.Sprintf("data.collisions.%d", i)))
			}
		}

		seen := r.Texts("data.variants", "id")
		slices.Sort(seen)
		if len(slices.Compact(seen)) != 1000 {
			t.Error("a variant is listed twice")
		}

		// A product with two of the removed values counts once.
		r = s.OK(200, "POST", featuresPath+"/"+material.id+"/impact", attributeEdit{Removed: material.values})
		if r.Len("data.products") != 1000 || r.Text("data.products_total") != fmt.Sprint(groups) ||
			r.Len("data.collisions") != 0 {
			t.Errorf("%d of %s products are listed, want 1000 of %d", r.Len("data.products"),
				r.Text("data.products_total"), groups)
		}

		s.WantUnchanged(before, "impact")
	}, apitest.Alone())
}

// Removing a value changes the representation of the products that had it, so their ETags change. Their updated_at
// stays, since no client has written them.
func TestValueRemoval_changesProductETagButNotUpdatedAt(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S")
		colour := createAttribute(s, optionsPath,
			"red")
		material := createAttribute(s, featuresPath, "cotton", "wool")
		body := map[string]any{"name": "Shirt",
			"variants": []any{newVariant("1", size.asOption(0),
				colour.asOption(0))}, "features": []any{material.asFeature(0), material.asFeature(1)}}
		path := "/v2/products/" + s.OK(201, "POST", "/v2/products", body).Text("data.id")
		other := "/v2/products/" + createProduct(s, newVariant("2"))
		untouched := s.Get(other).Header.Get("ETag")

		for what, change := range map[string]func(){
			"a removed option value": func() {
				s.OK(200, "PUT", optionsPath+"/"+size.id,
					attributeEdit{Removed: size.values})
			},
			"a deleted option": func() { s.OK(204, "DELETE", optionsPath+"/"+colour.id, nil) },
			"a removed feature value": func() {
				s.OK(200, "PUT", featuresPath+"/"+material.id,
					attributeEdit{Removed: material.values[:1]})
			},
		} {
			before := s.Get(path)
			s.Clock.Advance(time.Minute)
			change()

			after := s.Get(path)
			if after.Header.Get("ETag") == before.Header.Get("ETag") ||
				after.Text("data.updated_at.timestamp") != before.Text("data.updated_at.timestamp") {
				t.Errorf("%s: the ETag was %s and is %s, or updated_at has changed", what, before.Header.Get("ETag"),
					after.Header.Get("ETag"))
			}

			s.WantProblem("412 precondition_failed", "PUT", path, `{}`,
				apitest.Header("If-Match", before.Header.Get("ETag")))
		}

		if now := s.Get(other).Header.Get("ETag"); now != untouched {
			t.Error("the ETag of an unaffected product has changed")
		}
	}, apitest.Alone())
}

func parseID[Resource any](t *testing.T, text string) id.Of[Resource] {
	t.Helper()
	parsed, err := id.Parse[Resource](text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestImpact_refusesWhatTheEditRefuses(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, "a", "b")
		path := at.list + "/" + a.id + "/impact"
		for _, body := range []any{
			attributeEdit{Removed: []string{unknownID}}, attributeEdit{Removed: []string{a.values[0], a.values[0]}},
			attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "x")}, Removed: a.values},
			attributeEdit{Values: []map[string]any{renamedValue(unknownID, "x")}}, `{"values": null}`, `{"name": ""}`,
			`{"values": [{}]}`, `{"removed_values": ["x"]}`,
		} {
			s.WantProblem(s.Do("PUT", at.edit+a.id, body).Problem(), "POST", path, body)
		}

		if at.list == featuresPath {
			for _, body := range []string{`{"field_type": "range"}`, `{"range_type": "float"}`,
				`{"field_type": "range", "values": [{"name": "x"}]}`} {
				s.WantProblem(s.Do("PUT", at.edit+a.id, body).Problem(), "POST", path, body)
			}
		}

		s.WantProblem("404 not_found", "POST", at.list+"/"+unknownID+"/impact", `{}`)
		s.WantProblem("400 malformed_json", "POST", path, nil)
		before := s.Dump()
		r := s.OK(200, "POST", path,
			attributeEdit{Name: "x", Values: append(newValues("new"), renamedValue(a.values[0], "A")),
				Removed: a.values[1:]})
		s.WantUnchanged(before, "impact")
		want := []string{"collisions", "variants", "variants_total"}

		if at.list == featuresPath {
			want = []string{"collisions", "products", "products_total"}
		}

		wantMembers(t, r, "data", want...)
	})
}

// The response of impact is stored under its Idempotency-Key, and repeated requests get it even if the option has been
// deleted.
func TestImpact_isReplayedAfterDeletion(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "S")
		key := apitest.Header("Idempotency-Key", "k")
		first := s.OK(200, "POST", optionsPath+"/"+a.id+"/impact", attributeEdit{Removed: a.values}, key)
		s.OK(204, "DELETE", optionsPath+"/"+a.id, nil)
		again := s.Do("POST", optionsPath+"/"+a.id+"/impact", attributeEdit{Removed: a.values}, key)
		first.WantSame(again)
		if again.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the response was not replayed")
		}
	})
}

// The edit affects exactly the variants that impact lists.
func TestImpact_matchesTheEdit(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S", "M", "L")
		colour := createAttribute(s, optionsPath, "red", "blue")
		var products []string
		for i := range 6 {
			products = append(products,
				createProduct(s, newVariant("a", size.asOption(i%3), colour.asOption(0)),
					newVariant("b", size.asOption((i+1)%3), colour.asOption(i%2)), newVariant("c", colour.asOption(1))))
		}

		state := func() (carriers []string) {
			for _, id := range products {
				for i, line := range variantSummary(s, id) {
					if strings.Contains(line, "S") || strings.Contains(line, "L") {
						carriers = append(carriers,
							s.Get("/v2/products/"+id).Text(fmt.Sprintf("data.variants.%d.id", i)))
					}
				}
			}

			slices.Sort(carriers)
			return carriers
		}

		e := attributeEdit{Removed: []string{size.values[0], size.values[2]}}
		listed := s.OK(200, "POST", optionsPath+"/"+size.id+"/impact", e).Texts("data.variants", "id")
		slices.Sort(listed)
		if had := state(); !slices.Equal(listed, had) {
			t.Errorf("impact lists %q, the variants with a removed value are %q", listed, had)
		}

		s.OK(200, "PUT", optionsPath+"/"+size.id, e)
		if left := state(); len(left) != 0 {
			t.Errorf("%q still have a removed value", left)
		}
	})
}
