package adminui_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
)

// shelf is a small catalogue: a product Boots with two sizes, and what it refers to.
type shelf struct {
	*fixture
	category, option, small, large, feature, leather, stock, product string
}

// newShelf makes the catalogue with the public API.
func newShelf(s *fixture) *shelf {
	s.t.Helper()
	key := apitest.As(s.store.SecretKey)
	c := &shelf{fixture: s}
	c.category = s.OK(201, "POST", "/v2/categories", `{"name":"Shoes"}`, key).Text("data.id")
	option := s.OK(201, "POST", "/v2/variant-options?with=values",
		`{"name":"Size","values":[{"name":"S"},{"name":"L"}]}`, key)
	c.option, c.small, c.large = option.Text("data.id"), option.Text("data.values.0.id"),
		option.Text("data.values.1.id")
	feature := s.OK(201, "POST", "/v2/features?with=values",
		`{"name":"Material","filterable":true,"values":[{"name":"Leather"},{"name":"Wool"}]}`, key)
	c.feature, c.leather = feature.Text("data.id"), feature.Text("data.values.0.id")
	c.stock = s.OK(201, "POST", "/v2/stocks", `{"name":"Main"}`, key).Text("data.id")
	c.product = s.OK(201, "POST", "/v2/products", fmt.Sprintf(`{"name":"Boots","description":"Warm.","categories":[%q],
		"features":[{"feature_id":%q,"value_id":%q}],"modifiers":[{"id":"g","name":"Laces","min":0,"max":1,"colour":"x",
		"items":[{"id":7,"name":"Red","price":1.5}]}],
		"variants":[{"sku":"B-S","price":10,"options":[{"option_id":%q,"value_id":%q}],"remainders":[{"stock_id":%q,"quantity":3}]},
		{"sku":"B-L","price":12.5,"options":[{"option_id":%q,"value_id":%q}]}]}`, c.category, c.feature, c.leather,
		c.option,
		c.small, c.stock, c.option, c.large), key).Text("data.id")

	return c
}

// read returns the product from the public API.
func (c *shelf) read(productID string) *apitest.Response {
	c.t.Helper()
	return c.OK(200, "GET", "/v2/products/"+productID, nil, apitest.As(c.store.SecretKey))
}

// A product's page locks members against pushes, and shows them ticked. Forms without the boxes leave the locks alone.
func TestProduct_locksMembers(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		path := "/products/" + s.catalogAPI(201, "POST", "/v2/products",
			`{"name": "Lamp", "locks": ["price"]}`).Text("data.id")
		page := v.get(path).wantStatus(200).contains("Pushes do not change", `name="lock" value="price" checked`).
			omits(`name="lock" value="name" checked`)
		form := url.Values{"name": {"Lamp"}, "digest": {page.between(`name="digest" value="`, `"`)}, "locks": {"1"},
			"lock": {"name", "images"}}
		v.post(path, form).wantStatus(303)

		if got := s.catalogAPI(200, "GET", "/v2"+path, nil).Text("data.locks"); got != `["name","images"]` {
			t.Errorf("the locks are %s", got)
		}

		page = v.get(path).wantStatus(200)
		form = url.Values{"name": {"Torch"}, "digest": {page.between(`name="digest" value="`, `"`)}}
		v.post(path, form).wantStatus(303)

		if got := s.catalogAPI(200, "GET", "/v2"+path, nil).Text("data.locks"); got != `["name","images"]` {
			t.Errorf("a form without the boxes has left the locks %s", got)
		}
	})
}

// A product's page says who wrote each part of it last: a key, an operator, or somebody who is gone.
func TestProduct_showsWhoWroteWhat(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.withT(t).owner()
		path := "/products/" + c.product

		writers := func() map[string]string {
			rows := map[string]string{}
			page := v.get(path).wantStatus(200)
			for _, part := range []string{"Name", "Description", "Images", "Categories", "Features", "Prices",
				"Variants", "Stock", "Modifiers"} {
				row := page.between(`<th scope="row" data-label="Part of the product">`+part+`</th>`, `</tr>`)
				_, writer, _ := strings.Cut(row, `data-label="Last written by">`)
				rows[part] = strings.TrimSuffix(writer, "</td>")
			}

			return rows
		}

		check := func(want string, parts ...string) {
			t.Helper()
			got := writers()
			for _, part := range parts {
				if !strings.Contains(got[part], want) {
					t.Errorf("%s is written by %q, want %s", part, got[part], want)
				}
			}
		}

		check("The key ", "Name", "Description", "Categories", "Features", "Prices", "Variants", "Stock", "Modifiers")
		check("not known", "Images")
		form := v.get(path).form("product-form")
		form.Set("name", "Red boots")
		form.Set("variant.1.price", "15")
		v.post(path, form).wantStatus(303)
		check("@", "Name", "Prices")
		check("The key ", "Description", "Categories", "Features", "Variants", "Stock", "Modifiers")
	})
}

