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
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/shop/access"
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
		N int `json:"recovered"`
	}
	event struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Sequence int64  `json:"sequence"`
	}
)

func (s *site) newReceiver(body string) (made receiver) {
	s.t.Helper()
	s.ask(bearer(s.shop.SecretKey), "POST", receiversPath, body).want(201).into(&made)
	return made
}

// eventually waits until something holds.
func (s *site) eventually(holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("it did not come to that within 30 s")
		}
	}
}

// listener is an endpoint of somebody who registered it.
type listener struct {
	*httptest.Server
	mu     sync.Mutex
	answer int
	ids    []string // the webhook-id of each request
}

func (s *site) listen(answer int) *listener {
	l := &listener{answer: answer}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ids = append(l.ids, r.Header.Get("webhook-id"))
		w.WriteHeader(l.answer)
		_, _ = io.WriteString(w, "<b>noted</b>")
	}))
	s.t.Cleanup(l.Close)
	return l
}

func (l *listener) got() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ids)
}

// The whole of a receiver's life, in one shop: each case finds what those before it left.
func TestWebhooks(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		for _, c := range []struct {
			name string
			run  func(s *site)
		}{
			{"receivers live from registration to deletion", receiversLive}, {"receivers refuse what breaks a rule", receiversRefuse},
			{"receivers are changed on condition, and made once a key", receiversOnCondition}, {"deliveries tell what became of them", deliveriesTell},
			{"receivers hold and recover", receiversRecover},
			{"the owner is told of a receiver that is gone", receiversGone}, {"events are a feed", eventsFeed}, {"another store sees nothing", webhooksOfOthers},
		} {
			t.Run(c.name, func(t *testing.T) {
				here := *s
				here.t = t
				c.run(&here)
			})
		}
	})
}

func receiversLive(s *site) {
	secret := bearer(s.shop.SecretKey)
	created := s.ask(secret, "POST", receiversPath, `{"url":"HTTPS://Shop.Example/hook?a=b#part","webhook_types":["order.*","feedback.submitted","order.*"],"color":"red"}`).want(201)
	var made, got receiver
	created.into(&made)
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
	s.ask(secret, "GET", receiversPath, "").want(200).lacks("whsec_")
	s.ask(secret, "GET", path, "").want(200).lacks("secret")
	rotated := s.ask(secret, "POST", path+"/rotate-secret", "").want(200)
	if rotated.into(&got); got.Secret == made.Secret || !strings.HasPrefix(got.Secret, "whsec_") || got.ID != made.ID || rotated.Header.Get("ETag") == created.Header.Get("ETag") {
		s.t.Errorf("the rotated one is %s", rotated.body)
	}

	// What is sent overwrites, what is not stays, and what was read can be sent back.
	read := strings.TrimSpace(string(s.ask(secret, "GET", path, "").body))
	for _, c := range []struct{ body, url, types string }{
		{`{}`, "https://shop.example/hook?a=b", "order.* feedback.submitted"},
		{`{"webhook_types":["*","callback.submitted"]}`, "https://shop.example/hook?a=b", "*"},
		{`{"url":"` + unreachable + `"}`, unreachable, "*"},
		{read[len(`{"data":`) : len(read)-1], "https://shop.example/hook?a=b", "order.* feedback.submitted"},
	} {
		s.ask(secret, "PUT", path, c.body).want(200).lacks("whsec_")
		s.ask(secret, "GET", path, "").want(200).into(&got)
		if got.URL != c.url || strings.Join(got.Types, " ") != c.types || !got.Enabled {
			s.t.Errorf("after %s it is %+v", c.body, got)
		}
	}
	s.ask(secret, "DELETE", path, "").want(204)
	s.ask(secret, "GET", path, "").want(404)
	s.ask(secret, "DELETE", path, "").want(404)
}

