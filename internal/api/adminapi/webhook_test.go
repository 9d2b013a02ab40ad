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
	// unreachable is an address that the guard lets pass, with nobody there.
	unreachable = "http://127.0.0.1:1/webhooks"
)

// The answers, as far as the tests look into them.
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

func (s *fixture) newReceiver(body string) (made receiver) {
	s.t.Helper()
	s.do(apitest.As(s.store.SecretKey), "POST", receiversPath, body).wantStatus(201).decode(&made)
	return made
}

// endpoint is an endpoint of somebody who registered it.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	ids    []string // the webhook-id of each request
}

func (s *fixture) newEndpoint(answer int) *endpoint {
	l := &endpoint{status: answer}
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

func (l *endpoint) receivedIDs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ids)
}

// The whole of a receiver's life, in one shop: each case finds what those before it left.
func TestWebhooks(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		for _, c := range []struct {
			name string
			run  func(s *fixture)
		}{
			{"receivers live from registration to deletion", testReceiverLifecycle}, {"receivers refuse what breaks a rule", testReceiverValidation},
			{"receivers are changed on condition, and made once a key", testReceiverIfMatchAndIdempotency}, {"deliveries tell what became of them", testDeliveries},
			{"receivers hold and recover", testRecover},
			{"the owner is told of a receiver that is gone", testGoneReceiver}, {"events are a feed", testEventFeed}, {"another store sees nothing", testWebhooksOfAnotherStore},
		} {
			t.Run(c.name, func(t *testing.T) { c.run(s.withT(t)) })
		}
	})
}

func testReceiverLifecycle(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	created := s.do(secret, "POST", receiversPath, `{"url":"HTTPS://Shop.Example/hook?a=b#part","webhook_types":["order.*","feedback.submitted","order.*"],"color":"red"}`).wantStatus(201)
	var made, got receiver
	created.decode(&made)
	if made.URL != "https://shop.example/hook?a=b" || strings.Join(made.Types, " ") != "order.* feedback.submitted" || !made.Enabled || made.DisabledReason != nil {
		s.t.Errorf("it is registered as %+v", made)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	if err != nil || len(key) != 32 || !strings.HasPrefix(made.Secret, "whsec_") {
		s.t.Errorf("the secret is %q", made.Secret)
	}
	path := receiversPath + "/" + made.ID
	if created.Header.Get("Location") != path || created.Header.Get("Cache-Control") != "no-store" {
		s.t.Errorf("the headers are %v", created.Header)
	}

	// The secret was shown once.
	s.do(secret, "GET", receiversPath, "").wantStatus(200).omits("whsec_")
	s.do(secret, "GET", path, "").wantStatus(200).omits("secret")
	rotated := s.do(secret, "POST", path+"/rotate-secret", "").wantStatus(200)
	if rotated.decode(&got); got.Secret == made.Secret || !strings.HasPrefix(got.Secret, "whsec_") || got.ID != made.ID || rotated.Header.Get("ETag") == created.Header.Get("ETag") {
		s.t.Errorf("the rotated one is %s", rotated.Body)
	}

	// What is sent overwrites, what is not stays, and what was read can be sent back.
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
			s.t.Errorf("after %s it is %+v", c.body, got)
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
		{"POST", receiversPath, `{"url":"ftp://shop.example","webhook_types":[]}`, 422, "url:invalid_url webhook_types:required"},
		{"POST", receiversPath, `{"url":"","webhook_types":["*"]}`, 422, "url:invalid_url"},
		{"POST", receiversPath, `{"url":"https://user:secret@shop.example/","webhook_types":["*"]}`, 422, "url:invalid_url"},
		{"POST", receiversPath, `{"url":"https://169.254.169.254/latest","webhook_types":["*"]}`, 422, "url:forbidden_address"},
		{"POST", receiversPath, `{"url":"https://shop.example","webhook_types":["order.submitted","order.sold","stock.*","order*","","Order.submitted"]}`, 422,
			"webhook_types[1]:unknown_type webhook_types[2]:unknown_type webhook_types[3]:unknown_type webhook_types[4]:unknown_type webhook_types[5]:unknown_type"},
		{"POST", receiversPath, `{"url":7,"webhook_types":"*","enabled":"yes"}`, 422, "url:wrong_type webhook_types:wrong_type enabled:wrong_type"},
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
		{"GET", deliveriesPath + "?status=lost", "", 400, ""}, {"GET", deliveriesPath + "?type=order.sold", "", 400, ""},
		{"GET", deliveriesPath + "?receiver_id=7", "", 400, ""}, {"GET", deliveriesPath + "?since=yesterday", "", 400, ""}, {"GET", deliveriesPath + "?cursor=1", "", 400, ""},
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
		if strings.Contains(c.fields, "unknown_type") && !strings.Contains(string(refused.Body), "exchange.completed, webhook.test") {
			s.t.Errorf("%s: the types are not listed: %s", c.body, refused.Body)
		}
	}
	var left receiver
	if s.do(secret, "GET", path, "").wantStatus(200).decode(&left); left.URL != unreachable || !left.Enabled {
		s.t.Errorf("a refused edit left %+v", left)
	}
	s.do(secret, "DELETE", path, "").wantStatus(204)
}

