package adminui_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// receiverServer is an HTTP server that receives webhooks and responds with a status that the test sets.
type receiverServer struct {
	*httptest.Server
	status atomic.Int64
	last   atomic.Pointer[sentRequest]
}

// sentRequest is a request that a receiver got.
type sentRequest struct{ headers, body string }

func (s *fixture) startReceiver(status int64) *receiverServer {
	l := &receiverServer{}
	l.status.Store(status)
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var headers strings.Builder
		for name, values := range r.Header {
			headers.WriteString(name + ": " + values[0] + "\n")
		}
		l.last.Store(&sentRequest{headers.String(), string(body)})
		w.WriteHeader(int(l.status.Load()))
		_, _ = io.WriteString(w, "<script>alert(1)</script> thanks")
	}))
	s.t.Cleanup(l.Close)
	return l
}

// eventuallyShows requests a page until the page contains the text.
func (v *client) eventuallyShows(path, text string) response {
	v.t.Helper()
	var p response
	storetest.Eventually(v.t, path+" shows "+text, func() bool {
		p = v.get(path).wantStatus(200)
		return strings.Contains(p.text, text)
	})
	return p
}

// registerReceiver creates a receiver and returns the path of its page.
func (s *fixture) registerReceiver(address string) (path string) {
	s.t.Helper()
	s.Write(func(ctx context.Context, q database.Querier) error {
		receiver, _, err := s.App.Webhooks.CreateReceiver(ctx, store.In(q, s.store.StoreID),
			webhook.ReceiverEdit{URL: &address, Types: &[]string{"*"}})
		path = "/webhooks/" + receiver.ID.String()
		return err
	})
	return path
}

// The cases run in order in the same store. Each sees the receivers of the earlier cases.
func TestWebhooks(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := s.owner()
		for _, c := range []struct {
			name string
			run  func(s *fixture, owner *client)
		}{
			{"receivers", checkReceivers}, {"deliveries", checkDeliveries}, {"roles and passwords", checkWebhookRoles},
		} {
			t.Run(c.name, func(t *testing.T) {
				sub := s.withT(t)
				v := &client{fixture: sub, session: owner.session}
				c.run(sub, v)

				owner.session = v.session // the server replaces the session when the password is confirmed
			})
		}
	})
}

