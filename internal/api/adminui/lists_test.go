package adminui_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// follow gets the address to which a response redirects.
func (v *client) follow(r response) response {
	v.t.Helper()
	return v.get(r.wantStatus(303).Header.Get("Location")).wantStatus(200)
}

// Views keep filters, sort order and columns. A default view opens with the list; a change of the list is saved into
// the view; own views are seen by nobody else.
func TestLists_viewsAreSavedUsedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		p.order(1, "Ann", "a@example.com")
		p.order(3, "Bob", "b@example.com")

		page := v.get("/orders?state=all&sort=-total&column=total&column=customer").wantStatus(200).
			contains("Save this view", `aria-sort="descending"`, `value="sort=-total&amp;state=all"`).
			omits(`data-label="Date"`)
		if strings.Index(page.text, "Bob") > strings.Index(page.text, "Ann") {
			t.Error("the largest order is not the first one")
		}

		saved := v.post("/views/orders", url.Values{"name": {"Big"}, "query": {"sort=-total&state=all&evil=1"},
			"columns": {"customer,total"}, "default": {"1"}})
		address := saved.wantStatus(303).Header.Get("Location")
		page = v.get(address).wantStatus(200).contains("Big</a>", "Edit the view").
			omits(`data-label="Date"`, "Save this view", "Save the changes", "evil")
		path := regexp.MustCompile(`/views/orders/[0-9a-f-]+`).FindString(page.text)
		v.get("/orders").wantRedirect(address)
		v.get("/orders?view=none").wantStatus(200).contains("Big</a>").omits("Edit the view")

		changed := v.get(strings.Replace(address, "-total", "total", 1)).wantStatus(200).
			contains("Save the changes of “Big”", "Save this view")
		version := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(changed.text)[1]
		v.follow(v.post(path, url.Values{"query": {"sort=total&state=all"}, "columns": {""}, "version": {version}})).
			contains("Big</a>", `aria-sort="ascending"`, `data-label="Date"`)
		v.post(path, url.Values{"query": {"sort=nonsense"}, "version": {"2"}}).wantStatus(400)
		v.post(path, url.Values{"name": {""}, "version": {"2"}}).wantStatus(422).contains("Give the view a name.")
		v.post(path, url.Values{"name": {"x"}, "version": {"1"}}).wantStatus(422).contains("Somebody else has changed")

		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/orders").wantStatus(200).omits("Big")
		viewer.get(path).wantStatus(404)
		v.follow(v.post(path, url.Values{"name": {"Biggest"}, "shared": {"1"}, "version": {"2"}}))
		viewer.get("/orders").wantStatus(200).contains("Biggest")
		viewer.get(path).wantStatus(200).contains("The view is shared.").omits("Delete the view")
		viewer.post(path, url.Values{"name": {"x"}, "version": {"3"}}).wantStatus(403)
		viewer.post(path+"/delete", url.Values{}).wantStatus(403)
		viewer.post("/views/orders", url.Values{"name": {"x"}, "shared": {"1"}}).wantStatus(403)

		v.toastAfter(v.post(path+"/delete", url.Values{}), "/orders").contains("“Biggest” is deleted.")
		viewID := path[strings.LastIndex(path, "/")+1:]
		if got := strings.Join(s.auditActions("list_view", viewID), ", "); got !=
			"list_view.edited owner@north.example, list_view.deleted owner@north.example" {
			t.Errorf("the log has %s", got)
		}
		v.post("/views/nothing", url.Values{"name": {"x"}}).wantStatus(404)
	})
}

