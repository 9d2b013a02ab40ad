package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// catalogAPI sends a request to the API with the secret key of the store and expects a status.
func (s *fixture) catalogAPI(status int, method, path string, body any) *apitest.Response {
	s.t.Helper()
	return s.OK(status, method, path, body, apitest.As(s.store.SecretKey))
}

// newAttribute creates an option or a feature by the API. It returns the id and the ids of the values by name.
func (s *fixture) newAttribute(path, name string, values ...string) (id string, valueIDs map[string]string) {
	s.t.Helper()
	list := []any{}
	for _, v := range values {
		list = append(list, map[string]any{"name": v})
	}
	created := s.catalogAPI(201, "POST", path+"?with=values", map[string]any{"name": name, "values": list})
	valueIDs = map[string]string{}
	for i, v := range values {
		valueIDs[v] = created.Text(fmt.Sprintf("data.values.%d.id", i))
	}
	return created.Text("data.id"), valueIDs
}

func (s *fixture) wantAPIValues(path, want string) {
	s.t.Helper()
	if got := strings.Join(s.catalogAPI(200, "GET", path+"/values", nil).Texts("data", "name"), " "); got != want {
		s.t.Errorf("%s has the values %q, want %q", path, got, want)
	}
}

// catalogAudit returns the actions of operators in the audit log, oldest first.
func (s *fixture) catalogAudit() (actions []string) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		actions = nil
		const sql = "SELECT action FROM audit_entries WHERE store_id = $1 AND actor_kind = 'operator' ORDER BY sequence"
		return database.QueryEach(s.t.Context(), q, sql, []any{s.store.StoreID}, database.AppendColumn(&actions))
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return actions
}

func (s *fixture) wantCatalogAudit(want ...string) {
	s.t.Helper()
	if got := strings.Join(s.catalogAudit(), " "); !strings.HasSuffix(got, strings.Join(want, " ")) {
		s.t.Errorf("the audit log has %q, want it to end with %q", got, want)
	}
}

// Chosen values are merged on a page that shows first what happens. It works without scripts.
func TestValues_areMerged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		for _, c := range []struct{ page, api, impact string }{
			{"/options", "/v2/variant-options", "No variant uses the others."},
			{"/features", "/v2/features", "1 product gets “red”."},
		} {
			id, values := s.newAttribute(c.api, "Color", "red", "crimson", "blue")
			path := c.page + "/" + id
			if c.page == "/features" {
				s.catalogAPI(201, "POST", "/v2/products", `{"name": "Shirt", "features": [{"feature_id": "`+id+
					`", "value_id": "`+values["crimson"]+`"}]}`)
			}

			v.get(path).wantStatus(200).contains("Merge the chosen values…", path+"/values/merge")
			v.get(path + "/values/merge?value=" + values["red"]).wantStatus(422).contains("Choose at least two values")
			chosen := "?value=" + values["red"] + "&value=" + values["crimson"]
			v.get(path + "/values/merge" + chosen + "&into=" +
				values["crimson"]).wantStatus(200).contains("Merge into “crimson”")
			page := v.get(path+"/values/merge"+chosen).wantStatus(200).wantHTML().contains("Merge into “red”", c.impact)
			s.wantAPIValues(c.api+"/"+id, "red crimson blue")
			form := url.Values{"value": {values["red"], values["crimson"]}, "into": {values["red"]}}
			v.post(path+"/values/merge", form).wantStatus(422).contains("Somebody else has changed this meanwhile")
			form.Set("version", page.between(`name="version" value="`, `"`))
			v.post(path+"/values/merge", form).wantRedirect(path)
			s.wantAPIValues(c.api+"/"+id, "red blue")
			s.wantCatalogAudit("values.merged")
		}
	})
}

func TestOptions_areCreatedRenamedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/options").wantStatus(200).wantHTML().contains("There are no options yet.")

		v.post("/options", url.Values{"name": {"  "}}).wantStatus(422).contains("A name may not be empty")
		path := v.post("/options", url.Values{"name": {"<b>Size</b>"}}).wantStatus(303).Header.Get("Location")
		v.get(path).wantStatus(200).contains("&lt;b&gt;Size&lt;/b&gt;", "There are no values yet.").omits("<b>Size</b>")
		version := v.get(path).between(`name="version" value="`, `"`)
		v.post(path, url.Values{"name": {"Size"}, "version": {version}}).wantRedirect(path)
		v.post(path, url.Values{"name": {"Length"}, "version": {version}}).wantStatus(422).
			contains("Somebody else has changed this meanwhile", "Size", `value="Length"`)
		v.get("/options?q=siz").contains("Size")
		v.get("/options?q=nothing").contains("Nothing is called")
		v.get(path+"/delete").wantStatus(200).contains("Delete “Size”?", "No product uses it.")
		v.post(path+"/delete", url.Values{"version": {version}}).wantStatus(422)
		version = v.get(path+"/delete").between(`name="version" value="`, `"`)
		v.post(path+"/delete", url.Values{"version": {version}}).wantRedirect("/options")
		v.get(path).wantStatus(404)
		s.wantCatalogAudit("option.created", "option.renamed", "option.deleted")
	})
}