func checkReceivers(s *fixture, v *client) {
	v.get("/webhooks").wantStatus(200).wantHTML().contains("There are no receivers yet", "New receiver")
	v.get("/webhooks/new").wantStatus(200).wantHTML().contains("order.*", "exchange.completed", "Your password").
		omits("webhook.test")
	form := url.Values{"url": {"ftp://shop.example/<b>"}, "access": {"some"}, "password": {s.store.AdminPassword}}
	v.post("/webhooks", form).wantStatus(422).wantHTML().
		contains("must be a whole one that begins with https://", "The list is empty", "ftp://shop.example/&lt;b&gt;").
		omits("whsec_")
	form["url"] = []string{"https://shop.example/hook"}
	form["types"] = []string{"order.*", "feedback.submitted"}
	v.get("/webhooks").wantStatus(200).contains("There are no receivers yet")

	created := v.post("/webhooks", form).wantStatus(201).wantHTML().
		contains("only time the secret is shown", "A visitor wrote to the shop")
	secret := html.UnescapeString(created.between("data-select>", "<"))
	path := "/webhooks/" + created.between(`href="/webhooks/`, `"`)
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		s.t.Errorf("the secret is %q, want whsec_ and 44 characters", secret)
	}

	v.get("/webhooks").wantStatus(200).wantHTML().
		contains("https://shop.example/hook", `href="`+path+`"`, "Everything about orders", "Not tried yet").
		omits("whsec_", ">Works<")
	v.get(path).wantStatus(200).wantHTML().contains("https://shop.example/hook", "Nothing was sent yet", "Send a test").
		omits("whsec_", "Send at once")

	v.get(path+"/edit").wantStatus(200).wantHTML().
		contains(`value="https://shop.example/hook"`, `value="order.*" checked`, `id="access-some" checked`,
			"Needed for another address or for more events.")
	edit := url.Values{"url": {"https://elsewhere.example/"}, "access": {"all"}, "version": {"1"}}
	v.post(path+"/edit", edit).wantStatus(422).contains("Type your password again.",
		`value="https://elsewhere.example/"`)
	v.get(path).omits("elsewhere.example")
	edit.Set("password", s.store.AdminPassword)
	edit.Set("url", "https://10.0.0.1/")
	v.post(path+"/edit", edit).wantStatus(422).wantHTML().contains("The address must be a public one")
	edit.Set("url", "https://shop.example/other")
	v.post(path+"/edit", edit).wantRedirect(path)
	v.get(path).wantStatus(200).contains("https://shop.example/other", "everything").omits("Everything about orders")
	s.wantAudit("receiver.edited")

	// What is sent can be changed without the password.
	v.post(path+"/edit", url.Values{"url": {"https://shop.example/other"}, "access": {"all"}, "version": {"2"}}).
		wantRedirect(path)

	// A second operator, who saw the first version, is told what changed, and can save then.
	edit.Set("url", "https://shop.example/third")
	v.post(path+"/edit", edit).wantStatus(422).wantHTML().
		contains("Somebody else changed this receiver", "https://shop.example/other",
			`value="https://shop.example/third"`,
			`name="version" value="3"`)

	v.get(path+"/rotate").wantStatus(200).wantHTML().contains("requests are signed with both", "Your password")

	if rotated := v.post(path+"/rotate", url.Values{"password": {s.store.AdminPassword}}).wantStatus(200).wantHTML().
		between("data-select>", "<"); rotated == secret || !strings.HasPrefix(rotated, "whsec_") {
		s.t.Errorf("the rotated secret is %q, want another with whsec_", rotated)
	}

	v.post(path, url.Values{"action": {"disable"}}).wantRedirect(path)
	v.get(path).wantStatus(200).contains("Its events are held back", "Turn on").omits("Send a test")
	v.get("/webhooks").wantStatus(200).contains(`data-state="off">Off`)
	v.post(path, url.Values{"action": {"test"}, "type": {"webhook.test"}}).wantStatus(409).wantHTML().
		contains("This receiver is off")
	v.post(path, url.Values{"action": {"enable"}}).wantRedirect(path)
	v.post(path, url.Values{"action": {"dance"}}).wantStatus(400).wantHTML()

	version := v.get(path+"/delete").wantStatus(200).wantHTML().contains("Delete the receiver").
		between(`name="version" value="`, `"`)
	v.get(path).wantStatus(200) // GET changed nothing
	v.post(path+"/delete", url.Values{"version": {"1"}}).wantStatus(422).contains("has changed this receiver meanwhile")
	v.post(path+"/delete", url.Values{"version": {version}}).wantRedirect("/webhooks")
	v.get("/webhooks").wantStatus(200).contains("There are no receivers yet")
	s.wantAudit("receiver.created", "receiver.secret_rotated", "receiver.disabled", "receiver.enabled",
		"receiver.deleted")

	for _, gone := range []string{path, path + "/edit", path + "/rotate", path + "/delete", "/webhooks/no-uuid"} {
		v.get(gone).wantStatus(404).wantHTML().contains("There is no such receiver in this store.")
	}
}

