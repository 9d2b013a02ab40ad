package adminui_test

import (
	"encoding/json"
	"html"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// push pushes a body with the exchange token of the store and returns the id of the run. It may be called from any
// goroutine.
func (s *fixture) push(entity string, body io.Reader) string {
	s.t.Helper()
	r, err := s.Try("POST", "/v2/sync-gate/"+entity, body, apitest.As(s.store.ExchangeToken))
	if err != nil {
		s.t.Error(err)
		return ""
	}
	var result struct {
		Data, Run struct{ ID string } // a success has Data, an error response has Run
	}
	if err := json.Unmarshal(r.Body, &result); err != nil {
		s.t.Error(err)
	}
	return result.Data.ID + result.Run.ID
}

// pushText calls push with a body that is a string.
func (s *fixture) pushText(entity, body string) string {
	s.t.Helper()
	return s.push(entity, strings.NewReader(body))
}

const archiveMissing = "products?archive_missing=true&max_archive_share=1"

// The cases run in order in the same store. Each sees the pushes of the earlier cases.
func TestRuns(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := s.owner()
		for _, c := range []struct {
			name string
			run  func(s *fixture, owner *client)
		}{
			{"runs, errors and rejects", checkRunPages}, {"revert", checkRevert}, {"pagination", checkRunPagination},
		} {
			t.Run(c.name, func(t *testing.T) {
				sub := s.withT(t)
				c.run(sub, &client{fixture: sub, session: owner.session})
			})
		}
	})
}

func checkRunPages(s *fixture, v *client) {
	v.get("/exchange").wantStatus(200).wantHTML().contains("Nothing was sent yet",
		"Connect accounting").omits("data-live")

	run := "/exchange/" +
		s.pushText("products",
			`{"payload":[{"id":1,"name":"Lamp","categories":["light"],"single_variant":true,"variant_price":1,`+
				`"nmae":1}`+strings.Repeat(`,{"id":"<b>"}`,
				101)+`]}`)
	broken := "/exchange/" + s.pushText("prices", `{"payload":[`)
	v.get("/exchange").wantStatus(200).wantHTML().
		contains("Products", "Prices", "With errors", "Nothing applied", `data-alarm="bad">101<`,
			`data-alarm="warn">1<`,
			"Default", "Awaited by products").omits(`rel="next"`, "data-live", `data-state="good"`)
	v.get("/exchange?show=failed").wantStatus(200).contains("With errors", "Nothing applied")
	v.get(broken).wantStatus(200).wantHTML().contains("The JSON ends in the middle", "malformed_json").
		omits("data-live", "Download")

	p := v.get(run).wantStatus(200).wantHTML().
		contains("<code>nmae</code> in 1 item; did you mean <code>name</code>?", "unknown_category", "&lt;b&gt;",
			`data-label="How often">101<`,
			"Download the failed items", "Only a part was applied").
		omits("Bring back", "<b>")
	if n := strings.Count(p.text, "A product needs a name"); n != 1 {
		s.t.Errorf("%d errors are shown, want one group", n)
	}

	group := html.UnescapeString(p.between(`href="`+run+`/errors?`, `"`))
	v.get(run+"/errors?"+group).wantStatus(200).wantHTML().contains("A product needs a name", `rel="next"`)
	v.get(run + "/errors?code=required&field=sku").wantStatus(200).contains("There are no more")

	first := v.get(run + "/errors").wantStatus(200).wantHTML()
	if n := strings.Count(first.text, "A product needs a name"); n != 100 {
		s.t.Errorf("%d errors are shown, want 100", n)
	}

	more := v.get(run+"/errors?after="+first.between(`/errors?after=`, `"`)).wantStatus(200).wantHTML().
		contains(`data-label="Item">101<`, `rel="prev"`).omits(`rel="next"`)
	if n := strings.Count(more.text, "A product needs a name"); n != 1 {
		s.t.Errorf("%d errors are on the next page, want 1", n)
	}

	v.get(run + "/warnings").wantStatus(200).contains("unknown_category").omits("A product needs a name")
	v.get(run + "/warnings?after=9").wantStatus(200).contains("There are no more")

	rejects := v.get(run + "/rejects").wantStatus(200)
	if rejects.text != strings.Repeat(`{"id":"<b>"}`+"\n", 101) ||
		rejects.Header.Get("Content-Type") != "application/x-ndjson" ||
		rejects.Header.Get("Content-Disposition") != `attachment; filename="rejects-`+strings.TrimPrefix(run,
			"/exchange/")+`.ndjson"` {
		s.t.Errorf("the rejects are %v %.100s", rejects.Header, rejects.text)
	}

	for _, path := range []string{"/exchange?before=x", "/exchange?before=-1", run + "/errors?after=0x1"} {
		v.get(path).wantStatus(400).wantHTML().contains("The address is wrong")
	}

	other := s.Provision("owner@south.example")
	stranger := s.signIn(other.AdminEmail, other.AdminPassword)
	stranger.get("/exchange").wantStatus(200).contains("Nothing was sent yet")
	for _, path := range []string{run, run + "/errors", run + "/warnings", run + "/rejects", run + "/revert",
		"/exchange/" + id.New[store.Store]().String(), "/exchange/no-uuid"} {
		stranger.get(path).wantStatus(404).wantHTML().contains("There is no such run in this store.")
	}

	stranger.post(run+"/revert", url.Values{}).wantStatus(404).wantHTML()
}

