package adminui_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	// shownText is the text between two tags, or an attribute that people read.
	shownText = regexp.MustCompile(`>([^<>]+)<|(?:aria-label|placeholder|title|alt)="([^"]*)"`)
	// notShown are the parts of a page without texts of ours: scripts, styles, and what all languages have alike.
	notShown = regexp.MustCompile(`(?s)<(?:script|style|code|kbd|pre|textarea|option|datalist)[ >].*?` +
		`</(?:script|style|code|kbd|pre|textarea|option|datalist)>`)
	twoLetter = regexp.MustCompile(`[A-Za-z]{2,}`)
)

// textsOf returns the texts that people read on a page or in a template.
func textsOf(page string) (texts []string) {
	for _, found := range shownText.FindAllStringSubmatch(notShown.ReplaceAllString(page, "><"), -1) {
		if text := strings.TrimSpace(html.UnescapeString(found[1] + found[2])); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// No template has an English text of its own: all of them go through T, and so have a Russian text.
func TestRussian_templatesHaveNoTextsOfTheirOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/templates/*.html")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d templates, %v", len(files), err)
	}

	action := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	known := regexp.MustCompile(`https?://\S*|/[a-z{}/-]+|\S+@\S+|whsec_|Vitrine|XLSX|CSV|htmx|Basecoat|uPlot|Lucide|` +
		`Mail\.ru|Gmail|smtp\.shop\.example|yandex-market|^variant$`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, text := range textsOf(action.ReplaceAllString(string(content), " ")) {
			if twoLetter.MatchString(known.ReplaceAllString(text, "")) {
				t.Errorf("%s has the text %q", file, text)
			}
		}
	}
}

// No page in Russian shows a text of ours in English, and no table or button is cut by its card, though Russian words
// are longer: on a screen of 1280 pixels and on a phone.
func TestBrowser_russianPagesAreRussianAndWhole(t *testing.T) {
	t.Parallel()
	english := map[string]bool{}
	files, err := filepath.Glob("frame/messages/ru/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of texts, %v", len(files), err)
	}
	for _, file := range files {
		for text, russian := range readMessages(t, "ru", strings.TrimSuffix(filepath.Base(file), ".json")) {
			if russian["other"] != text && twoLetter.MatchString(text) && !strings.Contains(text, "%") {
				english[text] = true
			}
		}
	}

	s := newFilledShop(t, 40, "")
	v := s.owner()
	// Names of things in the shop. The last is that of a change, in the language of its author.
	data := []string{"Material", "Color", "Colour", "Size", "Name", "Lamp", "Furniture", "Sale", "Main", "Home",
		"Brand", "Weight, kg", "Language", "Price", "Archive"}
	for _, path := range s.pagePaths() {
		page := v.get(path, "Accept-Language", "ru", "Cookie", sessionCookie+"="+v.session).text
		for _, text := range textsOf(page) {
			if english[text] && !slices.Contains(data, text) {
				t.Errorf("%s shows %q", path, text)
				delete(english, text) // once is enough
			}
		}
	}

	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.setLanguage("ru")
	b.do(chromedp.Navigate(base + "/login"))
	b.signInWithEnter(s.store.AdminEmail, s.store.AdminPassword)
	for _, path := range []string{"/exchange", "/keys", "/orders", "/products", "/customers", "/deliveries", "/stock",
		"/stock/warehouses", "/settings/log", "/settings/team", "/webhooks", "/features", "/price-lists/prices",
		"/orders/picking-list?id=" + s.ids["order"]} {
		for _, width := range []int64{1280, 390} {
			b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(base+path),
				chromedp.WaitReady(chromedp.ID("main")))
			if cut := evaluate(b, chromedp.Evaluate[string](cutElements)); cut != "" {
				t.Errorf("%s is cut at the right at %d pixels: %s", path, width, cut)
			}
		}
	}
}
