package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// sheetCells returns the fields of the sheet without scripts, by their labels.
func sheetCells(p response) map[string]*[3]string {
	cells := map[string]*[3]string{}
	for _, part := range strings.Split(p.text, `<input type="hidden" name="cell" value="`)[1:] {
		name, rest, _ := strings.Cut(part, `"`)
		_, rest, _ = strings.Cut(rest, `name="was" value="`)
		was, rest, _ := strings.Cut(rest, `"`)
		_, rest, _ = strings.Cut(rest, `aria-label="`)
		label, _, _ := strings.Cut(rest, `"`)
		cells[label] = &[3]string{name, was, was}
	}
	return cells
}

func sheetForm(cells map[string]*[3]string) url.Values {
	form := url.Values{}
	for _, c := range cells {
		form.Add("cell", c[0])
		form.Add("was", c[1])
		form.Add("text", c[2])
	}
	return form
}

// The sheet changes products and variants together, refuses all if one field is wrong, and is undone as a whole.
func TestSheet_savesAllOrNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s.withT(t))
		v := s.withT(t).owner()
		v.get("/products").wantStatus(200).contains("Edit as a sheet")
		v.get("/products").contains(`name="open" value="sheet"`)
		v.post("/product-changes", url.Values{"action": {"archive"}, "open": {"sheet"}, "id": {c.product}}).
			wantRedirect("/products/sheet?ids=" + c.product)
		cells := sheetCells(v.get("/products/sheet?ids=" + c.product).wantStatus(200))

		if len(cells) != 9 {
			t.Fatalf("the sheet has %d fields, want 9: %v", len(cells), cells)
		}

		cells["Product: Boots, S"][2] = "Winter boots"
		cells["Price: Boots, S"][2] = "1 990,50"
		cells["Price: Boots, L"][2] = "a lot"
		cells["Main: Boots, S"][2] = "8"
		form := sheetForm(cells)
		form.Set("selection", "ids="+c.product)
		refused := v.post("/products/sheet", form).wantStatus(422).contains("Nothing was saved: 1 field is wrong",
			"“a lot” is not a number", `value="a lot"`, "Winter boots", "1 990,50")

		if got := c.read(c.product).Text("data.name"); got != "Boots" {
			t.Errorf("the refused sheet saved %q", got)
		}

		cells["Price: Boots, L"][2] = ""
		form = sheetForm(cells)
		form.Set("selection", "ids="+c.product)
		saved := v.post("/products/sheet", form).wantRedirect("/products/sheet?ids=" + c.product)
		want := func(what string) {
			t.Helper()
			read := c.read(c.product)
			got := fmt.Sprint(read.Text("data.name"), " ", read.Text("data.variants.0.price"), " ",
				read.Text("data.variants.1.price"), " ", read.Text("data.variants.0.remainders.0.quantity"))
			if got != what {
				t.Errorf("the product has %s, want %s", got, what)
			}
		}

		want("Winter boots 1990.5 null 8")
		done := v.toastAfter(saved, "/products/sheet?ids="+c.product).contains("4 fields were changed.", "Undo")
		undo := done.between(`action="/product-changes/`, `"`)
		v.post("/product-changes/"+undo, url.Values{}).wantStatus(303)
		want("Boots 10 12.5 3")
		s.wantAudit("products.changed")

		// What somebody else has changed meanwhile stays.
		stale := sheetCells(refused)
		stale["Product: Boots, S"] = &[3]string{stale["Product: Boots, S"][0], "Shoes", "Sandals"}
		stays := v.post("/products/sheet", sheetForm(stale)).wantStatus(303)
		v.toastAfter(stays, "/products/sheet").contains("0 fields were changed. 1 stays as it is")
		want("Boots 10 12.5 3")

		cell := cells["Price: Boots, L"][0]
		slug := strings.Replace(cell, "price", "slug", 1)
		for _, name := range []string{"x", "1.x.price", slug, "1.0.price", "1.0.slug"} {
			v.post("/products/sheet", url.Values{"cell": {name}, "was": {""}, "text": {"1"}}).wantStatus(400)
		}

		v.post("/products/sheet", url.Values{"cell": {cell}, "was": {""}}).wantStatus(400)
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/products/sheet").wantStatus(403)
		viewer.post("/products/sheet", form).wantStatus(403)
	})
}

