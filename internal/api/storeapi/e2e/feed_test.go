package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/testkit/apitest"
)

const feedsPath = "/v2/feeds"

// feedShop is a store with products for feeds.
type feedShop struct {
	*apitest.Server
	clothes, shirts, product string
	brand, red, blue         string // the feature, and values of the option
	acme                     string
	color                    string
}

// newFeedShop returns a store with a site, a product of two variants, one with texts that hurt, and products that lack
// something.
func newFeedShop(s *apitest.Server) *feedShop {
	f := &feedShop{Server: s}
	s.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example/", "currency": "RUB"}`)
	f.clothes = createNamed(s, categoriesPath, "Clothes & <more>")
	f.shirts = createNamed(s, categoriesPath, "Shirts", f.clothes)
	brand := s.OK(201, "POST", "/v2/features?with=values",
		`{"name": "Brand", "filterable": true, "values": [{"name": "Acme"}]}`)
	f.brand = brand.Text("data.id")
	f.acme = brand.Texts("data.values", "id")[0]
	width := s.OK(201, "POST", "/v2/features?with=values",
		`{"name": "Width, cm", "field_type": "range", "range_type": "float", "values": [{"name": "42.5"}]}`)
	color := s.OK(201, "POST", "/v2/variant-options?with=values",
		`{"name": "Colour", "values": [{"name": "Red"}, {"name": "Blue"}]}`)
	f.color = color.Text("data.id")
	f.red, f.blue = color.Texts("data.values", "id")[0], color.Texts("data.values", "id")[1]

	option := func(value string) []any { return []any{map[string]any{"option_id": f.color, "value_id": value}} }
	f.product = s.OK(201, "POST", "/v2/products", map[string]any{"name": "T-shirt", "slug": "t-shirt",
		"description": "Cotton ]]> & \"soft\" <b>bold</b>\n\tevery day", "weight": 0.25, "vat_rate": 20,
		"categories": []string{f.clothes, f.shirts}, "images": []string{createImage(s), createImage(s)},
		"features": []any{map[string]any{"feature_id": f.brand, "value_id": f.acme},
			map[string]any{"feature_id": width.Text("data.id"), "value_id": width.Texts("data.values", "id")[0]}},
		"variants": []any{
			map[string]any{"sku": "TS-R", "price": 1000.5, "options": option(f.red),
				"barcodes": []string{"2000000000015", "4006381333931", "not a code", "4006381333932"}},
			map[string]any{"sku": "TS-B", "price": 900, "options": option(f.blue)},
		}}).Text("data.id")
	f.create("Hurts \u2028\u0085 <&>\"' \ufffe\u200b"+strings.Repeat("é", 180), "description",
		strings.Repeat("long text ", 800), "images", []string{createImage(s)}, "categories", []string{f.shirts})
	return f
}

// create creates a product with one variant. Members come as names and values.
func (f *feedShop) create(name string, members ...any) string {
	body := map[string]any{"name": name, "variants": []any{map[string]any{"sku": "", "price": 50}}}
	for i := 0; i < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	return f.OK(201, "POST", "/v2/products", body).Text("data.id")
}

// put defines a feed and returns the path of its address.
func (f *feedShop) put(name, body string) string {
	r := f.Do("PUT", feedsPath+"/"+name, body)
	if r.Status != 200 && r.Status != 201 {
		f.OK(200, "PUT", feedsPath+"/"+name, body) // tells the problem
	}
	address, _ := url.Parse(r.Text("data.url"))
	return address.RequestURI()
}

// read reads a feed by its address, without another credential.
func (f *feedShop) read(address string) []byte {
	return f.OK(200, "GET", address, nil, apitest.As("")).Body
}

func names[V any](byName map[string]V) []string { return slices.Sorted(maps.Keys(byName)) }

