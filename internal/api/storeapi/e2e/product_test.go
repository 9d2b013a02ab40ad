package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const productsPath = "/v2/products"

// productFixture is a store with an option, a range feature, a category, a stock, an image, and a shirt that uses all
// of them.
type productFixture struct {
	*apitest.Server
	size, s, l       string // an option and its values
	weight, w1, w2   string // a feature and its values
	category, stock  string
	image            string // the image of the shirt
	shirt, small, xl string // a product and its variants
}

func newProductFixture(s *apitest.Server) *productFixture {
	f := &productFixture{Server: s}
	size := s.OK(201, "POST", "/v2/variant-options?with=values", `{"name":"Size","values":[{"name":"S"},{"name":"L"}]}`)
	f.size, f.s, f.l = size.Text("data.id"), size.Text("data.values.0.id"), size.Text("data.values.1.id")
	weight := s.OK(201, "POST", "/v2/features?with=values",
		`{"name":"Weight","field_type":"range","values":[{"name":"1,50"},{"name":"2"}]}`)
	f.weight, f.w1, f.w2 = weight.Text("data.id"), weight.Text("data.values.0.id"), weight.Text("data.values.1.id")
	f.category, f.stock, f.image = createNamed(s, categoriesPath, "Shirts"), createNamed(s, stocksPath,
		"Main"), createImage(s)
	shirt := s.OK(201, "POST", productsPath, f.expand(`{"name":"Shirt","description":"Warm\n\"wool\"","external_id":7,
		"categories":["CATEGORY"],"features":[{"feature_id":"WEIGHT","value_id":"W2"},{"feature_id":"WEIGHT","value_id":"W1"}],
		"images":["IMAGE"],"modifiers":[{"name":"Wrap","paper":"red"}],
		"variants":[{"sku":"s","price":10.50,"external_id":"a","name":"Small","options":[{"option_id":"SIZE","value_id":"S_"}],"remainders":[{"stock_id":"STOCK","quantity":2.5}]},
			{"sku":12,"price":0.0001}]}`))
	f.shirt, f.small, f.xl = shirt.Text("data.id"), shirt.Text("data.variants.0.id"), shirt.Text("data.variants.1.id")
	return f
}

// expand replaces the placeholders of a body with ids.
func (f *productFixture) expand(body string) string {
	return strings.NewReplacer("SIZE", f.size, "S_", f.s, "L_", f.l, "WEIGHT", f.weight, "W1", f.w1, "W2", f.w2,
		"SMALL", f.small, "XLARGE", f.xl,
		"CATEGORY", f.category, "STOCK", f.stock, "IMAGE", f.image).Replace(body)
}

func (f *productFixture) path() string { return productsPath + "/" + f.shirt }

func TestProduct_isReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		r := s.Get(f.path())

		want := f.expand(`{"id":"`+f.shirt+
			`","external_id":"7","name":"Shirt","description":"Warm\n\"wool\"","price":{"from":0.0001,"to":10.5},`+
			`"unit":null,"vat_rate":null,"weight":null,"slug":"shirt",`+
			`"seo":{"title":"","description":"","noindex":false},"available":2.5,"archived_at":null,`) +
			`"created_at":` + r.Text("data.created_at") + `,"updated_at":` + r.Text("data.updated_at") +
			`,"locks":[],` +
			f.expand(`"categories":[{"id":"CATEGORY","name":"Shirts","slug":"shirts"}],`+
				`"canonical_category_id":"CATEGORY","images":`+r.Text("data.images")+
				`,"modifiers":[{"id":"m-37ijwl2au6rak","name":"Wrap","paper":"red"}],`+
				`"features":[{"id":"WEIGHT","name":"Weight","value":{"id":"W1","name":"1,50",`+
				`"range_value":1.5}},{"id":"WEIGHT","name":"Weight","value":{"id":"W2","name":"2","range_value":2}}],`+
				`"variants":[{"id":"SMALL","external_id":"a","name":"Small","sku":"s","price":10.5,"barcodes":[],`+
				`"available":2.5,"options":[{"id":"SIZE","name":"Size","value":{"id":"S_","name":"S"}}],`+
				`"remainders":[{"stock_id":"STOCK","quantity":2.5,"reserved":0}],"images":[]},`+
				`{"id":"XLARGE","external_id":null,"name":"","sku":"12","price":0.0001,"barcodes":[],`+
				`"available":null,"options":[],"remainders":[],"images":[]}]}`)

		wantSameJSON(t, r.Text("data"), want)

		if r.Len("data.images") != 1 || r.Text("data.images.0.id") != f.image ||
			r.Text("data.images.0.width")+"x"+r.Text("data.images.0.height") != "4x4" ||
			!strings.HasPrefix(r.Text("data.images.0.thumbnails.small"), s.URL+"/images/") {
			t.Errorf("the images are %s", r.Text("data.images"))
		}

		if got := r.Header.Get("ETag"); got != `"v1"` {
			t.Errorf("the ETag is %s", got)
		}
	})
}

func wantSameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(g)
	b, _ := json.Marshal(w)
	if !bytes.Equal(a, b) {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestProduct_acceptsItsOwnResponseAsBody(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		before := s.Get(f.path())
		after := s.OK(200, "PUT", f.path(), before.Text("data"))
		if after.Header.Get("ETag") != `"v2"` {
			t.Errorf("the ETag is %s, want a new version", after.Header.Get("ETag"))
		}

		before.WantSame(after)
		before.WantSame(s.Get(f.path()))

		// Another product can be created from the same data, without the image, the external id and the slug, which are
		// taken.
		taken := before.Text("data")
		s.WantProblem("422 images[0] image_taken", "POST", productsPath, taken)
		taken = strings.Replace(taken, `"images":`, `"pictures":`, 1)
		s.WantProblem("409 external_id_taken", "POST", productsPath, taken)
		taken = strings.Replace(taken, `"external_id":"7"`, `"external_id":null`, 1)
		s.WantProblem("422 slug slug_taken", "POST", productsPath, taken)
		made := s.OK(201, "POST", productsPath, strings.Replace(taken, `"slug":"shirt"`, `"slug":null`, 1))

		for _, member := range []string{"categories", "features", "modifiers", "available", "variants.0.remainders"} {
			if got, want := made.Text("data."+member), before.Text("data."+member); got != want {
				t.Errorf("%s %s, want %s", member, got, want)
			}
		}

		if made.Text("data.variants.0.id") == f.small || made.Text("data.variants.0.sku") != "s" ||
			made.Header.Get("Location") != productsPath+"/"+made.Text("data.id") {
			t.Errorf("the copy is %s at %s", made.Body, made.Header.Get("Location"))
		}
	})
}

func TestProduct_amountsAreExact(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for price, want := range map[string]string{"0": "0", "-0": "0", "12.50": "12.5",
			"999999999999.9999": "999999999999.9999", "1e3": "1000", "0.1000": "0.1", "1234567890.1": "1234567890.1"} {
			r := s.OK(201, "POST", productsPath, `{"name":"x","variants":[{"price":`+price+`}]}`)
			if got := r.Text("data.variants.0.price") + " " + r.Text("data.price.to"); got != want+" "+want {
				t.Errorf("%s is stored as %s", price, got)
			}
		}

		stock := createNamed(s, stocksPath, "Main")
		body := func(quantity string) string {
			return `{"name":"x","variants":[{"price":1,"remainders":[{"stock_id":"` + stock + `","quantity":` +
				quantity + `}]}]}`
		}
		for quantity, want := range map[string]string{"0": "0", "-0": "0", "1.5": "1.5", "0.001": "0.001",
			"999999999.999": "999999999.999", "1e3": "1000", "2.500": "2.5"} {
			r := s.OK(201, "POST", productsPath, body(quantity))
			if got := r.Text("data.variants.0.remainders.0.quantity") + " " +
				r.Text("data.available"); got != want+" "+want {
				t.Errorf("%s is stored as %s", quantity, got)
			}
		}

		for quantity, code := range map[string]string{"-1": "out_of_range", "0.0001": "out_of_range",
			"1000000000": "out_of_range", `"1"`: "wrong_type", "null": "wrong_type"} {
			s.WantProblem("422 variants[0].remainders[0].quantity "+code, "POST", productsPath, body(quantity))
		}
	})
}

