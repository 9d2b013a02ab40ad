package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// filterFixture is a store with four products that differ in every property that a filter uses.
type filterFixture struct {
	*apitest.Server
	clothes, shirts, tools      string
	fabric, weight, care        attribute
	size, colour                attribute
	warehouse, shop             string
	tee, coat, hammer, archived string // ids of products
}

func newFilterFixture(s *apitest.Server) *filterFixture {
	w := &filterFixture{Server: s}
	thing := func(path string, body map[string]any) string { return s.OK(201, "POST", path, body).Text("data.id") }
	feature := func(name, fieldType string, filterable bool, values ...string) attribute {
		return parseAttribute(s.OK(201, "POST", featuresPath+"?with=values",
			map[string]any{"name": name, "field_type": fieldType, "filterable": filterable,
				"values": newValues(values...)}))
	}
	w.clothes = thing(categoriesPath, map[string]any{"name": "Clothes"})
	w.shirts = thing(categoriesPath, map[string]any{"name": "Shirts", "parent_id": w.clothes})
	w.tools = thing(categoriesPath, map[string]any{"name": "Tools"})
	w.warehouse, w.shop = thing(stocksPath, map[string]any{"name": "Warehouse"}), thing(stocksPath,
		map[string]any{"name": "Shop"})
	w.fabric = feature("Fabric", "select", true, "wool", "cotton", "silk")
	w.weight = feature("Weight", "range", true, "0,2", "1.5", "3")
	w.care = feature("Care", "select", false, "wash cold")
	w.size, w.colour = createAttribute(s, optionsPath, "S", "M", "L"), createAttribute(s, optionsPath, "red", "blue")
	left := func(stock string, quantity any) map[string]any {
		return map[string]any{"stock_id": stock, "quantity": quantity}
	}
	sold := func(price any, remainders []map[string]any, options ...map[string]any) map[string]any {
		v := map[string]any{"sku": fmt.Sprint("SKU-", price), "price": price,
			"options": append([]map[string]any{}, options...)}
		if remainders != nil {
			v["remainders"] = remainders
		}
		return v
	}

	w.tee = thing("/v2/products", map[string]any{
		"name": "Футболка Базовая", "external_id": "1C-7", "categories": []string{w.shirts},
		"features": []any{w.fabric.asFeature(1), w.weight.asFeature(0), w.care.asFeature(0)},
		"variants": []any{
			sold(10.5, []map[string]any{left(w.warehouse, 3), left(w.shop, 1.5)}, w.size.asOption(0),
				w.colour.asOption(0)),
			sold(12, []map[string]any{left(w.shop, 0)}, w.size.asOption(1), w.colour.asOption(0)),
			sold(12.5, nil, w.size.asOption(1), w.colour.asOption(1)),
		},
	})

	w.coat = thing("/v2/products", map[string]any{
		"name": "coat", "categories": []string{w.clothes},
		"features": []any{w.fabric.asFeature(0), w.fabric.asFeature(1), w.weight.asFeature(1)},
		"variants": []any{sold(99.9999, []map[string]any{left(w.warehouse, 0)}, w.size.asOption(2))},
	})
	w.hammer = thing("/v2/products",
		map[string]any{"name": "Big hammer", "categories": []string{w.tools, w.clothes},
			"features": []any{w.weight.asFeature(2)}, "variants": []any{sold(50, nil)}})
	w.archived = thing("/v2/products",
		map[string]any{"name": "Ghost", "categories": []string{w.shirts}, "features": []any{w.fabric.asFeature(2)},
			"variants": []any{sold(1, nil, w.size.asOption(0))}})
	s.OK(200, "POST", "/v2/products/"+w.archived+"/archive", nil)

	return w
}

// productNames lists products and returns the first word of each name.
func (w *filterFixture) productNames(query string, options ...apitest.RequestOption) string {
	list := w.Get("/v2/products?"+query, options...).Texts("data", "name")
	for i, n := range list {
		list[i], _, _ = strings.Cut(n, " ")
	}
	return strings.Join(list, " ")
}

