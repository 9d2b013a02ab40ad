package adminui_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/webhook"
)

// listener is an endpoint of somebody who registered it; it answers with a status that a test sets.
type listener struct {
	*httptest.Server
	status atomic.Int64
}

func (s *site) listen(status int64) *listener {
	l := &listener{}
	l.status.Store(status)
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(int(l.status.Load()))
		_, _ = io.WriteString(w, "<script>alert(1)</script> thanks")
	}))
	s.t.Cleanup(l.Close)
	return l
}

// shows asks for a page until it shows a text.
func (v *visitor) shows(path, text string) page {
	v.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		p := v.get(path).want(200)
		if strings.Contains(p.text, text) {
			return p
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("%s does not come to show %q: %.4000s", path, text, p.text)
		}
	}
}

// register makes a receiver of an address, and returns the path of its page.
func (s *site) register(address string) (path string) {
	s.t.Helper()
	s.write(func(q database.Querier) error {
		made, _, err := s.app.Webhooks.CreateReceiver(s.t.Context(), q, s.shop.StoreID, webhook.ReceiverEdit{URL: &address, Types: &[]string{"*"}})
		path = "/webhooks/" + made.ID.String()
		return err
	})
	return path
}

// The pages of webhooks, in one shop: each case finds what those before it left.
func TestWebhooks(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := s.owner()
		for _, c := range []struct {
			name string
			run  func(s *site, owner *visitor)
		}{
			{"receivers are registered and changed", receiversAreKept}, {"deliveries are shown, sent again and recovered", deliveriesAreSent}, {"roles and passwords decide", webhooksByRole},
		} {
			t.Run(c.name, func(t *testing.T) {
				here := *s
				here.t = t
				v := &visitor{site: &here, session: owner.session}
				c.run(&here, v)
				owner.session = v.session // a password that was given again renews it
			})
		}
	})
}

func receiversAreKept(s *site, v *visitor) {
	v.get("/webhooks").want(200).html().has("Nobody is told of anything yet", "New receiver")
	v.get("/webhooks/new").want(200).html().has("order.*", "exchange.completed", "Your password").lacks("webhook.test")
	form := url.Values{"url": {"ftp://shop.example/<b>"}, "access": {"some"}, "password": {s.shop.AdminPassword}}
	v.post("/webhooks", form).want(422).html().has("must be a whole one that begins with https://", "The list is empty", "ftp://shop.example/&lt;b&gt;").lacks("whsec_")
	form["url"], form["types"] = []string{"https://shop.example/hook"}, []string{"order.*", "feedback.submitted"}
	v.get("/webhooks").want(200).has("Nobody is told of anything yet")

	made := v.post("/webhooks", form).want(201).html().has("only time the secret is shown", "feedback.submitted")
	secret, path := html.UnescapeString(made.between("data-select>", "<")), "/webhooks/"+made.between(`href="/webhooks/`, `"`)
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		s.t.Errorf("the secret is %q", secret)
	}
	v.get("/webhooks").want(200).html().has("https://shop.example/hook", `href="`+path+`"`, "order.*", "Active").lacks("whsec_")
	v.get(path).want(200).html().has("https://shop.example/hook", "Nothing was sent yet", "Send a test").lacks("whsec_", "Send at once")

	v.get(path+"/edit").want(200).html().has(`value="https://shop.example/hook"`, `value="order.*" checked`, `id="access-some" checked`).lacks("Your password")
	v.post(path+"/edit", url.Values{"url": {"https://10.0.0.1/"}, "access": {"all"}}).want(422).html().has("The address must be a public one")
	v.post(path+"/edit", url.Values{"url": {"https://shop.example/other"}, "access": {"all"}}).to(path + "?saved")
	v.get(path+"?saved").want(200).has("The receiver is saved", "https://shop.example/other", "everything").lacks("order.*</span>")

	v.get(path+"/rotate").want(200).html().has("signs along for 24 hours", "Your password")
	if rotated := v.post(path+"/rotate", url.Values{"password": {s.shop.AdminPassword}}).want(200).html().between("data-select>", "<"); rotated == secret || !strings.HasPrefix(rotated, "whsec_") {
		s.t.Errorf("the rotated secret is %q", rotated)
	}

	v.post(path, url.Values{"action": {"disable"}}).to(path + "?disabled")
	v.get(path+"?disabled").want(200).has("What waited for it is held", "Disabled", "Enable").lacks("Send a test")
	v.get("/webhooks").want(200).has(`data-state="Disabled"`)
	v.post(path, url.Values{"action": {"test"}, "type": {"webhook.test"}}).want(409).html().has("This receiver is disabled")
	v.post(path, url.Values{"action": {"enable"}}).to(path + "?enabled")
	v.post(path, url.Values{"action": {"dance"}}).want(400).html()

	v.get(path + "/delete").want(200).html().has("Delete the receiver")
	v.get(path).want(200) // looking at the question changed nothing
	v.post(path+"/delete", url.Values{}).to("/webhooks?deleted")
	v.get("/webhooks?deleted").want(200).has("The receiver is deleted", "Nobody is told of anything yet")
	for _, gone := range []string{path, path + "/edit", path + "/rotate", path + "/delete", "/webhooks/no-uuid"} {
		v.get(gone).want(404).html().has("There is no such receiver in this store.")
	}
}