func receiversRefuse(s *site) {
	secret := bearer(s.shop.SecretKey)
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
		refused := s.ask(secret, c.method, c.path, c.body).want(c.status)
		for _, e := range refused.problem().Errors {
			got = append(got, e.Field+":"+e.Code)
		}
		if strings.Join(got, " ") != c.fields {
			s.t.Errorf("%s %s: got %q, want %q", c.path, c.body, got, c.fields)
		}
		if strings.Contains(c.fields, "unknown_type") && !strings.Contains(string(refused.body), "exchange.completed, webhook.test") {
			s.t.Errorf("%s: the types are not listed: %s", c.body, refused.body)
		}
	}
	var left receiver
	if s.ask(secret, "GET", path, "").want(200).into(&left); left.URL != unreachable || !left.Enabled {
		s.t.Errorf("a refused edit left %+v", left)
	}
	s.ask(secret, "DELETE", path, "").want(204)
}

func receiversOnCondition(s *site) {
	secret := bearer(s.shop.SecretKey)
	body := `{"url":"` + unreachable + `","webhook_types":["order.*"]}`
	first := s.ask(secret, "POST", receiversPath, body, "Idempotency-Key", "r").want(201)
	again := s.ask(secret, "POST", receiversPath, body, "Idempotency-Key", "r").want(201)
	if string(first.body) != string(again.body) || again.Header.Get("Idempotent-Replayed") != "true" {
		s.t.Errorf("the same request again is answered by %s", again.body)
	}
	path, tag := first.Header.Get("Location"), first.Header.Get("ETag")
	changed := s.ask(secret, "PUT", path, `{"webhook_types":["*"]}`, "If-Match", tag).want(200)
	s.ask(secret, "PUT", path, `{"webhook_types":["order.*"]}`, "If-Match", tag).want(412)
	s.ask(secret, "DELETE", path, "", "If-Match", tag).want(412)
	rotated := s.ask(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").want(200)
	if replay := s.ask(secret, "POST", path+"/rotate-secret", "", "Idempotency-Key", "s").want(200); string(replay.body) != string(rotated.body) {
		s.t.Error("a repeated rotation made two secrets")
	}
	s.ask(secret, "DELETE", path, "", "If-Match", changed.Header.Get("ETag")).want(412)
	s.ask(secret, "DELETE", path, "", "If-Match", s.ask(secret, "GET", path, "").Header.Get("ETag")).want(204)
}

// list reads deliveries that a query leaves, a few at a time.
func (s *site) list(query string) (all []delivery) {
	s.t.Helper()
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		page := s.ask(bearer(s.shop.SecretKey), "GET", deliveriesPath+"?per_page=2&"+query+cursor, "").want(200)
		var told struct {
			Data []delivery `json:"data"`
			Meta struct {
				Next *string `json:"next_cursor"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(page.body, &told); err != nil || pages > 10 {
			s.t.Fatalf("page %d is %s (%v)", pages, page.body, err)
		}
		all = append(all, told.Data...)
		if cursor = ""; told.Meta.Next != nil {
			cursor = "&cursor=" + *told.Meta.Next
		}
	}
	return all
}

func deliveriesTell(s *site) {
	secret, taken := bearer(s.shop.SecretKey), s.listen(204)
	r := s.newReceiver(`{"url":"` + taken.URL + `","webhook_types":["order.submitted"]}`)
	path := receiversPath + "/" + r.ID
	var sent, asked delivery
	s.ask(secret, "POST", path+"/test", "").want(202).into(&sent)
	if sent.Type != "webhook.test" || sent.ReceiverID != r.ID || sent.EventID == "" || sent.Attempts != nil {
		s.t.Errorf("the test is %+v", sent)
	}
	s.ask(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key", "t").want(202).into(&asked)
	s.ask(secret, "POST", path+"/test", `{"type":"feedback.submitted"}`, "Idempotency-Key", "t").want(202)
	s.eventually(func() bool { return len(taken.got()) == 2 && len(s.list("status=delivered&receiver_id="+r.ID)) == 2 })
	if ids := taken.got(); !slices.Contains(ids, sent.EventID) || !slices.Contains(ids, asked.EventID) {
		s.t.Errorf("the receiver got %v", ids)
	}

	// A receiver that refuses: the delivery waits, with what it said.
	taken.mu.Lock()
	taken.answer = 500
	taken.mu.Unlock()
	again := s.ask(secret, "POST", deliveriesPath+"/"+sent.ID+"/redeliver", "", "Idempotency-Key", "d").want(202)
	if replay := s.ask(secret, "POST", deliveriesPath+"/"+sent.ID+"/redeliver", "", "Idempotency-Key", "d").want(202); string(replay.body) != string(again.body) {
		s.t.Errorf("asked again it answers %s", replay.body)
	}
	s.eventually(func() bool {
		s.ask(secret, "GET", deliveriesPath+"/"+sent.ID, "").want(200).into(&sent)
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
		for _, d := range s.list(query) {
			got = append(got, d.ID)
		}
		if !slices.Equal(got, want) {
			s.t.Errorf("%s leaves %v, want %v", query, got, want)
		}
	}
	s.ask(secret, "DELETE", path, "").want(204)
	s.ask(secret, "GET", deliveriesPath+"/"+sent.ID, "").want(404)
	if left := s.list(""); len(left) != 0 {
		s.t.Errorf("a deleted receiver leaves %v", left)
	}
}

func receiversGone(s *site) {
	secret, l := bearer(s.shop.SecretKey), s.listen(http.StatusGone)
	made := s.newReceiver(`{"url":"` + l.URL + `?token=canary","webhook_types":["order.confirmed"]}`)
	s.ask(secret, "POST", receiversPath+"/"+made.ID+"/test", "").want(202)
	var got receiver
	s.eventually(func() bool {
		s.ask(secret, "GET", receiversPath+"/"+made.ID, "").want(200).into(&got)
		return !got.Enabled
	})
	if got.DisabledReason == nil || *got.DisabledReason != "gone" {
		s.t.Errorf("it is %+v", got)
	}
	var letters []struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	mailbox := s.ask(s.operator(access.Owner), "GET", "/api/store/mailbox", "").want(200)
	mailbox.lacks("canary")
	mailbox.into(&letters)
	host := strings.TrimPrefix(l.URL, "http://")
	if len(letters) != 1 || letters[0].To != s.shop.AdminEmail || !strings.Contains(letters[0].Text, host+" was disabled") || !strings.Contains(letters[0].Text, made.ID) {
		s.t.Errorf("the letters are %+v", letters)
	}
}

func receiversRecover(s *site) {
	secret, taken := bearer(s.shop.SecretKey), s.listen(200)
	r := s.newReceiver(`{"url":"` + taken.URL + `","webhook_types":["exchange.*"],"enabled":false}`)
	path := receiversPath + "/" + r.ID
	for range 3 {
		s.push(`{"payload":[]}`)
	}
	s.eventually(func() bool { return len(s.list("status=held&receiver_id="+r.ID)) == 3 })
	since := `{"since":"2026-01-01T00:00:00Z"}`
	for _, action := range []string{path + "/test", path + "/recover", deliveriesPath + "/" + s.list("status=held")[0].ID + "/redeliver"} {
		body := ""
		if strings.HasSuffix(action, "/recover") {
			body = since
		}
		if code := s.ask(secret, "POST", action, body).want(409).problem().Code; code != "receiver_disabled" {
			s.t.Errorf("%s is refused with %s", action, code)
		}
	}
	s.ask(secret, "PUT", path, `{"enabled":true}`).want(200)
	if held := s.list("status=held"); len(held) != 3 || len(taken.got()) != 0 {
		s.t.Errorf("enabling it leaves %v held", held)
	}
	for body, want := range map[string]int{`{"since":"2099-01-01T00:00:00Z"}`: 0, since: 3} {
		var told recovered
		if s.ask(secret, "POST", path+"/recover", body, "Idempotency-Key", body).want(202).into(&told); told.N != want {
			s.t.Errorf("%s recovers %d, want %d", body, told.N, want)
		}
	}
	s.eventually(func() bool { return len(taken.got()) == 3 && len(s.list("status=delivered")) == 3 })
	var told recovered
	if s.ask(secret, "POST", path+"/recover", since, "Idempotency-Key", since).want(202).into(&told); told.N != 3 {
		s.t.Errorf("the same request again says %d", told.N)
	}
	s.ask(secret, "DELETE", path, "").want(204)
}

func eventsFeed(s *site) {
	secret := bearer(s.shop.SecretKey)
	s.ask(secret, "POST", receiversPath+"/"+s.newReceiver(`{"url":"`+unreachable+`","webhook_types":["*"]}`).ID+"/test", "").want(202)
	for _, phone := range []string{"+79120000001", "+79120000002", "+79120000003"} {
		s.send(s.api, bearer(s.shop.PublishableKey), "POST", "/v2/interactions/callback", `{"phone":"`+phone+`"}`).want(201)
	}
	var all, page []event
	s.ask(secret, "GET", "/api/store/events?per_page=250", "").want(200).into(&all)
	if len(all) < 3 || all[len(all)-1].Type != "callback.submitted" {
		s.t.Fatalf("the feed is %+v", all)
	}
	for i, e := range all {
		if e.Type == "webhook.test" || i > 0 && e.Sequence <= all[i-1].Sequence {
			s.t.Errorf("the feed has %+v at %d", e, i)
		}
	}
	last := all[len(all)-3:]
	s.ask(secret, "GET", "/api/store/events?cursor=", "").want(200) // from the beginning
	answer := s.ask(secret, "GET", fmt.Sprintf("/api/store/events?per_page=2&cursor=%d", all[len(all)-4].Sequence), "").want(200)
	if answer.into(&page); len(page) != 2 || page[0] != last[0] || page[1] != last[1] || !strings.Contains(string(answer.body), fmt.Sprintf(`"next_cursor":"%d"`, last[1].Sequence)) {
		s.t.Errorf("a page is %s", answer.body)
	}
	answer = s.ask(secret, "GET", fmt.Sprintf("/api/store/events?cursor=%d", last[1].Sequence), "").want(200)
	if answer.into(&page); len(page) != 1 || page[0] != last[2] || !strings.Contains(string(answer.body), `"next_cursor":null`) {
		s.t.Errorf("the rest is %s", answer.body)
	}
}

func webhooksOfOthers(s *site) {
	secret := bearer(s.shop.SecretKey)
	r := s.newReceiver(`{"url":"` + unreachable + `","webhook_types":["*"]}`)
	var sent delivery
	s.ask(secret, "POST", receiversPath+"/"+r.ID+"/test", "").want(202).into(&sent)
	other := bearer(s.newShop("owner@south.example").SecretKey)
	for _, c := range []struct{ method, path, body string }{
		{"GET", receiversPath + "/" + r.ID, ""}, {"PUT", receiversPath + "/" + r.ID, `{"enabled":false}`}, {"DELETE", receiversPath + "/" + r.ID, ""},
		{"POST", receiversPath + "/" + r.ID + "/test", ""}, {"POST", receiversPath + "/" + r.ID + "/rotate-secret", ""},
		{"POST", receiversPath + "/" + r.ID + "/recover", `{"since":"2026-01-01T00:00:00Z"}`},
		{"GET", deliveriesPath + "/" + sent.ID, ""}, {"POST", deliveriesPath + "/" + sent.ID + "/redeliver", ""},
	} {
		s.ask(other, c.method, c.path, c.body).want(404)
	}
	for _, path := range []string{receiversPath, deliveriesPath, deliveriesPath + "?receiver_id=" + r.ID, "/api/store/events"} {
		s.ask(other, "GET", path, "").want(200).lacks(`"id"`)
	}
	s.ask(secret, "GET", receiversPath+"/"+r.ID, "").want(200)
}
