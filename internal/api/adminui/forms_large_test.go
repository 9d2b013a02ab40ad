package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
)

// Thousands of pasted values, and a grid of hundreds of variants in many warehouses, are within the limits. Cyrillic
// letters have 6 bytes in a form.
func TestForms_largeOnesAreRead(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	id, _ := s.newAttribute("/v2/variant-options", "Size")
	var lines strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&lines, "Очень тёмный синий цвет %d\n", i)
	}
	v.post("/options/"+id+"/values", url.Values{"lines": {lines.String()}}).wantRedirect("/options/" + id)
	v.get("/options/" + id).contains("12,000 values")
	v.post("/options/"+id+"/values", url.Values{"lines": {strings.Repeat("x", 17<<20)}}).wantStatus(422).wantHTML().
		contains("too many values at once")

	form := url.Values{"name": {"Boots"}, "variants": {"500"}, "step": {"add-variant"}}
	for k := range 40 {
		stock := s.catalogAPI(201, "POST", "/v2/stocks", map[string]any{"name": fmt.Sprint("Stock ", k)}).Text("data.id")
		form.Add("stock", stock)
		form.Add("stock_name", fmt.Sprint("Stock ", k))
	}
	for i := range 500 {
		form.Set(fmt.Sprintf("variant.%d.sku", i), fmt.Sprint("sku-", i))
		for k := range 40 {
			form.Set(fmt.Sprintf("variant.%d.stock.%d", i, k), "7")
		}
	}
	got := v.post("/products/new", form).wantStatus(200).form("product-form")
	if got.Get("variants") != "501" || got.Get("variant.499.sku") != "sku-499" || got.Get("variant.499.stock.39") != "7" {
		t.Errorf("the form has %s rows, the last article number %s", got.Get("variants"), got.Get("variant.499.sku"))
	}
	form.Set("description", strings.Repeat("x", 17<<20))
	v.post("/products/new", form).wantStatus(413).wantHTML().contains("The form is too large", `id="product-form"`)
}