func deliveriesAreSent(s *site, v *visitor) {
	taken := s.listen(500)
	path := s.register(taken.URL + "/hook")
	test := v.post(path, url.Values{"action": {"test"}, "type": {"order.submitted"}}).want(303).Header.Get("Location")
	delivery := strings.TrimSuffix(test, "?sent")
	p := v.shows(delivery, "Refused by its answer")
	p.html().has("Delivery of order.submitted", "Pending", "data-live", ">500<", "&lt;script&gt;alert(1)&lt;/script&gt; thanks", "&#34;number&#34;: 1024", taken.URL+"/hook", "Send it now").lacks("<script>alert")
	v.get(path+"?status=pending").want(200).html().has(`href="`+delivery+`"`, `data-state="Pending"`, "Send at once")
	v.get(path + "?status=delivered").want(200).has("There are none in this status")
	v.get("/webhooks").want(200).has(`data-label="Pending"><span>1<`, "since <time")
	v.get(path + "?status=lost").want(400).html()

	taken.status.Store(200)
	v.post(path, url.Values{"action": {"recover"}, "since": {"soon"}}).want(422).html().has("Choose a day and a time", `value="soon"`)
	v.post(path, url.Values{"action": {"recover"}, "since": {"2099-01-01T00:00"}}).to(path + "?recovered")
	v.get(path + "?status=pending").want(200).has(delivery)
	v.post(path, url.Values{"action": {"recover"}, "since": {"2026-01-01T00:00"}}).to(path + "?recovered")
	v.shows(delivery, `data-state="Delivered"`).has("Send it again").lacks("data-live")
	v.post(delivery, url.Values{}).to(delivery + "?sent")
	v.shows(delivery, `data-label="No.">3<`)
	v.shows(path+"?status=delivered", delivery).lacks("Send at once")

	other := s.newShop("owner@south.example")
	stranger := s.signIn(other.AdminEmail, other.AdminPassword)
	stranger.get("/webhooks").want(200).has("Nobody is told of anything yet")
	stranger.get(path).want(404).html()
	stranger.get(delivery).want(404).html().has("There is no such delivery in this store.")
	stranger.post(delivery, url.Values{}).want(404).html()
	stranger.post(path, url.Values{"action": {"disable"}}).want(404).html()
	stranger.post(path+"/delete", url.Values{}).want(404).html()
	v.get(path).want(200).has("Active")
}

func webhooksByRole(s *site, owner *visitor) {
	path := s.register("https://shop.example/hook")
	manager := s.signIn(s.newOperator(access.Manager), password)
	manager.get("/webhooks").want(200).has("https://shop.example/hook").lacks("New receiver")
	manager.get(path).want(200).lacks("Send a test", "Rotate", "Disable", "Delete")
	for _, denied := range []string{"/webhooks/new", path + "/edit", path + "/rotate", path + "/delete"} {
		manager.get(denied).want(403).html()
	}
	for _, denied := range []string{"/webhooks", path, path + "/edit", path + "/rotate", path + "/delete"} {
		manager.post(denied, url.Values{}).want(403).html()
	}

	// The password comes last: a wrong one makes the account wait.
	form := url.Values{"url": {"https://shop.example/more"}, "access": {"some"}, "types": {"order.*"}, "password": {"wrong"}}
	owner.post("/webhooks", form).want(422).html().has("The password is wrong.", `value="order.*" checked`).lacks("whsec_")
	owner.post(path+"/rotate", url.Values{"password": {s.shop.AdminPassword}}).want(422).html().has("wait 1 second").lacks("whsec_")
	owner.get("/webhooks").want(200).lacks("https://shop.example/more")
}

// What an owner does with webhooks, in a real Chromium.
func TestBrowser_webhooks(t *testing.T) {
	t.Parallel()
	s := start(t, database.SQLite, config.Serve{Dev: true})
	taken := s.listen(503)
	b := open(t, true)
	base := strings.Replace(s.admin, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/webhooks"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.shop.AdminEmail, s.shop.AdminPassword)
	b.do(b.follow("New receiver"), chromedp.WaitVisible(chromedp.ID("url")), chromedp.WaitNotVisible(chromedp.CSS(".ticks")))
	b.fits("the new receiver")
	b.mark()
	b.do(chromedp.SendKeys(chromedp.ID("url"), taken.URL+"/a/rather/long/path/that/goes/on/and/on/for/quite/a/while"), chromedp.Click(chromedp.ID("access-some")),
		chromedp.WaitVisible(chromedp.CSS(".ticks")), chromedp.Click(chromedp.CSS(`input[value="order.*"]`)), chromedp.SendKeys(chromedp.ID("password"), s.shop.AdminPassword),
		b.press("Create the receiver"), chromedp.WaitVisible(chromedp.ID("secret")))
	b.marked("creating a receiver")
	b.fits("the new secret")
	b.do(b.follow("I have kept it"), chromedp.WaitVisible(chromedp.ID("deliveries")))
	b.fits("a receiver")
	b.do(b.press("Send a test"), chromedp.WaitVisible(chromedp.CSS("#delivery .attempts")))
	b.fits("a delivery that failed")
	b.mark()
	taken.status.Store(204)
	b.do(b.press("Send it now"), chromedp.WaitVisible(chromedp.CSS(`#delivery [data-state="Delivered"]`)), chromedp.WaitNotPresent(chromedp.CSS("#delivery[data-live]")))
	b.do(b.follow("Webhooks"), chromedp.WaitVisible(chromedp.CSS(".receivers")))
	b.fits("the receivers")
	if said := b.complaints(); len(said) > 0 {
		t.Errorf("the browser complains: %q", said)
	}
}
