package storeapi_test

import (
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

// The relative dates in a cached list are current, and the list shows every change of the catalogue and of the store.
func TestProducts_cachedListsStayCurrent(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
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
	})
}
