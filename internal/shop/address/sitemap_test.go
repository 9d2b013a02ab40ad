package address

import (
	"testing"

	"vitrine/internal/shop/store"
)

func TestURL_isASCII(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]string{
		"":                                "",
		"https://shop.example":            "https://shop.example/p/lamp",
		"https://shop.example/":           "https://shop.example/p/lamp",
		"https://shop.example:8443/a%20b": "https://shop.example:8443/a%20b/p/lamp",
		"https://shop.example/a?b=c&d=e":  "https://shop.example/a/p/lamp?b=c&d=e",
		"https://магазин.рф":              "https://xn--80aairftm.xn--p1ai/p/lamp",
		"https://магазин.рф:8443/цена/":   "https://xn--80aairftm.xn--p1ai:8443/%D1%86%D0%B5%D0%BD%D0%B0/p/lamp",
		"https://shop.example/\"<'>?q=ц":  "https://shop.example/%22%3C%27%3E/p/lamp?q=%D1%86",
	} {
		if got := URL(store.Store{SiteURL: site}, "/p/lamp"); got != want {
			t.Errorf("on %s: %s, want %s", site, got, want)
		}
	}
}

// The home page counts, so that no file has more pages than allowed.
func TestFilesOf_countsHomePage(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]int64{0: 0, homePage: 1, SitemapSize: 1, SitemapSize + homePage: 2} {
		if got := filesOf(n); got != want {
			t.Errorf("%d pages are in %d files, want %d", n, got, want)
		}
	}
}
