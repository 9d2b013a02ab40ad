package storeapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/testkit/browsertest"
)

// deepText returns the text of a part of the page. RapiDoc draws the page in shadow trees, which queries of the
// document do not see.
const deepText = `(() => {
	const read = node => node.nodeType === Node.TEXT_NODE ? node.textContent :
		node.nodeName === "STYLE" ? "" : Array.from((node.shadowRoot || node).childNodes, read).join(" ")
	const part = document.getElementById("reference").shadowRoot?.querySelector(%q)
	return part ? read(part) : ""
})()`

// The page /docs in Chromium lists every operation, logs no error, and sends requests to this server only.
func TestDocs_renderInBrowserOffline(t *testing.T) {
	t.Parallel()
	routes := New(Deps{Catalog: catalog.New(catalog.Deps{})}).Routes()
	document, err := openapi.NewDocument(spec.About("test"), routes)
	if err != nil {
		t.Fatal(err)
	}

	routes = append(routes, document.Routes()...)
	server := httptest.NewServer(httpapi.NewServer(httpapi.Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now},
		routes))
	defer server.Close()

	tab := browsertest.Open(t, chromedp.WindowSize(1400, 1800))
	requests := browsertest.Collect(chromedp.Events(tab, network.RequestWillBeSent),
		func(e network.EventRequestWillBeSent) string { return e.Request.URL })
	complaints := browsertest.Collect(chromedp.Events(tab, log.EntryAdded),
		func(e log.EventEntryAdded) string { return e.Entry.Text })
	exceptions := browsertest.Collect(chromedp.Events(tab, runtime.ExceptionThrown),
		func(e runtime.EventExceptionThrown) string { return e.ExceptionDetails.Text })

	sizes := browsertest.Collect(chromedp.Events(tab, network.LoadingFinished),
		func(e network.EventLoadingFinished) string { return strconv.Itoa(int(e.EncodedDataLength)) })

	ctx, cancel := context.WithTimeout(tab, 90*time.Second)
	defer cancel()
	err = chromedp.Do(ctx, chromedp.Navigate(server.URL+"/docs#post-/v2/features"))
	if err != nil {
		t.Fatal(err)
	}

	text := func(part string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](
			fmt.Sprintf(deepText, part)))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for !strings.Contains(text(".main-content"), "Idempotency-Key") {
		if ctx.Err() != nil {
			t.Fatalf("the operation is not drawn; the requests are %v, the log is %v %v", requests(), complaints(),
				exceptions())
		}
		time.Sleep(50 * time.Millisecond) // until the scripts have drawn it
	}
	sidebar, operation := text(".nav-bar"), text(".main-content")

	for _, r := range routes {
		if !strings.Contains(sidebar, r.Summary) {
			t.Errorf("the sidebar does not list %q", r.Summary)
		}
	}

	for _, want := range []string{"/v2/features", "Idempotency-Key", "range_type", "catalog:write", "not_a_number"} {
		if !strings.Contains(operation, want) {
			t.Errorf("the operation does not mention %q: %s", want, operation)
		}
	}

	if said := append(complaints(), exceptions()...); len(said) > 0 {
		t.Errorf("the browser logs errors: %v", said)
	}

	for _, asked := range requests() {
		if u, err := url.Parse(asked); err != nil || (u.Scheme != "data" && u.Scheme != "blob" &&
			"http://"+u.Host != server.URL) {
			t.Errorf("the page requests %s from another server", asked)
		}
	}

	total := 0
	for _, size := range sizes() {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if t.Logf("the page takes %d bytes", total); total > 600<<10 {
		t.Errorf("the page takes %d bytes, want at most 600 KiB", total)
	}

	if len(requests()) < 4 {
		t.Errorf("the only requests are %v", requests())
	}
}