func TestProducts_listFiltersAndFacets(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)

		v := s.owner()
		s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/products",
			`{"payload":[{"id":"p1","name":"Pushed <b>hat</b>","variants":[{"id":"v","price":5,"sku":"H"}]}]}`)
		page := v.get("/products").wantStatus(200).wantHTML()
		page.contains("Boots", "B-S", " to $12.50", "Pushed &lt;b&gt;hat&lt;/b&gt;", "Made here", "Accounting",
			"/products?features%5B"+c.feature)
		v.get("/products?q=boo").contains("Boots").omits("Pushed")
		v.get("/products?q=bosts").contains("Boots").omits("Pushed")                    // a typing error
		v.get("/products?q=%D0%B8%D1%89%D1%89%D0%B5").contains("Boots").omits("Pushed") // the Russian layout
		v.get("/products?category="+c.category).contains("Boots", "Category: Shoes").omits("Pushed")
		v.get("/products?features["+c.feature+"][]="+c.leather).contains("Boots", "Material: Leather").omits("Pushed")
		v.get("/products?options[" + c.option + "][]=" + c.small).contains("Boots").omits("Pushed")
		v.get("/products?price[from]=11&price[to]=").contains("Boots").omits("Pushed")
		v.get("/products?price[from]=1+100,50").omits("Boots", "Pushed").contains(`value="1 100,50"`)
		v.get("/products?price[from]=5,01&price[to]=1+000").contains("Boots").omits("Pushed")
		v.get("/products?origin=pushed").contains("Pushed").omits("Boots")
		v.get("/products?origin=here").contains("Boots").omits("Pushed")
		v.get("/products?sort=name&per_page=1").contains("Boots", "page=2").omits("Pushed")
		v.get("/products?sort=name&per_page=1&page=2").contains("Pushed").omits("Boots")
		v.get("/products?q=nothing").contains("No product matches.")
		// The flat form fills the fields of the other one.
		v.get("/products?price=11..").contains("Boots", `maxlength="20" value="11"`).omits("Pushed", "price=11")
		v.get("/products?price[from]=cheap").wantStatus(422).contains("Write it as a number such as 1990.50.")
		v.get("/products?category=0199f000-0000-7000-8000-000000000000").wantStatus(422).contains("no category")
		v.post("/products/"+c.product+"/archive", url.Values{}).wantRedirect("/products/" + c.product)
		v.get("/products").omits("Boots")
		v.get("/products?archived=true").contains("Boots", "Archived")
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/products").wantStatus(200).omits("New product", "data-bulk")
	})
}

