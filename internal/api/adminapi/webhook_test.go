package adminapi_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

const (
	receiversPath  = "/api/store/webhook-receivers"
	deliveriesPath = "/api/store/webhook-deliveries"
	// unreachable is a URL that a receiver may have, but where no server listens.
	unreachable = "http://127.0.0.1:1/webhooks"
)

// These types have the members of responses that the tests check.
type (
	receiver struct {
		ID             string   `json:"id"`
		URL            string   `json:"url"`
		Types          []string `json:"webhook_types"`
		Enabled        bool     `json:"enabled"`
		DisabledReason *string  `json:"disabled_reason"`
		Secret         string   `json:"secret"`
	}
	delivery struct {
		ID         string `json:"id"`
		EventID    string `json:"event_id"`
		Type       string `json:"type"`
		ReceiverID string `json:"receiver_id"`
		Status     string `json:"status"`
		Count      int    `json:"attempts_count"`
		Attempts   []struct {
			Number  int     `json:"number"`
			Status  *int    `json:"status_code"`
			Phase   *string `json:"phase"`
			Excerpt string  `json:"response_excerpt"`
		} `json:"attempts"`
	}
	recovered struct {
		Recovered int `json:"recovered"`
	}
	event struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Sequence int64  `json:"sequence"`
	}
)

// newReceiver registers a receiver with the secret key of the store.
func (s *fixture) newReceiver(body string) (created receiver) {
	s.t.Helper()
	s.do(apitest.As(s.store.SecretKey), "POST", receiversPath, body).wantStatus(201).decode(&created)
	return created
}

// webhookEndpoint is the HTTP server of a receiver.
type webhookEndpoint struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	ids    []string // the webhook-id of each request
}

// newEndpoint starts an endpoint that responds with this status.
func (s *fixture) newEndpoint(status int) *webhookEndpoint {
	l := &webhookEndpoint{status: status}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ids = append(l.ids, r.Header.Get("webhook-id"))
		w.WriteHeader(l.status)
		_, _ = io.WriteString(w, "<b>noted</b>")
	}))
	s.t.Cleanup(l.Close)
	return l
}

func (l *webhookEndpoint) receivedIDs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ids)
}

// The cases run in order in the same store. Each begins with the data of the earlier cases.
func TestWebhooks(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		for _, c := range []struct {
			name string
			run  func(s *fixture)
		}{
			{"receivers are registered, changed and deleted", testReceiverLifecycle},
			{"invalid requests are refused", testReceiverValidation},
			{"If-Match and Idempotency-Key", testReceiverIfMatchAndIdempotency},
			{"deliveries have a status and attempts", testDeliveries},
			{"held deliveries are recovered", testRecover},
			{"owners get a mail about a disabled receiver", testGoneReceiver},
			{"the feed lists events in order", testEventFeed},
			{"another store sees nothing", testWebhooksOfAnotherStore},
		} {
			t.Run(c.name, func(t *testing.T) { c.run(s.withT(t)) })
		}
	})
}

func testReceiverLifecycle(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	registration := s.do(secret, "POST", receiversPath,
		`{"url":"HTTPS://Shop.Example/hook?a=b#part","webhook_types":["order.*","feedback.submitted","order.*"],`+
			`"color":"red"}`).wantStatus(201)
	var created, got receiver
	registration.decode(&created)
	if created.URL != "https://shop.example/hook?a=b" ||
		strings.Join(created.Types, " ") != "order.* feedback.submitted" || !created.Enabled ||
		created.DisabledReason != nil {
		s.t.Errorf("the new receiver is %+v", created)
	}

	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(created.Secret, "whsec_"))
	if err != nil || len(key) != 32 || !strings.HasPrefix(created.Secret, "whsec_") {
		s.t.Errorf("the secret is %q", created.Secret)
	}
	path := receiversPath + "/" + created.ID
	if registration.Header.Get("Location") != path || registration.Header.Get("Cache-Control") != "no-store" {
		s.t.Errorf("the headers are %v", registration.Header)
	}

	// No later response contains the secret.
	s.do(secret, "GET", receiversPath, "").wantStatus(200).omits("whsec_")
	s.do(secret, "GET", path, "").wantStatus(200).omits("secret")
	rotated := s.do(secret, "POST", path+"/rotate-secret", "").wantStatus(200)
	if rotated.decode(&got); got.Secret == created.Secret || !strings.HasPrefix(got.Secret, "whsec_") ||
		got.ID != created.ID || rotated.Header.Get("ETag") == registration.Header.Get("ETag") {
		s.t.Errorf("the response to the rotation is %s", rotated.Body)
	}

	// Members that are sent replace the old values; other members stay. The data of a response is accepted as a body.
	read := strings.TrimSpace(string(s.do(secret, "GET", path, "").Body))
	for _, c := range []struct{ body, url, types string }{
		{`{}`, "https://shop.example/hook?a=b", "order.* feedback.submitted"},
		{`{"webhook_types":["*","callback.submitted"]}`, "https://shop.example/hook?a=b", "*"},
		{`{"url":"` + unreachable + `"}`, unreachable, "*"},
		{read[len(`{"data":`) : len(read)-1], "https://shop.example/hook?a=b", "order.* feedback.submitted"},
	} {
		s.do(secret, "PUT", path, c.body).wantStatus(200).omits("whsec_")
		s.do(secret, "GET", path, "").wantStatus(200).decode(&got)
		if got.URL != c.url || strings.Join(got.Types, " ") != c.types || !got.Enabled {
			s.t.Errorf("after %s the receiver is %+v", c.body, got)
		}
	}

	s.do(secret, "DELETE", path, "").wantStatus(204)
	s.do(secret, "GET", path, "").wantStatus(404)
	s.do(secret, "DELETE", path, "").wantStatus(404)
}

