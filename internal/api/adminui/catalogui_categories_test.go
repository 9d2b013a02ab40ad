package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
)

// newCategory creates a category by the API and returns its id. Without a parent it is a root category.
func (s *fixture) newCategory(name, parent string) string {
	s.t.Helper()
	body := map[string]any{"name": name}
	if parent != "" {
		body["parent_id"] = parent
	}
	return s.catalogAPI(201, "POST", "/v2/categories", body).Text("data.id")
}

// wantChildren checks the names of the children of a category in the API, or of the root categories for "root".
func (s *fixture) wantChildren(parent, want string) {
	s.t.Helper()
	got := strings.Join(s.catalogAPI(200, "GET", "/v2/categories?parent_id="+parent, nil).Texts("data", "name"), " ")
	if got != want {
		s.t.Errorf("the children of %s are %q, want %q", parent, got, want)
	}
}

func TestCategories_areCreatedRenamedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/categories").wantStatus(200).contains("There are no categories yet.")
		v.post("/categories", url.Values{"name": {" "}}).wantStatus(422).contains("A name may not be empty")
		v.post("/categories", url.Values{"name": {"<u>Shoes</u>"}}).wantRedirect("/categories")
		v.get("/categories").contains("&lt;u&gt;Shoes&lt;/u&gt;").omits("<u>Shoes</u>")
		shoes := s.catalogAPI(200, "GET", "/v2/categories", nil).Text("data.0.id")
		v.post("/categories", url.Values{"name": {"Boots"}, "parent": {shoes}}).wantRedirect("/categories?open=" +
			shoes)
		v.post("/categories", url.Values{"name": {"x"}, "parent": {"x"}}).wantStatus(422)
		boots := s.catalogAPI(200, "GET", "/v2/categories?parent_id="+shoes, nil).Text("data.0.id")
		s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Rubber boots", "categories": []any{boots}})
		v.get("/categories").contains("1 product").omits("Boots")
		v.get("/categories?open="+shoes).contains("Boots", "/products?category="+boots)
		v.get("/categories?q=boo").contains("&lt;u&gt;Shoes&lt;/u&gt; › Boots")

		path := "/categories/" + shoes
		version := v.get(path).wantStatus(200).between(`name="version" value="`, `"`)
		v.post(path, url.Values{"name": {"Footwear"}, "version": {version}}).wantRedirect(path)
		v.post(path, url.Values{"name": {"Other"}, "version": {version}}).wantStatus(422).
			contains("Now it is: “Footwear”", `value="Other"`)

		page := v.get(path+"/delete").wantStatus(200).contains("No product is directly in it.",
			"1 category in it moves to the top.")
		v.get("/categories/" + boots + "/delete").contains("1 product leaves this category.")
		v.post(path+"/delete", url.Values{"version": {version}}).wantStatus(422)
		v.post(path+"/delete", url.Values{"version": {page.between(`name="version" value="`, `"`)}}).
			wantRedirect("/categories")
		s.wantChildren("root", "Boots")
		v.get(path).wantStatus(404)
		s.wantCatalogAudit("category.created", "category.created", "category.renamed", "category.deleted")
	})
}