func checkRevert(s *fixture, owner *client) {
	s.pushText("products", `{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"},{"id":3,"name":"Bulb"}]}`)
	s.Clock.Advance(time.Second) // archive_missing archives only products that are older than the run
	run := "/exchange/" + s.pushText(archiveMissing, `{"payload":[{"id":1}]}`)
	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get(run).wantStatus(200).contains("0 of 2 archived").omits("Bring back")
	viewer.get(run + "/revert").wantStatus(403).wantHTML()
	viewer.post(run+"/revert", url.Values{}).wantStatus(403).wantHTML()

	owner.get(run + "/revert").wantStatus(200).wantHTML().contains("Bring them back")
	owner.get(run).wantStatus(200).contains("Bring back 2 archived") // GET changed nothing
	manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
	manager.post(run+"/revert", url.Values{}).wantRedirect(run)
	manager.get(run).wantStatus(200).contains("2 of 2 archived").omits("Bring back")
	s.wantAudit("run.reverted")
	manager.get(run + "/revert").wantStatus(200).contains("nothing to bring back").omits("Bring them back")
	manager.post(run+"/revert", url.Values{}).wantRedirect(run)
}

func checkRunPagination(s *fixture, v *client) {
	last := s.pushText("stocks", `{"payload":[]}`)
	for range 50 {
		s.pushText("stocks", `{"payload":[]}`)
	}
	newest := v.get("/exchange").wantStatus(200).contains(`rel="next"`).omits(last, `rel="prev"`)
	if n := strings.Count(newest.text, `scope="row"`); n != 50 {
		s.t.Errorf("%d runs are on the page, want 50", n)
	}
	v.get("/exchange?before="+newest.between("/exchange?before=", `"`)).wantStatus(200).contains(last, `rel="prev"`).
		omits(`rel="next"`)
}

// In a real Chromium an owner watches a push while it runs, and reverts another push.
func TestBrowser_exchange(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	s.pushText("products", `{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"}]}`)
	s.Clock.Advance(time.Second) // archive_missing archives only products that are older than the run
	s.pushText(archiveMissing, `{"payload":[{"id":1},{"id":7}]}`)
	body, feed := io.Pipe()
	t.Cleanup(func() { _ = feed.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.push("stocks", body)
	}()
	write := func(text string) {
		if _, err := io.WriteString(feed, text); err != nil {
			t.Error(err)
		}
	}
	write(`{"payload":[{"id":1,"name":"Main"}`)
	v := s.owner()
	v.eventuallyShows("/exchange", "Running")

	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/exchange"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.CSS(`.runs [data-state="info"]`)))
	b.wantFitsPhone("the list of runs")
	b.markDocument()
	write(`,{"id":2,"name":"Shop"}]}`)

	if err := feed.Close(); err != nil {
		t.Error(err)
	}

	<-done
	b.do(chromedp.WaitNotPresent(chromedp.CSS("#runs[data-live]")),
		chromedp.WaitVisible(chromedp.CSS(`.runs [data-state="good"]`)))
	b.wantDocumentKept("a push that ended")

	b.do(chromedp.Click(chromedp.CSS(".runs tbody tr:nth-child(2) a")),
		chromedp.WaitVisible(chromedp.CSS(".exchange-groups")))
	b.wantFitsPhone("a run")
	b.do(b.follow("Bring back 1 archived"), chromedp.WaitVisible(chromedp.CSS("form.sheet")))
	b.wantFitsPhone("the question before products are brought back")
	b.do(b.press("Bring them back"), chromedp.WaitVisible(chromedp.CSS(".toast")))

	if text := evaluate(b, chromedp.Text(chromedp.CSS("main"))); !strings.Contains(text, "1 of 1 archived") {
		t.Errorf("the page does not say 1 of 1 archived: %s", text)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
