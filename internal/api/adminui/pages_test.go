package adminui_test

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/api/adminui"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/promise"
)

var (
	screenshots = flag.String("screenshots", "", "the directory that TestScreenshots writes to")
	onlyPages   = flag.String("pages", "", "TestScreenshots writes only the pages whose names begin with this")
	inLanguage  = flag.String("lang", "en", "the language of the pages in TestScreenshots")
	inThemes    = flag.String("themes", "light,dark", "the themes of TestScreenshots")
	inWidths    = flag.String("widths", "1280,390", "the widths of the window in TestScreenshots")
	ofEmptyShop = flag.Bool("empty", false, "TestScreenshots shows a shop that has nothing yet")
)

// allPages returns the paths of all pages of a filled shop by the path of their route. Every GET route of a page must
// be here, so that the tests of all pages do not forget one.
func (s *filledShop) allPages() map[string][]string {
	all := map[string][]string{}
	s.ids["operator"] = s.member(s.store.AdminEmail).ID.String()
	for _, path := range []string{
		"/login", "/", "/?days=7", "/search", "/search?q=customer0@mail.example",
		"/orders", "/orders?state=draft", "/orders?q=ann&from=2020-01-01", "/orders?q=nobody", "/orders/{order}",
		"/orders/print?id={order}&id={confirmed}", "/orders/picking-list?id={order}&id={confirmed}",
		"/orders/confirm?id={order}&id={confirmed}", "/orders/complete?id={confirmed}", "/orders/cancel?id={order}",
		"/orders/{order}/edit", "/orders?tag=gift", "/orders/new", "/orders?view={view}&sort=-total&state=all",
		"/orders?sort=total&column=date&days=7", "/customers?columns=sum", "/views/{viewlist}/{view}",
		"/orders/{order}/print", "/orders/{order}/confirm", "/orders/{confirmed}/complete", "/orders/{order}/cancel",
		"/inquiries", "/inquiries?state=all", "/inquiries/{inquiry}", "/customers", "/customers/{customer}",
		"/customers/{customer}/merge", "/customers/{customer}/merge?q=customer0",
		"/customers/erase", "/customers/erase?customer={customer}", "/customers/erase?address=nobody@mail.example",
		"/products", "/products?archived=any&origin=here&sort=price", "/products?q=zzzz", "/products/new",
		"/products/new?copy={product}", "/products/sheet", "/products/sheet?q=zzzz",
		"/products/{product}", "/products/{product}/storefront", "/products/{product}/delete",
		"/products/{product}/storefront?group={group}", "/storefront", "/storefront?group={group}&q=s",
		"/storefront?q=zzzz",
		"/product-changes/{change}",
		"/exchange", "/exchange?show=failed", "/exchange/connect", "/exchange/1c", "/exchange/upload",
		"/exchange/pending",
		"/exchange/{trial}", "/exchange/{trial}/changes", "/exchange/{run}", "/exchange/{run}/errors",
		"/exchange/{run}/warnings", "/exchange/{run}/revert",
		"/exchange/{applied}", "/exchange/{applied}/changes", "/exchange/{applied}/undo",
		"/exchange/{supplied}/columns",
		"/webhooks", "/webhooks/events", "/webhooks/check", "/deliveries", "/webhooks/new", "/webhooks/{receiver}",
		"/webhooks/{receiver}/edit", "/webhooks/{receiver}/rotate",
		"/webhooks/{receiver}/delete", "/deliveries/{delivery}",
		"/options", "/options/{option}", "/options/{option}/delete", "/options/{option}/values/remove?value={value}",
		"/options/{option}/values/merge?value={value}&value={othervalue}",
		"/features", "/features/{feature}", "/features/{feature}/delete",
		"/features/{feature}/values/remove?value={featurevalue}",
		"/features/{feature}/values/merge?value={featurevalue}&value={otherfeaturevalue}",
		"/categories", "/categories?open={category}", "/categories?q=s", "/categories/{category}",
		"/categories/{category}/delete",
		"/price-lists", "/price-lists/prices", "/price-lists/prices?list={pricelist}&q=s",
		"/price-lists/{pricelist}", "/price-lists/{pricelist}/delete",
		"/customer-groups", "/customer-groups/{group}", "/customer-groups/{group}/delete",
		"/customers?group={group}", "/customers?people=guests",
		"/shop-search", "/shop-search?found=any", "/shop-search?from=2020-01-01&to=2020-01-02", "/shop-search/synonyms",
		"/shop-search/synonyms/entry?word=luminaire", "/shop-search/synonyms/entry?n=1", "/shop-search/pins",
		"/shop-search/pins/pin", "/shop-search/pins/pin?query={pinned}",
		"/shop-search/why", "/shop-search/why?q=shirt", "/shop-search/why?q=zzzz",
		"/stock", "/stock?state=reserved", "/stock/warehouses", "/stock/warehouses/{stock}/delete",
		"/settings", "/settings/sites", "/settings/captcha", "/settings/messages", "/settings/mail-server",
		"/settings/messages/{mail}", "/settings/redirects",
		"/settings/redirects?path=/p/none", "/settings/feeds",
		"/settings/new-feed", "/settings/feeds/{feed}", "/settings/feeds/{feed}/report", "/settings/jobs", "/mailbox",
		"/settings/team",
		"/settings/team/invite", "/settings/team/{operator}", "/settings/team/{operator}/remove", "/settings/log",
		"/account",
		"/keys", "/keys/new", "/keys/{key}/rotate", "/keys/{key}/revoke",
	} {
		filled := placeholder.ReplaceAllStringFunc(path, func(name string) string {
			id := s.ids[strings.Trim(name, "{}")]
			if id == "" {
				s.t.Fatalf("%s: the shop has no %s", path, name)
			}
			return id
		})
		route, _, _ := strings.Cut(placeholder.ReplaceAllString(path, "{}"), "?")
		all[route] = append(all[route], filled)
	}

	return all
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// notPages are the GET routes that are not pages: files and what programs read, and pages that need a token.
var notPages = []string{"/assets/{}", "/exchange/{}/rejects", "/invitation/{}", "/email/{}", "/password",
	"/unsubscribe/{}",
	"/password/{}", "/orders.csv", "/orders.xlsx", "/customers.csv", "/customers.xlsx", "/customers/export",
	"/products/values",
	"/pictures/{}/{}", "/live", "/live/counts"}

// pagePaths returns the paths of all pages, sorted.
func (s *filledShop) pagePaths() (paths []string) {
	for _, list := range s.allPages() {
		paths = append(paths, list...)
	}
	slices.Sort(paths)
	return paths
}

func TestPages_areAllListed(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	listed := s.allPages()
	for _, route := range adminui.New(adminui.Deps{}).Routes() {
		path := placeholder.ReplaceAllString(strings.TrimSuffix(route.Path, "{$}"), "{}")
		if route.Method == "GET" && listed[path] == nil && !slices.Contains(notPages, path) {
			t.Errorf("GET %s is not in allPages", route.Path)
		}
	}
	v := s.owner()
	for _, path := range s.pagePaths() {
		if path == "/login" {
			continue
		}

		text := v.get(path).wantStatus(200).wantHTML().text
		if strings.Contains(text, "{[") || strings.Contains(text, "%!") {
			t.Errorf("%s shows a value that has no text: %s", path, text)
		}
		if tabs := strings.Index(text, `<nav class="tabs"`); tabs >= 0 && tabs < strings.Index(text, "<h1") {
			t.Errorf("%s has tabs above its title", path)
		}
	}
}

// The first page that a browser loads takes less than 150 KiB with all of its files, and all of these are cached.
func TestPages_areSmall(t *testing.T) {
	t.Parallel()
	v := newFixture(t, database.SQLite).owner()
	home := v.get("/").wantStatus(200)
	bytes := len(home.text)
	files := regexp.MustCompile(`="(/assets/[^"]+\.(?:css|js|svg))"`).FindAllStringSubmatch(home.text, -1)
	if len(files) < 6 {
		t.Fatalf("the page loads %v", files)
	}
	for _, file := range files {
		bytes += len(v.get(file[1], "Accept-Encoding", "gzip").wantStatus(200).text)
	}
	if bytes > 150<<10 {
		t.Errorf("the first page takes %d bytes", bytes)
	}
}

//go:embed testdata/axe/axe.min.js
var axe string

// axeRun runs axe on the page and returns its serious findings, a line each.
const axeRun = `axe.run(document, {resultTypes: ["violations"], runOnly: %s}).then(result => result.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " (" + n.failureSummary.slice(0, 200) + ")"))
	.join("\n"))`

// relayDetails lays out the details of a page again.
const relayDetails = `[true, false].map(hidden => {
	document.querySelectorAll("main details").forEach(details => { details.hidden = hidden })
	return document.body.offsetHeight > 0
}).every(Boolean)`

// cutElements returns what reaches beyond its card, unless one can scroll to it.
const cutElements = `Array.from(document.querySelectorAll("main .card")).flatMap(card => {
	const edge = card.getBoundingClientRect().right + 1
	return Array.from(card.querySelectorAll("table, td, th, button, .btn, .badge, input")).filter(part =>
		part.checkVisibility() && !part.closest(".scroll, .sr-only, .productui-sheet") &&
		part.getBoundingClientRect().right > edge)
}).slice(0, 5).map(part => part.outerHTML.slice(0, 120)).join("; ")`

// cardWidths returns the different widths of the cards that stand below each other on a page.
const cardWidths = `Array.from(new Set(Array.from(document.querySelectorAll("main > .card"),
	card => Math.round(card.getBoundingClientRect().width)).filter(Boolean))).join(" ")`

// hostile is a text that would run as a script on a page that does not escape it, in text, in an attribute, in a script
// or in a URL.
const hostile = `"><img src=x onerror=hacked=1><script>hacked=1</script>'-hacked=1-'javascript:hacked=1 `

// Every page in a real browser, with hostile text in every name: no script runs, nothing is logged to the console, the
// page fits a small phone, and axe finds nothing serious, in both themes. A page takes a second and axe takes seconds:
// without VITRINE_PROVE the browser opens every third page, in make test every sixth, and axe checks a third of these.
func TestBrowser_pagesAreSafeAndAccessible(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, hostile)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")))
	paths := s.pagePaths()
	every := promise.Repeat(6, 3)
	opened, checked := 0, 0
	for i, path := range paths {
		if i%every > 0 && !promise.ProveAll() {
			continue
		}

		opened++
		b.setTheme("light")
		b.do(chromedp.Navigate(base+path), chromedp.WaitReady(chromedp.ID("main")))
		b.wantFitsPhone(path)

		if widths := evaluate(b, chromedp.Evaluate[string](cardWidths)); strings.Contains(widths, " ") {
			t.Errorf("%s has cards of different widths below each other: %s", path, widths)
		}
		if evaluate(b, chromedp.Evaluate[bool](`"hacked" in window || document.querySelector("[onerror]") !== null`)) {
			t.Errorf("%s does not escape a name", path)
		}
		if i%(3*every) > 0 && !promise.ProveAll() {
			continue
		}

		checked++
		evaluate(b, chromedp.Evaluate[any](axe+";0"))

		for _, check := range []struct{ theme, rules string }{
			{"light", `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]`},
			{"dark", `{type: "rule", values: ["color-contrast"]}`},
		} {
			b.setTheme(check.theme)
			// Chromium keeps the colours of the other theme inside details until they are laid out again.
			evaluate(b, chromedp.Evaluate[bool](relayDetails))
			findings := evaluate(b, chromedp.Evaluate[string](fmt.Sprintf(axeRun, check.rules),
				chromedp.EvalAwaitPromise))
			if findings != "" {
				t.Errorf("%s in the %s theme: axe finds\n%s", path, check.theme, findings)
			}
		}
	}

	t.Logf("%d of %d pages, axe on %d of them", opened, len(paths), checked)
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}