func (w *filterFixture) featureParam(a attribute, values ...int) string {
	return w.choiceParam("features", a, values...)
}

func (w *filterFixture) choiceParam(kind string, a attribute, values ...int) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, url.QueryEscape(kind+"["+a.id+"][]")+"="+a.values[v])
	}
	return strings.Join(parts, "&")
}

func (w *filterFixture) rangeParams(a attribute, from, to string) string {
	return "features[" + a.id + "][from]=" + from + "&features[" + a.id + "][to]=" + to
}

// A storefront reads the products of a cart or a wish list by their ids.
func TestProducts_areListedByName(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		s.OK(200, "PUT", "/v2/products/"+w.coat, `{"external_id": "Ä 9"}`)
		all := w.hammer + "," + w.tee + "," + w.coat
		for query, want := range map[string]string{
			"ids=" + all:                                        "Big Футболка coat",
			"ids=" + all + "&per_page=1&page=2":                 "Футболка",
			"ids=" + all + "&per_page=2&page=3":                 "",
			"ids=" + all + "&sort=name":                         "Big coat Футболка",
			"ids=" + all + "&sort=-created_at":                  "Big coat Футболка",
			"ids=" + all + "&category=" + w.shirts:              "Футболка",
			"ids=" + all + "&q=c":                               "Big Футболка coat", // the category Clothes
			"ids=" + all + "&q=coat":                            "coat",
			"ids=" + all + "&price[to]=50":                      "Big Футболка",
			"ids=" + all + "&in_stock=true":                     "Big Футболка",
			"ids=" + w.coat + ",%20" + w.coat + "," + w.tee:     "coat Футболка",
			"ids=" + unknownID + "," + w.tee:                    "Футболка",
			"ids=" + unknownID:                                  "",
			"ids=" + w.archived + "," + w.tee:                   "Футболка",
			"ids=" + w.archived + "," + w.tee + "&archived=any": "Ghost Футболка",
			"ids=" + w.coat + "&ids=" + w.tee:                   "coat Футболка",
			"external_ids=1C-7":                                 "Футболка",
			"external_ids=%C3%84+9,x,1C-7,1C-7":                 "coat Футболка",
			"external_ids=1c-7":                                 "",
			"external_ids=1C-7,%C3%84+9&ids=" + all:             "Футболка coat",
		} {
			if got := w.productNames(query); got != want {
				t.Errorf("%s lists %q, want %q", query, got, want)
			}
		}

		for _, query := range []string{
			"ids=", "ids=,", "ids=" + w.tee + ",", "ids=x", "ids=" + w.tee + ";" + w.coat, "external_ids=",
			"external_ids=a,,b", "external_ids=" + strings.Repeat("x", 256), "ids=" + w.tee + "&ids=",
			"ids=" + strings.Repeat(w.tee+",", 250) + w.tee, "ids[]=" + w.tee,
		} {
			s.WantProblem("400 malformed_query", "GET", "/v2/products?"+query, nil)
		}

		if r := s.Get("/v2/products?per_page=250&ids=" + strings.Repeat(w.tee+",", 249) + w.coat); r.Len("data") != 2 {
			t.Errorf("250 ids give %s", r.Body)
		}

		// Facets count only named products.
		r := s.Get("/v2/products?with=facets&ids=" + w.tee + "," + w.hammer)
		if got := r.Text("meta.facets.price.max"); got != "50" {
			t.Errorf("the facets are %s", r.Text("meta.facets"))
		}
	})
}