func TestProducts_editAndConflict(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		first := v.get(path).form("product-form")
		second := v.get(path).form("product-form")

		// A form that is sent back as it is changes nothing.
		etag := c.read(c.product).Header.Get("ETag")
		v.post(path, first).wantRedirect(path)
		if got := c.read(c.product).Header.Get("ETag"); got != etag {
			t.Errorf("saving without a change made version %s of %s", got, etag)
		}

		first.Set("name", "Tall boots")
		first.Set("variant.0.price", "1 990,50")
		first.Set("variant.0.stock.0", "4")
		first.Set("variant.1.stock.0", "2")
		first.Set("feature.0", "wool")
		first.Set("group.0.item.0.price", "2")
		v.post(path, first).wantRedirect(path)
		read := c.read(c.product)

		for member, want := range map[string]string{"data.name": "Tall boots", "data.variants.0.price": "1990.5",
			"data.variants.0.remainders.0.quantity": "4", "data.variants.1.remainders.0.quantity": "2",
			"data.features.0.value.name": "Wool", "data.modifiers.0.items.0.price": "2",
			"data.modifiers.0.items.0.id": "7", "data.modifiers.0.colour": "x", "data.description": "Warm."} {
			if got, _ := read.At(member); fmt.Sprint(got) != want {
				t.Errorf("%s is %v, want %s", member, got, want)
			}
		}

		// The second operator sees both texts, and decides.
		second.Set("name", "Low boots")
		conflict := v.post(path, second).wantStatus(409)
		conflict.contains("Somebody else saved this product", "Low boots", "Tall boots", "Save mine", "1990.5")

		if got := c.read(c.product).Text("data.name"); got != "Tall boots" {
			t.Errorf("the conflict saved %q", got)
		}

		v.post(path, conflict.form("product-form")).wantRedirect(path)
		if got := c.read(c.product).Text("data.name"); got != "Low boots" {
			t.Errorf("the product is %q, want the text that was saved over the other", got)
		}

		wrong := v.get(path).form("product-form")
		wrong.Set("name", " ")
		wrong.Set("variant.0.price", "cheap")
		wrong.Set("feature.0", "Velvet")
		refused := v.post(path, wrong).wantStatus(422)
		refused.contains("Nothing was saved", "is not a number", "has no value “Velvet”", "Material: Velvet",
			"Add them and save")
		added := v.get(path).form("product-form")
		added.Set("feature.0", "Velvet")
		added.Set("step", "save-adding-values")
		v.post(path, added).wantRedirect(path)

		if got := c.read(c.product).Text("data.features.0.value.name"); got != "Velvet" {
			t.Errorf("the feature is %s, want the new value", got)
		}

		v.get("/settings/log?kind=feature").wantStatus(200).contains("Values added", "Velvet", `>Material</a>`)
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(path).wantStatus(200).contains("your role does not let you change them", "Velvet", "1990.5").
			omits("product-form", `name="variant`, "disabled")
		viewer.post(path, added).wantStatus(403)
		viewer.post(path+"/delete", url.Values{}).wantStatus(403)
		v.get("/products/0199f000-0000-7000-8000-000000000000").wantStatus(404)
		v.post(path+"/delete", url.Values{"version": {"1"}}).wantStatus(422).contains("has changed meanwhile")
		version := v.get(path+"/delete").between(`name="version" value="`, `"`)
		v.post(path+"/delete", url.Values{"version": {version}}).wantRedirect("/products")
		s.WantProblem("404 not_found", "GET", "/v2/products/"+c.product, nil, apitest.As(s.store.SecretKey))
	})
}

// A variant whose price is left empty is not for sale. The form, the list and the product's page say so.
func TestProducts_emptyPriceIsNotForSale(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		form := v.get(path).form("product-form")
		for name := range form {
			if strings.HasPrefix(name, "variant.") && strings.HasSuffix(name, ".price") {
				form.Set(name, "")
			}
		}

		v.post(path, form).wantRedirect(path)
		read := c.read(c.product)
		for _, member := range []string{"data.price.from", "data.variants.0.price", "data.variants.1.price"} {
			if got := read.Text(member); got != "null" {
				t.Errorf("%s is %s, want null", member, got)
			}
		}

		again := v.get(path)
		again.contains("A variant without a price is not for sale.")
		if got := again.form("product-form").Get("variant.0.price"); got != "" {
			t.Errorf("the form shows the price %q", got)
		}

		v.post(path, again.form("product-form")).wantRedirect(path)
		if got := c.read(c.product).Header.Get("ETag"); got != read.Header.Get("ETag") {
			t.Errorf("saving without a change made version %s of %s", got, read.Header.Get("ETag"))
		}

		v.get("/products").contains("Not for sale")
		v.get(path + "/storefront").contains("Not for sale")

		// One operator sets a price while another changes a text: the form of the conflict has both.
		first := v.get(path).form("product-form")
		second := v.get(path).form("product-form")
		first.Set("variant.0.price", "0")
		v.post(path, first).wantRedirect(path)
		second.Set("description", "Warm and dry.")
		conflict := v.post(path, second).wantStatus(409)
		v.post(path, conflict.form("product-form")).wantRedirect(path)

		merged := c.read(c.product)
		if got := merged.Text("data.variants.0.price") + " " + merged.Text("data.variants.1.price") + " " +
			merged.Text("data.description"); got != "0 null Warm and dry." {
			t.Errorf("the merged product has %s", got)
		}
	})
}