// setTheme makes the page use its light or dark colours, without transitions between them.
func (b *browser) setTheme(theme string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
				{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	}))
}

// setLanguage makes the tab ask for pages in a language.
func (b *browser) setLanguage(tag string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetExtraHTTPHeaders,
			network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": tag}})
		return err
	}))
}

// signInWithEnter signs in on a page in any language.
func (b *browser) signInWithEnter(email, password string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.ID("email"), email), chromedp.SendKeys(chromedp.ID("password"), password+kb.Enter),
		chromedp.WaitVisible(chromedp.ID("side")))
}

// TestScreenshots writes a picture of every page at desktop and phone width in both themes. `make screenshots` runs it.
// Flags choose pages, a language, themes and widths, or a shop that has nothing yet.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		return // a tool rather than a test: TestBrowser_pagesAreSafeAndAccessible opens the same pages
	}

	var s *fixture
	pages := map[string][]string{}
	if *ofEmptyShop {
		s = newFixture(t, database.SQLite)
		for _, path := range pagesOfEmptyShop {
			pages[path] = []string{path}
		}
	} else {
		shop := newPicturedShop(t, 400, 400, "")
		s, pages = shop.fixture, shop.allPages()
	}

	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.setLanguage(*inLanguage)
	b.saveScreenshots("login", base+"/login")
	b.do(chromedp.EmulateViewport(1280, 900))
	b.signInWithEnter(s.store.AdminEmail, s.store.AdminPassword)

	for route, paths := range pages {
		for i, path := range paths {
			name := strings.NewReplacer("/", "-", "{}", "one").Replace(strings.TrimPrefix(route, "/"))
			switch name {
			case "login":
				continue
			case "":
				name = "home"
			}

			if i > 0 {
				name += fmt.Sprintf("-%d", i+1)
			}

			if strings.HasPrefix(name, *onlyPages) {
				b.saveScreenshots(name, base+path)
			}
		}
	}
}