func TestProducts_areFilteredSortedAndSearched(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		for query, want := range map[string]string{
			"":                             "Футболка coat Big",
			"category=" + w.clothes:        "Футболка coat Big",
			"category=" + w.shirts:         "Футболка",
			"category=" + w.tools:          "Big",
			"q=ФУТ":                        "Футболка",
			"q=баз+фут":                    "Футболка",
			"q=sku-50":                     "Big",
			"q=1c-7":                       "Футболка",
			"q=ammer":                      "Big", // a letter was forgotten
			"q=ghost":                      "",
			"price[from]=12&price[to]=12":  "Футболка",
			"price[from]=12.5001":          "coat Big",
			"price[to]=50":                 "Футболка Big",
			"price[from]=&price[to]=":      "Футболка coat Big",
			"in_stock=true":                "Футболка Big",
			"in_stock=false":               "Футболка coat Big",
			w.featureParam(w.fabric, 0):    "coat",
			w.featureParam(w.fabric, 0, 1): "Футболка coat",
			w.featureParam(w.fabric, 2):    "", // only an archived product has it
			w.featureParam(w.fabric, 1) + "&" +
				w.featureParam(w.weight, 1): "coat", // several features are combined by AND
			w.rangeParams(w.weight, "0.2", "1,5"):      "Футболка coat", // the bounds are inclusive
			"features[" + w.weight.id + "][from]=1.51": "Big",
			"features[" + w.fabric.id + "][0]=" + w.fabric.values[0] + "&features[" + w.fabric.id + "][1]=" +
				w.fabric.values[1]: "Футболка coat",
			w.choiceParam("options", w.size, 1):    "Футболка",
			w.choiceParam("options", w.size, 0, 2): "Футболка coat",
			w.choiceParam("options", w.size, 0) + "&" +
				w.choiceParam("options", w.colour, 1): "", // no variant has both values
			w.choiceParam("options", w.size, 1) + "&" +
				w.choiceParam("options", w.colour, 1): "Футболка",
			w.choiceParam("options", w.size, 1) + "&" + w.choiceParam("options", w.colour, 0) +
				"&in_stock=true": "", // that variant is sold out
			w.choiceParam("options", w.size, 0) +
				"&price[from]=11": "", // that variant is cheaper
			"sort=name":                         "Big coat Футболка",
			"sort=-name":                        "Футболка coat Big",
			"sort=price":                        "Футболка Big coat",
			"sort=-price":                       "coat Big Футболка",
			"sort=created_at":                   "Футболка coat Big",
			"sort=-created_at":                  "Big coat Футболка",
			"sort=name&per_page=1&page=2":       "coat",
			"page=7":                            "",
			"archived=true":                     "Ghost",
			"archived=any":                      "Футболка coat Big Ghost",
			"archived=any&category=" + w.shirts: "Футболка Ghost",
		} {
			if got := w.productNames(query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}

		if got := w.productNames("", apitest.As(s.Keys.Publishable)); got != "Футболка coat Big" {
			t.Errorf("a storefront sees %q", got)
		}

		page := w.Get("/v2/products?page=7&per_page=2")
		if got := page.Text("meta.current_page") + page.Text("meta.last_page") + page.Text("meta.total"); got != "723" {
			t.Errorf("the meta of a page past the end is %s", got)
		}
	})
}

