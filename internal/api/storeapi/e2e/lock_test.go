package e2e

import (
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestProductLocks_areReadBySecretKeysOnly(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", "/v2/products", `{"name": "Lamp", "locks": ["price", "name", "name"]}`)
		path := "/v2/products/" + r.Text("data.id")
		if got := r.Text("data.locks"); got != `["name","price"]` {
			t.Errorf("a new product has the locks %s", got)
		}

		for range 2 { // at first the caches are empty
			for at, path := range map[string]string{"data.0.": "/v2/products", "data.": path} {
				if r := s.Get(path); r.Text(at+"locks") != `["name","price"]` {
					t.Errorf("%s shows %s to a secret key", path, r.Body)
				}
				if r := s.Get(path, apitest.As(s.Publishable)); r.Has(at + "locks") {
					t.Errorf("%s shows %s to a publishable key", path, r.Body)
				}
			}
		}

		if got := s.OK(200, "PUT", path, `{"description": "Warm"}`).Text("data.locks"); got != `["name","price"]` {
			t.Errorf("an edit of something else leaves the locks %s", got)
		}
		if got := s.OK(200, "PUT", path, `{"locks": []}`).Text("data.locks"); got != `[]` {
			t.Errorf("after unlocking the locks are %s", got)
		}

		s.WantProblem("422 locks[1] unknown_lock", "PUT", path, `{"locks": ["images", "variants"]}`)
		s.WantProblem("422 locks wrong_type", "PUT", path, `{"locks": null}`)
		s.WantProblem("422 locks[0] unknown_lock", "POST", "/v2/products", `{"name": "x", "locks": ["Name"]}`)
	})
}

func TestMerge_ofValues(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, resource := range []string{"/v2/variant-options", "/v2/features"} {
			created := s.OK(201, "POST", resource+"?with=values",
				`{"name": "Color", "filterable": true, "values": [{"name": "red", "external_id": "r"}, `+
					`{"name": "crimson", "external_id": "c"}, {"name": "blue"}]}`)
			path := resource + "/" + created.Text("data.id")
			red := created.Text("data.values.0.id")
			crimson := created.Text("data.values.1.id")
			body := `{"from": ["` + crimson + `"], "into": "` + red + `"}`
			product := `{"name": "Shirt", "features": [{"feature_id": "` + created.Text("data.id") +
				`", "value_id": "` + crimson + `"}]}`
			value := "data.features.0.value.name"
			total := "data.products_total"

			if resource == "/v2/variant-options" {
				product = `{"name": "Shirt", "variants": [{"price": 1, "options": [{"option_id": "` +
					created.Text("data.id") + `", "value_id": "` + crimson + `"}]},
					{"price": 1, "options": [{"option_id": "` + created.Text("data.id") + `", "value_id": "` + red +
					`"}]}]}`
				value = "data.variants.0.options.0.value.name"
				total = "data.variants_total"
			}

			productPath := "/v2/products/" + s.OK(201, "POST", "/v2/products", product).Text("data.id")

			for want, wrong := range map[string]string{
				"422 from required": `{"from": [], "into": "` + red + `"}`,
				"422 into required": `{"from": ["` + red + `"]}`,
				"422 from[0] unknown_value": `{"from": ["` + created.Text("data.id") + `"], "into": "` +
					red + `"}`,
				"422 into unknown_value": `{"from": ["` + red + `"], "into": "` +
					created.Text("data.id") + `"}`,
				"422 from[1] merged_into_itself": `{"from": ["` + crimson + `", "` + red + `"], "into": "` +
					red + `"}`,
				"422 from[0] wrong_type, into wrong_type": `{"from": [7], "into": null}`,
			} {
				s.WantProblem(want, "POST", path+"/merge", wrong)
				s.WantProblem(want, "POST", path+"/impact", wrong)
			}

			s.WantProblem("403 forbidden", "POST", path+"/merge", body, apitest.As(s.Publishable))
			impact := s.OK(200, "POST", path+"/impact", body)
			if impact.Text(total) != "1" {
				t.Errorf("the impact is %s", impact.Body)
			}
			if got := s.Get(productPath).Text(value); got != "crimson" {
				t.Errorf("after the impact the value is %s", got)
			}

			s.WantProblem("412 precondition_failed", "POST", path+"/merge", body, apitest.Header("If-Match", `"v99"`))
			merged := s.OK(200, "POST", path+"/merge?with=values", body)
			if merged.Text("data.values.0.name") != "red" || merged.Text("data.values.1.name") != "blue" ||
				merged.Has("data.values.2") {
				t.Errorf("after the merge the values are %s", merged.Body)
			}

			if got := s.Get(productPath).Text(value); got != "red" {
				t.Errorf("after the merge the value is %s", got)
			}

			s.WantProblem("422 from[0] unknown_value", "POST", path+"/merge", body)
		}

		feature := s.Get("/v2/features?with=values")
		filter := "/v2/products?features[" + feature.Text("data.0.id") + "][]=" + feature.Text("data.0.values.0.id")
		if got := s.Get(filter).Text("meta.total"); got != "1" {
			t.Errorf("the filter by the value that stays finds %s products", got)
		}
	})
}
