package adminui_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/promise"
)

// textBoxes returns a line for each visible text of a page: left, top, right and bottom of its first line box in
// pixels, and the text. It leaves out boxes that something else covers or that a scrollable element hides, and icons.
const textBoxes = `(() => {
	const lines = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = node.textContent.trim(), parent = node.parentElement
		if (!text || !parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue
		const range = document.createRange()
		range.selectNodeContents(node)
		const box = range.getClientRects()[0]
		if (!box || box.width < 4 || box.height < 4 || box.left < 0 || box.top < 0) continue
		const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
		if (!top || (top !== parent && !parent.contains(top) && !top.contains(parent))) continue
		if (parent.closest(".sr-only, svg, option, [hidden]")) continue
		lines.push([box.left, box.top, box.right, box.bottom].map(Math.round).join(" ") + " " + text.slice(0, 60).replace(/\\s+/g, " "))
	}
	return lines
})()`

// minContrast is the difference of brightness, of 255, that the pixels of a text have at least. Text in the colour of
// its background has none; the quietest text of the pages has about 100.
const minContrast = 40

// pagesOfEmptyShop are the pages that a shop without anything shows, and searches that find nothing.
var pagesOfEmptyShop = []string{"/", "/orders", "/orders?q=nobody", "/inquiries", "/inquiries?q=nobody", "/customers",
	"/customers?q=nobody", "/products", "/products?q=zzzz", "/products/new", "/products/sheet", "/exchange",
	"/exchange?show=failed",
	"/exchange/connect", "/exchange/1c", "/exchange/upload", "/exchange/pending", "/webhooks", "/webhooks/new",
	"/deliveries", "/options", "/options?q=zzzz", "/features", "/categories", "/categories?q=zzzz", "/stock",
	"/stock?state=low", "/stock/warehouses", "/settings", "/settings/captcha", "/settings/messages", "/mailbox",
	"/settings/team", "/settings/log", "/keys", "/search?q=zzzz", "/account"}

// Texts had the colour of their background on the buttons of every empty page, which a new shop sees first. Axe does
// not report equal colours. So this test looks at the pixels of every text: in a new shop, and on pages whose search
// finds nothing, in both themes.
func TestBrowser_everyTextCanBeSeen(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")))

	texts := 0
	for i, path := range pagesOfEmptyShop {
		if i%3 > 0 && !promise.ProveAll() {
			continue
		}

		for _, theme := range []string{"light", "dark"} {
			b.setTheme(theme)
			b.do(chromedp.Navigate(base+path), chromedp.WaitReady(chromedp.ID("main")))
			found := b.textContrasts()
			texts += len(found)
			for text, contrast := range found {
				if contrast < minContrast {
					t.Errorf("%s in the %s theme: %q has the contrast %d", path, theme, text, contrast)
				}
			}
		}
	}

	t.Logf("%d texts, on every third page unless VITRINE_PROVE is set", texts)
	if texts < 300 {
		t.Errorf("the pages have only %d texts", texts)
	}
}

// textContrasts returns the difference of brightness in the pixels of each text that the window shows.
func (b *browser) textContrasts() map[string]int {
	b.t.Helper()
	lines := evaluate(b, chromedp.Evaluate[[]string](textBoxes))
	picture, err := png.Decode(bytes.NewReader(b.screenshot()))
	if err != nil {
		b.t.Fatal(err)
	}

	contrasts := map[string]int{}
	for _, line := range lines {
		var box image.Rectangle
		fields := strings.SplitN(line, " ", 5)
		if _, err := fmt.Sscan(strings.Join(fields[:4], " "), &box.Min.X, &box.Min.Y, &box.Max.X,
			&box.Max.Y); err != nil {
			b.t.Fatalf("%q: %v", line, err)
		}

		if box.In(picture.Bounds()) {
			contrasts[fields[4]] = brightnessRange(picture, box)
		}
	}

	return contrasts
}

// brightnessRange returns the difference between the brightest and the darkest pixel of a part of the picture.
func brightnessRange(picture image.Image, part image.Rectangle) int {
	darkest, brightest := 255, 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			red, green, blue, _ := picture.At(x, y).RGBA()
			brightness := int((299*red + 587*green + 114*blue) / 1000 >> 8)
			darkest = min(darkest, brightness)
			brightest = max(brightest, brightness)
		}
	}
	return brightest - darkest
}
