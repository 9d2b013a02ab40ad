package adminui_test

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

func TestProducts_showWhatCustomersGet(t *testing.T) {
	t.Parallel()

	c := newShelf(newFixture(t, database.SQLite))
	v := c.owner()
	key := apitest.As(c.store.SecretKey)
	path := "/products/" + c.product
	v.get(path).contains(`href="` + path + `/storefront"`)
	v.get(path+"/storefront").wantStatus(200).wantHTML().contains("What your site gets", "Warm.", "Material", "Leather",
		"Shoes", "Laces", "B-S", "3 left", "12.50", "Can always be ordered", "/v2/products/"+c.product)
	variant := c.read(c.product).Text("data.variants.0.id")
	c.OK(200, "PUT", variantPath(c.product, variant), `{"remainders":[{"stock_id":"`+c.stock+`","quantity":0}]}`, key)
	v.get(path + "/storefront").contains("Sold out").omits("3 left")
	c.OK(200, "POST", variantPath(c.product, variant)+"/archive", nil, key)
	v.get(path + "/storefront").contains("B-L").omits("B-S")
	c.OK(200, "POST", "/v2/products/"+c.product+"/archive", nil, key)
	v.get(path + "/storefront").contains("it is archived")
	v.get(path).omits(path + "/storefront")
	v.get("/products/unknown/storefront").wantStatus(404)
}

func variantPath(product, variant string) string {
	return "/v2/products/" + product + "/variants/" + variant
}
