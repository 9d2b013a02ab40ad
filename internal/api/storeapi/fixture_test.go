package storeapi_test

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
	// unknownID is the id of nothing.
	unknownID = "018f0000-0000-7000-8000-000000000000"
)

// attributeAPI is one of the three ways to an attribute: two kinds, one of which has two paths for its edit.
type attributeAPI struct {
	name, list, edit string
}

func attributeAPIs() []attributeAPI {
	return []attributeAPI{
		{"option", optionsPath, optionsPath + "/"},
		{"option by the seed's path", optionsPath, "/v2/product-variants/"},
		{"feature", featuresPath, featuresPath + "/"},
	}
}

// eachAttributeAPI runs fn on both engines for each surface.
func eachAttributeAPI(t *testing.T, fn func(t *testing.T, s *apitest.Server, at attributeAPI)) {
	t.Helper()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
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

// parseAttribute reads an attribute out of an answer with values.
func parseAttribute(r *apitest.Response) attribute {
	return attribute{r.Text("data.id"), r.Texts("data.values", "id")}
}

// createAttribute makes an attribute with values of these names.
func createAttribute(s *apitest.Server, list string, names ...string) attribute {
	return parseAttribute(s.OK(201, "POST", list+"?with=values", map[string]any{"name": "Attribute", "values": newValues(names...)}))
}

// newValues is a list of new values.
func newValues(names ...string) []map[string]any {
	list := []map[string]any{}
	for _, n := range names {
		list = append(list, map[string]any{"name": n})
	}
	return list
}

// valueNames reads all values of an attribute.
func valueNames(s *apitest.Server, list, id string) []string {
	return s.Get(list+"/"+id+"?with=values").Texts("data.values", "name")
}

func wantNames(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the values are %q, want %q", got, want)
	}
}

// numberedNames is n names.
func numberedNames(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return list
}

// toJSON is v as JSON.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// asOption is the option with one of its values, as a variant carries it.
func (a attribute) asOption(i int) map[string]any {
	return map[string]any{"option_id": a.id, "value_id": a.values[i]}
}

// asFeature is the feature with one of its values, as a product carries it.
func (a attribute) asFeature(i int) map[string]any {
	return map[string]any{"feature_id": a.id, "value_id": a.values[i]}
}

// newVariant is a variant as it is sent.
func newVariant(sku string, options ...map[string]any) map[string]any {
	return map[string]any{"sku": sku, "price": 10, "options": append([]map[string]any{}, options...)}
}

// createProduct makes a product of these variants and returns its id.
func createProduct(s *apitest.Server, variants ...map[string]any) string {
	return s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "variants": append([]map[string]any{}, variants...)}).Text("data.id")
}

// variantSummary reads the variants of a product, each as "sku: Option value, …".
func variantSummary(s *apitest.Server, id string) []string {
	r := s.Get("/v2/products/" + id)
	lines := []string{}
	for i := range r.Len("data.variants") {
		at := fmt.Sprintf("data.variants.%d.", i)
		lines = append(lines, r.Text(at+"sku")+": "+strings.Join(r.Texts(at+"options", "value.name"), ", "))
	}
	return lines
}