// saveScreenshots saves pictures of a page in both themes, on a desktop and on a phone.
func (b *browser) saveScreenshots(name, address string) {
	b.t.Helper()
	for theme := range strings.SplitSeq(*inThemes, ",") {
		b.setTheme(theme)
		for text := range strings.SplitSeq(*inWidths, ",") {
			width, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				b.t.Fatal(err)
			}
			device := map[string]string{"1280": "desktop", "390": "phone"}[text]
			if device == "" {
				device = text
			}

			b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(address),
				chromedp.WaitReady(chromedp.ID("main")), chromedp.Sleep(200*time.Millisecond))
			height := evaluate(b, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
			b.do(chromedp.EmulateViewport(width, min(height, 6000)))
			evaluate(b, chromedp.Evaluate[bool](loadedPictures, chromedp.EvalAwaitPromise))
			file := filepath.Join(*screenshots, name+"-"+device+"-"+theme+".png")
			if err := os.WriteFile(file, b.screenshot(), 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// loadedPictures waits for the pictures of a page, those below the first screen included.
const loadedPictures = `Promise.all(Array.from(document.images, picture => {
	picture.loading = "eager"
	return picture.complete || new Promise(done => { picture.onload = picture.onerror = done })
})).then(() => true)`

// screenshot returns a picture of the viewport.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var picture []byte
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		shot, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err == nil {
			picture = shot.Data
		}
		return err
	}))
	return picture
}