func checkDeliveries(s *fixture, v *client) {
	receiver := s.startReceiver(500)
	path := s.registerReceiver(receiver.URL + "/hook")
	delivery := v.post(path, url.Values{"action": {"test"}, "type": {"order.submitted"}}).wantStatus(303).
		Header.Get("Location")
	p := v.eventuallyShows(delivery, "Refused by its answer")
	p.wantHTML().
		contains("An order was placed", "Tried again at", "data-live", ">500<", "404: check the path",
			"&lt;script&gt;alert(1)&lt;/script&gt; thanks", "&#34;number&#34;: 1024", receiver.URL+"/hook",
			"Send it now").
		omits("<script>alert")
	v.get(path).wantStatus(200).wantHTML().contains(`href="`+delivery+`"`, "Tried again at", "Send at once")
	receiverID := strings.TrimPrefix(path, "/webhooks/")
	v.get("/deliveries?receiver="+receiverID+"&status=pending&type=order.submitted&from=2020-01-01&to=2199-01-01").
		wantStatus(200).wantHTML().contains(`href="`+delivery+`"`, receiver.URL+"/hook", `value="pending" selected`)

	for _, none := range []string{"status=delivered", "status=dead", "type=feedback.submitted", "to=2020-01-01",
		"from=2199-01-01", "receiver=" + id.New[webhook.Receiver]().String()} {
		v.get("/deliveries?" + none).wantStatus(200).contains("There are none like that").omits(delivery)
	}

	v.get("/webhooks").wantStatus(200).contains("since <time",
		`data-label="Failed"><span class="alarm" data-alarm="bad">1<`,
		`data-value="1"`, "Show the numbers")
	v.get("/webhooks?period=week").wantStatus(200).contains(`data-value="1"`)

	for _, bad := range []string{"status=lost", "type=x", "receiver=x", "before=x"} {
		v.get("/deliveries?" + bad).wantStatus(400).wantHTML()
	}

	for _, bad := range []string{"from=yesterday", "to=1", "from=2026-01-02&to=2026-01-01"} {
		v.get("/deliveries?"+bad).wantStatus(422).wantHTML().contains("The period was not used", "-wrong")
	}

	receiver.status.Store(200)
	v.post(path, url.Values{"action": {"recover"}, "since": {"soon"}}).wantStatus(422).wantHTML().
		contains("Choose a day and a time", `value="soon"`)
	v.post(path, url.Values{"action": {"recover"}, "since": {"2099-01-01T00:00"}}).wantRedirect(path)
	v.get("/deliveries?status=pending").wantStatus(200).contains(delivery)
	v.post(path, url.Values{"action": {"recover"}, "since": {"2026-01-01T00:00"}}).wantRedirect(path)
	v.eventuallyShows(delivery, "Send it again").omits("data-live")
	v.post(delivery, url.Values{}).wantRedirect(delivery)
	v.eventuallyShows(delivery, `data-label="No.">3<`)
	v.eventuallyShows("/deliveries?status=delivered", delivery)
	v.get(path).wantStatus(200).omits("Send at once")
	s.wantAudit("receiver.tested", "deliveries.recovered", "delivery.redelivered")

	other := s.Provision("owner@south.example")
	stranger := s.signIn(other.AdminEmail, other.AdminPassword)
	stranger.get("/webhooks").wantStatus(200).contains("There are no receivers yet")
	stranger.get(path).wantStatus(404).wantHTML()
	stranger.get(delivery).wantStatus(404).wantHTML().contains("There is no such delivery in this store.")
	stranger.post(delivery, url.Values{}).wantStatus(404).wantHTML()
	stranger.post(path, url.Values{"action": {"disable"}}).wantStatus(404).wantHTML()
	stranger.post(path+"/delete", url.Values{}).wantStatus(404).wantHTML()
	stranger.get("/deliveries").wantStatus(200).omits(delivery, receiver.URL)
	v.get(path).wantStatus(200).contains("Works")
}

func checkWebhookRoles(s *fixture, owner *client) {
	path := s.registerReceiver("https://shop.example/hook")
	manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
	manager.get("/webhooks").wantStatus(200).contains("https://shop.example/hook").omits("New receiver")
	manager.get(path).wantStatus(200).omits("Send a test", "Replace the secret", "Turn off", "Delete")

	for _, denied := range []string{"/webhooks/new", path + "/edit", path + "/rotate", path + "/delete"} {
		manager.get(denied).wantStatus(403).wantHTML()
	}

	for _, denied := range []string{"/webhooks", path, path + "/edit", path + "/rotate", path + "/delete"} {
		manager.post(denied, url.Values{}).wantStatus(403).wantHTML()
	}

	// These requests come last, because a wrong password locks the account for a second.
	form := url.Values{"url": {"https://shop.example/more"}, "access": {"some"}, "types": {"order.*"},
		"password": {"wrong"}}
	owner.post("/webhooks", form).wantStatus(422).wantHTML().
		contains("The password is wrong.", `value="order.*" checked`).omits("whsec_")
	owner.post(path+"/rotate", url.Values{"password": {s.store.AdminPassword}}).wantStatus(422).wantHTML().
		contains("wait 1 second").omits("whsec_")
	owner.get("/webhooks").wantStatus(200).omits("https://shop.example/more")
}

