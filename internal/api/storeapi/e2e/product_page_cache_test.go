package e2e

import (
	"strconv"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

// The relative dates in a cached list are current, and the list shows every change of the catalogue and of the store.
func TestProducts_cachedListsStayCurrent(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		w := newFilterFixture(s)
		list := "/v2/products?sort=name&with=variants,features,categories,images,modifiers,facets"
		first := s.Get(list)
		first.WantSame(s.Get(list))
		ago := func() string { return s.Get(list).Text("data.0.created_at.diff") }
		before := ago()
		s.Clock.Advance(5 * time.Minute)
		if after := ago(); after == before || after != "5 minutes ago" {
			t.Errorf("the date says %q, and five minutes later %q", before, after)
		}

		image := uploadImage(s, encodeImage("png", newPicture(8, 8, false))).Text("data.id")
		shown := func(want int) {
			t.Helper()
			if got := s.Get(list).Len("data.0.images"); got != want {
				t.Errorf("%d images are shown, want %d", got, want)
			}
		}
		shown(0)
		s.OK(200, "PUT", "/v2/products/"+w.hammer, map[string]any{"images": []string{image}})
		shown(1)
		s.OK(204, "DELETE", imagesPath+"/"+image, nil)
		shown(0)

		for what, change := range map[string]func(){
			"a product's name": func() { s.OK(200, "PUT", "/v2/products/"+w.hammer, map[string]any{"name": "Anvil"}) },
			"a category's name": func() {
				s.OK(200, "PUT", categoriesPath+"/"+w.tools,
					map[string]any{"name": "Iron"})
			},
			"a value's name": func() {
				s.OK(200, "PUT", featuresPath+"/"+w.weight.id,
					map[string]any{"values": []any{map[string]any{"id": w.weight.values[2], "name": "4"}}})
			},
			"the store's language": func() {
				s.DoAdmin("PUT", "/api/store/settings", map[string]any{"locale": "ru"}, apitest.As(s.Keys.Secret))
			},
		} {
			then := string(s.Get(list).Body)
			change()
			if string(s.Get(list).Body) == then {
				t.Errorf("the list does not show a change of %s", what)
			}
		}
	}, apitest.Alone())
}

// What each stock has is the shop's own business. A page that a secret key has put into the cache must not show it to
// others, and neither must one from before the setting changed.
func TestRemainders_arePublicOnlyIfTheStoreSaysSo(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		stock := createNamed(s, stocksPath, "near")
		r := s.OK(201, "POST", "/v2/products", map[string]any{"name": "x", "variants": []any{map[string]any{"price": 1,
			"remainders": []any{map[string]any{"stock_id": stock, "quantity": 7}}}}})
		product, variant := r.Text("data.id"), r.Text("data.variants.0.id")
		shown := map[string]string{
			"/v2/products?with=variants":                       "data.0.variants.0.",
			"/v2/products/" + product:                          "data.variants.0.",
			"/v2/products/" + product + "/variants":            "data.0.",
			"/v2/products/" + product + "/variants/" + variant: "data.",
		}

		check := func(name string, want bool, options ...apitest.RequestOption) {
			t.Helper()
			for path, at := range shown {
				r := s.Get(path, options...)
				if r.Has(at+"remainders") != want || r.Text(at+"available") != "7" {
					t.Errorf("%s: %s shows %s", name, path, r.Body)
				}
			}
		}

		set := func(public bool) {
			body := map[string]any{"public_remainders": public}
			if r := s.DoAdmin("PUT", "/api/store/settings", body); r.Status != 200 ||
				r.Text("data.public_remainders") != strconv.FormatBool(public) {
				t.Fatalf("the settings are %s", r.Body)
			}
		}

		for range 2 { // at first the cache is empty
			check("a secret key", true)
			check("a publishable key", false, apitest.As(s.Publishable))
		}

		set(true)
		check("a publishable key, if they are public", true, apitest.As(s.Publishable))
		set(false)
		check("a publishable key afterwards", false, apitest.As(s.Publishable))

		if r := s.Get("/v2/store?with=settings",
			apitest.As(s.Publishable)); r.Text("data.settings.recaptcha.provider") !=
			"recaptcha_v3" {
			t.Errorf("the settings are %s", r.Body)
		}
	})
}