func TestProduct_ignoresUnknownMembers(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", productsPath,
			`{"name":5,"price":"x","available":[],"archived_at":3,"id":"x","width":{},"modifiers":null,
			"variants":[{"price":1,"id":"01890a5d-ac96-774b-bcce-b302099a8057","available":"x","archived_at":7,"width":1}]}`)
		for _, member := range []string{"data.width", "data.variants.0.width", "data.variants.0.archived_at"} {
			if r.Has(member) {
				t.Errorf("the response has the member %s", member)
			}
		}
		if r.Text("data.name") != "5" || r.Text("data.archived_at") != "null" || r.Text("data.modifiers") != "[]" {
			t.Errorf("the product is %s", r.Body)
		}
	})
}

func TestProduct_modifiersAreStoredUnchanged(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		const sent = `[{"id":7,"name":"Sauce","min":0,"max":2,"required":true,"note":["my own",1.50],` +
			`"items":[{"id":"k","name":"Ketchup","price":10.50,"kcal":99}]}]`
		r := s.OK(201, "POST", productsPath, `{"name":"Fries","modifiers":`+sent+`}`)
		if !strings.Contains(string(r.Body), `"modifiers":`+sent) {
			t.Errorf("the modifiers are %s", r.Text("data.modifiers"))
		}

		path := productsPath + "/" + r.Text("data.id")
		for body, want := range map[string]string{`{"name":"x"}`: sent, `{"modifiers":null}`: "[]"} {
			if got := string(s.OK(200, "PUT", path, body).Body); !strings.Contains(got, `"modifiers":`+want) {
				t.Errorf("after %s: %s", body, got)
			}
			s.OK(200, "PUT", path, `{"modifiers":`+sent+`}`)
		}

		s.WantProblem("422 modifiers too_long", "PUT", path,
			`{"modifiers":[{"name":"x","note":"`+strings.Repeat("a", 256<<10)+`"}]}`)
	})
}