func TestFeatures_haveATypeAndASwitch(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		path := v.post("/features", url.Values{"name": {"Weight"},
			"type": {"float"}}).wantStatus(303).Header.Get("Location")
		api := strings.Replace(path, "/features", "/v2/features", 1)
		v.post("/features", url.Values{"name": {"x"},
			"type": {"colour"}}).wantStatus(422).contains("Choose one of the types")
		v.post(path, url.Values{"switch": {"on"}, "back": {"/features?q=w"}}).wantRedirect("/features?q=w")
		if got := s.catalogAPI(200, "GET", api, nil); got.Text("data.filterable") != "true" ||
			got.Text("data.field_type.id") != "range" || got.Text("data.name") != "Weight" {
			t.Errorf("the feature is %s", got.Body)
		}

		v.get("/features").contains(`aria-checked="true"`)
		v.post(path, url.Values{"switch": {"off"}, "back": {"https://elsewhere.example/"}}).wantRedirect("/features")
		v.post(path+"/values", url.Values{"lines": {"1.5\nheavy\n"}}).wantStatus(422).contains("heavy",
			"plain decimal number")
		s.wantAPIValues(api, "")
		v.post(path+"/values", url.Values{"lines": {"10\n1.5"}}).wantRedirect(path)
		v.post(path+"/values/sort",
			url.Values{"version": {"1"}}).wantStatus(422).contains("Somebody else has changed this")
		s.wantAPIValues(api, "10 1.5")
		v.post(path, url.Values{"name": {"Mass"}, "type": {"select"}, "version": {"1"}}).wantStatus(422).
			contains("Now it is: “Weight”, numbers, not shown in filters", `value="Mass"`)
		version := v.get(path).between(`name="version" value="`, `"`)
		v.post(path+"/values/sort", url.Values{"version": {version}}).wantRedirect(path)
		s.wantAPIValues(api, "1.5 10")
		s.wantCatalogAudit("feature.created", "feature.edited", "feature.edited", "values.added", "values.ordered")
	})
}

func TestValues_areAddedRenamedOrderedAndRemoved(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		id, values := s.newAttribute("/v2/variant-options", "Size", "L", "S", "M")
		path, api := "/options/"+id, "/v2/variant-options/"+id
		one := func(name string) string { return path + "/values/" + values[name] }

		v.post(path+"/values", url.Values{"lines": {" XL \r\n\r\ns\r\nXL\r\nXXL"}}).wantRedirect(path)
		s.wantAPIValues(api, "L S M XL XXL")
		v.post(path+"/values", url.Values{"lines": {"\n"}}).wantStatus(422).contains("Write at least one value.")

		v.post(one("L"), url.Values{"was": {"L"}, "name": {"Large"}, "back": {path + "?q=l"}}).wantRedirect(path +
			"?q=l")
		s.wantAPIValues(api, "Large S M XL XXL")
		v.post(one("L"), url.Values{"was": {"L"}, "name": {"Larger"}}).wantStatus(422).contains("it is “Large” now")
		v.post(one("L"), url.Values{"was": {"Large"}, "name": {""}}).wantStatus(422)

		// A refused name stays in its row, among the values that were searched for.
		long := strings.Repeat("x", 300)
		v.post(one("L"), url.Values{"was": {"Large"}, "name": {long}, "back": {path + "?q=l"}}).wantStatus(422).
			contains(`value="`+long+`"`, `id="v`+values["L"]+`-wrong"`).omits(`value="M"`)

		v.post(one("S")+"/place", url.Values{"to": {"1"}, "place": {"2"}}).wantRedirect(path)
		v.post(one("M")+"/place", url.Values{"place": {"2"}}).wantRedirect(path)
		s.wantAPIValues(api, "S M Large XL XXL")
		v.post(one("M")+"/place", url.Values{"place": {"first"}}).wantStatus(422).contains("A place is a whole number",
			`value="first"`, `id="p`+values["M"]+`-wrong"`)
		v.get(path+"?q=x").contains(`value="XL"`, `value="XXL"`).omits(`value="Large"`)

		v.get(path + "/values/remove").wantStatus(422).contains("Choose 1 to")
		v.get(path + "/values/remove?value=x").wantStatus(422)
		page := v.get(path + "/values/remove?value=" + values["M"]).wantStatus(200).contains("No variant uses them.")
		s.wantAPIValues(api, "S M Large XL XXL") // the impact changes nothing
		form := url.Values{"value": {values["M"]}, "version": {page.between(`name="version" value="`, `"`)}}
		v.post(path+"/values/remove", form).wantRedirect(path)
		s.wantAPIValues(api, "S Large XL XXL")
		v.post(path+"/values/remove", form).wantStatus(422)
		s.wantCatalogAudit("values.added", "values.renamed", "values.ordered", "values.ordered", "values.removed")
	})
}