func TestCategories_areMoved(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		a := s.newCategory("a", "")
		b := s.newCategory("b", "")
		c := s.newCategory("c", "")
		step := func(id, direction string) response {
			return v.post("/categories/step", url.Values{"step": {id + " " + direction}})
		}
		step(c, "up").wantRedirect("/categories?moved=" + c)
		s.wantChildren("root", "a c b")
		step(a, "up").wantRedirect("/categories") // there is nothing above
		step(a, "down").wantRedirect("/categories?moved=" + a)
		s.wantChildren("root", "c a b")
		tree := "/categories?moved=" + b
		v.toastAfter(step(b, "in"), tree+"&open="+a).contains("“b” is moved into “a”.",
			`<div class="catalogui-node catalogui-moved">`)
		s.wantChildren("root", "c a")
		s.wantChildren(a, "b")
		v.toastAfter(step(b, "out"), tree).contains("“b” is moved to the top level.",
			`aria-label="Move “b” into “a”"`)
		s.wantChildren("root", "c a b")
		step(b, "sideways").wantRedirect("/categories")
		step("x", "up").wantStatus(404)

		version := func(id string) string { return v.get("/categories/"+id).between(`name="version" value="`, `"`) }
		move := func(id, version, parent, place string) response {
			return v.post("/categories/"+id+"/move", url.Values{"parent": {parent}, "place": {place},
				"version": {version}})
		}
		seen := version(b)
		move(c, version(c), a, "").wantRedirect("/categories?moved=" + c + "&open=" + a)
		moved := move(b, seen, a, "1").wantRedirect("/categories?moved=" + b + "&open=" + a)
		s.wantChildren(a, "b c")

		// A form that was rendered before somebody else moved the category is refused, and keeps what was chosen.
		move(b, seen, "", "2").wantStatus(422).contains("Now it is: “a › b”", `value="2"`)
		s.wantChildren(a, "b c")
		move(a, version(a), b, "").wantStatus(422).contains("may not become its own ancestor")
		move(b, version(b), a, "-1").wantStatus(422)
		move(b, version(b), "unknown", "").wantStatus(422)

		if undo := moved.undoAction(); undo != "/categories/"+b+"/move" {
			t.Errorf("the move is undone by %q", undo)
		}

		// c goes up among its siblings, and then nothing changes.
		for range 2 {
			move(c, version(c), a, "1").wantStatus(303)
		}

		log := v.get("/settings/log?kind=category").wantStatus(200).contains("Place: <del>2</del> → <ins>1</ins>")
		if n := strings.Count(log.text, "Place: "); n != 3 { // with two steps above
			t.Errorf("%d moves among siblings are in the log, want 3", n)
		}

		move(b, version(b), a, "1").wantStatus(303)
		v.get("/categories/"+b).wantStatus(200).contains("a › c", "Place among its neighbours")
		s.wantCatalogAudit("category.moved", "category.moved")
	})
}

// In a real Chromium an operator moves a category with the keyboard and by dragging it.
func TestBrowser_categoriesMoveByKeyboardAndMouse(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	first := s.newCategory("first", "")
	second := s.newCategory("second", "")
	third := s.newCategory("third", "")
	b.do(chromedp.Navigate(base+"/categories"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("tree")))
	b.wantFitsPhone("the categories")

	name := `li[data-id="` + third + `"] .catalogui-name`
	moved := func(parent, place string) chromedp.Action[chromedp.Void] {
		return chromedp.WaitVisible(chromedp.CSS(`li[data-id="` + third + `"][data-parent="` + parent +
			`"][data-place="` + place + `"]`))
	}
	alt := func(key string) {
		evaluate(b, chromedp.Evaluate[bool](`document.querySelector('`+name+`').focus(),
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+
			`", altKey: true, bubbles: true})), true`))
	}
	alt("ArrowUp")
	b.do(moved("", "2"))
	s.wantChildren("root", "first third second")

	b.do(chromedp.WaitVisible(chromedp.CSS(name + ":focus"))) // it keeps the focus

	alt("ArrowRight")
	b.do(moved(first, "1"))
	s.wantChildren(first, "third")
	alt("ArrowLeft")
	b.do(moved("", "2"))
	s.wantChildren("root", "first third second")

	// The events of a drag with a mouse.
	evaluate(b, chromedp.Evaluate[bool](`(function () {
		var from = document.querySelector('li[data-id="`+third+`"] .catalogui-node');
		var to = document.querySelector('li[data-id="`+second+`"] .catalogui-node');
		var box = to.getBoundingClientRect();
		var data = new DataTransfer();
		function send(type, element) {
			element.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data,
				clientX: box.left + 5, clientY: box.top + box.height / 2}));
		}
		send("dragstart", from);
		send("dragover", to);
		send("drop", to);
		return true;
	})()`))

	b.do(moved(second, "1"))
	s.wantChildren(second, "third")
	b.do(b.press("Undo"), moved("", "2"))
	s.wantChildren("root", "first third second")

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
