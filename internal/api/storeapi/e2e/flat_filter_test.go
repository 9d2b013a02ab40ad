package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// flatParam returns the flat form of a filter by values.
func flatParam(name string, a attribute, values ...int) string {
	ids := make([]string, len(values))
	for i, v := range values {
		ids[i] = a.values[v]
	}
	return name + "=" + a.id + ":" + strings.Join(ids, ",")
}

// Generators of OpenAPI clients send flat parameters rightly. They filter as those with brackets do.
func TestProducts_flatFiltersEqualBrackets(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		weight := "feature=" + w.weight.id + ":"

		for flat, brackets := range map[string]string{
			"price=12..12":                       "price[from]=12&price[to]=12",
			"price=12.5001..":                    "price[from]=12.5001",
			"price=..50":                         "price[to]=50",
			"price=..":                           "price[from]=&price[to]=",
			"price=":                             "",
			flatParam("feature", w.fabric, 0):    w.featureParam(w.fabric, 0),
			flatParam("feature", w.fabric, 0, 1): w.featureParam(w.fabric, 0, 1),
			flatParam("feature", w.fabric, 0) + "&" + flatParam("feature", w.fabric, 1): w.featureParam(w.fabric, 0, 1),
			flatParam("feature", w.weight, 1) + "&" + flatParam("feature", w.fabric, 1): w.featureParam(w.fabric, 1) +
				"&" + w.featureParam(w.weight, 1),
			weight + "0.2..1,5":                 w.rangeParams(w.weight, "0.2", "1,5"),
			weight + "1.51..":                   "features[" + w.weight.id + "][from]=1.51",
			weight + "1.51..&" + weight + "..2": w.rangeParams(w.weight, "1.51", "2"),
			weight + "..":                       "",
			weight:                              "",
			"feature=&option=":                  "",
			flatParam("option", w.size, 0, 2):   w.choiceParam("options", w.size, 0, 2),
			flatParam("option", w.size, 1) + "&price=..12": w.choiceParam("options", w.size, 1) + "&price[to]=12",
			flatParam("option", w.size, 1) + "&" + flatParam("option", w.colour, 0) + "&in_stock=true": w.choiceParam(
				"options", w.size, 1) + "&" + w.choiceParam("options", w.colour, 0) + "&in_stock=true",
			strings.ReplaceAll(flatParam("feature", w.fabric, 0, 1), ",", "%2C"): w.featureParam(w.fabric, 0, 1),
		} {
			const extras = "with=facets&with=variants,features&dates=iso&"
			got, want := w.Get("/v2/products?"+extras+flat), w.Get("/v2/products?"+extras+brackets)
			if got.Text("data") != want.Text("data") || got.Text("meta") != want.Text("meta") {
				t.Errorf("%s gives\n%s, want that of %s:\n%s", flat, got.Body, brackets, want.Body)
			}
		}
	})
}

func TestProducts_refuseBadFlatFilters(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		feature, option := "feature="+w.weight.id+":", "option="+w.size.id+":"
		for query, detail := range map[string]string{
			"price=5":                          "must be {from}..{to}, such as 500..1990.50",
			"price=ten..":                      "price (from) must be a plain decimal number",
			"price=..1.00001":                  "price (to) must be an amount",
			"price=2..1":                       "price (from) is above price (to)",
			"price=1..2&price=3..4":            "price is given 2 times",
			"feature=x":                        "must be {feature_id}:{value_id},{value_id} or, for a range,",
			"option=x":                         "must be {option_id}:{value_id},{value_id}",
			option + "1..":                     "must be {option_id}:{value_id}",
			feature + "2..1":                   "(from) is above feature=" + w.weight.id + " (to): nothing lies",
			feature + "x..":                    "(from) must be a plain decimal number",
			feature + "1..&" + feature + "2..": "(from) is given 2 times",
			"feature=%FF:x":                    "must be UTF-8 text",
			"feature=%00:x":                    "must be UTF-8 text",
			"feature[x][]=y":                   "is not known here; did you mean feature?",
			// Both forms together are refused, also for different filters.
			"price=1..2&price[from]=1":                                         "in one form",
			"price=1..2&" + w.featureParam(w.fabric, 0):                        "in one form",
			flatParam("option", w.size, 0) + "&" + w.featureParam(w.fabric, 0): "in one form",
			flatParam("feature", w.fabric, 0) + "&price[to]=9":                 "in one form",
			strings.Repeat(flatParam("feature", w.fabric, 0)+"&", 1_001):       "may name 50 features",
		} {
			r := s.WantProblem("400 malformed_query", "GET", "/v2/products?"+query, nil)
			if got := r.Text("detail"); !strings.Contains(got, detail) {
				t.Errorf("%.100s: the detail is %q, want %q in it", query, got, detail)
			}
		}

		for query, want := range map[string]string{
			"feature=x:y": "422 feature[x] unknown_feature",
			"feature=" + w.fabric.id + ":" + unknownID:         "422 feature[" + w.fabric.id + "] unknown_value",
			"feature=" + w.size.id + ":" + w.size.values[0]:    "422 feature[" + w.size.id + "] unknown_feature",
			flatParam("feature", w.care, 0):                    "422 feature[" + w.care.id + "] not_filterable",
			"feature=" + w.fabric.id + ":1..2":                 "422 feature[" + w.fabric.id + "] not_a_range",
			"option=" + w.fabric.id + ":" + w.fabric.values[0]: "422 option[" + w.fabric.id + "] unknown_option",
		} {
			s.WantProblem(want, "GET", "/v2/products?"+query, nil)
		}
	})
}
