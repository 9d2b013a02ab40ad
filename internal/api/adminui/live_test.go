package adminui_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/live"
	"vitrine/internal/testkit/apitest"
)

// openStream opens the stream of a session, and returns its status and its lines, which end when the stream does.
func (v *client) openStream(ctx context.Context) (status int, lines <-chan string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", v.AdminURL+"/live", http.NoBody)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Cookie", sessionCookie+"="+v.session)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}

	received := make(chan string)
	go func() {
		defer close(received)
		defer func() { _ = resp.Body.Close() }()
		for scanner := bufio.NewScanner(resp.Body); scanner.Scan(); {
			select {
			case received <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()

	return resp.StatusCode, received
}

// The stream tells at once that there is a new order, without saying anything of it, and the counts follow. It is
// bounded, and ends with the server.
func TestLive_tellsOfNewOrders(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.Alone())
	v := s.owner()
	p := s.createShirts("Shirt", "AB-1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	status, lines := v.openStream(ctx)
	if line := <-lines; status != 200 || line != "retry: 5000" {
		t.Fatalf("the stream has status %d and begins with %q", status, line)
	}

	p.order(1, "Ann", "ann@mail.example")
	for line := range lines {
		if line != "" {
			if line != "data: orders deliveries" {
				t.Errorf("the stream says %q", line)
			}
			break
		}
	}
	if text := v.get("/live/counts").wantStatus(200).text; !strings.Contains(text,
		`{"address":"/orders","number":"1","text":"1 new order"}`) {
		t.Errorf("the counts are %s", text)
	}

	v.get("/live").wantStatus(204)
	for range live.MaxPerOperator - 1 {
		if status, _ := v.openStream(ctx); status != 200 {
			t.Errorf("a stream has status %d", status)
		}
	}
	if status, _ := v.openStream(ctx); status != 204 {
		t.Errorf("a stream too many has status %d", status)
	}
	if status, _ := (&client{fixture: s}).openStream(ctx); status == 200 {
		t.Error("a stream needs no session")
	}

	s.Stop()
	for line := range lines {
		if strings.HasPrefix(line, "data:") {
			t.Errorf("the stream goes on with %q", line)
		}
	}
}

// In a browser a new order appears by itself, and the count in the menu with it. While a row is ticked, the page offers
// it instead.
func TestBrowser_newOrdersAppear(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	p := s.createShirts("Shirt", "AB-1")
	p.order(1, "Ann", "a@example.com")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.Navigate(base+"/orders"),
		chromedp.WaitVisible(`//td[contains(., "Ann")]`))
	b.markDocument()
	b.do(chromedp.WaitVisible(chromedp.CSS("html[data-live]")))
	p.order(1, "Bob", "b@example.com")
	b.do(chromedp.WaitVisible(`//td[contains(., "Bob")]`),
		chromedp.WaitVisible(`//div[@id="side"]//span[@class="waiting"][.="2"]`))
	b.wantDocumentKept("a new order")

	b.do(chromedp.Click(chromedp.CSS(`.order-tick input`)))
	p.order(1, "Cid", "c@example.com")
	b.do(chromedp.WaitVisible(chromedp.ID("list-news")), b.press("Show it"),
		chromedp.WaitVisible(`//td[contains(., "Cid")]`))
}