// No name of a product ends the data of the script.
func TestSheet_hostileNames(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	s.catalogAPI(201, "POST", "/v2/products", `{"name": "</script><b>&amp; \u2028x"}`)
	s.owner().get("/products/sheet").contains(`\u003c/script\u003e\u003cb\u003e\u0026amp; \u2028x"`,
		"&lt;/script&gt;&lt;b&gt;").omits("<b>")
}

// A sheet of another store's products changes nothing.
func TestSheet_otherStore(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	cells := sheetCells(s.owner().get("/products/sheet"))
	other := newFixture(t, database.SQLite)
	newShelf(other)
	cells["Price: Boots, S"][2] = "1"
	other.owner().post("/products/sheet", sheetForm(cells)).wantStatus(303)

	if got := c.read(c.product).Text("data.variants.0.price"); got != "10" {
		t.Errorf("the price is %s, want 10", got)
	}
}

// In a real Chromium a column of prices that was copied in a spreadsheet is pasted, filled down, taken back and saved.
func TestBrowser_sheet(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b := newTab(t, true)
	b.do(chromedp.Navigate(base+"/products/sheet"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("cell-0-0")))
	text := func(row, column int) string {
		return evaluate(b, chromedp.Evaluate[string](
			fmt.Sprintf("document.getElementById('cell-%d-%d').textContent", row, column)))
	}
	wait := func(row, column int, want string) {
		t.Helper()
		deadline := time.Now().Add(10 * time.Second)
		for text(row, column) != want {
			if time.Now().After(deadline) {
				t.Fatalf("cell %d %d is %q, want %q", row, column, text(row, column), want)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}

	grid := chromedp.ID("sheet")
	b.do(chromedp.Focus(grid), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowRight))
	evaluate(b, chromedp.Evaluate[bool](`(function () {
		var data = new DataTransfer();
		data.setData("text/plain", "15\r\n1 990,50\r\n");
		document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
		return true;
	})()`))
	wait(0, 3, "15")
	wait(1, 3, "1 990,50")
	b.do(chromedp.WaitVisible(chromedp.CSS("[data-unsaved]")))

	b.do(chromedp.Focus(grid), chromedp.KeyEvent("d", chromedp.KeyModifiers(2)))
	wait(1, 3, "15")
	b.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(2)))
	wait(1, 3, "1 990,50")

	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent("X"),
		chromedp.KeyEvent("Y"), chromedp.KeyEvent(kb.Enter))
	wait(1, 2, "XY")
	b.do(b.press("Save"), chromedp.WaitVisible(chromedp.CSS(".toast")))

	read := c.read(c.product)
	if got := read.Text("data.variants.0.price") + " " + read.Text("data.variants.1.price") + " " +
		read.Text("data.variants.1.sku"); got != "15 1990.5 XY" {
		t.Errorf("the product has %s", got)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}

// Prices change by a percentage after a preview, rounded to a unit, and can be undone.
func TestProductChanges_pricesByPerCent(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s.withT(t))
		v := s.withT(t).owner()
		form := url.Values{"action": {"change-prices"}, "id": {c.product}}
		v.post("/product-changes", form).wantStatus(200).contains("By how many per cent", "Boots").omits("Afterwards")
		form.Set("percent", "-12,5")
		form.Set("unit", "0.1")
		preview := v.post("/product-changes", form).wantStatus(200).contains("Afterwards", "$12.50", "$10.90", "$8.80")
		start := preview.form("bulk-preview")
		want := func(what string) {
			t.Helper()
			read := c.read(c.product)
			if got := read.Text("data.variants.0.price") + " " + read.Text("data.variants.1.price"); got != what {
				t.Errorf("the prices are %s, want %s", got, what)
			}
		}

		for _, wrong := range []string{"", "abc", "-100", "1001", "0", "1.234", "99999999999999999999"} {
			start.Set("percent", wrong)
			v.post("/product-changes/start", start).wantStatus(422).contains("from -99.99 to 1000")
		}

		want("10 12.5")
		start.Set("percent", "-12,5")
		done := v.toastAfter(v.post("/product-changes/start", start).wantRedirect("/products"), "/products")
		want("8.8 10.9")
		undo := done.contains("2 fields were changed.").between(`action="/product-changes/`, `"`)
		v.post("/product-changes/"+undo, url.Values{}).wantStatus(303)
		want("10 12.5")
		v.get("/settings/log").contains("−12.50 %")
	})
}