func TestFeed_hasOffersInEveryFormat(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		category := "Apparel & Accessories > Clothing > Uniforms & Workwear > " + strings.Repeat("Long ", 20) + "Names"
		mapping := fmt.Sprintf(`"mapping": {"brand": "%s", "color": "%s", "mpn": "sku", "gender": "text:unisex", `+
			`"google_product_category": "text:%s"}`, f.brand, f.color, category)
		yml := checkYML(t, f.read(f.put("market", `{"format": "yml", `+mapping+`}`)))
		google := checkGoogle(t, f.read(f.put("google", `{"format": "google", `+mapping+`}`)))
		table := checkCSV(t, f.read(f.put("table", `{"format": "csv", `+mapping+`}`)))

		if len(yml) != 3 || !slices.Equal(names(yml), names(google)) || !slices.Equal(names(google), names(table)) {
			t.Errorf("the offers are %q, %q and %q", names(yml), names(google), names(table))
		}
		red := yml["T-shirt, Red"]
		item := google["T-shirt, Red"]
		if red == nil || item == nil {
			t.Fatalf("there is no red shirt in %q", names(yml))
		}
		if id := red.attr("id"); id != item["id"] || table["T-shirt, Red"]["id"] != id {
			t.Errorf("the ids are %s and %s", id, item["id"])
		}
		for name, want := range map[string]string{"url": "https://shop.example/p/t-shirt", "price": "1000.50",
			"currencyId": "RUB", "vendor": "Acme", "vendorCode": "TS-R", "barcode": "4006381333931", "vat": "VAT_20",
			"weight": "0.25", "description": "Cotton ]]> & \"soft\" <b>bold</b>\n\tevery day"} {
			if got := red.text(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		var params []string
		for _, p := range red.all("param") {
			params = append(params, p.attr("name")+"|"+p.attr("unit")+"|"+p.Text)
		}
		if want := []string{"Width|cm|42.5", "Colour||Red"}; !slices.Equal(params, want) {
			t.Errorf("the params are %q, want %q", params, want)
		}
		if group := red.attr("group_id"); group == "" || group != yml["T-shirt, Blue"].attr("group_id") {
			t.Errorf("the group is %q", group)
		}

		for name, want := range map[string]string{"link": "https://shop.example/p/t-shirt", "price": "1000.50 RUB",
			"brand": "Acme", "gtin": "4006381333931", "mpn": "TS-R", "color": "Red", "gender": "unisex",
			"product_type": "Clothes & <more> > Shirts", "shipping_weight": "0.25 kg", "availability": "in_stock",
			"item_group_id": f.product, "google_product_category": category} {
			if item[name] != want || table["T-shirt, Red"][name] != want {
				t.Errorf("%s is %q and %q, want %q", name, item[name], table["T-shirt, Red"][name], want)
			}
		}
		if len(red.texts("picture")) != 2 || item["image_link"] != red.texts("picture")[0] ||
			item["additional_image_link"] != red.texts("picture")[1] {
			t.Errorf("the pictures are %q and %q", red.texts("picture"), item["image_link"])
		}
	})
}

// With the parameter by which the site chooses variants, offers of products with several link to their variant.
func TestFeed_linksToVariants(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		f.create("Cap", "slug", "cap", "images", []string{createImage(s)}, "categories", []string{f.shirts})
		address := f.put("market", `{"format": "yml", "variant_parameter": "variant"}`)
		variant := s.Get("/v2/products/" + f.product).Text("data.variants.0.id")
		offers := checkYML(t, f.read(address))
		want := "https://shop.example/p/t-shirt?variant=" + variant
		if got := offers["T-shirt, Red"].text("url"); got != want {
			t.Errorf("an offer of several links to %s, want %s", got, want)
		}
		if got := offers["Cap"].text("url"); got != "https://shop.example/p/cap" {
			t.Errorf("the only offer of a product links to %s", got)
		}
		if got := s.Get(feedsPath).Text("data.0.variant_parameter"); got != "variant" {
			t.Errorf("the parameter is %q", got)
		}

		f.put("market", `{"format": "yml", "variant_parameter": null}`)
		if got := checkYML(t, f.read(address))["T-shirt, Red"].text("url"); got != "https://shop.example/p/t-shirt" {
			t.Errorf("without the parameter an offer links to %s", got)
		}
	})
}

// Search engines are told a code that names the product everywhere, as marketplaces are, and none of the shop.
func TestJSONLD_hasNoCodesOfTheShop(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		for _, c := range []struct {
			codes []string
			want  string
		}{{[]string{"2000000000015", "4006381333931"}, "4006381333931"}, {[]string{"2000000000015"}, ""}} {
			product := f.create("Cap", "variants", []any{map[string]any{"price": 1, "barcodes": c.codes}})
			body := string(s.Get("/v2/products/" + product + "?with=jsonld").Body)
			if strings.Contains(body, `"gtin":"`) != (c.want != "") || !strings.Contains(body, c.want) {
				t.Errorf("of %q the code is not %q: %s", c.codes, c.want, body)
			}
		}
	})
}

