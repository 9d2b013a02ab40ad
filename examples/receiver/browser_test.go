package receiver_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/testkit/browsertest"
)

// verifyScript verifies all requests with the module and returns whether each has a valid signature.
const verifyScript = `import("/verify.mjs").then(({verify}) => Promise.all(%s.map(({header, body}) =>
	verify(%q, new Headers(header), Uint8Array.from(atob(body), (c) => c.charCodeAt(0))))))`

// The module does not depend on Node: Chromium runs it unchanged.
func TestVerify_runsInBrowser(t *testing.T) {
	t.Parallel()
	cases := testRequests(t)
	site := httptest.NewServer(http.FileServer(http.Dir("javascript")))
	defer site.Close()

	type sent struct {
		Header map[string]string `json:"header"`
		Body   string            `json:"body"`
	}
	var all []sent
	for _, c := range cases {
		header := map[string]string{}
		for name, value := range c.header {
			header[name] = latin1(value)
		}
		all = append(all, sent{header, base64.StdEncoding.EncodeToString([]byte(c.body))})
	}

	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}

	tab := browsertest.Open(t)
	if err := chromedp.Do(tab, chromedp.Navigate(site.URL)); err != nil {
		t.Fatal(err)
	}

	got, err := chromedp.Run(tab,
		chromedp.Evaluate[[]bool](fmt.Sprintf(verifyScript, text, testSecret), chromedp.EvalAwaitPromise))
	if err != nil || len(got) != len(cases) {
		t.Fatalf("%d of %d requests are verified: %v", len(got), len(cases), err)
	}

	for i, c := range cases {
		if got[i] != c.signed() {
			t.Errorf("%s: verify returned %v, want %v", c.name, got[i], c.signed())
		}
	}
}

// latin1 returns a header value as scripts see it, with one character per byte.
func latin1(value string) string {
	var runes []rune
	for i := range len(value) {
		runes = append(runes, rune(value[i]))
	}
	return string(runes)
}
