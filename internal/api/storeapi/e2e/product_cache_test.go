package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// cacheModel changes a small catalogue at random, on two nodes, and compares what the product cache shows with what the
// database has. Lists of archived products do not use the cache, so they serve as the reference.
type cacheModel struct {
	t          *testing.T
	nodes      []*apitest.Server
	random     *rand.Rand
	n          int
	products   []string
	deleted    []string // products
	categories []string
	features   []testAttribute
	options    []testAttribute
	stocks     []string
}

// testAttribute is an attribute and its values, by id.
type testAttribute struct {
	path   string
	values []string
}

func TestProductCache_showsEveryChangeOnAllNodes(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		m := &cacheModel{t: t, nodes: []*apitest.Server{s, s.StartNode()}, random: rand.New(rand.NewPCG(1, 2))}
		for range 3 {
			m.createCategory()
			m.createAttribute(&m.features, featuresPath)
			m.createAttribute(&m.options, optionsPath)
			m.createStock()
		}

		for range 4 {
			m.createProduct()
		}

		m.check("the first products")

		steps := []struct {
			name string
			run  func()
		}{
			{"createProduct", m.createProduct}, {"editProduct", m.editProduct}, {"editProduct", m.editProduct},
			{"deleteProduct", m.deleteProduct}, {"archiveProduct", m.archiveProduct},
			{"renameCategory", m.renameCategory}, {"deleteCategory", m.deleteCategory},
			{"renameFeature", func() { m.rename(m.features) }}, {"renameOption", func() { m.rename(m.options) }},
			{"renameFeatureValue", func() { m.renameValue(m.features) }},
			{"renameOptionValue", func() { m.renameValue(m.options) }},
			{"addValue", func() { m.addValue(m.features) }},
			{"deleteFeatureValue", func() { m.deleteValue(m.features) }},
			{"deleteOptionValue", func() { m.deleteValue(m.options) }},
			{"deleteFeature", func() { m.deleteAttribute(&m.features, featuresPath) }},
			{"deleteOption", func() { m.deleteAttribute(&m.options, optionsPath) }},
			{"reuseFeatureKey", func() { m.reuseAttributeKey(&m.features, featuresPath) }},
			{"reuseOptionKey", func() { m.reuseAttributeKey(&m.options, optionsPath) }},
			{"reuseFeatureValueKey", func() { m.reuseValueKey(m.features) }},
			{"reuseOptionValueKey", func() { m.reuseValueKey(m.options) }},
			{"deleteStock", m.deleteStock}, {"pushPrice", m.pushPrice}, {"submitOrder", m.submitOrder},
		}
		for i := range promise.Repeat(1, 2) * len(steps) {
			step := steps[i%len(steps)]
			if i >= len(steps) {
				step = steps[m.random.IntN(len(steps))]
			}

			step.run()
			m.check(fmt.Sprintf("step %d, %s", i, step.name))

			if t.Failed() {
				return
			}
		}
	}, apitest.Alone())
}

// SQLite uses the row keys of a deleted option and of its values for the next ones.
func TestProductCache_showsNoValueOfADeletedOption(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		red := createAttribute(s, optionsPath, "red")
		first := createProduct(s, newVariant("a", red.asOption(0)))
		wantVariants(t, s, first, "a: red")
		s.OK(204, "DELETE", optionsPath+"/"+red.id, nil)
		blue := createAttribute(s, optionsPath, "blue")
		second := createProduct(s, newVariant("b", blue.asOption(0)))
		wantVariants(t, s, second, "b: blue")
		wantVariants(t, s, first, "a: ")
		got := s.Get("/v2/products/"+second).Texts("data.variants.0.options", "value.id")
		if !slices.Equal(got, blue.values) {
			t.Errorf("the ids of the values are %q, want %q", got, blue.values)
		}
	})
}