func TestProduct_refusesInvalidBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("я", 256)

	cases := []struct{ want, body string }{
		{"422 name required", `{}`},
		{"422 name required", `{"name":" "}`},
		{"422 name wrong_type", `{"name":null}`},
		{"422 name too_long", `{"name":"` + long + `"}`},
		{"422 wrong_type", `[]`},
		{"422 description wrong_type", `{"name":"x","description":5}`},
		{"422 description too_long", `{"name":"x","description":"` + strings.Repeat("я", 65537) + `"}`},
		{"422 external_id wrong_type", `{"name":"x","external_id":1.5}`},
		{"422 external_id wrong_type", `{"name":"x","external_id":1e2}`},
		{"422 external_id required", `{"name":"x","external_id":""}`},
		{"422 external_id wrong_type", `{"name":"x","external_id":true}`},
		{"422 external_id too_long", `{"name":"x","external_id":"` + long + `"}`},
		{"409 external_id_taken", `{"name":"x","external_id":"7"}`},
		{"422 features wrong_type", `{"name":"x","features":null}`},
		{"422 features[0] wrong_type", `{"name":"x","features":["WEIGHT"]}`},
		{"422 features[0].feature_id required, features[0].value_id required", `{"name":"x","features":[{}]}`},
		{"422 features[0].value_id required", `{"name":"x","features":[{"id":"WEIGHT","value":{"name":"1,50"}}]}`},
		{"422 features[0].feature_id invalid_id", `{"name":"x","features":[{"feature_id":"7","value_id":"W1"}]}`},
		{"422 features[1].value_id unknown_value",
			`{"name":"x","features":[{"id":"WEIGHT","value":{"id":"W1"}},{"id":"WEIGHT","value":{"id":"S_"}}]}`},
		{"422 features[0].feature_id unknown_feature",
			`{"name":"x","features":[{"feature_id":"SIZE","value_id":"S_"}]}`},
		{"422 features[0].feature_id unknown_feature",
			`{"name":"x","features":[{"feature_id":"00000000-0000-0000-0000-000000000000","value_id":"W1"}]}`},
		{"422 features[1] duplicate_value",
			`{"name":"x","features":[{"feature_id":"WEIGHT","value_id":"W1"},{"id":"WEIGHT","value":{"id":"W1"}}]}`},
		{"422 categories wrong_type", `{"name":"x","categories":null}`},
		{"422 categories[0] wrong_type", `{"name":"x","categories":[7]}`},
		{"422 categories[1] invalid_id", `{"name":"x","categories":["CATEGORY","x"]}`},
		{"422 categories[0].id required", `{"name":"x","categories":[{"name":"Shirts"}]}`},
		{"422 categories[1] unknown_category", `{"name":"x","categories":[{"id":"CATEGORY","name":"?"},"STOCK"]}`},
		{"422 categories[1] duplicate_category", `{"name":"x","categories":["CATEGORY",{"id":"CATEGORY"}]}`},
		{"422 images wrong_type", `{"name":"x","images":{}}`},
		{"422 images[0] unknown_image", `{"name":"x","images":["CATEGORY"]}`},
		{"422 images[0] image_taken", `{"name":"x","images":[{"id":"IMAGE","url":"?"}]}`},
		{"422 modifiers wrong_type", `{"name":"x","modifiers":{}}`},
		{"422 modifiers[0].name required", `{"name":"x","modifiers":[{"items":[]}]}`},
		{"422 modifiers[0].items[1].price out_of_range",
			`{"name":"x","modifiers":[{"name":"x","items":[{"name":"a","price":1},{"name":"b","price":-1}]}]}`},
		{"422 variants[0].remainders wrong_type", `{"name":"x","variants":[{"price":1,"remainders":null}]}`},
		{"422 variants[0].remainders[0] wrong_type", `{"name":"x","variants":[{"price":1,"remainders":["STOCK"]}]}`},
		{"422 variants[0].remainders[0].stock_id required, variants[0].remainders[0].quantity required",
			`{"name":"x","variants":[{"price":1,"remainders":[{}]}]}`},
		{"422 variants[0].remainders[0].stock_id unknown_stock",
			`{"name":"x","variants":[{"price":1,"remainders":[{"stock_id":"CATEGORY","quantity":1}]}]}`},
		{"422 variants[0].remainders[1].stock_id duplicate_stock",
			`{"name":"x","variants":[{"price":1,"remainders":[{"stock_id":"STOCK","quantity":1},{"stock_id":"STOCK",` +
				`"quantity":1}]}]}`},
		{"422 variants wrong_type", `{"name":"x","variants":null}`},
		{"422 variants[0] wrong_type", `{"name":"x","variants":[null]}`},
		{"422 variants[0].price required", `{"name":"x","variants":[{"sku":"a"}]}`},
		{"422 variants[0].price wrong_type", `{"name":"x","variants":[{"price":"1"}]}`},
		{"422 variants[0].price out_of_range", `{"name":"x","variants":[{"price":-1}]}`},
		{"422 variants[0].price out_of_range", `{"name":"x","variants":[{"price":0.00001}]}`},
		{"422 variants[0].price out_of_range", `{"name":"x","variants":[{"price":1000000000000}]}`},
		{"422 variants[0].sku too_long", `{"name":"x","variants":[{"price":1,"sku":"` + long + `"}]}`},
		{"422 variants[0].name wrong_type", `{"name":"x","variants":[{"price":1,"name":{}}]}`},
		{"422 variants[0].sku control_character", `{"name":"x","variants":[{"price":1,"sku":"a\u0000"}]}`},
		{"422 variants[0].options wrong_type", `{"name":"x","variants":[{"price":1,"options":null}]}`},
		{"422 variants[0].options[0].option_id required, variants[0].options[0].value_id required",
			`{"name":"x","variants":[{"price":1,"options":[{}]}]}`},
		{"422 variants[0].options[0].option_id unknown_option",
			`{"name":"x","variants":[{"price":1,"options":[{"option_id":"WEIGHT","value_id":"W1"}]}]}`},
		{"422 variants[0].options[0].value_id unknown_value",
			`{"name":"x","variants":[{"price":1,"options":[{"id":"SIZE","value":{"id":"W1"}}]}]}`},
		{"422 variants[0].options[1].option_id duplicate_option",
			`{"name":"x","variants":[{"price":1,"options":[{"option_id":"SIZE","value_id":"S_"},{"option_id":"SIZE",` +
				`"value_id":"L_"}]}]}`},
		{"422 variants[1].options duplicate_combination",
			`{"name":"x","variants":[{"price":1,"options":[{"option_id":"SIZE","value_id":"S_"}]},{"price":2,` +
				`"options":[{"id":"SIZE","value":{"id":"S_"}}]}]}`},
		{"422 variants[1].external_id duplicate_external_id",
			`{"name":"x","variants":[{"price":1,"external_id":"q"},{"price":1,"external_id":"q"}]}`},
		{"400 malformed_json", `{"name":"x","name":"y"}`},
		{"400 malformed_json", `{"name":"x"}{}`},
	}

	edits := []struct{ want, body string }{
		{"422 name required", `{"name":""}`},
		{"409 external_id_taken", `{"external_id":"8"}`},
		{"422 variants[1].id unknown_variant",
			`{"variants":[{"id":"SMALL"},{"id":"01890a5d-ac96-774b-bcce-b302099a8057","price":1}]}`},
		{"422 variants[0].id unknown_variant",
			`{"variants":[{"id":"00000000-0000-0000-0000-000000000000","price":1}]}`},
		{"422 variants[0].id invalid_id", `{"variants":[{"id":"x"}]}`},
		{"422 variants[1].id duplicate_variant", `{"variants":[{"external_id":"a"},{"id":"SMALL"}]}`},
		{"422 variants[1].price required", `{"variants":[{"external_id":"a"},{"external_id":"b"}]}`},
		{"409 external_id_taken", `{"variants":[{"id":"XLARGE","external_id":"a"}]}`},
		{"422 variants[1].options duplicate_combination",
			`{"variants":[{"id":"SMALL"},{"id":"XLARGE","options":[{"option_id":"SIZE","value_id":"S_"}]}]}`},
	}

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		s.OK(201, "POST", productsPath, `{"name":"Other","external_id":"8"}`)
		for _, c := range cases {
			s.WantProblem(c.want, "POST", productsPath, f.expand(c.body))
		}
		for _, c := range edits {
			s.WantProblem(c.want, "PUT", f.path(), f.expand(c.body))
		}
	})
}