// Without scripts, a product is made from the cross product of options, step by step.
func TestProducts_createFromCombinations(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		form := v.get("/products/new").wantStatus(200).form("product-form")
		step := func(name string, change func(url.Values)) url.Values {
			t.Helper()
			change(form)
			form.Set("step", name)
			page := v.post("/products/new", form).wantStatus(200)
			return page.form("product-form")
		}
		form = step("choose-values", func(f url.Values) {
			f.Set("name", "Gloves")
			f.Add("cross_option", c.option)
		})
		form = step("add-combinations", func(f url.Values) {
			f["cross_value."+c.option] = []string{c.small}
			f.Set("cross_other."+c.option, "l\r\nXL")
			f.Set("cross_price", "7")
		})
		form = step("add-feature", func(f url.Values) { f.Set("new_feature", c.feature) })
		form = step("add-group", func(f url.Values) { f.Set("feature.0", "Leather") })
		form.Set("group.0.name", "Wrapping")
		form.Set("group.0.item.0.name", "Paper")
		form.Add("category", c.category)

		location := v.post("/products/new", form).wantStatus(303).Header.Get("Location")
		read := c.read(strings.TrimPrefix(location, "/products/"))
		var sizes []string
		for i := range 3 {
			sizes = append(sizes, read.Text(fmt.Sprintf("data.variants.%d.options.0.value.name", i)))
		}

		slices.Sort(sizes)
		if got := fmt.Sprint(sizes, read.Has("data.variants.3")); got != "[L S XL] false" {
			t.Errorf("the variants are %s, want L, S and XL", got)
		}

		for member, want := range map[string]string{"data.variants.0.price": "7", "data.categories.0.name": "Shoes",
			"data.features.0.value.name": "Leather", "data.modifiers.0.items.0.name": "Paper"} {
			if got, _ := read.At(member); fmt.Sprint(got) != want {
				t.Errorf("%s is %v, want %s", member, got, want)
			}
		}

		// A removed variant is archived, and can be brought back.
		form = v.get(location).form("product-form")
		form.Set("variant.0.remove", "1")
		v.post(location, form).wantStatus(303)

		if read := c.read(strings.TrimPrefix(location, "/products/")); read.Has("data.variants.2") {
			t.Error("the removed variant is still on sale")
		}

		page := v.get(location).contains("Archived variants")
		variant := page.between(location+"/variants/", "/restore")
		v.post(location+"/variants/"+variant+"/restore", url.Values{}).wantStatus(303)

		if read := c.read(strings.TrimPrefix(location, "/products/")); !read.Has("data.variants.2") {
			t.Error("the variant did not come back")
		}
	})
}

func (v *client) upload(path string, content []byte) response {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("file", "a.png")
	_, _ = part.Write(content)
	_ = w.Close()

	req, err := http.NewRequestWithContext(v.t.Context(), "POST", v.AdminURL+path, &b)
	if err != nil {
		v.t.Fatal(err)
	}

	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Origin", v.AdminURL)
	req.AddCookie(&http.Cookie{Name: sessionCookie, Value: v.session})

	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()

	var text bytes.Buffer
	_, _ = text.ReadFrom(resp.Body)
	return response{resp, text.String(), v.t}
}

func TestProducts_pictures(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		for shade := range byte(3) {
			v.upload(path+"/images", blobtest.EncodePNG(20, 20, 50*shade)).wantRedirect(path + "#pictures")
		}

		ids := c.imageIDs()
		if len(ids) != 3 {
			t.Fatalf("the product has %d pictures, want 3", len(ids))
		}

		page := v.get(path)
		v.get(page.between(`<img src="`, `"`)).wantStatus(200)

		// Without scripts, the buttons of pictures are steps of the form, which keeps what was typed.
		form := page.form("product-form")
		form.Set("name", "Unsaved boots")
		form.Set("step", "move-picture:"+ids[2]+":earlier")
		v.post(path, form).wantStatus(200).contains(`value="Unsaved boots"`)

		if got := c.read(c.product).Text("data.name"); got != "Boots" {
			t.Errorf("moving a picture saved the name %q", got)
		}
		if got, want := c.imageIDs(), []string{ids[0], ids[2], ids[1]}; !slices.Equal(got, want) {
			t.Errorf("the order is %v, want %v", got, want)
		}

		form.Set("step", "remove-picture:"+ids[0])
		v.post(path, form).wantStatus(200).contains(`value="Unsaved boots"`)

		if got := c.imageIDs(); len(got) != 2 {
			t.Errorf("the product has %d pictures, want 2", len(got))
		}

		v.post(path+"/images/order", url.Values{"image": {ids[0], ids[2], ids[1]}}).wantRedirect(path + "#pictures")
		v.post(path+"/images/"+ids[0]+"/remove", url.Values{}).wantRedirect(path + "#pictures")

		if got := c.imageIDs(); len(got) != 2 {
			t.Errorf("the product has %d pictures, want 2", len(got))
		}

		// The undo form of the toast puts the picture back in its place.
		v.post(path+"/images/order", url.Values{"image": {ids[0], ids[2], ids[1]}}).wantRedirect(path + "#pictures")
		if got, want := c.imageIDs(), []string{ids[0], ids[2], ids[1]}; !slices.Equal(got, want) {
			t.Errorf("after undo the order is %v, want %v", got, want)
		}

		v.upload(path+"/images", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")).wantStatus(422).
			contains(`id="picture-error"`)
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.upload(path+"/images", blobtest.EncodePNG(20, 20, 9)).wantStatus(403)
	})
}

