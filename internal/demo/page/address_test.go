package page_test

import (
	"fmt"

	"github.com/chromedp/chromedp"

	"vitrine/internal/testkit/apitest"
)

// wantPage waits until the page has this path and query, title and heading: that of a product, of a category, or none.
func (b *browser) wantPage(path, title, heading string) {
	b.t.Helper()
	b.waitUntil(fmt.Sprintf(`decodeURI(location.pathname + location.search) === %q && document.title === %q && (product.open ?
		document.getElementById("product-name").textContent : crumbs.querySelector("h1")?.textContent ?? "") === %q`,
		"/demo"+path, title, heading))
}

// Categories and products have the paths of the store, which a reload, a link and the back button lead to.
func (b *browser) followAddresses(s *apitest.Server) {
	newCategory := func(body string) string {
		return s.OK(201, "POST", "/v2/categories", body, apitest.As(s.Secret)).Text("data.id")
	}
	parent := newCategory(`{"name":"Hot drinks"}`)
	child := newCategory(`{"name":"Coffee","parent_id":"` + parent + `"}`)
	coffee := s.OK(201, "POST", "/v2/products", `{"name":"Dark roast","categories":["`+child+
		`"],"variants":[{"price":9}]}`, apitest.As(s.Secret)).Text("data.id")

	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.URL+"/demo#key="+s.Publishable),
		chromedp.WaitVisible(chromedp.CSS(".card")), chromedp.Click(`//*[@id="filters"]//a[contains(., "Hot drinks")]`))
	b.wantPage("/c/hot-drinks", "Hot drinks – North", "Hot drinks")
	b.run(chromedp.Click(`//*[@id="filters"]//a[contains(., "Coffee")]`))
	b.wantPage("/c/hot-drinks/coffee", "Coffee – North", "Coffee")
	b.run(chromedp.WaitVisible(`//p[.="1 product"]`))
	evaluate[bool](b, `sort.value = "price", sort.dispatchEvent(new Event("change"))`)
	b.wantPage("/c/hot-drinks/coffee?sort=price", "Coffee – North", "Coffee")

	// A product opens above the list, also after a reload, and closing it leads back to the list.
	b.run(chromedp.WaitVisible(chromedp.CSS("#grid:not([aria-busy])")), chromedp.Click(chromedp.CSS(".card a")))
	b.wantPage("/p/dark-roast", "Dark roast – North", "Dark roast")
	b.checkFitsPhone("the product with breadcrumbs")
	b.run(chromedp.Reload())
	b.wantPage("/p/dark-roast", "Dark roast – North", "Dark roast")
	b.waitUntil(`crumbs.innerText !== ""`) // the list is drawn after the product above it
	if got := evaluate[string](b, `crumbs.innerText + "|" + product.querySelector(".way").innerText`); got !=
		"All categories / Hot drinks\n\nCoffee|All categories / Hot drinks / Coffee" {
		b.t.Errorf("the breadcrumbs are %q", got)
	}
	b.run(chromedp.Click(chromedp.CSS("#product [data-close]")))
	b.wantPage("/c/hot-drinks/coffee?sort=price", "Coffee – North", "Coffee")
	b.run(chromedp.NavigateBack())
	b.wantPage("/p/dark-roast", "Dark roast – North", "Dark roast")
	b.run(chromedp.Click(`//*[@id="product"]//a[.="Hot drinks"]`))
	b.wantPage("/c/hot-drinks", "Hot drinks – North", "Hot drinks")

	// Former addresses and redirects lead to the present ones.
	s.OK(200, "PUT", "/v2/products/"+coffee, `{"slug":"dark"}`, apitest.As(s.Secret))
	s.OK(201, "POST", "/v2/redirects", `{"from":"/coffee","to":"/c/hot-drinks/coffee"}`, apitest.As(s.Secret))
	for from, to := range map[string][3]string{
		"/p/dark-roast":                      {"/p/dark", "Dark roast – North", "Dark roast"},
		"/coffee?sort=name":                  {"/c/hot-drinks/coffee?sort=name", "Coffee – North", "Coffee"},
		"/?product=" + coffee + "&q=roast":   {"/?product=" + coffee + "&q=roast", "Dark roast – North", "Dark roast"},
		"/?category=" + child:                {"/?category=" + child, "Coffee – North", "Coffee"},
		"/c/hot-drinks/coffee/":              {"/c/hot-drinks/coffee", "Coffee – North", "Coffee"},
		"/c/hot-drinks/coffee?in_stock=true": {"/c/hot-drinks/coffee?in_stock=true", "Coffee – North", "Coffee"},
	} {
		b.run(chromedp.Navigate(s.URL + "/demo" + from))
		b.wantPage(to[0], to[1], to[2])
	}

	b.run(chromedp.Navigate(s.URL + "/demo/p/nothing"))
	b.waitForText("p", "There is no such page in this shop.")
	b.wantPage("/p/nothing", "North", "")
	b.checkFitsPhone("the page of a path that leads nowhere")
	b.run(chromedp.Click(`//a[.="Show all products"]`), chromedp.WaitVisible(chromedp.CSS(".card")))
	b.wantPage("/", "North", "")
	b.checkConsole(401, 404, 409, 422)
}