// A view whose category or customer group was deleted says so and shows the list without that filter.
func TestLists_viewsSurviveWhatTheyName(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		as := apitest.As(s.store.SecretKey)
		s.createShirts("Shirt", "AB-1")
		category := s.OK(201, "POST", "/v2/categories", `{"name":"Tops"}`, as).Text("data.id")
		group := s.OK(201, "POST", "/v2/customer-groups", `{"name":"Dealers"}`, as).Text("data.id")
		save := func(list, query string) string {
			return v.post("/views/"+list, url.Values{"name": {"Mine"}, "query": {query}}).wantStatus(303).
				Header.Get("Location")
		}

		products := save("products", "category="+category+"&sort=name&in_stock=true")
		customers := save("customers", "group="+group+"&q=ann")
		v.get(products).wantStatus(200).contains("No product matches.").omits("were left out")
		s.OK(204, "DELETE", "/v2/categories/"+category, nil, as)
		s.OK(204, "DELETE", "/v2/customer-groups/"+group, nil, as)
		v.follow(v.get(products)).contains("were left out", "AB-1", `value="true" selected`, "Save the changes").
			omits(`name="category"`)
		v.follow(v.get(customers)).contains("were left out", "Save the changes")
		v.get("/products?category=" + category).wantStatus(422)
	})
}

// The headings sort, filters narrow, and links keep what was chosen.
func TestLists_linksKeepSortingAndColumns(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		s.createShirts("Shirt", "AB-1").order(1, "Ann", "a@example.com")
		v.get("/products?sort=price&columns=price").wantStatus(200).
			contains(`aria-sort="ascending"`, `sort=-price`, `name="columns" value="price"`).
			omits(`data-label="SKU"`)
		v.get("/orders?sort=total&columns=total,nonsense").wantStatus(200).
			contains(`href="/orders?columns=total&amp;sort=-total"`, `name="columns" value="total"`)
		v.get("/orders?sort=nonsense").wantStatus(400)
		v.get("/orders?days=7").wantStatus(200).contains("Ann", `name="days" value="7"`, `aria-current="true">7 days`)
		v.get("/orders?days=7&from=2020-01-01&to=2020-01-02").wantStatus(200).omits("Ann", `name="days"`)
		v.get("/inquiries?columns=date").wantStatus(200)
		v.get("/customers?columns=sum").wantStatus(200)
	})
}

// In a browser a filter applies at once and keeps the focus, a heading sorts, and the keys move, tick and open.
func TestBrowser_listsByKeyboard(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	p := s.createShirts("Shirt", "AB-1")
	p.order(1, "Ann", "a@example.com")
	p.order(3, "Bob", "b@example.com")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.Navigate(base+"/orders?state=all"),
		chromedp.WaitVisible(chromedp.ID("sort")))
	b.markDocument()

	choose := `(function () { var s = document.getElementById("sort"); s.focus(); s.value = "-total";
		s.dispatchEvent(new Event("change", {bubbles: true})); return true })()`
	evaluate(b, chromedp.Evaluate[bool](choose))
	b.do(chromedp.WaitVisible(`//th[@aria-sort="descending"]//a[contains(., "Total")]`))
	b.wantDocumentKept("sorting")
	if got := evaluate(b, chromedp.Evaluate[string](`document.activeElement.id`)); got != "sort" {
		t.Errorf("the focus is at %v", got)
	}
	if got := evaluate(b, chromedp.Location()); got != base+"/orders?state=all&sort=-total" {
		t.Errorf("the browser is at %s", got)
	}

	focused := chromedp.Evaluate[string](`document.activeElement.textContent`)
	b.do(chromedp.Click(chromedp.CSS("h1")), chromedp.KeyEvent("j"))
	if got := evaluate(b, focused); got != "No. 2" {
		t.Errorf("j goes to %v", got)
	}
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("x"))
	if got := evaluate(b, focused); got != "No. 1" {
		t.Errorf("j stops at %v", got)
	}
	ticked := chromedp.Evaluate[int](`document.querySelectorAll('input[name="id"]:checked').length`)
	if got := evaluate(b, ticked); got != 1 {
		t.Errorf("x ticks %v rows", got)
	}
	b.do(chromedp.KeyEvent("?"), chromedp.WaitVisible(chromedp.CSS("dialog[open]")), chromedp.KeyEvent(kb.Escape),
		chromedp.WaitNotVisible(chromedp.ID("keys-help")), chromedp.KeyEvent("k"), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(`//h1[contains(., "Order No. 2")]`))
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