func (c *shelf) imageIDs() (ids []string) {
	c.t.Helper()
	read := c.read(c.product)
	for i := 0; read.Has(fmt.Sprintf("data.images.%d", i)); i++ {
		ids = append(ids, read.Text(fmt.Sprintf("data.images.%d.id", i)))
	}
	return ids
}

// undoAction returns the path that the undo button of the response's toast posts to.
func (p response) undoAction() string {
	p.t.Helper()
	return p.undo().Action
}

// undo returns what the undo button of the response's toast posts.
func (p response) undo() *frame.Undo {
	p.t.Helper()
	for _, c := range p.Cookies() {
		if c.Name != "__Host-vitrine-toast" {
			continue
		}
		text, err := base64.RawURLEncoding.DecodeString(c.Value)
		var toast frame.Toast
		if err != nil || json.Unmarshal(text, &toast) != nil || toast.Undo == nil {
			p.t.Fatalf("%s: the toast %s has no undo", p.requestLine(), text)
		}
		return toast.Undo
	}
	p.t.Fatalf("%s has no toast", p.requestLine())
	return nil
}

func TestProducts_bulk(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		total := func(query string) string {
			t.Helper()
			list := s.OK(200, "GET", "/v2/products?per_page=1&"+query, nil, apitest.As(s.store.SecretKey))
			got, _ := list.At("meta.total")
			return fmt.Sprint(got)
		}
		v.post("/product-changes", url.Values{"action": {"archive"}}).wantStatus(303)
		preview := v.post("/product-changes", url.Values{"action": {"archive"}, "id": {c.product}}).wantStatus(200)
		preview.contains("1 product will be changed", "Boots")
		archived := v.post("/product-changes/start", preview.form("bulk-preview")).wantRedirect("/products")

		if got := total(""); got != "0" {
			t.Errorf("%s products are on sale after archiving, want 0", got)
		}

		v.post(archived.undoAction(), url.Values{}).wantRedirect("/products")
		if got := total(""); got != "1" {
			t.Errorf("%s products are on sale after undo, want 1", got)
		}

		// More products than one chunk are changed by a job.
		var b strings.Builder
		for i := range 1200 {
			fmt.Fprintf(&b, `{"id":"h%d","name":"Hat %d","variants":[{"id":"v","price":5}]}`+"\n", i, i)
		}

		s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/products", b.String(),
			apitest.Header("Content-Type", "application/x-ndjson"))
		preview = v.post("/product-changes",
			url.Values{"action": {"add-category"}, "all": {"1"}, "selection": {"q=hat"}}).wantStatus(200)
		preview.contains("1,200 products will be changed", "Hat 0")
		start := preview.form("bulk-preview")
		v.post("/product-changes/start", start).wantStatus(422).contains("Choose a category.")
		start.Set("category", c.category)
		location := v.post("/product-changes/start", start).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(location, "1,200 products were changed.")

		if got := total("category=" + c.category); got != "1201" {
			t.Errorf("the category has %s products, want 1201", got)
		}

		location = v.post(location+"/undo", url.Values{}).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(location, "1,200 products were changed.")

		if got := total("category=" + c.category); got != "1" {
			t.Errorf("the category has %s products after undo, want 1", got)
		}

		preview = v.post("/product-changes",
			url.Values{"action": {"set-feature"}, "all": {"1"}, "selection": {""}}).wantStatus(200)
		start = preview.form("bulk-preview")
		start.Set("value", "leather")
		location = v.post("/product-changes/start", start).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(location, "1,200 products were changed.") // Boots has it

		// Another product takes the place of one in the selection.
		start = v.post("/product-changes",
			url.Values{"action": {"archive"}, "all": {"1"},
				"selection": {"q=hat"}}).wantStatus(200).form("bulk-preview")
		s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/products",
			`{"id":"h0","name":"Cap"}`+"\n"+`{"id":"new","name":"Hat","variants":[{"id":"v","price":5}]}`,
			apitest.Header("Content-Type", "application/x-ndjson"))
		v.post("/product-changes/start", start).wantStatus(409).
			contains("Other products match", "1,200 products will be changed")
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.post("/product-changes/start", start).wantStatus(403)
	})
}

