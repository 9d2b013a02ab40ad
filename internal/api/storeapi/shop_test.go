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
	options    = "/v2/variant-options"
	features   = "/v2/features"
	categories = "/v2/categories"
	stocks     = "/v2/stocks"
	// nobody is the id of nothing.
	nobody = "018f0000-0000-7000-8000-000000000000"
)

// surface is one of the three ways to an attribute: two kinds, one of which has two paths for its edit.
type surface struct {
	name, list, edit string
}

func surfaces() []surface {
	return []surface{
		{"option", options, options + "/"},
		{"option by the seed's path", options, "/v2/product-variants/"},
		{"feature", features, features + "/"},
	}
}

// eachSurface runs fn on both engines for each surface.
func eachSurface(t *testing.T, fn func(t *testing.T, s *apitest.Server, at surface)) {
	t.Helper()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		for _, at := range surfaces() {
			t.Run(at.name, func(t *testing.T) { fn(t, s.WithTB(t), at) })
		}
	})
}

// attribute is an option or a feature with the ids of its values.
type attribute struct {
	id     string
	values []string
}

// made reads an attribute out of an answer with values.
func made(r *apitest.Response) attribute {
	return attribute{r.Text("data.id"), r.Texts("data.values", "id")}
}

// create makes an attribute with values of these names.
func create(s *apitest.Server, list string, names ...string) attribute {
	return made(s.OK(201, "POST", list+"?with=values", map[string]any{"name": "Attribute", "values": named(names...)}))
}

// named is a list of new values.
func named(names ...string) []map[string]any {
	list := []map[string]any{}
	for _, n := range names {
		list = append(list, map[string]any{"name": n})
	}
	return list
}

// names reads all values of an attribute.
func names(s *apitest.Server, list, id string) []string {
	return s.Get(list+"/"+id+"?with=values").Texts("data.values", "name")
}

func wantNames(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the values are %q, want %q", got, want)
	}
}

// numbered is n names.
func numbered(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return list
}

// text is v as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// on is the option with one of its values, as a variant carries it.
func (a attribute) on(i int) map[string]any {
	return map[string]any{"option_id": a.id, "value_id": a.values[i]}
}

// of is the feature with one of its values, as a product carries it.
func (a attribute) of(i int) map[string]any {
	return map[string]any{"feature_id": a.id, "value_id": a.values[i]}
}

// variant is a variant as it is sent.
func variant(sku string, options ...map[string]any) map[string]any {
	return map[string]any{"sku": sku, "price": 10, "options": append([]map[string]any{}, options...)}
}

// product makes a product of these variants and returns its id.
func product(s *apitest.Server, variants ...map[string]any) string {
	return s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "variants": append([]map[string]any{}, variants...)}).Text("data.id")
}

// shelf reads the variants of a product, each as "sku: Option value, …".
func shelf(s *apitest.Server, id string) []string {
	r := s.Get("/v2/products/" + id)
	lines := []string{}
	for i := range r.Len("data.variants") {
		at := fmt.Sprintf("data.variants.%d.", i)
		lines = append(lines, r.Text(at+"sku")+": "+strings.Join(r.Texts(at+"options", "value.name"), ", "))
	}
	return lines
}
