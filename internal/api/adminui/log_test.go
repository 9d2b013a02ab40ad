package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// The log shows codes in words, what an object is if its name is not known, and links only to pages that exist.
func TestLog_isInWords(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()

	// A storefront may create carts with a secret key. The log leaves them out, like those of visitors.
	s.OK(201, "POST", "/v2/orders", `{}`, apitest.As(s.store.SecretKey))
	s.OK(200, "PUT", "/v2/categories/"+c.category, `{"name": "Footwear"}`, apitest.As(s.store.SecretKey))
	v.get("/settings/log").wantStatus(200).omits("Cart created").
		contains(`>Boots</a>`, `>Material</a>`, `>Shoes</a>`, `>Footwear</a>`, "<del>Shoes</del>")
	preview := v.post("/product-changes", url.Values{"action": {"archive"}, "all": {"1"},
		"selection": {"q=boots&category=" + c.category + "&sort=name"}}).wantStatus(200)
	v.post("/product-changes/start", preview.form("bulk-preview")).wantStatus(303)
	log := v.get("/settings/log?kind=product").wantStatus(200)
	log.contains("Many products changed", "Several products", `href="/product-changes/`, "Archive",
		"all that match the filters", "Filter by category").omits(c.category, "sort=")
	v.get("/settings/log?kind=order").wantStatus(200).contains("Nothing matches the filter")
	s.OK(204, "DELETE", "/v2/features/"+c.feature, nil, apitest.As(s.store.SecretKey))

	log = v.get("/settings/log?kind=feature").wantStatus(200).contains("Feature deleted", "Feature created")
	if n := strings.Count(log.text, `href="/features/`+c.feature); n != 1 {
		t.Errorf("%d entries link to the feature, want that of its creation only", n)
	}
}