// In a real Chromium an owner finds a product, changes its text, uploads a picture by the file field, and archives it
// with a bulk change that is undone.
func TestBrowser_products(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/products"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("product-q")))
	b.wantFitsPhone("the products")
	b.do(chromedp.SendKeys(chromedp.ID("product-q"), "boo"), b.press("Find"),
		chromedp.WaitVisible(chromedp.CSS(`#product-q[value="boo"]`)), // the link is on the page before, too
		b.follow("Boots"), chromedp.WaitVisible(chromedp.ID("description")))
	b.wantFitsPhone("the product")

	file := filepath.Join(t.TempDir(), "boots.png")
	if err := os.WriteFile(file, blobtest.EncodePNG(60, 40, 90), 0o600); err != nil {
		t.Fatal(err)
	}

	b.do(chromedp.SetUploadFiles(chromedp.ID("picture-file"), []string{file}),
		chromedp.WaitVisible(chromedp.CSS("[data-picture] img")))
	if got := c.imageIDs(); len(got) != 1 {
		t.Errorf("the product has %d pictures, want 1", len(got))
	}

	b.do(chromedp.SetValue(chromedp.ID("description"), "Very warm."), b.press("Save"),
		chromedp.WaitVisible(chromedp.CSS(".toast")))
	if got := c.read(c.product).Text("data.description"); got != "Very warm." {
		t.Errorf("the description is %q", got)
	}

	b.do(chromedp.Navigate(base+"/products"), chromedp.WaitVisible(chromedp.ID("bulk-action")),
		chromedp.Click(chromedp.CSS("[data-check-all]")), b.press("Continue"),
		chromedp.WaitVisible(chromedp.ID("bulk-preview")))
	b.wantFitsPhone("the preview of a bulk change")
	b.do(b.press("Change 1 product"), chromedp.WaitVisible(chromedp.CSS(".toast")))

	if got, _ := c.read(c.product).At("data.archived_at"); got == nil {
		t.Error("the product is not archived")
	}

	b.do(b.press("Undo"), chromedp.WaitVisible(chromedp.CSS(".productui-name")))

	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if got, _ := c.read(c.product).At("data.archived_at"); got == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("undo did not bring the product back")
		}
	}

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}

// The form names a value that does not exist at its own field, and offers to add it. Before, the field showed the
// message of the API, which asks for a UUID.
func TestProducts_unknownValuesAreNamedWhereTheyStand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	form := v.get(path).form("product-form")
	form.Set("feature.0", "Linoleum")

	page := v.post(path, form).wantStatus(422).contains("Material has no value “Linoleum”.", "Material: Linoleum")
	page.omits("UUID")
	if field := page.between(`id="feature.0"`, ">"); !strings.Contains(field, `aria-invalid="true"`) {
		t.Errorf("the field of the feature is not marked: %s", field)
	}

	form = v.get(path).form("product-form")
	form.Set("variant.1.option.0", "XXL")
	page = v.post(path, form).wantStatus(422).contains("Row 2: Size has no value “XXL”.", "Size: XXL").omits("UUID")
	form = page.form("product-form")
	v.post(path, form).wantStatus(422)
	form.Set("step", "save-adding-values")
	v.post(path, form).wantStatus(303)

	if got := c.read(c.product).Text("data.variants.1.options.0.value.name"); got != "XXL" {
		t.Errorf("the size is %q, want XXL", got)
	}
}

// Names that were typed as new values are created without another question. A typing error beside them is still
// refused, and then nothing is created.
func TestProducts_onlyNewValuesAreCreatedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	form := v.get(path).form("product-form")
	form.Add("cross_option", c.option)
	form.Set("cross_other."+c.option, "Huge")
	form.Set("step", "add-combinations")
	form = v.post(path, form).wantStatus(200).contains("new value").form("product-form")
	form.Set("step", "save")
	form.Set("feature.0", "Lether")

	page := v.post(path, form).wantStatus(422).contains("Material has no value “Lether”.").omits("has no value “Huge”")
	form = page.form("product-form")
	form.Set("feature.0", "Leather")
	v.post(path, form).wantRedirect(path)

	if got := c.read(c.product).Text("data.variants.2.options.0.value.name"); got != "Huge" {
		t.Errorf("the third size is %q, want Huge", got)
	}

	// A name that was changed after it had been typed as new is none of the new values.
	form = v.get(path).form("product-form")
	form.Set("variant.2.option.0", "Giant")
	form.Set("variant.2.option.0.new", "Huge")
	v.post(path, form).wantStatus(422).contains("Size has no value “Giant”.")
}