func testReceiverValidation(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	path := receiversPath + "/" + s.newReceiver(`{"url":"`+unreachable+`","webhook_types":["order.submitted"]}`).ID
	for _, c := range []struct {
		method, path, body string
		status             int
		fields             string
	}{
		{"POST", receiversPath, `{}`, 422, "url:required webhook_types:required"},
		{"POST", receiversPath, `{"url":"ftp://shop.example","webhook_types":[]}`, 422,
			"url:invalid_url webhook_types:required"},
		{"POST", receiversPath, `{"url":"","webhook_types":["*"]}`, 422, "url:invalid_url"},
		{"POST", receiversPath, `{"url":"https://user:secret@shop.example/","webhook_types":["*"]}`, 422,
			"url:invalid_url"},
		{"POST", receiversPath, `{"url":"https://169.254.169.254/latest","webhook_types":["*"]}`, 422,
			"url:forbidden_address"},
		{"POST", receiversPath,
			`{"url":"https://shop.example","webhook_types":["order.submitted","order.sold","stock.*","order*","",` +
				`"Order.submitted"]}`, 422,
			"webhook_types[1]:unknown_type webhook_types[2]:unknown_type webhook_types[3]:unknown_type " +
				"webhook_types[4]:unknown_type webhook_types[5]:unknown_type"},
		{"POST", receiversPath, `{"url":7,"webhook_types":"*","enabled":"yes"}`, 422,
			"url:wrong_type webhook_types:wrong_type enabled:wrong_type"},
		{"PUT", path, `{"webhook_types":null}`, 422, "webhook_types:wrong_type"},
		{"PUT", path, `{"webhook_types":[]}`, 422, "webhook_types:required"},
		{"PUT", path, `{"url":"https://10.0.0.1/","enabled":false}`, 422, "url:forbidden_address"},
		{"POST", path + "/test", `{"type":"order.sold"}`, 422, "type:unknown_type"},
		{"POST", path + "/test", `{"type":7}`, 422, "type:wrong_type"},
		{"POST", path + "/test", `{"type":`, 400, ""},
		{"POST", path + "/recover", `{}`, 422, "since:required"},
		{"POST", path + "/recover", `{"since":"yesterday"}`, 422, "since:invalid_date"},
		{"POST", path + "/recover", ``, 400, ""},
		{"POST", receiversPath + "/no-uuid/test", ``, 404, ""},
		{"GET", deliveriesPath + "?status=lost", "", 400, ""},
		{"GET", deliveriesPath + "?type=order.sold", "", 400, ""},
		{"GET", deliveriesPath + "?receiver_id=7", "", 400, ""},
		{"GET", deliveriesPath + "?since=yesterday", "", 400, ""},
		{"GET", deliveriesPath + "?cursor=1", "", 400, ""},
		{"GET", "/api/store/events?cursor=x", "", 400, ""}, {"GET", "/api/store/events?cursor=-1", "", 400, ""},
	} {
		var got []string
		refused := s.do(secret, c.method, c.path, c.body).wantStatus(c.status)
		for _, e := range refused.problem().Errors {
			got = append(got, e.Field+":"+e.Code)
		}

		if strings.Join(got, " ") != c.fields {
			s.t.Errorf("%s %s: got %q, want %q", c.path, c.body, got, c.fields)
		}

		if strings.Contains(c.fields, "unknown_type") &&
			!strings.Contains(string(refused.Body), "exchange.completed, catalog.changed, webhook.test") {
			s.t.Errorf("%s: the message does not list the types: %s", c.body, refused.Body)
		}
	}

	var left receiver
	if s.do(secret, "GET", path, "").wantStatus(200).decode(&left); left.URL != unreachable || !left.Enabled {
		s.t.Errorf("a refused edit changed the receiver to %+v", left)
	}

	s.do(secret, "DELETE", path, "").wantStatus(204)
}