// The catalogue of events has an example of each, and a pasted request is checked.
func TestWebhooks_eventsAndSignatures(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/webhooks/events").wantStatus(200).wantHTML().
			contains("order.submitted", "An order was placed", "&#34;number&#34;: 1024", "webhook.test",
				s.store.StoreID.String())

		v.get("/webhooks/check").wantStatus(200).wantHTML().contains("There are no receivers yet")
		receiver := s.startReceiver(204)
		path := s.registerReceiver(receiver.URL + "/hook")
		delivery := v.post(path, url.Values{"action": {"test"}, "type": {"webhook.test"}}).wantStatus(303).
			Header.Get("Location")
		v.eventuallyShows(delivery, "Send it again")
		sent := receiver.last.Load()
		form := url.Values{"receiver": {strings.TrimPrefix(path, "/webhooks/")}, "headers": {sent.headers},
			"body": {sent.body}}
		v.post("/webhooks/check", form).wantStatus(200).wantHTML().contains("The signature is right")
		form.Set("body", `<script>alert(1)</script>`)
		v.post("/webhooks/check", form).wantStatus(200).contains("The signature does not fit", "&lt;script&gt;").
			omits("<script>alert")
		form.Set("secret", "nonsense!")
		v.post("/webhooks/check", form).wantStatus(200).contains("This is no secret").omits("nonsense!")
		form.Set("receiver", "")
		v.post("/webhooks/check", form).wantStatus(422).contains("Choose a receiver.")
		form.Set("receiver", id.New[webhook.Receiver]().String())
		v.post("/webhooks/check", form).wantStatus(404).wantHTML()
	})
}

// checkLastRequest pastes the last request of a receiver into the form that checks signatures.
func (b *browser) checkLastRequest(receiver *receiverServer) {
	b.t.Helper()
	sent := receiver.last.Load()
	b.do(b.follow("Webhooks"), chromedp.WaitVisible(chromedp.CSS(".receivers")), b.follow("Check a signature"),
		chromedp.WaitVisible(chromedp.ID("headers")), chromedp.SetValue(chromedp.ID("headers"), sent.headers),
		chromedp.SetValue(chromedp.ID("body"), sent.body), b.press("Check"),
		chromedp.WaitVisible(chromedp.ID("result")))
	if text := evaluate(b, chromedp.Text(chromedp.ID("result"))); !strings.Contains(text, "The signature is right") {
		b.t.Errorf("the check says %s", text)
	}
	b.wantFitsPhone("the check of a signature")
}

// wantAudit fails the test unless the log of the store has these actions.
func (s *fixture) wantAudit(actions ...string) {
	s.t.Helper()
	for _, action := range actions {
		n := int64(0)
		err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
			return database.QueryRow(s.t.Context(), q,
				"SELECT COUNT(*) FROM audit_entries WHERE store_id = $1 AND action = $2",
				[]any{s.store.StoreID, action}, &n)
		})
		if err != nil || n == 0 {
			s.t.Errorf("the log has no %s (%v)", action, err)
		}
	}
}

// In a real Chromium an owner creates a receiver, sends a test event and sends it again.
func TestBrowser_webhooks(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	receiver := s.startReceiver(503)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/webhooks"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(b.follow("New receiver"), chromedp.WaitVisible(chromedp.ID("url")),
		chromedp.WaitNotVisible(chromedp.CSS(".ticks")))
	b.wantFitsPhone("the new receiver")
	b.markDocument()
	b.do(chromedp.SendKeys(chromedp.ID("url"), receiver.URL+
		"/a/rather/long/path/that/goes/on/and/on/for/quite/a/while"),
		chromedp.Click(chromedp.ID("access-some")),
		chromedp.WaitVisible(chromedp.CSS(".ticks")), chromedp.Click(chromedp.CSS(`input[value="order.*"]`)),
		chromedp.SendKeys(chromedp.ID("password"), s.store.AdminPassword),
		b.press("Create the receiver"), chromedp.WaitVisible(chromedp.ID("secret")))
	b.wantDocumentKept("creating a receiver")
	b.wantFitsPhone("the new secret")
	b.do(b.follow("I have kept it"), chromedp.WaitVisible(chromedp.ID("deliveries")))
	b.wantFitsPhone("a receiver")
	b.do(b.press("Send a test"), chromedp.WaitVisible(chromedp.CSS("#delivery .attempts")))
	b.wantFitsPhone("a delivery that failed")
	b.markDocument()
	receiver.status.Store(204)
	b.do(b.press("Send it now"), chromedp.WaitVisible(chromedp.CSS(`#delivery .facts [data-state="good"]`)),
		chromedp.WaitNotPresent(chromedp.CSS("#delivery[data-live]")))
	b.do(b.follow("Webhooks"), chromedp.WaitVisible(chromedp.CSS(".receivers")))
	b.wantFitsPhone("the receivers")
	b.do(chromedp.WaitVisible(chromedp.CSS(".chart canvas")), b.follow("Deliveries"),
		chromedp.WaitVisible(chromedp.CSS(".deliveries")))
	b.wantFitsPhone("the deliveries")
	b.checkLastRequest(receiver)

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
