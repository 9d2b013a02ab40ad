package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestProducts_draftIsShownAsOneUntilItIsPublished(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		create := func(name string) string {
			t.Helper()
			form := v.get("/products/new").wantStatus(200).form("product-form")
			form.Set("name", name)
			form.Set("draft", "1")
			return v.post("/products/new", form).wantStatus(303).Header.Get("Location")
		}
		draft := create("Gloves")
		archived := create("Scarf")
		const badge, drafts = `data-state="off">Draft<`, "/products?archived=draft"

		v.get(draft).contains(badge, "Save and publish")
		v.get(drafts).contains("Gloves", "Scarf", badge)
		v.get("/products").omits("Gloves")
		v.get("/products?archived=true").contains("Gloves", badge)
		key := apitest.As(s.store.SecretKey)
		s.WantProblem("400 malformed_query", "GET", "/v2/products?archived=draft", nil, key)

		// Restoring a draft ends it: archiving the product later does not make it a draft again.
		v.post(archived+"/restore", url.Values{}).wantStatus(303)
		v.post(archived+"/archive", url.Values{}).wantStatus(303)
		v.get(archived).contains(">Archived<").omits(badge)
		v.get(drafts).contains("Gloves").omits("Scarf")

		// Publishing saves the form; a form with an error publishes nothing.
		form := v.get(draft).form("product-form")
		form.Set("step", "publish")
		form.Set("name", "")
		v.post(draft, form).wantStatus(422)
		v.get(drafts).contains("Gloves")
		form.Set("name", "Mittens")
		v.post(draft, form).wantRedirect(draft)
		v.get(draft).contains("Mittens").omits(badge, "Save and publish")
		s.OK(200, "GET", "/v2/products/"+strings.TrimPrefix(draft, "/products/"), nil, key)
		v.get(drafts).omits("Mittens")
		v.get("/settings/log").contains("Draft published")
	})
}
