package adminui_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// push pushes a body with the shop's token and returns the id of the run. Any goroutine may call it.
func (s *site) push(entity string, body io.Reader) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.api+"/v2/sync-gate/"+entity, body)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+s.shop.ExchangeToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	var told struct {
		Data, Run struct{ ID string } // in an answer, in a problem
	}
	if err := json.NewDecoder(resp.Body).Decode(&told); err != nil {
		s.t.Error(err)
	}
	return told.Data.ID + told.Run.ID
}

// pushText pushes a body that is there already.
func (s *site) pushText(entity, body string) string {
	s.t.Helper()
	return s.push(entity, strings.NewReader(body))
}

const archiveMissing = "products?archive_missing=true&max_archive_share=1"

// The pages of runs, in one shop: each case finds what those before it pushed.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := s.owner()
		for _, c := range []struct {
			name string
			run  func(s *site, owner *visitor)
		}{
			{"tell what became of a push", runsTell}, {"bring products back", runsBringBack}, {"come in pages", runsInPages},
		} {
			t.Run(c.name, func(t *testing.T) {
				here := *s
				here.t = t
				c.run(&here, &visitor{site: &here, session: owner.session})
			})
		}
	})
}

func runsTell(s *site, v *visitor) {
	v.get("/exchange").want(200).html().has("Nothing was pushed yet").lacks("hx-get")

	run := "/exchange/" + s.pushText("products", `{"payload":[{"id":1,"name":"Lamp","categories":["light"],"weigth":1}`+strings.Repeat(`,{"id":"<b>"}`, 101)+`]}`)
	broken := "/exchange/" + s.pushText("prices", `{"payload":[`)
	v.get("/exchange").want(200).html().has("Products", "Prices", "Completed", "Failed", `data-alarm="bad">101<`, `data-alarm="warn">1<`, "Default").lacks("Older", "hx-get")
	v.get(broken).want(200).html().has("The JSON ends in the middle", "malformed_json").lacks("hx-get", "Download")

	p := v.get(run).want(200).html().has("<code>weigth</code>", "unknown_category", "&lt;b&gt;", "More errors", "Download the rejected items").lacks("More warnings", "Bring back", "<b>")
	if n := strings.Count(p.text, "A product needs a name"); n != 100 {
		s.t.Errorf("%d errors are shown, want 100", n)
	}
	more := v.get(run+"/errors"+p.between(`href="`+run+`/errors`, `"`)).want(200).html().has(`data-label="Index">101<`, "From the first on").lacks("More errors")
	if n := strings.Count(more.text, "A product needs a name"); n != 1 {
		s.t.Errorf("%d errors follow, want 1", n)
	}
	v.get(run + "/warnings").want(200).has("unknown_category").lacks("A product needs a name")
	v.get(run + "/warnings?after=9").want(200).has("There are no more")

	rejects := v.get(run + "/rejects").want(200)
	if rejects.text != strings.Repeat(`{"id":"<b>"}`+"\n", 101) || rejects.Header.Get("Content-Type") != "application/x-ndjson" ||
		rejects.Header.Get("Content-Disposition") != `attachment; filename="rejects-`+strings.TrimPrefix(run, "/exchange/")+`.ndjson"` {
		s.t.Errorf("the rejects are %v %.100s", rejects.Header, rejects.text)
	}
	for _, path := range []string{"/exchange?before=x", "/exchange?before=-1", run + "/errors?after=0x1"} {
		v.get(path).want(400).html().has("must be a whole number")
	}

	other := s.newShop("owner@south.example")
	stranger := s.signIn(other.AdminEmail, other.AdminPassword)
	stranger.get("/exchange").want(200).has("Nothing was pushed yet")
	for _, path := range []string{run, run + "/errors", run + "/warnings", run + "/rejects", run + "/revert", "/exchange/" + id.New[store.Store]().String(), "/exchange/no-uuid"} {
		stranger.get(path).want(404).html().has("There is no such run in this store.")
	}
	stranger.post(run+"/revert", url.Values{}).want(404).html()
}

func runsBringBack(s *site, owner *visitor) {
	s.pushText("products", `{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"},{"id":3,"name":"Bulb"}]}`)
	run := "/exchange/" + s.pushText(archiveMissing, `{"payload":[{"id":1}]}`)
	viewer := s.signIn(s.newOperator(access.Viewer), password)
	viewer.get(run).want(200).has("0 of 2 archived").lacks("Bring back")
	viewer.get(run + "/revert").want(403).html()
	viewer.post(run+"/revert", url.Values{}).want(403).html()

	owner.get(run + "/revert").want(200).html().has("Bring them back")
	owner.get(run).want(200).has("Bring back 2 archived") // looking at the question changed nothing
	manager := s.signIn(s.newOperator(access.Manager), password)
	manager.post(run+"/revert", url.Values{}).to(run + "?reverted")
	manager.get(run+"?reverted").want(200).has("back in the shop", "2 of 2 archived").lacks("Bring back")
	manager.get(run + "/revert").want(200).has("nothing to bring back").lacks("Bring them back")
	manager.post(run+"/revert", url.Values{}).to(run + "?reverted")
}

func runsInPages(s *site, v *visitor) {
	last := s.pushText("stocks", `{"payload":[]}`)
	for range 50 {
		s.pushText("stocks", `{"payload":[]}`)
	}
	newest := v.get("/exchange").want(200).has("Older").lacks(last, "Newest")
	if n := strings.Count(newest.text, `scope="row"`); n != 50 {
		s.t.Errorf("%d runs are on the page, want 50", n)
	}
	v.get("/exchange?before="+newest.between("/exchange?before=", `"`)).want(200).has(last, "Newest").lacks("Older")
}

// What a person sees of a push while it runs and afterwards, in a real Chromium.
func TestBrowser_exchange(t *testing.T) {
	t.Parallel()
	s := start(t, database.SQLite, config.Serve{Dev: true})
	s.pushText("products", `{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"}]}`)
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
	for deadline := time.Now().Add(time.Minute); !strings.Contains(v.get("/exchange").text, "Running"); {
		if time.Now().After(deadline) {
			t.Fatal("the push does not begin")
		}
	}

	b := open(t, true)
	base := strings.Replace(s.admin, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/exchange"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.shop.AdminEmail, s.shop.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.CSS(`.runs [data-state="Running"]`)))
	b.fits("the list of runs")
	b.mark()
	write(`,{"id":2,"name":"Shop"}]}`)
	if err := feed.Close(); err != nil {
		t.Error(err)
	}
	<-done
	b.do(chromedp.WaitNotPresent(chromedp.CSS("#runs[data-live]")), chromedp.WaitVisible(chromedp.CSS(`.runs [data-state="Completed"]`)))
	b.marked("a push that ended")

	b.do(chromedp.Click(chromedp.CSS(".runs tbody tr:nth-child(2) a")), chromedp.WaitVisible(chromedp.CSS(".notes")))
	b.fits("a run")
	b.do(b.follow("Bring back 1 archived"), chromedp.WaitVisible(chromedp.CSS("form.sheet")))
	b.fits("the question before products are brought back")
	b.do(b.press("Bring them back"), chromedp.WaitVisible(chromedp.CSS(".good")))
	if text := get(b, chromedp.Text(chromedp.CSS("main"))); !strings.Contains(text, "1 of 1 archived") {
		t.Errorf("the page says %s", text)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Errorf("the browser complains: %q", said)
	}
}
