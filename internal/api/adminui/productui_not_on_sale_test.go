package adminui_test

import (
	"fmt"
	"net/url"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestProduct_saysWhyItIsNotOnSale(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		const box = `id="not-on-sale"`
		key := apitest.As(s.store.SecretKey)
		path := "/products/" + c.product
		v.get(path).wantStatus(200).omits(box)

		v.post(path+"/archive", url.Values{}).wantStatus(303)
		v.get(path).contains(box, "It is archived, so nobody sees it.", `href="#danger"`, `id="danger"`).
			omits("sold out")
		v.post(path+"/restore", url.Values{}).wantStatus(303)

		create := func(variants string) string {
			t.Helper()
			body := fmt.Sprintf(`{"name":"Lamp","variants":[%s]}`, variants)
			return "/products/" + s.OK(201, "POST", "/v2/products", body, key).Text("data.id")
		}
		v.get(create("")).contains(box, "It has no variants", `href="#variants"`)
		v.get(create(`{"sku":"a","price":null}`)).contains("No variant has a price.").omits("sold out")
		stocked := `{"sku":"%s","price":1,"remainders":[{"stock_id":"` + c.stock + `","quantity":%d}]}`
		v.get(create(fmt.Sprintf(stocked, "b", 0))).contains("It is sold out in every warehouse.")
		v.get(create(fmt.Sprintf(stocked, "c", 0) + `,{"sku":"d","price":2}`)).omits("sold out")
	})
}
