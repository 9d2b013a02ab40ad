package page_test

import (
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/testkit/apitest"
)

// waitForSuggestions waits until the suggestions have these names.
func (b *browser) waitForSuggestions(want ...string) {
	b.t.Helper()
	b.waitUntil(`Array.from(document.querySelectorAll("#suggestions:not([hidden]) [role=option] .what"), ` +
		`(o) => o.textContent).join("|") === "` + strings.Join(want, "|") + `"`)
}

// waitUntil waits until an expression of the page is true. chromedp.Poll would make a function of a text, which the
// content security policy of the page forbids.
func (b *browser) waitUntil(expression string) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); !evaluate[bool](b, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never %s; the suggestions are %q, the page is %s with %q in the field; %q", expression,
				evaluate[string](b, `suggestions.innerText`), evaluate[string](b, `location.href`),
				evaluate[string](b, `q.value + " " + document.activeElement.id`), b.consoleMessages())
		}
	}
}

// chosen returns what the field says to a screen reader: the text of the field and of the chosen option.
func (b *browser) chosen() string {
	b.t.Helper()
	return evaluate[string](b, `q.value + "|" + (document.getElementById(`+
		`q.getAttribute("aria-activedescendant"))?.querySelector(".what").textContent ?? "") + "|" + `+
		`document.querySelectorAll("#suggestions [aria-selected=true]").length`)
}

func (b *browser) suggest(s *apitest.Server) {
	b.run(chromedp.Navigate(s.URL+"/demo#key="+s.Publishable), chromedp.WaitVisible(chromedp.CSS(".card")))
	field := chromedp.ID("q")
	b.run(chromedp.SendKeys(field, "woo"))
	b.waitForSuggestions("Wool", "Wool shirt")
	if got := evaluate[string](b, `[q.role, q.getAttribute("aria-expanded"), q.getAttribute("aria-controls"),
		suggestions.role, suggested.textContent].join()`); got != "combobox,true,suggestions,listbox,2 suggestions" {
		b.t.Errorf("the field is described as %s", got)
	}
	b.checkFitsPhone("the list with suggestions")

	// The arrow keys go around, with the field itself as one place.
	for i, want := range []string{"woo|Wool|1", "woo|Wool shirt|1", "woo||0", "woo|Wool|1"} {
		if b.run(chromedp.KeyEvent(kb.ArrowDown)); b.chosen() != want {
			b.t.Errorf("after %d times down, %s is chosen, want %s", i+1, b.chosen(), want)
		}
	}
	b.run(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	if got := b.chosen(); got != "woo|Wool shirt|1" {
		b.t.Errorf("after twice up, %s is chosen", got)
	}

	// Escape closes the suggestions and keeps the text; the next key opens them again.
	b.run(chromedp.KeyEvent(kb.Escape))
	got := evaluate[string](b, `q.value + suggestions.hidden + q.getAttribute("aria-expanded")`)
	if got != "wootruefalse" {
		b.t.Errorf("after Escape, the field is %s", got)
	}
	b.run(chromedp.KeyEvent("l"))
	b.waitForSuggestions("Wool", "Wool shirt")
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	b.waitUntil(`found.textContent === "1 product"`)
	if got := evaluate[string](b, `q.value + location.search.replace(/%5B.*%5D=.*/, "")`); got != "?features" {
		b.t.Errorf("the value leads to %s", got)
	}

	// A product opens above the list. With the mouse, a suggestion is one click.
	b.run(chromedp.SendKeys(field, "cotton"))
	b.waitForSuggestions("Cotton", "Cotton shirt")
	b.run(chromedp.Click(chromedp.CSS("#suggestions .goods")), chromedp.WaitVisible(chromedp.CSS("#product form")))
	if got := evaluate[string](b, `document.getElementById("product-name").textContent`); got != "Cotton shirt" {
		b.t.Errorf("the product is %s", got)
	}

	b.ignoresLateSuggestions(s)
	b.checkConsole(401, 409, 422)
}

// releaseResponse lets the page read the response that ignoresLateSuggestions holds.
func (b *browser) releaseResponse() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](
		`new Promise((done) => { release(); setTimeout(() => done(true), 100); })`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
}