func TestProduct_reportsAtMostHundredErrors(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		body := `{"name":"x","variants":[` + strings.TrimSuffix(strings.Repeat(`{},`, 500), ",") + `]}`
		if n := s.Do("POST", productsPath, body).Len("errors"); n != 100 {
			t.Errorf("%d errors are listed, want the first 100", n)
		}
	})
}

func TestProduct_bodyLimitIsEightMebibytes(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		body := func(size int) string {
			return `{"name":"x","ignored":"` + strings.Repeat("a", size-len(`{"name":"x","ignored":""}`)) + `"}`
		}
		s.OK(201, "POST", productsPath, body(8<<20))
		s.WantProblem("413 body_too_large", "POST", productsPath, body(8<<20+1))
	})
}

func TestProduct_checksIDScopeStoreAndIfMatch(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		const nothing = "/01890a5d-ac96-774b-bcce-b302099a8057"
		for _, path := range []string{nothing, "/7"} {
			s.WantProblem("404 not_found", "GET", productsPath+path, nil)
			s.WantProblem("404 not_found", "PUT", productsPath+path, `{}`)
			s.WantProblem("404 not_found", "DELETE", productsPath+path, nil)
		}

		for _, to := range []string{"/archive", "/restore"} {
			s.WantProblem("404 not_found", "POST", productsPath+nothing+to, nil)
			s.WantProblem("403 forbidden", "POST", f.path()+to, nil, apitest.As(s.Publishable))
		}

		for method, path := range map[string]string{"POST": productsPath, "PUT": productsPath + nothing,
			"DELETE": productsPath + nothing} {
			s.WantProblem("403 forbidden", method, path, `{"name":"x"}`, apitest.As(s.Publishable))
		}

		other := s.WithKeys(s.Other)
		other.WantProblem("404 not_found", "GET", f.path(), nil)
		other.WantProblem("404 not_found", "PUT", f.path(), `{"name":"mine"}`)
		other.WantProblem("404 not_found", "DELETE", f.path(), nil)
		other.WantProblem("422 categories[0] unknown_category, features[0].feature_id unknown_feature, "+
			"images[0] unknown_image, variants[0].options[0].option_id unknown_option, "+
			"variants[0].remainders[0].stock_id unknown_stock",
			"POST", productsPath,
			f.expand(
				`{"name":"x","categories":["CATEGORY"],"features":[{"feature_id":"WEIGHT","value_id":"W1"}],"images":["IMAGE"],
				"variants":[{"price":1,"options":[{"option_id":"SIZE","value_id":"S_"}],"remainders":[{"stock_id":"STOCK","quantity":1}]}]}`))

		if n := other.Get(productsPath).Len("data"); n != 0 {
			t.Errorf("the other store lists %d products", n)
		}

		for method, path := range map[string]string{"GET": productsPath, "POST": productsPath, "PUT": f.path()} {
			s.WantProblem("400 malformed_query", method, path+"?with=remainders", `{"name":"x"}`)
		}

		s.WantProblem("400 malformed_query", "GET", f.path()+"?with=values", nil)
		s.WantProblem("412 precondition_failed", "PUT", f.path(), `{"name":"x"}`, apitest.Header("If-Match", `"v9"`))
		s.WantProblem("412 precondition_failed", "DELETE", f.path(), nil, apitest.Header("If-Match", `"v9"`))
		s.OK(200, "PUT", f.path(), `{"name":"x"}`, apitest.Header("If-Match", `"v1"`))
		s.OK(204, "DELETE", f.path(), nil, apitest.Header("If-Match", `"v2"`))

		// A worker removes the files of the images concurrently, so WantProblem could report a change of the database.
		if got := s.Do("GET", f.path(), nil).Problem(); got != "404 not_found" {
			t.Errorf("a deleted product: %s", got)
		}
	})
}