func TestValues_removalShowsItsImpact(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()

		size, sizes := s.newAttribute("/v2/variant-options", "Size", "S", "M")
		colour, colours := s.newAttribute("/v2/features", "Colour", "red")
		variant := func(sku, value string) map[string]any {
			return map[string]any{"sku": sku, "price": 1,
				"options": []any{map[string]any{"option_id": size, "value_id": sizes[value]}}}
		}
		product := s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "<i>Shirt</i>",
			"features": []any{map[string]any{"feature_id": colour, "value_id": colours["red"]}},
			"variants": []any{variant("sku-s", "S"), variant("sku-m", "M")}}).Text("data.id")
		v.get("/options/"+size+"/values/remove?value="+sizes["S"]+"&value="+sizes["M"]).wantStatus(200).
			contains("2 variants lose this option.", "sku-s", "/products/"+product)
		v.get("/features/"+colour+"/values/remove?value="+colours["red"]).wantStatus(200).
			contains("1 product loses the value.", "&lt;i&gt;Shirt&lt;/i&gt;")
		v.get("/options/" + size + "/delete").contains("1 product loses it.")
		v.get("/options").contains("Size")
	})
}

func TestValues_facetsFollowTheirOrder(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		size, sizes := s.newAttribute("/v2/variant-options", "Size", "L", "S")
		for _, value := range []string{"L", "S"} {
			s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Shirt",
				"variants": []any{map[string]any{"price": 1,
					"options": []any{map[string]any{"option_id": size, "value_id": sizes[value]}}}}})
		}

		facets := func() string {
			return strings.Join(s.catalogAPI(200, "GET", "/v2/products?with=facets", nil).
				Texts("meta.facets.options.0.values", "name"), " ")
		}
		if got := facets(); got != "L S" {
			t.Errorf("the facet is %q, want L S", got)
		}

		v.post("/options/"+size+"/values/"+sizes["S"]+"/place", url.Values{"place": {"1"}}).wantStatus(303)
		if got := facets(); got != "S L" {
			t.Errorf("after the move the facet is %q, want S L", got)
		}
	})
}

func TestCatalogPages_refuseViewers(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		id, values := s.newAttribute("/v2/variant-options", "Size", "L")
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/options/"+id).wantStatus(200).contains("L").omits("Rename", "Add values")
		viewer.get("/categories").wantStatus(200).omits("New category")
		viewer.get("/stock").wantStatus(200)

		for _, path := range []string{"/options", "/options/" + id, "/options/" + id + "/delete",
			"/options/" + id + "/values",
			"/options/" + id + "/values/sort", "/options/" + id + "/values/remove",
			"/options/" + id + "/values/" + values["L"],
			"/options/" + id + "/values/" + values["L"] + "/place", "/categories", "/categories/step",
			"/categories/" + id,
			"/categories/" + id + "/move", "/categories/" + id + "/delete", "/stock/quantity", "/stock/quantities",
			"/stock/warehouses",
			"/stock/warehouses/" + id, "/stock/warehouses/" + id + "/delete"} {
			viewer.post(path, url.Values{"name": {"x"}}).wantStatus(403)
		}

		s.wantAPIValues("/v2/variant-options/"+id, "L")
	})
}

// In a real Chromium an operator pastes values, renames one in place, moves one and removes one.
func TestBrowser_valuesOfAnOption(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	id, values := s.newAttribute("/v2/variant-options", "Size", "L", "S")
	path, api := "/options/"+id, "/v2/variant-options/"+id
	b.do(chromedp.Navigate(base+path), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("lines")))
	b.wantFitsPhone("an option")
	b.markDocument()
	b.do(chromedp.SendKeys(chromedp.ID("lines"), "M\nXL\nS"), b.press("Add"),
		chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "2 values are added.")]`))
	s.wantAPIValues(api, "L S M XL")
	b.do(chromedp.SetValue(chromedp.ID("v"+values["L"]), "Large"),
		chromedp.SendKeys(chromedp.ID("v"+values["L"]), "\r"),
		chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "Large")]`))
	s.wantAPIValues(api, "Large S M XL")
	b.do(chromedp.Click(chromedp.CSS(`button[aria-label="Move “S” up"]`)),
		chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "Moved to place 1.")]`))
	b.wantDocumentKept("moving a value")
	s.wantAPIValues(api, "S Large M XL")
	b.do(b.press("Undo"), chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "Moved to place 2.")]`))
	s.wantAPIValues(api, "Large S M XL")
	b.do(chromedp.Click(chromedp.CSS(`input[value="`+values["S"]+`"]`)), b.press("Remove the chosen values…"),
		chromedp.WaitVisible(`//h1[contains(., "Remove 1 value")]`))
	b.wantFitsPhone("the question before removing values")
	b.do(b.press("Remove"), chromedp.WaitVisible(chromedp.ID("lines")))
	s.wantAPIValues(api, "Large M XL")

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