// ignoresLateSuggestions holds the response to what was typed first until that to the rest was shown.
func (b *browser) ignoresLateSuggestions(s *apitest.Server) {
	b.run(chromedp.Navigate(s.URL+"/demo"), chromedp.WaitVisible(chromedp.CSS(".card")))
	evaluate[bool](b, `window.sent = window.fetch, window.fetch = async (url, options) => {
		const response = await sent(url, { ...options, signal: undefined });
		if (url.includes("/suggest?q=co&")) await new Promise((done) => { window.release = done; });
		return response;
	}, true`)

	b.run(chromedp.SendKeys(chromedp.ID("q"), "co"))
	b.waitUntil(`"release" in window`)
	b.run(chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("wool"))
	b.waitForSuggestions("Wool", "Wool shirt")
	b.releaseResponse()
	b.waitForSuggestions("Wool", "Wool shirt")

	// A search in the meantime closes the suggestions, and a late response does not open them.
	evaluate[bool](b, `delete window.release`)
	b.run(chromedp.KeyEvent(strings.Repeat(kb.Backspace, 4)), chromedp.KeyEvent("co"))
	b.waitUntil(`"release" in window`)
	b.run(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`//p[.="1 product"]`))
	b.releaseResponse()
	if !evaluate[bool](b, `suggestions.hidden && q.value === "co"`) {
		b.t.Error("a late response opened the suggestions")
	}
}

func (b *browser) understand(s *apitest.Server) {
	b.run(chromedp.Navigate(s.URL+"/demo?sort=name#key="+s.Publishable), chromedp.WaitVisible(chromedp.CSS(".card")))
	search := func(query string) {
		b.t.Helper()
		evaluate[bool](b, `q.focus(), q.select(), true`)
		b.run(chromedp.KeyEvent(query + kb.Enter))
		b.waitUntil(`new URLSearchParams(location.search).get("q") === "` + query + `" && !grid.ariaBusy`)
	}
	shown := func() string {
		b.t.Helper()
		return evaluate[string](b, `understood.innerText.replace(/\n+/g, " ") + "|" + found.textContent + "|" +
			Array.from(document.querySelectorAll(".card mark"), (m) => m.textContent)`)
	}

	// A search starts anew, in the order of relevance.
	search("wolo shirts")
	if got := evaluate[string](b, `location.search + sort.selectedOptions[0].textContent`); got !=
		"?q=wolo+shirtsrelevance" {
		b.t.Errorf("the search leads to %s", got)
	}
	if got := shown(); got != "Showing results for “wool shirts”. Search instead for “wolo shirts”|1 product|"+
		"Wool,shirt" {
		b.t.Errorf("a typing error is shown as %s", got)
	}
	b.checkFitsPhone("a corrected search")

	b.run(chromedp.Click(`//a[starts-with(., "Search instead for")]`), chromedp.WaitVisible(`//p[.="0 products"]`))
	if got := shown(); got != "Nothing has “wolo shirts” exactly as it is written. Show results for “wool shirts”|"+
		"0 products|" {
		b.t.Errorf("without corrections it shows %s", got)
	}
	b.run(chromedp.Click(`//a[starts-with(., "Show results for")]`), chromedp.WaitVisible(`//p[.="1 product"]`))
	if got := shown(); got != "|1 product|Wool,shirt" {
		b.t.Errorf("the corrected query shows %s", got)
	}

	search("cotton xyzzyq")
	if got := shown(); got != "No product has all the words. Shown without “xyzzyq”.|1 product|Cotton" {
		b.t.Errorf("a word too many is shown as %s", got)
	}
	search("xyzzyq")
	b.waitForText("p", "Nothing was found for “xyzzyq”.")

	// A click on a result is counted, and one in a list without a query is not.
	search("shirt")
	b.run(chromedp.Click(chromedp.CSS(".card a")), chromedp.WaitVisible(chromedp.CSS("#product form")))
	clicks := `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/v2/search/clicks"))`
	b.waitUntil(clicks + `.map((e) => e.responseStatus).join() === "204"`)
	b.run(chromedp.KeyEvent(kb.Escape))
	b.waitUntil(`!product.open && !location.search.includes("product=")`)

	evaluate[bool](b, `q.focus(), q.select(), true`)
	b.run(chromedp.KeyEvent(kb.Backspace), chromedp.WaitVisible(`//p[.="3 products"]`))
	b.run(chromedp.WaitVisible(chromedp.CSS("#grid:not([aria-busy])")), chromedp.Click(chromedp.CSS(".card a")),
		chromedp.WaitVisible(chromedp.CSS("#product form")))
	if n := evaluate[int](b, clicks+`.length`); n != 1 {
		b.t.Errorf("%d clicks were counted, want 1", n)
	}
	b.checkConsole(401, 409, 422)
}

// speakRussian checks that the page has the language of the store.
func (b *browser) speakRussian(s *apitest.Server) {
	if r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"locale": "ru"}); r.Status != 200 {
		b.t.Fatalf("the response to the settings is %s", r.Body)
	}
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.URL+"/demo?q=wolo#key="+s.Publishable),
		chromedp.WaitVisible(`//p[.="Показаны результаты по запросу «wool»."]`))
	if got := evaluate[string](b, `[found.textContent, q.placeholder, document.documentElement.lang,
		document.getElementById("open-account").textContent].join("|")`); got !=
		"1 товар|Название или артикул|ru|Войти" {
		b.t.Errorf("the page shows %s", got)
	}
	b.checkFitsPhone("the page in Russian")
}