// The message above the form leads to each field that is wrong, and these are marked, also in the grid.
func TestProducts_errorsLeadToTheirFields(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	form := v.get(path).form("product-form")
	form.Set("weight", "heavy")
	form.Set("variant.0.price", "-5")
	form.Set("variant.1.price", "abc")
	form.Set("variant.1.stock.0", "many")
	form.Set("variant.1.barcodes", strings.Repeat("4", 300))
	form.Set("step", "add-group")
	form = v.post(path, form).wantStatus(200).form("product-form")
	form.Set("step", "save")
	form.Set("group.1.name", "Wrapping")
	form.Set("group.1.max", "two")
	form.Set("group.1.item.0.name", "Paper")
	form.Set("group.1.item.0.price", "free")

	page := v.post(path, form).wantStatus(422)
	alert := page.between(`role="alert"`, "</div>")
	for _, field := range []string{"weight", "variant.0.price", "variant.1.price", "variant.1.stock.0",
		"variant.1.barcodes", "group.1.max", "group.1.item.0.price"} {
		if !strings.Contains(alert, `href="#`+field+`"`) {
			t.Errorf("the message does not lead to %s: %s", field, alert)
		}
		if tag := page.between(`id="`+field+`"`, ">"); !strings.Contains(tag, `aria-invalid="true"`) {
			t.Errorf("%s is not marked: %s", field, tag)
		}
	}

	for _, field := range []string{"name", "variant.0.sku", "variant.0.stock.0", "group.1.name"} {
		if tag := page.between(`id="`+field+`"`, ">"); strings.Contains(tag, "aria-invalid") {
			t.Errorf("%s is marked, but it is right", field)
		}
	}
}

// A column of the grid is filled at once: empty fields only, or all. SKUs are made of the options, and none is there
// twice.
func TestProducts_columnsAreFilled(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	form := v.get(path).form("product-form")
	fill := func(column, text string, replace bool) {
		t.Helper()
		form.Set("step", "fill-column")
		form.Set("fill_column", column)
		form.Set("fill_text", text)
		form.Del("fill_replace")
		if replace {
			form.Set("fill_replace", "1")
		}
		form = v.post(path, form).wantStatus(200).form("product-form")
	}

	form.Set("variant.1.price", "")
	fill("price", "9.90", false)
	fill("stock.0", "4", true)
	form.Set("variant.1.option.0", "S")
	fill("sku", "TY", true)
	form.Set("variant.1.option.0", "L")
	for field, want := range map[string]string{"variant.0.price": "10.00", "variant.1.price": "9.90",
		"variant.0.stock.0": "4", "variant.1.stock.0": "4", "variant.0.sku": "TY-S", "variant.1.sku": "TY-S-2"} {
		if got := form.Get(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}

	fill("sku", "", false)
	fill("stock.99", "1", true)
	fill("stock.-1", "1", true)
	fill("modifiers", "1", true)
	form.Set("step", "save")
	v.post(path, form).wantRedirect(path)
	if got := c.read(c.product).Text("data.variants.1.price"); got != "9.9" {
		t.Errorf("the price is %s, want 9.9", got)
	}
}

// A copy of a product has its texts, options and prices, but no codes and no stock, and is not on sale.
func TestProducts_copy(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	v.get("/products/"+c.product).contains("/products/new?copy="+c.product, "Make a copy")
	page := v.get("/products/new?copy=" + c.product).wantStatus(200)
	form := page.form("product-form")
	location := v.post("/products/new", form).wantStatus(303).Header.Get("Location")
	read := c.read(strings.TrimPrefix(location, "/products/"))

	for member, want := range map[string]string{"data.name": "Boots (copy)", "data.description": "Warm.",
		"data.variants.0.price": "10", "data.variants.1.price": "12.5", "data.variants.0.sku": "",
		"data.variants.0.remainders.0.quantity": "0", "data.features.0.value.name": "Leather",
		"data.modifiers.0.name": "Laces", "data.categories.0.name": "Shoes"} {
		if got := read.Text(member); got != want && !(want == "" && got == "null") {
			t.Errorf("%s is %q, want %q", member, got, want)
		}
	}

	if got, _ := read.At("data.archived_at"); got == nil {
		t.Error("the copy is on sale already")
	}
	if read.Has("data.variants.1.remainders.0") {
		t.Error("the copy counts a variant that the product does not count")
	}

	v.get("/products/new?copy=0199f000-0000-7000-8000-000000000000").wantStatus(404)
	v.get("/products/new?copy=x").wantStatus(200)
	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/products/new?copy=" + c.product).wantStatus(403)
}

// In a real Chromium, images are chosen before a product is created. They stay while the form is shown again, and
// belong to the product once it is created. The bar at the end of the form says that something is not saved.
func TestBrowser_imagesBeforeTheProductIsCreated(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	file := filepath.Join(t.TempDir(), "gloves.png")
	if err := os.WriteFile(file, blobtest.EncodePNG(40, 30, 80), 0o600); err != nil {
		t.Fatal(err)
	}

	b := newTab(t, true)
	b.do(chromedp.Navigate(base+"/products/new"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("picture-file")))
	unsaved, price := chromedp.CSS("[data-unsaved]"), chromedp.CSS(`[id="variant.0.price"]`)
	b.do(chromedp.WaitNotVisible(unsaved), chromedp.SendKeys(chromedp.ID("name"), "Gloves"),
		chromedp.WaitVisible(unsaved), chromedp.SetUploadFiles(chromedp.ID("picture-file"), []string{file}),
		chromedp.WaitVisible(chromedp.CSS("[data-uploads] li")),
		chromedp.SendKeys(price, "abc"), b.press("Create the product"),
		chromedp.WaitVisible(chromedp.CSS(`.alert a[href="#variant.0.price"]`)),
		chromedp.WaitVisible(chromedp.CSS("[data-uploads] li")))

	b.do(chromedp.Click(chromedp.CSS(`.alert a[href="#variant.0.price"]`)))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if evaluate(b, chromedp.Evaluate[string]("document.activeElement.id")) == "variant.0.price" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the link of the error does not lead into its field")
		}
	}

	b.do(chromedp.SetValue(price, "7"), b.press("Create the product"),
		chromedp.WaitVisible(chromedp.CSS("[data-picture] img")))
	address := evaluate(b, chromedp.Evaluate[string]("location.pathname"))
	if got := c.read(strings.TrimPrefix(address, "/products/")).Text("data.variants.0.price"); got != "7" {
		t.Errorf("the price is %s, want 7", got)
	}
	for _, message := range b.consoleMessages() {
		if !strings.Contains(message, "status of 422") {
			t.Errorf("the console shows %q", message)
		}
	}
}