func testReceiverIfMatchAndIdempotency(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	body := `{"url":"` + unreachable + `","webhook_types":["order.*"]}`
	first := s.do(secret, "POST", receiversPath, body, "Idempotency-Key", "r").wantStatus(201)
	again := s.do(secret, "POST", receiversPath, body, "Idempotency-Key", "r").wantStatus(201)
	if string(first.Body) != string(again.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		s.t.Errorf("the same request again is answered by %s", again.Body)
	}
	path, tag := first.Header.Get("Location"), first.Header.Get("ETag")
	changed := s.do(secret, "PUT", path, `{"webhook_types":["*"]}`, "If-Match", tag).wantStatus(200)
	s.do(secret, "PUT", path, `{"webhook_types":["order.*"]}`, "If-Match", tag).wantStatus(412)
	s.do(secret, "DELETE", path, "", "If-Match", tag).wantStatus(412)
	rotated := s.do(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").wantStatus(200)
	if replay := s.do(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").wantStatus(200); string(replay.Body) != string(rotated.Body) {
		s.t.Error("a repeated rotation made two secrets")
	}
	s.do(secret, "DELETE", path, "", "If-Match", changed.Header.Get("ETag")).wantStatus(412)
	s.do(secret, "DELETE", path, "", "If-Match", s.do(secret, "GET", path, "").Header.Get("ETag")).wantStatus(204)
}

// deliveries reads deliveries that a query leaves, a few at a time.
func (s *fixture) deliveries(query string) (all []delivery) {
	s.t.Helper()
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		page := s.do(apitest.As(s.store.SecretKey), "GET", deliveriesPath+"?per_page=2&"+query+cursor, "").wantStatus(200)
		var told struct {
			Data []delivery `json:"data"`
			Meta struct {
				Next *string `json:"next_cursor"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(page.Body, &told); err != nil || pages > 10 {
			s.t.Fatalf("page %d is %s (%v)", pages, page.Body, err)
		}
		all = append(all, told.Data...)
		if cursor = ""; told.Meta.Next != nil {
			cursor = "&cursor=" + *told.Meta.Next
		}
	}
	return all
}

func testDeliveries(s *fixture) {
	secret, taken := apitest.As(s.store.SecretKey), s.newEndpoint(204)
	r := s.newReceiver(`{"url":"` + taken.URL + `","webhook_types":["order.submitted"]}`)
	path := receiversPath + "/" + r.ID
	var sent, asked delivery
	s.do(secret, "POST", path+"/test", "").wantStatus(202).decode(&sent)
	if sent.Type != "webhook.test" || sent.ReceiverID != r.ID || sent.EventID == "" || sent.Attempts != nil {
		s.t.Errorf("the test is %+v", sent)
	}
	s.do(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key", "t").wantStatus(202).decode(&asked)
	s.do(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key", "t").wantStatus(202)
	storetest.Eventually(s.t, "both events are delivered", func() bool {
		return len(taken.receivedIDs()) == 2 && len(s.deliveries("status=delivered&receiver_id="+r.ID)) == 2
	})
	if ids := taken.receivedIDs(); !slices.Contains(ids, sent.EventID) || !slices.Contains(ids, asked.EventID) {
		s.t.Errorf("the receiver got %v", ids)
	}

	// A receiver that refuses: the delivery waits, with what it said.
	taken.mu.Lock()
	taken.status = 500
	taken.mu.Unlock()
	again := s.do(secret, "POST", deliveriesPath+"/"+sent.ID+"/redeliver", "", "Idempotency-Key", "d").wantStatus(202)
	if replay := s.do(secret, "POST", deliveriesPath+"/"+sent.ID+"/redeliver", "", "Idempotency-Key", "d").wantStatus(202); string(replay.Body) != string(again.Body) {
		s.t.Errorf("asked again it answers %s", replay.Body)
	}
	storetest.Eventually(s.t, "the second attempt is recorded", func() bool {
		s.do(secret, "GET", deliveriesPath+"/"+sent.ID, "").wantStatus(200).decode(&sent)
		return sent.Count == 2
	})
	last := sent.Attempts[1]
	if sent.Status != "pending" || last.Number != 2 || last.Status == nil || *last.Status != 500 || last.Phase == nil || *last.Phase != "status" || last.Excerpt != "<b>noted</b>" || sent.Attempts[0].Phase != nil {
		s.t.Errorf("the delivery tells %+v", sent)
	}

	both := []string{asked.ID, sent.ID}
	for query, want := range map[string][]string{
		"receiver_id=" + r.ID: both, "receiver_id=" + unknownID(): nil, "type=webhook.test": {sent.ID}, "status=pending": {sent.ID}, "status=delivered": {asked.ID},
		"status=dead": nil, "since=2026-01-01&until=2099-01-01": both, "since=2099-01-01": nil, "until=2026-01-01": nil, "receiver_id=" + r.ID + "&status=pending&type=webhook.test": {sent.ID},
	} {
		var got []string
		for _, d := range s.deliveries(query) {
			got = append(got, d.ID)
		}
		if !slices.Equal(got, want) {
			s.t.Errorf("%s leaves %v, want %v", query, got, want)
		}
	}
	s.do(secret, "DELETE", path, "").wantStatus(204)
	s.do(secret, "GET", deliveriesPath+"/"+sent.ID, "").wantStatus(404)
	if left := s.deliveries(""); len(left) != 0 {
		s.t.Errorf("a deleted receiver leaves %v", left)
	}
}

func testGoneReceiver(s *fixture) {
	secret, l := apitest.As(s.store.SecretKey), s.newEndpoint(http.StatusGone)
	made := s.newReceiver(`{"url":"` + l.URL + `?token=canary","webhook_types":["order.confirmed"]}`)
	s.do(secret, "POST", receiversPath+"/"+made.ID+"/test", "").wantStatus(202)
	var got receiver
	storetest.Eventually(s.t, "the receiver is disabled", func() bool {
		s.do(secret, "GET", receiversPath+"/"+made.ID, "").wantStatus(200).decode(&got)
		return !got.Enabled
	})
	if got.DisabledReason == nil || *got.DisabledReason != "gone" {
		s.t.Errorf("it is %+v", got)
	}
	var letters []struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	mailbox := s.do(session(s.signIn(access.Owner)), "GET", "/api/store/mailbox", "").wantStatus(200)
	mailbox.omits("canary")
	mailbox.decode(&letters)
	host := strings.TrimPrefix(l.URL, "http://")
	if len(letters) != 1 || letters[0].To != s.store.AdminEmail || !strings.Contains(letters[0].Text, host+" was disabled") || !strings.Contains(letters[0].Text, made.ID) {
		s.t.Errorf("the letters are %+v", letters)
	}
}

func testRecover(s *fixture) {
	secret, taken := apitest.As(s.store.SecretKey), s.newEndpoint(200)
	r := s.newReceiver(`{"url":"` + taken.URL + `","webhook_types":["exchange.*"],"enabled":false}`)
	path := receiversPath + "/" + r.ID
	for range 3 {
		s.push(`{"payload":[]}`)
	}
	storetest.Eventually(s.t, "three events are held", func() bool { return len(s.deliveries("status=held&receiver_id="+r.ID)) == 3 })
	since := `{"since":"2026-01-01T00:00:00Z"}`
	for _, action := range []string{path + "/test", path + "/recover", deliveriesPath + "/" + s.deliveries("status=held")[0].ID + "/redeliver"} {
		body := ""
		if strings.HasSuffix(action, "/recover") {
			body = since
		}
		if code := s.do(secret, "POST", action, body).wantStatus(409).problem().Code; code != "receiver_disabled" {
			s.t.Errorf("%s is refused with %s", action, code)
		}
	}
	s.do(secret, "PUT", path, `{"enabled":true}`).wantStatus(200)
	if held := s.deliveries("status=held"); len(held) != 3 || len(taken.receivedIDs()) != 0 {
		s.t.Errorf("enabling it leaves %v held", held)
	}
	for body, want := range map[string]int{`{"since":"2099-01-01T00:00:00Z"}`: 0, since: 3} {
		var told recovered
		if s.do(secret, "POST", path+"/recover", body, "Idempotency-Key", body).wantStatus(202).decode(&told); told.Recovered != want {
			s.t.Errorf("%s recovers %d, want %d", body, told.Recovered, want)
		}
	}
	storetest.Eventually(s.t, "the three events are delivered", func() bool { return len(taken.receivedIDs()) == 3 && len(s.deliveries("status=delivered")) == 3 })
	var told recovered
	if s.do(secret, "POST", path+"/recover", since, "Idempotency-Key", since).wantStatus(202).decode(&told); told.Recovered != 3 {
		s.t.Errorf("the same request again says %d", told.Recovered)
	}
	s.do(secret, "DELETE", path, "").wantStatus(204)
}

func testEventFeed(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	s.do(secret, "POST", receiversPath+"/"+s.newReceiver(`{"url":"`+unreachable+`","webhook_types":["*"]}`).ID+"/test", "").wantStatus(202)
	for _, phone := range []string{"+79120000001", "+79120000002", "+79120000003"} {
		s.doAPI(apitest.As(s.store.PublishableKey), "POST", "/v2/interactions/callback", `{"phone":"`+phone+`"}`).wantStatus(201)
	}
	var all, page []event
	s.do(secret, "GET", "/api/store/events?per_page=250", "").wantStatus(200).decode(&all)
	if len(all) < 3 || all[len(all)-1].Type != "callback.submitted" {
		s.t.Fatalf("the feed is %+v", all)
	}
	for i, e := range all {
		if e.Type == "webhook.test" || i > 0 && e.Sequence <= all[i-1].Sequence {
			s.t.Errorf("the feed has %+v at %d", e, i)
		}
	}
	last := all[len(all)-3:]
	s.do(secret, "GET", "/api/store/events?cursor=", "").wantStatus(200) // from the beginning
	answer := s.do(secret, "GET", fmt.Sprintf("/api/store/events?per_page=2&cursor=%d", all[len(all)-4].Sequence), "").wantStatus(200)
	if answer.decode(&page); len(page) != 2 || page[0] != last[0] || page[1] != last[1] || !strings.Contains(string(answer.Body), fmt.Sprintf(`"next_cursor":"%d"`, last[1].Sequence)) {
		s.t.Errorf("a page is %s", answer.Body)
	}
	answer = s.do(secret, "GET", fmt.Sprintf("/api/store/events?cursor=%d", last[1].Sequence), "").wantStatus(200)
	if answer.decode(&page); len(page) != 1 || page[0] != last[2] || !strings.Contains(string(answer.Body), `"next_cursor":null`) {
		s.t.Errorf("the rest is %s", answer.Body)
	}
}

func testWebhooksOfAnotherStore(s *fixture) {
	secret := apitest.As(s.store.SecretKey)
	r := s.newReceiver(`{"url":"` + unreachable + `","webhook_types":["*"]}`)
	var sent delivery
	s.do(secret, "POST", receiversPath+"/"+r.ID+"/test", "").wantStatus(202).decode(&sent)
	other := apitest.As(s.newStore("owner@south.example").SecretKey)
	for _, c := range []struct{ method, path, body string }{
		{"GET", receiversPath + "/" + r.ID, ""}, {"PUT", receiversPath + "/" + r.ID, `{"enabled":false}`}, {"DELETE", receiversPath + "/" + r.ID, ""},
		{"POST", receiversPath + "/" + r.ID + "/test", ""}, {"POST", receiversPath + "/" + r.ID + "/rotate-secret", ""},
		{"POST", receiversPath + "/" + r.ID + "/recover", `{"since":"2026-01-01T00:00:00Z"}`},
		{"GET", deliveriesPath + "/" + sent.ID, ""}, {"POST", deliveriesPath + "/" + sent.ID + "/redeliver", ""},
	} {
		s.do(other, c.method, c.path, c.body).wantStatus(404)
	}
	for _, path := range []string{receiversPath, deliveriesPath, deliveriesPath + "?receiver_id=" + r.ID, "/api/store/events"} {
		s.do(other, "GET", path, "").wantStatus(200).omits(`"id"`)
	}
	s.do(secret, "GET", receiversPath+"/"+r.ID, "").wantStatus(200)
}
