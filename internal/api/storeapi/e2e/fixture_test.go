package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const (
	optionsPath    = "/v2/variant-options"
	featuresPath   = "/v2/features"
	categoriesPath = "/v2/categories"
	stocksPath     = "/v2/stocks"
	// unknownID is a valid id that no resource has.
	unknownID = "018f0000-0000-7000-8000-000000000000"
)

// attributeAPI has the paths of an attribute kind: the path of the list, and the prefix of the path for edits. Options
// occur twice, since they have two paths for edits.
type attributeAPI struct {
	name, list, edit string
}

func attributeAPIs() []attributeAPI {
	return []attributeAPI{
		{"option", optionsPath, optionsPath + "/"},
		{"option by /v2/product-variants", optionsPath, "/v2/product-variants/"},
		{"feature", featuresPath, featuresPath + "/"},
	}
}

// eachAttributeAPI runs fn on both engines for each attributeAPI.
func eachAttributeAPI(t *testing.T, fn func(t *testing.T, s *apitest.Server, at attributeAPI)) {
	t.Helper()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, at := range attributeAPIs() {
			t.Run(at.name, func(t *testing.T) { fn(t, s.WithTB(t), at) })
		}
	})
}

// attribute is an option or a feature with the ids of its values.
type attribute struct {
	id     string
	values []string
}

// parseAttribute returns the attribute of a response with values.
func parseAttribute(r *apitest.Response) attribute {
	return attribute{r.Text("data.id"), r.Texts("data.values", "id")}
}

// createAttribute creates an attribute whose values have the given names.
func createAttribute(s *apitest.Server, list string, names ...string) attribute {
	return parseAttribute(s.OK(201, "POST", list+"?with=values",
		map[string]any{"name": "Attribute", "values": newValues(names...)}))
}

func newValues(names ...string) []map[string]any {
	list := []map[string]any{}
	for _, n := range names {
		list = append(list, map[string]any{"name": n})
	}
	return list
}

// valueNames reads the names of all values of an attribute.
func valueNames(s *apitest.Server, list, id string) []string {
	return s.Get(list+"/"+id+"?with=values").Texts("data.values", "name")
}

func wantNames(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the values are %q, want %q", got, want)
	}
}

// numberedNames returns n names: prefix followed by the numbers from 0 to n-1.
func numberedNames(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return list
}

// toJSON returns v as JSON. It panics if v cannot be marshalled.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// asOption returns the element of a variant's options that selects value i of the option.
func (a attribute) asOption(i int) map[string]any {
	return map[string]any{"option_id": a.id, "value_id": a.values[i]}
}

// asFeature returns the element of a product's features that selects value i of the feature.
func (a attribute) asFeature(i int) map[string]any {
	return map[string]any{"feature_id": a.id, "value_id": a.values[i]}
}

// newVariant returns a variant with the price 10 for a request.
func newVariant(sku string, options ...map[string]any) map[string]any {
	return map[string]any{"sku": sku, "price": 10, "options": append([]map[string]any{}, options...)}
}

// createProduct creates a product with these variants and returns its id.
func createProduct(s *apitest.Server, variants ...map[string]any) string {
	return s.OK(201, "POST", "/v2/products",
		map[string]any{"name": "Shirt", "variants": append([]map[string]any{}, variants...)}).Text("data.id")
}

// variantSummary reads the variants of a product, each as "sku: option value, …".
func variantSummary(s *apitest.Server, id string) []string {
	r := s.Get("/v2/products/" + id)
	lines := []string{}
	for i := range r.Len("data.variants") {
		at := fmt.Sprintf("data.variants.%d.", i)
		lines = append(lines, r.Text(at+"sku")+": "+strings.Join(r.Texts(at+"options", "value.name"), ", "))
	}
	return lines
}
