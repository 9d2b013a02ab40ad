package storeapi

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"net/url"
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

	ctx, cancel := context.WithTimeout(tab, 90*time.Second)
	defer cancel()
	err = chromedp.Do(ctx,
		chromedp.Navigate(server.URL+"/docs#tag/features/POST/v2/features"),
		chromedp.WaitVisible(`//h3[contains(., "Create a feature with its values")]`),
	)
	if err != nil {
		t.Fatalf("%v; the requests are %v, the log is %v %v", err, requests(), complaints(), exceptions())
	}

	sidebar, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("aside")))
	if err != nil {
		t.Fatal(err)
	}
	operation, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}

	for _, r := range routes {
		if !strings.Contains(sidebar, r.Summary) {
			t.Errorf("the sidebar does not list %q", r.Summary)
		}
	}

	for _, want := range []string{"/v2/features", "Idempotency-Key", "range_type", "catalog:write", "not_a_number"} {
		if !strings.Contains(operation, want) {
			t.Errorf("the operation does not mention %q", want)
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

	if len(requests()) < 4 {
		t.Errorf("the only requests are %v", requests())
	}
}