// Features and options have the tag of lists, which a new version of the catalogue tells.
func TestCacheTag_ofFeaturesAndOptions(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		for _, path := range []string{"/v2/features", "/v2/features/" + f.brand, "/v2/features/" + f.brand + "/values",
			"/v2/variant-options?with=values"} {
			if got := s.Get(path).Header.Get("Cache-Tag"); got != "list" {
				t.Errorf("%s has the tags %q", path, got)
			}
		}
	})
}

func TestFeed_selectsByFilter(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		stock := createNamed(s, stocksPath, "Main")
		f.create("Gone", "images", []string{createImage(s)}, "categories", []string{f.clothes}, "variants",
			[]any{map[string]any{"sku": "", "price": 7,
				"remainders": []any{map[string]any{"stock_id": stock, "quantity": 0}}}})
		other := createNamed(s, categoriesPath, "Other")

		for filter, want := range map[string]int{
			`{}`: 4, `null`: 4, `{"category": null}`: 4, `{"category": "` + f.clothes + `"}`: 4,
			`{"category": "` + f.shirts + `"}`: 3, `{"category": "` + other + `"}`: 0,
			`{"in_stock": true}`: 3, `{"in_stock": false}`: 4, `{"price_from": 900}`: 2, `{"price_to": 900}`: 3,
			`{"price_from": 900, "price_to": 900.0}`: 1, `{"price_from": 1000.51}`: 0,
			`{"features": [{"id": "` + f.brand + `", "values": ["` + f.acme + `"]}]}`: 2,
		} {
			address := f.put("filtered", `{"format": "google", "filter": `+filter+`}`)
			if got := checkGoogle(t, f.read(address)); len(got) != want {
				t.Errorf("%s: %q, want %d offers", filter, names(got), want)
			}
		}

		gone := checkYML(t, f.read(f.put("market", `{"format": "yml"}`)))["Gone"]
		if gone == nil || gone.attr("available") != "false" {
			t.Errorf("what is not in stock: %v", gone)
		}
	})
}

func TestFeed_hasPricesOfPriceListAndOldPrices(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		prices := func(list string, price int) {
			v := s.Get("/v2/products/"+f.product).Texts("data.variants", "id")[1]
			s.OK(200, "PUT", "/v2/products/"+f.product+"/variants/"+v, map[string]any{"price_lists": []any{
				map[string]any{"price_list_id": list, "price": price}}})
		}
		sale := createNamed(s, "/v2/price-lists", "Sale")
		old := createNamed(s, "/v2/price-lists", "Old")
		prices(sale, 800)
		prices(old, 1200)
		if r := s.DoAdmin("PUT", "/api/store/settings", `{"old_price_list": "`+old+`"}`); r.Status != 200 {
			t.Fatalf("the list of old prices: %s", r.Body)
		}

		of := func(format string) []byte {
			return f.read(f.put("sale", `{"format": "`+format+`", "price_list_id": "`+sale+`"}`))
		}
		yml := checkYML(t, of("yml"))
		google := checkGoogle(t, of("google"))
		blue, item := yml["T-shirt, Blue"], google["T-shirt, Blue"]
		if blue.text("price") != "800.00" || blue.text("oldprice") != "1200.00" {
			t.Errorf("YML: %s, before %s", blue.text("price"), blue.text("oldprice"))
		}
		if item["price"] != "1200.00 RUB" || item["sale_price"] != "800.00 RUB" {
			t.Errorf("Google: %s for %s", item["sale_price"], item["price"])
		}
		if got := yml["T-shirt, Red"].text("price"); got != "1000.50" {
			t.Errorf("without a price in the list: %s", got)
		}
		plain := checkYML(t, f.read(f.put("plain", `{"format": "yml"}`)))["T-shirt, Blue"]
		if plain.text("price") != "900.00" {
			t.Errorf("without a list: %s", plain.text("price"))
		}

		s.OK(204, "DELETE", "/v2/price-lists/"+sale, nil)
		s.WantProblem("409 feed_broken", "GET", feedsPath+"/sale", nil)
		s.WantProblem("409 feed_broken", "GET", feedsPath+"/sale/report", nil)
	})
}