func TestProduct_creationIsIdempotent(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		key := apitest.Header("Idempotency-Key", "k")
		first := s.OK(201, "POST", productsPath, `{"name":"x","variants":[{"price":1}]}`, key)
		again := s.OK(201, "POST", productsPath, `{"name":"x","variants":[{"price":1}]}`, key)
		first.WantSame(again)
		if again.Header.Get("Idempotent-Replayed") != "true" ||
			again.Header.Get("Location") != first.Header.Get("Location") || s.Get(productsPath).Len("data") != 1 {
			t.Error("the creation was not replayed")
		}
	})
}

func TestProducts_listHasPagesAndExtras(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		for i := range 5 {
			s.OK(201, "POST", productsPath,
				f.expand(
					fmt.Sprintf(
						`{"name":"Coat %d","external_id":"c%[1]d","features":[{"feature_id":"WEIGHT","value_id":"W1"}],
				"variants":[{"sku":"coat-%[1]d","price":%[1]d,"options":[{"option_id":"SIZE","value_id":"L_"}]},{"price":9}]}`, i)))
		}

		plain := s.Get(productsPath+"?per_page=4", apitest.As(s.Publishable))
		if got := strings.Join(plain.Texts("data", "name"), ","); got != "Shirt,Coat 0,Coat 1,Coat 2" ||
			plain.Text("meta") != `{"current_page":1,"last_page":2,"per_page":4,"total":6}` {
			t.Errorf("%s, %s", got, plain.Text("meta"))
		}

		if plain.Text("data.3.price") != `{"from":2,"to":9}` || plain.Text("data.0.available") != "2.5" ||
			plain.Text("data.1.available") != "null" {
			t.Errorf("without extras: %s", plain.Body)
		}

		extras := []string{"categories", "features", "images", "modifiers", "variants"}
		for _, asked := range append(extras, "") {
			r := s.Get(productsPath + "?with=" + asked)
			for _, extra := range extras {
				if r.Has("data.0."+extra) != (extra == asked) || r.Has("data.1."+extra) != (extra == asked) {
					t.Errorf("with=%s: the list has the member %s: %t", asked, extra, r.Has("data.0."+extra))
				}
			}
		}

		full := s.Get(productsPath + "?with=variants,features,images,categories,modifiers&per_page=2")
		for i := range full.Len("data") {
			at := fmt.Sprintf("data.%d", i)
			if one := s.Get(productsPath + "/" + full.Text(at+".id")); one.Text("data") != full.Text(at) {
				t.Errorf("the list has %s, the product itself is %s", full.Text(at), one.Text("data"))
			}
		}

		for q, want := range map[string]string{"coat": "5", "COAT+3": "1", "c4": "1", "shirt": "1", "12": "1",
			"oat": "0", "": "6"} {
			if got := s.Get(productsPath + "?q=" + q).Text("meta.total"); got != want {
				t.Errorf("q=%s finds %s, want %s", q, got, want)
			}
		}
	})
}