func testReceiverIfMatchAndIdempotency(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	body := `{"url":"` + unreachable + `","webhook_types":["order.*"]}`
	first := s.do(secret, "POST", receiversPath, body, "Idempotency-Key", "r").wantStatus(201)

	again := s.do(secret, "POST", receiversPath, body, "Idempotency-Key", "r").wantStatus(201)
	if string(first.Body) != string(again.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		s.t.Errorf("the repeated request has the response %s", again.Body)
	}

	path, tag := first.Header.Get("Location"), first.Header.Get("ETag")
	changed := s.do(secret, "PUT", path, `{"webhook_types":["*"]}`, "If-Match", tag).wantStatus(200)
	s.do(secret, "PUT", path, `{"webhook_types":["order.*"]}`, "If-Match", tag).wantStatus(412)
	s.do(secret, "DELETE", path, "", "If-Match", tag).wantStatus(412)
	rotated := s.do(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").wantStatus(200)

	replay := s.do(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").wantStatus(200)
	if string(replay.Body) != string(rotated.Body) {
		s.t.Error("a repeated rotation created two secrets")
	}

	s.do(secret, "DELETE", path, "", "If-Match", changed.Header.Get("ETag")).wantStatus(412)
	s.do(secret, "DELETE", path, "", "If-Match", s.do(secret, "GET", path, "").Header.Get("ETag")).wantStatus(204)
}

// deliveries reads all deliveries that match the query, in pages of two.
func (s *fixture) deliveries(query string) (all []delivery) {
	s.t.Helper()
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		response := s.do(apitest.As(s.store.SecretKey), "GET", deliveriesPath+"?per_page=2&"+query+cursor,
			"").wantStatus(200)
		var page struct {
			Data []delivery `json:"data"`
			Meta struct {
				Next *string `json:"next_cursor"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(response.Body, &page); err != nil || pages > 10 {
			s.t.Fatalf("page %d is %s (%v)", pages, response.Body, err)
		}

		all = append(all, page.Data...)
		if cursor = ""; page.Meta.Next != nil {
			cursor = "&cursor=" + *page.Meta.Next
		}
	}

	return all
}

func testDeliveries(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	server := s.newEndpoint(204)
	r := s.newReceiver(`{"url":"` + server.URL + `","webhook_types":["order.submitted"]}`)
	path := receiversPath + "/" + r.ID
	var sent, typed delivery
	s.do(secret, "POST", path+"/test", "").wantStatus(202).decode(&sent)
	if sent.Type != "webhook.test" || sent.ReceiverID != r.ID || sent.EventID == "" || sent.Attempts != nil {
		s.t.Errorf("the delivery of the test event is %+v", sent)
	}

	s.do(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key",
		"t").wantStatus(202).decode(&typed)
	s.do(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key", "t").wantStatus(202)
	storetest.Eventually(s.t, "both events are delivered", func() bool {
		return len(server.receivedIDs()) == 2 && len(s.deliveries("status=delivered&receiver_id="+r.ID)) == 2
	})

	if ids := server.receivedIDs(); !slices.Contains(ids, sent.EventID) || !slices.Contains(ids, typed.EventID) {
		s.t.Errorf("the receiver got the events %v", ids)
	}

	// When the receiver fails, the delivery stays pending, and the attempt records the response.
	server.mu.Lock()
	server.status = 500
	server.mu.Unlock()
	redeliver := deliveriesPath + "/" + sent.ID + "/redeliver"
	first := s.do(secret, "POST", redeliver, "", "Idempotency-Key", "d").wantStatus(202)

	replay := s.do(secret, "POST", redeliver, "", "Idempotency-Key", "d").wantStatus(202)
	if string(replay.Body) != string(first.Body) {
		s.t.Errorf("the repeated request has the response %s", replay.Body)
	}

	storetest.Eventually(s.t, "the second attempt is recorded", func() bool {
		s.do(secret, "GET", deliveriesPath+"/"+sent.ID, "").wantStatus(200).decode(&sent)
		return sent.Count == 2
	})
	last := sent.Attempts[1]
	if sent.Status != "pending" || last.Number != 2 || last.Status == nil || *last.Status != 500 || last.Phase == nil ||
		*last.Phase != "status" || last.Excerpt != "<b>noted</b>" || sent.Attempts[0].Phase != nil {
		s.t.Errorf("the delivery is %+v", sent)
	}

	both := []string{typed.ID, sent.ID}
	for query, want := range map[string][]string{
		"receiver_id=" + r.ID: both, "receiver_id=" + unknownID(): nil, "type=webhook.test": {sent.ID},
		"status=pending": {sent.ID}, "status=delivered": {typed.ID},
		"status=dead": nil, "since=2026-01-01&until=2099-01-01": both, "since=2099-01-01": nil, "until=2026-01-01": nil,
		"receiver_id=" + r.ID + "&status=pending&type=webhook.test": {sent.ID},
	} {
		var got []string
		for _, d := range s.deliveries(query) {
			got = append(got, d.ID)
		}
		if !slices.Equal(got, want) {
			s.t.Errorf("%s: got the deliveries %v, want %v", query, got, want)
		}
	}

	s.do(secret, "DELETE", path, "").wantStatus(204)
	s.do(secret, "GET", deliveriesPath+"/"+sent.ID, "").wantStatus(404)

	if left := s.deliveries(""); len(left) != 0 {
		s.t.Errorf("a deleted receiver has the deliveries %v", left)
	}
}

func testGoneReceiver(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	server := s.newEndpoint(http.StatusGone)
	created := s.newReceiver(`{"url":"` + server.URL + `?token=canary","webhook_types":["order.confirmed"]}`)
	s.do(secret, "POST", receiversPath+"/"+created.ID+"/test", "").wantStatus(202)
	var got receiver
	storetest.Eventually(s.t, "the receiver is disabled", func() bool {
		s.do(secret, "GET", receiversPath+"/"+created.ID, "").wantStatus(200).decode(&got)
		return !got.Enabled
	})
	if got.DisabledReason == nil || *got.DisabledReason != "gone" {
		s.t.Errorf("the receiver is %+v", got)
	}

	var messages []struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	mailbox := s.do(session(s.signIn(access.Owner)), "GET", "/api/store/mailbox", "").wantStatus(200)
	mailbox.omits("canary")
	mailbox.decode(&messages)

	host := strings.TrimPrefix(server.URL, "http://")
	if len(messages) != 1 || messages[0].To != s.store.AdminEmail ||
		!strings.Contains(messages[0].Text, host+" was disabled") || !strings.Contains(messages[0].Text, created.ID) {
		s.t.Errorf("the messages are %+v", messages)
	}
}

func testRecover(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	server := s.newEndpoint(200)
	r := s.newReceiver(`{"url":"` + server.URL + `","webhook_types":["exchange.*"],"enabled":false}`)
	path := receiversPath + "/" + r.ID

	for range 3 {
		s.push(`{"payload":[]}`)
	}

	storetest.Eventually(s.t, "three events are held",
		func() bool { return len(s.deliveries("status=held&receiver_id="+r.ID)) == 3 })
	since := `{"since":"2026-01-01T00:00:00Z"}`
	redeliver := deliveriesPath + "/" + s.deliveries("status=held")[0].ID + "/redeliver"
	for _, action := range []string{path + "/test", path + "/recover", redeliver} {
		body := ""
		if strings.HasSuffix(action, "/recover") {
			body = since
		}
		if code := s.do(secret, "POST", action, body).wantStatus(409).problem().Code; code != "receiver_disabled" {
			s.t.Errorf("%s: the code is %s, want receiver_disabled", action, code)
		}
	}

	s.do(secret, "PUT", path, `{"enabled":true}`).wantStatus(200)
	if held := s.deliveries("status=held"); len(held) != 3 || len(server.receivedIDs()) != 0 {
		s.t.Errorf("after the receiver was enabled, the held deliveries are %v, want 3", held)
	}

	for body, want := range map[string]int{`{"since":"2099-01-01T00:00:00Z"}`: 0, since: 3} {
		var result recovered
		s.do(secret, "POST", path+"/recover", body, "Idempotency-Key", body).wantStatus(202).decode(&result)
		if result.Recovered != want {
			s.t.Errorf("%s: recovered %d, want %d", body, result.Recovered, want)
		}
	}

	storetest.Eventually(s.t, "the three events are delivered",
		func() bool { return len(server.receivedIDs()) == 3 && len(s.deliveries("status=delivered")) == 3 })
	var result recovered
	s.do(secret, "POST", path+"/recover", since, "Idempotency-Key", since).wantStatus(202).decode(&result)
	if result.Recovered != 3 {
		s.t.Errorf("the repeated request reports %d, want 3", result.Recovered)
	}

	s.do(secret, "DELETE", path, "").wantStatus(204)
}

func testEventFeed(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	receiverID := s.newReceiver(`{"url":"` + unreachable + `","webhook_types":["*"]}`).ID
	s.do(secret, "POST", receiversPath+"/"+receiverID+"/test", "").wantStatus(202)

	for _, phone := range []string{"+79120000001", "+79120000002", "+79120000003"} {
		s.doAPI(apitest.As(s.store.PublishableKey), "POST", "/v2/interactions/callback",
			`{"phone":"`+phone+`"}`).wantStatus(201)
	}

	var all, page []event
	s.do(secret, "GET", "/api/store/events?per_page=250", "").wantStatus(200).decode(&all)
	if len(all) < 3 || all[len(all)-1].Type != "callback.submitted" {
		s.t.Fatalf("the feed is %+v", all)
	}

	for i, e := range all {
		if e.Type == "webhook.test" || i > 0 && e.Sequence <= all[i-1].Sequence {
			s.t.Errorf("the feed has a test event or a wrong sequence at %d: %+v", i, e)
		}
	}

	last := all[len(all)-3:]
	s.do(secret, "GET", "/api/store/events?cursor=", "").wantStatus(200) // an empty cursor starts at the first event
	feed := s.do(secret, "GET", fmt.Sprintf("/api/store/events?per_page=2&cursor=%d", all[len(all)-4].Sequence),
		"").wantStatus(200)
	if feed.decode(&page); len(page) != 2 || page[0] != last[0] || page[1] != last[1] ||
		!strings.Contains(string(feed.Body), fmt.Sprintf(`"next_cursor":"%d"`, last[1].Sequence)) {
		s.t.Errorf("the page is %s", feed.Body)
	}

	feed = s.do(secret, "GET", fmt.Sprintf("/api/store/events?cursor=%d", last[1].Sequence), "").wantStatus(200)
	if feed.decode(&page); len(page) != 1 || page[0] != last[2] ||
		!strings.Contains(string(feed.Body), `"next_cursor":null`) {
		s.t.Errorf("the last page is %s", feed.Body)
	}
}

func testWebhooksOfAnotherStore(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	r := s.newReceiver(`{"url":"` + unreachable + `","webhook_types":["*"]}`)
	var sent delivery
	s.do(secret, "POST", receiversPath+"/"+r.ID+"/test", "").wantStatus(202).decode(&sent)
	other := apitest.As(s.Provision("owner@south.example").SecretKey)
	for _, c := range []struct{ method, path, body string }{
		{"GET", receiversPath + "/" + r.ID, ""}, {"PUT", receiversPath + "/" + r.ID, `{"enabled":false}`},
		{"DELETE", receiversPath + "/" + r.ID, ""},
		{"POST", receiversPath + "/" + r.ID + "/test", ""}, {"POST", receiversPath + "/" + r.ID + "/rotate-secret", ""},
		{"POST", receiversPath + "/" + r.ID + "/recover", `{"since":"2026-01-01T00:00:00Z"}`},
		{"GET", deliveriesPath + "/" + sent.ID, ""}, {"POST", deliveriesPath + "/" + sent.ID + "/redeliver", ""},
	} {
		s.do(other, c.method, c.path, c.body).wantStatus(404)
	}

	for _, path := range []string{receiversPath, deliveriesPath, deliveriesPath + "?receiver_id=" + r.ID,
		"/api/store/events"} {
		s.do(other, "GET", path, "").wantStatus(200).omits(`"id"`)
	}

	s.do(secret, "GET", receiversPath+"/"+r.ID, "").wantStatus(200)
}