// SQLite uses the row key of a removed value for the next one, also if that belongs to another option.
func TestProductCache_showsNoValueOfAnotherOption(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		other := createAttribute(s, optionsPath, "x")
		option := createAttribute(s, optionsPath, "y", "red")
		first := createProduct(s, newVariant("a", option.asOption(1)))
		wantVariants(t, s, first, "a: red")
		s.OK(200, "PUT", optionsPath+"/"+option.id, attributeEdit{Removed: option.values[1:]})
		other = parseAttribute(s.OK(200, "PUT", optionsPath+"/"+other.id+"?with=values",
			attributeEdit{Values: newValues("blue")}))
		second := createProduct(s, newVariant("b", other.asOption(1)))
		wantVariants(t, s, first, "a: ")
		wantVariants(t, s, second, "b: blue")

		if got := s.Get("/v2/products?with=variants").Len("data"); got != 2 {
			t.Errorf("the list has %d products, want 2", got)
		}
	})
}

// Requests for different parts of a product share it: none of them makes the next one read it again.
func TestProductCache_keepsThePartsOfOtherRequests(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		createProduct(s, newVariant("a"))
		for _, with := range []string{"variants", "images", "categories"} {
			s.Get("/v2/products?with=" + with)
		}

		s.Write(func(ctx context.Context, q database.Querier) error { // no version changes: only a read shows it
			_, err := q.Exec(ctx, "UPDATE products SET name = 'read again' WHERE store_id = $1", s.StoreID)
			return err
		})

		for _, with := range []string{"variants", "images", "categories", "variants,images"} {
			if got := s.Get("/v2/products?per_page=9&with="+with).Texts("data", "name"); got[0] == "read again" {
				t.Errorf("with=%s reads the product again", with)
			}
		}
	})
}

// wantVariants compares the variants of a product with lines as variantSummary returns them, twice.
func wantVariants(t *testing.T, s *apitest.Server, id string, want ...string) {
	t.Helper()
	for range 2 {
		if got := variantSummary(s, id); !slices.Equal(got, want) {
			t.Errorf("the variants are %q, want %q", got, want)
		}
	}
}

func (m *cacheModel) node() *apitest.Server { return m.nodes[m.random.IntN(len(m.nodes))] }

// name returns a new name.
func (m *cacheModel) name() string {
	m.n++
	return fmt.Sprintf("name-%d", m.n)
}

func pick[T any](m *cacheModel, list []T) T { return list[m.random.IntN(len(list))] }

func (m *cacheModel) createCategory() {
	m.categories = append(m.categories, createNamed(m.node(), categoriesPath, m.name()))
}

func (m *cacheModel) createStock() {
	m.stocks = append(m.stocks, createNamed(m.node(), stocksPath, m.name()))
}

func (m *cacheModel) createAttribute(list *[]testAttribute, path string) {
	a := createAttribute(m.node(), path, m.name(), m.name(), m.name())
	*list = append(*list, testAttribute{path + "/" + a.id, a.values})
}

// refs returns a value of each attribute, often the newest one.
func (m *cacheModel) refs(list []testAttribute) (refs []any) {
	for _, a := range list {
		if len(a.values) > 0 {
			value := pick(m, append(a.values[:len(a.values):len(a.values)], a.values[len(a.values)-1]))
			refs = append(refs, map[string]any{"id": a.path[len(a.path)-36:], "value": map[string]any{"id": value}})
		}
	}
	return refs
}

// productBody returns a product with everything that it can refer to.
func (m *cacheModel) productBody() map[string]any {
	return map[string]any{
		"name": m.name(), "external_id": m.name(), "categories": []string{pick(m, m.categories)},
		"features": m.refs(m.features),
		"variants": []any{
			map[string]any{"external_id": m.name(), "price": m.n, "options": m.refs(m.options),
				"remainders": []any{map[string]any{"stock_id": pick(m, m.stocks), "quantity": 100}}},
			map[string]any{"external_id": m.name(), "price": 2},
		},
	}
}

func (m *cacheModel) createProduct() {
	r := m.node().OK(201, "POST", "/v2/products", m.productBody())
	m.products = append(m.products, r.Text("data.id"))
}

func (m *cacheModel) editProduct() {
	m.node().OK(200, "PUT", "/v2/products/"+pick(m, m.products), m.productBody())
}

func (m *cacheModel) editAllProducts() {
	for _, id := range m.products {
		m.node().OK(200, "PUT", "/v2/products/"+id, m.productBody())
	}
}