func TestProduct_archivedIsVisibleToWritersOnly(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newProductFixture(s)
		before := s.Get(f.path())
		for i, body := range []any{nil, `{}`, `{"ignored":1}`} { // only the first request changes anything
			r := s.OK(200, "POST", f.path()+"/archive?with=variants", body)
			if r.Header.Get("ETag") != `"v2"` || r.Text("data.archived_at.timestamp") == "" ||
				r.Len("data.variants") != 2 ||
				r.Text("data.updated_at.timestamp") != before.Text("data.updated_at.timestamp") {
				t.Errorf("%d: %s %s", i, r.Header.Get("ETag"), r.Body)
			}
		}

		s.WantProblem("404 not_found", "GET", f.path(), nil, apitest.As(s.Publishable))
		s.WantProblem("404 not_found", "GET", f.path()+"/variants", nil, apitest.As(s.Publishable))
		s.WantProblem("404 not_found", "GET", f.path()+"/variants/"+f.small, nil, apitest.As(s.Publishable))

		if got := s.Get(f.path()).Text("data.archived_at.iso_utc"); got != "2026-11-14T12:00:05+00:00" {
			t.Errorf("archived at %s", got)
		}

		edited := s.OK(200, "PUT", f.path(), `{"name":"Coat"}`)
		if edited.Text("data.archived_at") == "null" || edited.Text("data.name") != "Coat" {
			t.Errorf("the edited product is %s", edited.Body)
		}

		for _, bad := range []struct{ want, body string }{{"422 wrong_type", `[]`}, {"400 malformed_json", `{`},
			{"400 malformed_json", `{}{}`}} {
			s.WantProblem(bad.want, "POST", f.path()+"/restore", bad.body)
		}

		s.WantProblem("415 unsupported_media_type", "POST", f.path()+"/restore", `{}`,
			apitest.Header("Content-Type", "text/plain"))
		s.WantProblem("412 precondition_failed", "POST", f.path()+"/restore", nil, apitest.Header("If-Match", `"v2"`))
		s.WantProblem("400 malformed_query", "POST", f.path()+"/restore?with=facets", nil)
		s.OK(200, "POST", f.path()+"/restore", nil, apitest.Header("If-Match", `"v3"`))
		s.Get(f.path(), apitest.As(s.Publishable))

		after := s.Get(f.path())
		if after.Text("data.archived_at") != "null" || after.Text("data.variants") != before.Text("data.variants") ||
			after.Header.Get("ETag") != `"v4"` {
			t.Errorf("the restored product is %s", after.Body)
		}
	})
}
