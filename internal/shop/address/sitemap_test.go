package address

import (
	"errors"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
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

// Files of the sitemap begin with the right product, wherever archived ones lie.
func TestSelectKeyAt_countsLiveProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for _, pattern := range []string{"", "xxxx", "x.x.x.x.", "..xxxx..xxxxx.", ".xxxxxxxxxxxxxxxx..", "...x",
			".x..xxxxxxxxxxxx.x.", "x" + strings.Repeat(".", 9) + strings.Repeat("x", 40) + ".."} {
			shop := s.WithStore(s.NewStore(store.Edit{}))
			edits := make([]catalog.ProductEdit, len(pattern))
			for i := range edits {
				edits[i] = catalog.ProductEdit{Name: new("Mug"), Variants: &[]catalog.VariantEdit{}}
			}

			var live []int64
			shop.Write(func(tx store.Tx) error {
				made, err := s.Products.CreateAll(s.Context(), tx, edits)
				for i, p := range made {
					if pattern[i] == '.' {
						live = append(live, p.Key)
					} else if _, err := s.Products.Archive(s.Context(), tx, p.ID, nil); err != nil {
						return err
					}
				}
				return err
			})

			shop.Read(func(tx store.Tx) error {
				for position, want := range live {
					if got, err := selectKeyAt(s.Context(), tx, int64(position)); err != nil || got != want {
						t.Errorf("%s: at %d: %d, %v, want %d", pattern, position, got, err, want)
					}
				}
				if _, err := selectKeyAt(s.Context(), tx, int64(len(live))); !errors.Is(err, database.ErrNoRows) {
					t.Errorf("%s: behind the last: %v", pattern, err)
				}
				return nil
			})
		}
	})
}

// A long run of archived products, such as those of an old season, takes few lookups.
func TestArchivedBefore_looksUpFewProducts(t *testing.T) {
	t.Parallel()
	const first, last = 50_001, 1_050_000 // the archived products, beside the one at 10
	for position, want := range map[int64]int64{9: 0, 10: 1, 49_999: 1, 50_000: 1_000_001, 60_000: 1_000_001} {
		lookups := 0
		got, err := archivedBefore(position, 1_000_001, func(at int64) (int64, error) {
			lookups++
			n := max(0, min(at, last)-first+1)
			if at >= 10 {
				n++
			}
			return n, nil
		})

		if err != nil || got != want || lookups > 25 {
			t.Errorf("before %d are %d, %v, want %d, with %d lookups", position, got, err, want, lookups)
		}
	}
}
