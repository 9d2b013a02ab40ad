package adminui_test

import (
	"net/url"
	"testing"

	"vitrine/internal/kit/database"
)

// priceShop is a shop with a lamp and a chair. Dealers get the lamp for 8.80 (for 7.50 from 10 on) and, by their second
// list, the chair for 55.55. Nobody gets the prices of the list of partners. The old price of the lamp is 15.15.
type priceShop struct {
	*client
	lamp, chair                 stocked
	dealers, wholesale, partner string
}

func newPriceShop(t *testing.T, s *fixture) priceShop {
	t.Helper()
	shop := priceShop{client: s.withT(t).owner(), lamp: s.newStocked("Lamp", "L-1", 5, 0),
		chair: s.newStocked("Chair", "C-1", 0, 0)}
	newList := func(name string) string {
		return s.catalogAPI(201, "POST", "/v2/price-lists", map[string]any{"name": name}).Text("data.id")
	}
	shop.wholesale = newList("Wholesale")
	second, before := newList("Second choice"), newList("Before")
	shop.partner = newList("Partners")

	set := func(p stocked, price float64, lists ...map[string]any) {
		s.catalogAPI(200, "PUT", variantPath(p.product, p.variant),
			map[string]any{"price": price, "price_lists": lists})
	}
	of := func(list string, price float64, from int) map[string]any {
		return map[string]any{"price_list_id": list, "price": price, "from_quantity": from}
	}
	set(shop.lamp, 10.10, of(shop.wholesale, 8.80, 1), of(shop.wholesale, 7.50, 10), of(second, 9.90, 1),
		of(before, 15.15, 1), of(shop.partner, 3.33, 1))
	set(shop.chair, 60.60, of(second, 55.55, 1), of(shop.partner, 4.44, 1))

	shop.dealers = s.catalogAPI(201, "POST", "/v2/customer-groups", map[string]any{"name": "Dealers",
		"price_lists": []string{shop.wholesale, second}}).Text("data.id")
	form := shop.get("/settings").wantStatus(200).form("/settings")
	form.Set("timezone", "UTC")
	form.Set("old_price_list", before)
	shop.post("/settings", form).wantStatus(303)
	return shop
}

func TestStorefront_hasThePricesOfTheGroup(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		shop := newPriceShop(t, s)

		shop.get("/storefront").wantStatus(200).contains("Lamp", "10.10", "15.15", "60.60", "Sold out",
			"The prices are those of the products themselves.").omits("8.80", "7.50", "9.90", "55.55", "3.33", "4.44")
		page := "/storefront?group=" + shop.dealers
		shop.get(page).wantStatus(200).contains("8.80", "15.15", "from 10:", "7.50", "55.55", "Wholesale</a>, ",
			"Second choice</a>, ", "the product itself").omits("60.60", "9.90", "3.33", "4.44")
		shop.get("/customer-groups").wantStatus(200).contains(`href="/storefront?group=` + shop.dealers + `"`)
		shop.get("/customer-groups/" + shop.dealers).wantStatus(200).contains(`href="` + page + `"`)

		// The group's prices decide what a filter finds and how the list is sorted.
		shop.get(page + "&price[from]=8,7&price[to]=8.8").wantStatus(200).contains("Lamp").omits("Chair</a>")
		shop.get("/storefront?price[from]=8&price[to]=9").wantStatus(200).contains("No product matches.")
		shop.get(page + "&q=chai").wantStatus(200).contains("Chair").omits("Lamp</a>").contains("Clear the filters")
		shop.get(page+"&per_page=1&sort=price").wantStatus(200).contains("Lamp</a>", "page=2").omits("Chair</a>")
		shop.get(page + "&per_page=1&sort=price&page=2").wantStatus(200).contains("Chair</a>").omits("Lamp</a>")

		shop.get("/storefront?group=x").wantStatus(400)
		shop.get("/storefront?group=" + shop.partner).wantStatus(404)
		shop.get(page + "&sort=colour").wantStatus(422)
	})
}

func TestStorefront_saysWhichListAPriceComesFrom(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		shop := newPriceShop(t, s)

		lamp, chair := "/products/"+shop.lamp.product+"/storefront", "/products/"+shop.chair.product+"/storefront"
		asDealer := "?group=" + shop.dealers
		shop.get(lamp).wantStatus(200).contains("10.10", "15.15", `productui-source">the product itself<`).
			omits("8.80", "3.33", `productui-source">Wholesale<`)
		shop.get(lamp+asDealer).wantStatus(200).
			contains("8.80", "15.15", `productui-source">Wholesale<`, "from 10:", "7.50").omits("9.90", "3.33")
		shop.get(chair+asDealer).wantStatus(200).contains("55.55", `productui-source">Second choice<`).omits("4.44")
		shop.get("/storefront" + asDealer).wantStatus(200).contains(lamp + asDealer)
		shop.get(lamp + "?group=" + shop.partner).wantStatus(404)

		// A group without a price of a product gets the product's own price.
		form := url.Values{"name": {"Dealers"}, "price_lists": {shop.wholesale}, "version": {"1"}}
		shop.post("/customer-groups/"+shop.dealers, form).wantStatus(303)
		shop.get(chair+asDealer).wantStatus(200).contains("60.60", `productui-source">the product itself<`).
			omits("55.55")
	})
}

func TestStorefront_isEmptyInANewShop(t *testing.T) {
	t.Parallel()
	newFixture(t, database.SQLite).owner().get("/storefront").wantStatus(200).contains("There are no products yet.").
		omits("Larger quantities")
}

func TestStorefront_showsVariantsPageByPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	var variants []map[string]any
	for i := range 101 {
		variants = append(variants, map[string]any{"sku": "V-" + string(rune('a'+i/26)) + string(rune('a'+i%26)),
			"name": "Number " + string(rune('a'+i/26)) + string(rune('a'+i%26)), "price": 1})
	}
	product := s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Screws",
		"variants": variants}).Text("data.id")

	v := s.owner()
	path := "/products/" + product + "/storefront"
	v.get(path).wantStatus(200).contains("V-aa", path+"?page=2").omits("V-dw")
	v.get(path + "?page=2").wantStatus(200).contains("V-dw").omits("V-aa")
	v.get(path + "?page=3").wantStatus(200)
	v.get(path + "?page=x").wantStatus(400)
}