func TestFeed_reportsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		image := func() []string { return []string{createImage(s)} }
		in := []string{f.shirts}
		picture := f.create("No picture", "categories", in)
		free := f.create("Free", "categories", in, "images", image(), "variants",
			[]any{map[string]any{"sku": "", "price": nil}})
		loose := f.create("Loose", "images", image())
		f.create("Hidden", "categories", in, "images", image(), "seo", map[string]any{"noindex": true})
		nothing := f.create("Nothing", "variants", []any{map[string]any{"sku": "", "price": 0}})
		archived := f.create("Archived", "categories", in)
		s.OK(200, "POST", "/v2/products/"+archived+"/archive", nil)

		address := f.put("market", `{"format": "yml"}`)
		if got := names(checkYML(t, f.read(address))); len(got) != 3 {
			t.Errorf("the offers are %q", got)
		}
		path, query, _ := strings.Cut(address, "?")
		report := s.OK(200, "GET", path+"/report?"+query, nil, apitest.As(""))
		var lines []string
		for i := range report.Len("data.left_out") {
			at := fmt.Sprintf("data.left_out.%d.", i)
			lines = append(lines, report.Text(at+"reason")+" "+report.Text(at+"offers")+" "+
				strings.Join(report.Texts(at+"products", "name"), ","))
		}
		want := []string{"picture 2 No picture,Nothing", "price 2 Free,Nothing", "category 2 Loose,Nothing",
			"noindex 1 Hidden"}
		if !slices.Equal(lines, want) || report.Text("data.offers") != "3" {
			t.Errorf("the report: %q of %s, want %q", lines, report.Text("data.offers"), want)
		}
		ids := slices.Concat(report.Texts("data.left_out.0.products", "id"),
			report.Texts("data.left_out.1.products", "id"), report.Texts("data.left_out.2.products", "id"))
		if !slices.Equal(ids, []string{picture, nothing, free, nothing, loose, nothing}) {
			t.Errorf("the products are %s", ids)
		}

		f.put("google", `{"format": "google"}`)
		google := s.OK(200, "GET", feedsPath+"/google/report", nil)
		if reasons := google.Texts("data.left_out", "reason"); slices.Contains(reasons, "category") {
			t.Errorf("Google needs no category: %s", reasons)
		}
	})
}

// Products of an older program have no slug until one is made in the background.
func TestFeed_leavesOutWhatHasNoSlugYet(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		f.put("market", `{"format": "yml"}`)
		for range 5 { // the worker that makes slugs may be faster
			err := s.App.DB.Write(t.Context(), func(q database.Querier) error {
				return database.Exec(t.Context(), q, "UPDATE products SET slug = NULL WHERE id = $1",
					mustID[catalog.Product](f.product))
			})
			if err != nil {
				t.Fatal(err)
			}

			report := s.OK(200, "GET", feedsPath+"/market/report", nil)
			if report.Text("data.left_out.0.reason") == "address" && report.Text("data.left_out.0.offers") == "2" {
				return
			}
		}
		t.Error("the report does not say that a product has no slug")
	})
}

