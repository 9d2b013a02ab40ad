package adminui_test

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
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
		stock := s.catalogAPI(201, "POST", "/v2/stocks",
			map[string]any{"name": fmt.Sprint("Stock ", k)}).Text("data.id")
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
	if got.Get("variants") != "501" || got.Get("variant.499.sku") != "sku-499" ||
		got.Get("variant.499.stock.39") != "7" {
		t.Errorf("the form has %s rows, the last article number %s", got.Get("variants"), got.Get("variant.499.sku"))
	}

	form.Set("description", strings.Repeat("x", 17<<20))
	v.post("/products/new", form).wantStatus(413).wantHTML().contains("The form is too large", `id="product-form"`)
}

// A form says itself how many rows and columns it has. One that claims far more fields than it has sent would make the
// server build millions of them from a few kilobytes.
func TestForms_claimNoMoreFieldsThanTheySend(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	options := slices.Repeat([]string{""}, 6000)
	groups := url.Values{"step": {"x"}, "groups": {"5000"}}

	for i := range 2500 {
		groups.Set(fmt.Sprintf("group.%d.items", i), "5000")
	}

	for what, form := range map[string]url.Values{
		"rows and columns": {"step": {"x"}, "variants": {"5000"}, "option": options},
		"a new product":    {"name": {"Boots"}, "variants": {"5000"}, "option": options},
		"modifiers":        groups,
	} {
		got := v.post("/products/new", form).wantStatus(400).wantHTML()
		if !strings.Contains(got.text, "fewer fields than it says") {
			t.Errorf("%s: the page does not say that the form is incomplete", what)
		}
	}

	crossed := url.Values{"step": {"add-combinations"}, "option": slices.Repeat([]string{""}, 3000)}
	id, _ := s.newAttribute("/v2/variant-options", "Size")
	crossed["cross_option"] = slices.Repeat([]string{id}, 3000)
	var sizes strings.Builder

	for i := range 500 {
		fmt.Fprintf(&sizes, "%d\n", i)
	}

	crossed.Set("cross_other."+id, sizes.String())
	v.post("/products/new", crossed).wantStatus(200).wantHTML().contains("The table would become too large")
	crossed.Set("cross_other."+id, strings.Repeat("x\n", 1_000_000))
	v.post("/products/new", crossed).wantStatus(200).wantHTML().contains("more than 500 combinations")
}

// A form with more fields than the largest page, and a list of more values than can be added at once, are refused
// before they are read into rows.
func TestForms_haveBoundedFieldsAndLines(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.post("/products/new", url.Values{"category": slices.Repeat([]string{""}, 100_001)}).wantStatus(413).wantHTML().
		contains("The form is too large", `id="product-form"`)
	id, _ := s.newAttribute("/v2/variant-options", "Size")
	v.post("/options/"+id+"/values", url.Values{"lines": {strings.Repeat("x\n", 100_001)}}).wantStatus(422).wantHTML().
		contains("too many values at once")
	v.post("/settings", url.Values{"x": slices.Repeat([]string{""}, 10_001)}).wantStatus(413).wantHTML()
	stranger := &client{fixture: s}
	stranger.post("/login", url.Values{"x": slices.Repeat([]string{""}, 10_001)}).wantStatus(413).wantHTML()
}

// Bodies of forms are counted against the memory for bodies, those of strangers too. Past their part a form is refused,
// and the page that asks somebody to sign in does not keep what they have sent.
func TestForms_areCountedInMemory(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.Memory = 128 << 20 }))
	big := url.Values{"_keep": {"1"}, "name": {strings.Repeat("x", 900<<10)}}
	stranger := &client{fixture: s}
	stranger.post("/products/new", big).wantStatus(401)

	// Clients that stop in the middle of their form hold the memory.
	for range 20 {
		s.stall("/login", big.Encode())
	}
	storetest.EventuallyEqual(t, "the status of a form that is not kept", 303, func() int {
		return stranger.post("/products/new", big).StatusCode
	})
}

// stall posts a form and stops before its last byte.
func (s *fixture) stall(path, form string) {
	s.t.Helper()
	address := strings.TrimPrefix(s.AdminURL, "http://")
	connection, err := net.Dial("tcp", address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = connection.Close() })
	_, err = fmt.Fprintf(connection,
		"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Content-Length: %d\r\n\r\n%s", path, address, len(form), form[:len(form)-1])
	if err != nil {
		s.t.Fatal(err)
	}
}
