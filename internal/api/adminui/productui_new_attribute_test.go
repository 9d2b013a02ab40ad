package adminui_test

import (
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// A feature and an option are made in the form of a product, which keeps what was typed. A name that exists already
// makes no second one.
func TestProduct_makesFeaturesAndOptionsInItsForm(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		form := v.get("/products/new").wantStatus(200).form("product-form")
		form.Set("name", "Boots")
		form.Set("step", "create-feature")
		v.post("/products/new", form).wantStatus(422).contains("Type the name first.", `value="Boots"`)

		form.Set("new_feature_name", " Fabric <b> ")
		page := v.post("/products/new", form).wantStatus(200).wantHTML().contains("Fabric &lt;b&gt;", `value="Boots"`,
			`name="feature.0"`)
		form = page.form("product-form")
		form.Set("step", "create-option")
		form.Set("new_option_name", "Size")
		page = v.post("/products/new", form).wantStatus(200).wantHTML().contains("Values of Size", "Fabric &lt;b&gt;")

		form = page.form("product-form")
		form.Set("step", "create-option")
		form.Set("new_option_name", "SIZE")
		v.post("/products/new", form).wantStatus(200).omits("Values of SIZE")
		if n := s.catalogAPI(200, "GET", "/v2/variant-options", nil).Len("data"); n != 1 {
			t.Errorf("there are %d options", n)
		}
		if n := s.catalogAPI(200, "GET", "/v2/features", nil).Len("data"); n != 1 {
			t.Errorf("there are %d features", n)
		}

		s.wantCatalogAudit("feature.created", "option.created")

		form.Set("new_option_name", "x")
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.post("/products/new", form).wantStatus(403)
	})
}