func TestProducts_countFacetsDisjunctively(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)

		facets := func(query string) string {
			r := w.Get("/v2/products?with=facets&" + query)
			var parts []string
			for _, kind := range []string{"features", "options", "categories"} {
				for i := range r.Len("meta.facets." + kind) {
					at := fmt.Sprintf("meta.facets.%s.%d", kind, i)
					if kind == "categories" {
						parts = append(parts, r.Text(at+".name")+" "+r.Text(at+".count"))
						continue
					}

					part := r.Text(at + ".name")
					if kind == "options" {
						part = map[string]string{w.size.id: "Size", w.colour.id: "Colour"}[r.Text(at+".id")]
					}

					for j := range r.Len(at + ".values") {
						v := fmt.Sprintf("%s.values.%d", at, j)
						part += " " + r.Text(v+".name") + "=" + r.Text(v+".count")
					}

					if kind == "features" && r.Text(at+".field_type.id") == "range" {
						part += " " + r.Text(at+".range.min") + ".." + r.Text(at+".range.max")
					}

					parts = append(parts, part)
				}
			}

			if r.Has("meta.facets.price.min") {
				parts = append(parts, r.Text("meta.facets.price.min")+".."+r.Text("meta.facets.price.max"))
			}

			return strings.Join(parts, "; ")
		}
		for query, want := range map[string]string{
			"": "Fabric wool=1 cotton=2; Weight 0.2..3; Size S=1 M=1 L=1; Colour red=1 blue=1; Clothes 3; Shirts 1; " +
				"Tools 1; 10.5..99.9999",
			// The counts of a facet ignore its own selection and respect all others.
			w.featureParam(w.fabric,
				0): "Fabric wool=1 cotton=2; Weight 1.5..1.5; Size L=1; Clothes 1; 99.9999..99.9999",
			// A selected value is listed even if its count is zero.
			w.featureParam(w.fabric, 2): "Fabric wool=1 cotton=2 silk=0",
			"category=" + w.shirts: "Fabric cotton=1; Weight 0.2..0.2; Size S=1 M=1; Colour red=1 blue=1; " +
				"Clothes 3; Shirts 1; Tools 1; 10.5..12.5",
			"price[from]=20": "Fabric wool=1 cotton=1; Weight 1.5..3; Size L=1; Clothes 2; Tools 1; " +
				"10.5..99.9999",
			w.rangeParams(w.weight, "1",
				"2"): "Fabric wool=1 cotton=1; Weight 0.2..3; Size L=1; Clothes 1; 99.9999..99.9999",
			// The count of an option value is the number of products that remain when it is selected. Of the red
			// variants only S is in stock, of the blue ones only M.
			"in_stock=true&" + w.choiceParam("options", w.colour,
				0): "Fabric cotton=1; Weight 0.2..0.2; Size S=1; Colour red=1 blue=1; Clothes 1; Shirts 1; 10.5..10.5",
			"q=nothing": "",
		} {
			if got := facets(query); got != want {
				t.Errorf("%s:\n got %s\nwant %s", query, got, want)
			}
		}

		empty := w.Get("/v2/products?with=facets&q=nothing")
		if got := toJSON(empty.JSON().(map[string]any)["meta"].(map[string]any)["facets"]); got != `{"categories":[],`+
			`"features":[],"options":[],"price":null}` {
			t.Errorf("the facets of an empty result are %s", got)
		}

		if w.Get("/v2/products").Has("meta.facets") {
			t.Error("the response has facets without with=facets")
		}
	})
}