func TestFeed_isReadByItsOwnKeyOnly(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		s.DoAdmin("PUT", "/api/store/settings", `{"site_url": ""}`)
		address := f.put("market", `{"format": "yml"}`)
		s.WantProblem("409 no_site_url", "GET", address, nil, apitest.As(""))
		s.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example"}`)
		path, query, _ := strings.Cut(address, "?")
		key := strings.TrimPrefix(query, "key=")
		f.read(address)
		s.OK(200, "GET", path, nil, apitest.As(key))
		s.OK(200, "GET", path, nil)

		as := func(token string) apitest.RequestOption { return apitest.As(token) }
		s.WantProblem("401 credential_required", "GET", path, nil, as(""))
		s.WantProblem("401 secret_in_address", "GET", path+"?key="+s.Secret, nil, as(""))
		s.WantProblem("401 invalid_credential", "GET", path+"?key=fk_nonsense", nil, as(""))
		s.WantProblem("403 forbidden", "GET", path, nil, as(s.Publishable))
		s.WantProblem("403 forbidden", "GET", path+"?key="+s.Publishable, nil, as(""))
		s.WantProblem("403 forbidden", "GET", feedsPath, nil, as(s.Publishable))
		for _, other := range []string{"/v2/products", "/v2/store", feedsPath, "/v2/orders"} {
			s.WantProblem("403 forbidden", "GET", other, nil, as(key))
		}
		s.WantProblem("401 secret_in_address", "GET", "/v2/sitemap.xml?"+query, nil, as(""))
		s.WantProblem("404 not_found", "GET", feedsPath+"/none", nil)

		second := f.put("second", `{"format": "csv"}`)
		_, secondQuery, _ := strings.Cut(second, "?")
		s.WantProblem("404 not_found", "GET", path+"?"+secondQuery, nil, as(""))
		other := s.WithKeys(s.Other)
		other.WantProblem("404 not_found", "GET", path, nil)
		other.WantProblem("404 not_found", "DELETE", path, nil)
		other.OK(201, "PUT", path, `{"format": "csv"}`)
		if r := s.OK(200, "GET", address, nil, as("")); r.Header.Get("Content-Type") != "application/xml" {
			t.Errorf("the feed is %s after another store has one of this name", r.Header.Get("Content-Type"))
		}

		renewed := f.put("market", `{"format": "yml", "new_key": true}`)
		s.WantProblem("401 invalid_credential", "GET", address, nil, as(""))
		f.read(renewed)
		s.OK(204, "DELETE", path, nil)
		s.WantProblem("401 invalid_credential", "GET", renewed, nil, as(""))
		s.WantProblem("404 not_found", "DELETE", path, nil)
		if got := s.Get(feedsPath).Texts("data", "name"); !slices.Equal(got, []string{"second"}) {
			t.Errorf("the feeds are %s", got)
		}
	})
}

// A store has one feed at a time: those who come at once, or leave, keep nobody from it.
func TestFeed_isReadBySeveralAtOnceAndByClientsThatLeave(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		address := f.put("market", `{"format": "google"}`)
		want := f.read(address)

		var group sync.WaitGroup
		for i := range 12 {
			group.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%3 == 0 {
					time.AfterFunc(time.Duration(i)*time.Millisecond/2, cancel)
				}
				r, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+address, nil)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					if ctx.Err() == nil {
						t.Error(err)
					}
					return
				}

				defer func() { _ = res.Body.Close() }()
				body, err := io.ReadAll(res.Body)
				if ctx.Err() == nil && (err != nil || res.StatusCode != 200 || !bytes.Equal(body, want)) {
					t.Errorf("%d, %v: %s", res.StatusCode, err, body)
				}
			})
		}
		group.Wait()
		if again := f.read(address); !bytes.Equal(again, want) {
			t.Errorf("afterwards the feed is %s", again)
		}
	})
}

func TestFeed_isReadAgainAfterChange(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		address := f.put("market", `{"format": "yml"}`)
		tag := ""
		// want reads the feed with the last tag.
		want := func(what string, status int) {
			t.Helper()
			r := s.Do("GET", address, nil, apitest.As(""), apitest.Header("If-None-Match", tag))
			if r.Status != status {
				t.Errorf("after %s: %d, want %d", what, r.Status, status)
			}
			tag = r.Header.Get("ETag")
		}

		want("nothing", 200)
		want("the first read", 304)
		variant := s.Get("/v2/products/"+f.product).Texts("data.variants", "id")[0]
		s.OK(200, "PUT", "/v2/products/"+f.product+"/variants/"+variant, `{"price": 5}`)
		want("a price", 200)
		want("the read", 304)
		s.OK(200, "PUT", categoriesPath+"/"+f.shirts, `{"name": "Tops"}`)
		want("the name of a category", 200)
		s.OK(200, "PUT", "/v2/features/"+f.brand, `{"name": "Maker"}`)
		want("the name of a feature", 200)
		list := createNamed(s, "/v2/price-lists", "Sale")
		address = f.put("market", `{"format": "yml", "price_list_id": "`+list+`"}`)
		want("another definition", 200)
		s.OK(200, "PUT", "/v2/products/"+f.product+"/variants/"+variant, map[string]any{"price_lists": []any{
			map[string]any{"price_list_id": list, "price": 3}}})
		want("a price in the list", 200)
		f.put("market", `{"format": "yml", "price_list_id": "`+list+`"}`)
		want("the same definition", 304)

		r := s.Do("GET", address, nil, apitest.As(""), apitest.Header("Accept-Encoding", "gzip"))
		packed, err := gzip.NewReader(bytes.NewReader(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(packed)
		if plain := f.read(address); !bytes.Equal(body, plain) {
			t.Errorf("packed the feed is %s, and plain %s", body, plain)
		}
		if checkYML(t, body); !strings.Contains(fmt.Sprint(r.Header.Values("Vary")), "Accept-Encoding") {
			t.Errorf("the header is %v", r.Header)
		}
	})
}