func (m *cacheModel) deleteProduct() {
	i := m.random.IntN(len(m.products))
	m.node().OK(204, "DELETE", "/v2/products/"+m.products[i], nil)
	m.deleted = append(m.deleted, m.products[i])
	m.products = append(m.products[:i], m.products[i+1:]...)
	m.createProduct() // on SQLite it may get the row key of the deleted one
}

func (m *cacheModel) archiveProduct() {
	path := "/v2/products/" + pick(m, m.products)
	m.node().OK(200, "POST", path+"/archive", nil)
	m.check("archiving")
	m.node().OK(200, "POST", path+"/restore", nil)
}

func (m *cacheModel) renameCategory() {
	m.node().OK(200, "PUT", categoriesPath+"/"+pick(m, m.categories), map[string]any{"name": m.name()})
}

func (m *cacheModel) deleteCategory() {
	m.createCategory()
	m.node().OK(204, "DELETE", categoriesPath+"/"+m.categories[0], nil)
	m.categories = m.categories[1:]
}

func (m *cacheModel) rename(list []testAttribute) {
	m.node().OK(200, "PUT", pick(m, list).path, map[string]any{"name": m.name()})
}

func (m *cacheModel) renameValue(list []testAttribute) {
	a := pick(m, list)
	m.node().OK(200, "PUT", a.path,
		attributeEdit{Values: []map[string]any{renamedValue(pick(m, a.values), m.name())}})
}

func (m *cacheModel) addValue(list []testAttribute) {
	m.node().OK(200, "PUT", pick(m, list).path, attributeEdit{Values: newValues(m.name())})
}

func (m *cacheModel) deleteValue(list []testAttribute) {
	i := m.random.IntN(len(list))
	a := &list[i]
	m.node().OK(200, "PUT", a.path, attributeEdit{Removed: a.values[:1]})
	m.addNewest(a)
}

func (m *cacheModel) deleteAttribute(list *[]testAttribute, path string) {
	i := m.random.IntN(len(*list))
	m.node().OK(204, "DELETE", (*list)[i].path, nil)
	*list = slices.Delete(*list, i, i+1)
	m.createAttribute(list, path)
}

// reuseAttributeKey deletes the newest attribute, which products have, and creates another. On SQLite it gets the row
// key of the deleted one, and its values get those of the deleted values.
func (m *cacheModel) reuseAttributeKey(list *[]testAttribute, path string) {
	m.createAttribute(list, path)
	m.editAllProducts()
	m.check("creating an attribute")
	last := len(*list) - 1
	m.node().OK(204, "DELETE", (*list)[last].path, nil)
	*list = (*list)[:last]
	m.createAttribute(list, path)
	m.editProduct()
}

// reuseValueKey removes the newest value of an attribute, which products have, and adds one to another attribute. On
// SQLite it gets the row key of the removed value.
func (m *cacheModel) reuseValueKey(list []testAttribute) {
	i := m.random.IntN(len(list))
	from, to := &list[i], &list[(i+1)%len(list)]
	m.addNewest(from)
	m.editAllProducts()
	m.check("adding a value")
	last := len(from.values) - 1
	m.node().OK(200, "PUT", from.path, attributeEdit{Removed: from.values[last:]})
	from.values = from.values[:last]
	m.addNewest(to)
	m.editProduct()
}

// addNewest adds a value to an attribute. It becomes the last of its values.
func (m *cacheModel) addNewest(a *testAttribute) {
	r := m.node().OK(200, "PUT", a.path+"?with=values", attributeEdit{Values: newValues(m.name())})
	a.values = r.Texts("data.values", "id")
}

func (m *cacheModel) deleteStock() {
	m.createStock()
	m.node().OK(200, "PUT", "/v2/products/"+pick(m, m.products), m.productBody())
	r := m.node().Do("DELETE", stocksPath+"/"+m.stocks[0], nil)
	if r.Status == 204 {
		m.stocks = m.stocks[1:]
	} else if r.Status != 409 { // an order has reserved something
		m.t.Fatalf("deleting a stock: %d %s", r.Status, r.Body)
	}
}