func TestProducts_refuseBadFilters(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		theirs := parseAttribute(s.OK(201, "POST", featuresPath+"?with=values",
			map[string]any{"name": "Theirs", "filterable": true, "values": newValues("x")}, apitest.As(s.Other.Secret)))
		place := func(id string) string { return "features[" + id + "]" }
		const zero = "00000000-0000-0000-0000-000000000000"

		many := strings.Repeat(place(w.fabric.id)+"[]="+w.fabric.values[0]+"&", 1_400)
		for query, want := range map[string]string{
			"sort=colour": "400 malformed_query", "sort=": "", "in_stock=maybe": "400 malformed_query",
			"archived=no": "400 malformed_query", "with=stocks": "400 malformed_query",
			"price[from]=ten": "400 malformed_query", "price[from]=1e3": "400 malformed_query",
			"price[from]=1.00001": "400 malformed_query", "price[from]=2&price[to]=1": "400 malformed_query",
			"price[from]=1&price[from]=2": "400 malformed_query", "price=5": "400 malformed_query",
			"price[min]=5": "400 malformed_query", "price[from=5": "400 malformed_query",
			"price[to]=9999999999999": "400 malformed_query", "sort=name&sort=price": "400 malformed_query",
			"page=0":     "400 malformed_query",
			"features=x": "400 malformed_query", "features[x]=y": "400 malformed_query",
			place(w.fabric.id) + "[like]=y": "400 malformed_query", "options[x][from]=1": "400 malformed_query",
			place(w.weight.id) + "[from]=x":   "400 malformed_query",
			w.rangeParams(w.weight, "2", "1"): "400 malformed_query", "q=%FF": "400 malformed_query",
			many: "400 malformed_query", place("%00") + "[]=x": "400 malformed_query",
			"category=x": "422 category unknown_category", "category=" + unknownID: "422 category unknown_category",
			"features[x][]=y":                               "422 features[x] unknown_feature",
			place(unknownID) + "[]=" + unknownID:            "422 " + place(unknownID) + " unknown_feature",
			place(w.fabric.id) + "[]=" + unknownID:          "422 " + place(w.fabric.id) + " unknown_value",
			place(w.fabric.id) + "[]=" + w.weight.values[0]: "422 " + place(w.fabric.id) + " unknown_value",
			place(theirs.id) + "[]=" + theirs.values[0]:     "422 " + place(theirs.id) + " unknown_feature",
			place(w.size.id) + "[]=" + w.size.values[0]:     "422 " + place(w.size.id) + " unknown_feature",
			w.choiceParam("options", w.fabric, 0):           "422 options[" + w.fabric.id + "] unknown_option",
			"options[" + unknownID + "][]=" + unknownID:     "422 options[" + unknownID + "] unknown_option",
			w.featureParam(w.care, 0):                       "422 " + place(w.care.id) + " not_filterable",
			w.rangeParams(w.fabric, "1", "2"):               "422 " + place(w.fabric.id) + " not_a_range",
			place(zero) + "[]=" + unknownID:                 "422 " + place(zero) + " unknown_feature",
			// All invalid filters are reported, with their names as they were sent.
			w.featureParam(w.care, 0) + "&category=" + unknownID: "422 category unknown_category, " + place(w.care.id) +
				" not_filterable",
		} {
			if want == "" {
				w.Get("/v2/products?" + query)
				continue
			}
			s.WantProblem(want, "GET", "/v2/products?"+query, nil)
		}

		s.WantProblem("403 forbidden", "GET", "/v2/products?archived=any", nil, apitest.As(s.Keys.Publishable))
	})
}

// The client chooses the name of a parameter, so a percent sign in it must not act as a formatting verb of the message.
func TestProducts_problemRepeatsParameterNameAsSent(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		r := s.WantProblem("400 malformed_query", "GET", "/v2/products?features[%25d][from]=2&features[%25d][to]=1",
			nil)
		if detail := r.Text("detail"); !strings.Contains(detail, "features[%d][to]: nothing lies between") {
			t.Errorf("the detail is %q", detail)
		}
	})
}

// A query with 1,000 filter values does not exceed the limits on the URL.
func TestProducts_acceptThousandFilterValues(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, numberedNames("v", 1000)...)
		id := createProduct(s, newVariant("a", a.asOption(999)))
		query := make([]string, len(a.values))
		for i, v := range a.values {
			query[i] = "options[" + a.id + "][]=" + v
		}
		for range 3 {
			if got := s.Get("/v2/products?with=facets&"+strings.Join(query, "&")).Texts("data",
				"id"); !slices.Equal(got, []string{id}) {
				t.Errorf("the query finds %q", got)
			}
		}
	}, apitest.Alone())
}

func TestProducts_writesAreVisibleToNextReadOnEachNode(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		nodes := []*apitest.Server{s}
		if s.Engine == "postgres" {
			nodes = append(nodes, s.StartNode())
		}

		w := newFilterFixture(s)
		for range 3 {
			s.OK(200, "PUT", "/v2/products/"+w.hammer, map[string]any{"name": "Small hammer"})

			for i, node := range nodes {
				if got := node.Get("/v2/products?q=small").Len("data"); got != 1 {
					t.Errorf("node %d finds %d products", i, got)
				}
			}

			s.OK(200, "PUT", "/v2/products/"+w.hammer, map[string]any{"name": "Big hammer"})

			for i, node := range nodes {
				if got := node.Get("/v2/products?q=small").Len("data"); got != 0 {
					t.Errorf("node %d finds %d products", i, got)
				}
			}
		}
	}, apitest.Alone())
}