// Enter in a field of the product form saved the product to the live shop.
func TestBrowser_enterInTheProductFormSavesNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)

	for _, scripts := range []bool{true, false} {
		b := newTab(t, scripts)
		b.do(chromedp.Navigate(base+"/products/"+c.product), chromedp.WaitVisible(chromedp.ID("email")))
		b.signIn(s.store.AdminEmail, s.store.AdminPassword)
		b.do(chromedp.WaitVisible(chromedp.ID("description")),
			chromedp.SetValue(chromedp.ID("description"), "Half a description"),
			chromedp.SendKeys(chromedp.ID("category_q"), "nowhere"+kb.Enter),
			chromedp.WaitVisible(chromedp.CSS("#product-form[data-changed]")))

		if got := evaluate(b, chromedp.Value(chromedp.ID("description"))); got != "Half a description" {
			t.Errorf("scripts %v: after Enter in the search the description is %q", scripts, got)
		}

		b.do(chromedp.SendKeys(chromedp.ID("name"), " half"+kb.Enter),
			chromedp.Sleep(200*time.Millisecond), chromedp.WaitVisible(chromedp.ID("name")))
		if got := evaluate(b, chromedp.Value(chromedp.ID("name"))); !strings.Contains(got, "half") {
			t.Errorf("scripts %v: after Enter in the name it is %q", scripts, got)
		}
		if read := c.read(c.product); read.Text("data.description") != "Warm." || read.Text("data.name") != "Boots" {
			t.Errorf("scripts %v: Enter saved %s, %s", scripts, read.Text("data.name"), read.Text("data.description"))
		}
	}

	// On a new product, Enter in the price of the combinations adds them. Boxes and buttons are clicked by script: the
	// page scrolls smoothly while the mouse is on its way.
	b := newTab(t, true)
	tick := func(selector string) {
		t.Helper()
		evaluate(b, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q).click(), true", selector)))
	}
	b.do(chromedp.Navigate(base+"/products/new"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("name")), chromedp.SendKeys(chromedp.ID("name"), "Gloves"))
	tick("#combinations summary")
	tick(`input[name="cross_option"]`)
	tick(`button[value="choose-values"]`)
	b.do(chromedp.WaitVisible(chromedp.ID("cross_price")))
	tick(`input[name^="cross_value."]`)
	b.do(chromedp.SendKeys(chromedp.ID("cross_price"), "7"+kb.Enter),
		chromedp.WaitVisible(chromedp.CSS(`input[name="variant.1.price"]`)))

	if got := evaluate(b, chromedp.Value(chromedp.CSS(`input[name="variant.1.price"]`))); got != "7" {
		t.Errorf("the new variant has the price %q, want 7", got)
	}
}