func (m *cacheModel) pushPrice() {
	n := m.node()
	p := n.Get("/v2/products/" + pick(m, m.products))
	m.n++
	n.OK(200, "POST", "/v2/sync-gate/prices", map[string]any{"payload": []any{map[string]any{
		"product_id": p.Text("data.external_id"), "variant_id": p.Text("data.variants.0.external_id"), "price": m.n,
	}}}, apitest.As(n.Exchange))
}

func (m *cacheModel) submitOrder() {
	n := m.node()
	p := n.Get("/v2/products/" + pick(m, m.products))
	r := n.OK(201, "POST", "/v2/orders", map[string]any{"items": []any{map[string]any{
		"variant_id": p.Text("data.variants.0.id"), "quantity": 1}}})
	n.OK(200, "POST", "/v2/orders/"+r.Text("data.id")+"/submit", map[string]any{
		"contact": map[string]any{"name": "A", "phone": "+79123456789"}})
}

// check compares lists and single products of both nodes with the reference.
func (m *cacheModel) check(what string) {
	m.t.Helper()
	const with = "?dates=iso&per_page=250&with=variants,features,categories,images,modifiers"
	reference := map[string]any{}
	var order []string
	for _, p := range listData(m.nodes[0], "/v2/products"+with+"&archived=any") {
		product := p.(map[string]any)
		if product["archived_at"] != nil {
			continue
		}

		product["variants"] = slices.DeleteFunc(product["variants"].([]any), func(v any) bool {
			variant := v.(map[string]any)
			archivedAt := variant["archived_at"]
			delete(variant, "archived_at")
			return archivedAt != nil
		})
		id := product["id"].(string)
		reference[id] = product
		order = append(order, id)
	}

	for i, n := range m.nodes {
		for _, repeat := range []string{"the first time", "again"} {
			list := listData(n, "/v2/products"+with)
			if len(list) != len(order) {
				m.t.Errorf("%s: node %d lists %d products %s, want %d", what, i, len(list), repeat, len(order))
				return
			}

			for j, p := range list {
				m.wantSame(p, reference[order[j]], "%s: product %d of the list of node %d, %s", what, j, i, repeat)
			}

			m.checkByIDs(n, with, order, reference, fmt.Sprintf("%s: node %d, %s", what, i, repeat))
			id := pick(m, order)
			p, _ := n.Get("/v2/products/" + id + "?dates=iso").At("data")
			m.wantSame(p, reference[id], "%s: product %s of node %d, %s", what, id, i, repeat)
		}
	}
}

// checkByIDs asks a node for all products by their ids, from the last to the first. order are the ids of the live ones.
// The first id is asked for twice, and those of archived and of deleted products are ignored.
func (m *cacheModel) checkByIDs(
	n *apitest.Server, with string, order []string, reference map[string]any, what string,
) {
	m.t.Helper()
	reversed := slices.Clone(order)
	slices.Reverse(reversed)
	for _, ids := range [][]string{slices.Concat(reversed, reversed[:1]), slices.Concat(reversed, m.products),
		slices.Concat(m.deleted, reversed)} {
		list := listData(n, "/v2/products"+with+"&ids="+strings.Join(ids, ","))
		if len(list) != len(reversed) {
			m.t.Fatalf("%s: %d products by their ids, want %d", what, len(list), len(reversed))
		}
		for j, p := range list {
			m.wantSame(p, reference[reversed[j]], "%s: product %d by its id", what, j)
		}
	}

	page := n.Get("/v2/products?per_page=2&page=2&ids=" + strings.Join(reversed, ","))
	if got := page.Texts("data", "id"); !slices.Equal(got, reversed[2:min(4, len(reversed))]) ||
		page.Text("meta.total") != fmt.Sprint(len(reversed)) {
		m.t.Fatalf("%s: the second page by ids is %v of %s", what, got, page.Text("meta.total"))
	}
}

func listData(s *apitest.Server, path string) []any {
	data, _ := s.Get(path).At("data")
	return data.([]any)
}

func (m *cacheModel) wantSame(got, want any, format string, args ...any) {
	m.t.Helper()
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		m.t.Fatalf(format+" is\n%s\nwant\n%s", append(args, a, b)...)
	}
}