func TestFeed_refusesBadDefinitions(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		f := newFeedShop(s)
		other := s.WithKeys(s.Other)
		foreignCategory := createNamed(other, categoriesPath, "x")
		foreignFeature := createNamed(other, "/v2/features", "x")
		foreignList := createNamed(other, "/v2/price-lists", "x")
		dollars := s.OK(201, "POST", "/v2/price-lists", `{"name": "USD", "currency": "USD"}`).Text("data.id")
		width := s.Get("/v2/features").Texts("data", "id")[1]

		features := func(id, value string) string {
			return `"filter": {"features": [{"id": "` + id + `", "values": ["` + value + `"]}]}`
		}
		for members, want := range map[string]string{
			`"format": ""`:                "format required",
			`"format": "xml"`:             "format unknown_format",
			`"format": 7`:                 "format wrong_type",
			`"filter": 7`:                 "filter wrong_type",
			`"filter": {"brand": 1}`:      "filter.brand unknown_filter",
			`"filter": {"category": "x"}`: "filter.category invalid_id",
			`"filter": {"category": "` + foreignCategory + `"}`:   "filter.category unknown_category",
			`"filter": {"price_from": 2, "price_to": 1}`:          "filter.price_to out_of_range",
			`"filter": {"features": [{"id": "` + f.brand + `"}]}`: "filter.features[0].values required",
			`"mapping": {"colour": "sku"}`:                        "mapping.colour unknown_target",
			`"mapping": {"brand": "colour"}`:                      "mapping.brand unknown_source",
			`"mapping": {"brand": "text: "}`:                      "mapping.brand required",
			`"variant_parameter": "a=b&c"`:                        "variant_parameter invalid_parameter",
			`"variant_parameter": 7`:                              "variant_parameter wrong_type",
			`"mapping": {"brand": 1}`:                             "mapping.brand wrong_type",
			`"mapping": {"gender": "text:man"}`:                   "mapping.gender unknown_value",
			`"mapping": {"brand": "` + foreignFeature + `"}`:      "mapping.brand unknown_feature",
			`"price_list_id": "` + foreignList + `"`:              "price_list_id unknown_price_list",
			`"price_list_id": "` + dollars + `"`:                  "price_list_id foreign_currency",
			features(f.color, f.red):                              "filter.features[0].id unknown_feature",
			features(f.brand, f.red):                              "filter.features[0].values[0] unknown_value",
			features(width, f.red):                                "filter.features[0].id not_a_select",
		} {
			body := `{"format": "yml", ` + members + `}`
			if strings.HasPrefix(members, `"format"`) {
				body = `{` + members + `}`
			}
			s.WantProblem("422 "+want, "PUT", feedsPath+"/bad", body)
		}
		for _, name := range []string{"Bad", "a%20b", "-a", strings.Repeat("a", 65), "%D1%84"} {
			s.WantProblem("422 name invalid_name", "PUT", feedsPath+"/"+name, `{"format": "yml"}`)
		}

		s.OK(201, "PUT", feedsPath+"/good", `{"format": "yml", "filter": {"category": "`+f.shirts+`"}}`)
		s.WantProblem("412 precondition_failed", "PUT", feedsPath+"/good", `{"format": "csv"}`,
			apitest.Header("If-Match", `"7"`))
		s.OK(204, "DELETE", categoriesPath+"/"+f.shirts, nil)
		s.WantProblem("409 feed_broken", "GET", feedsPath+"/good", nil)
		s.DoAdmin("PUT", "/api/store/settings", `{"currency": "GBP"}`)
		s.OK(200, "PUT", feedsPath+"/good", `{"format": "yml"}`)
		s.WantProblem("409 unsupported_currency", "GET", feedsPath+"/good", nil)

		for i := range 49 {
			s.OK(201, "PUT", fmt.Sprintf("%s/f%d", feedsPath, i), `{"format": "csv"}`)
		}
		s.WantProblem("409 too_many_feeds", "PUT", feedsPath+"/one-more", `{"format": "csv"}`)
		s.OK(200, "PUT", feedsPath+"/f1", `{"format": "google"}`)
	})
}
