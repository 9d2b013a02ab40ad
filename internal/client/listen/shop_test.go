package listener_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/client/listen"
	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
)

// words is a writer whose reader takes what was written, a piece each.
type words chan string

func (w words) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// next returns the next piece that holds a word.
func (w words) next(t *testing.T, word string) string {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case text := <-w:
			if strings.Contains(text, word) {
				return text
			}
		case <-limit:
			t.Fatalf("%q does not come", word)
		}
	}
}

// losing loses the response to the first request of each method: the client gets an empty 200 instead.
type losing struct {
	http.RoundTripper
	lost map[string]bool
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err != nil || l.lost[r.Method] {
		return answer, err
	}
	l.lost[r.Method] = true
	answer.Body.Close()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// The store does what it is asked the first time, and the response is lost: the second try makes no second receiver.
func TestListen_leavesNoSecondReceiverWhenItTriesAgain(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Shop) {
		at, err := listener.NewAdmin(s.AdminURL, s.Secret)
		if err != nil {
			t.Fatal(err)
		}
		said, out, client := make(words, 100), make(words, 100), &losing{http.DefaultTransport, map[string]bool{}}
		l := &listening{}
		l.run(t, listener.Job{
			Client: &http.Client{Transport: client}, Admin: at, Types: []string{"*"}, Status: http.StatusNoContent, Out: out,
			Now: s.Clock.Now, Say: func(text string) { said <- text }, Warn: l.warned.say,
		})
		said.next(t, "Listening at ")
		receivers := s.Admin(http.MethodGet, "/api/store/webhook-receivers", nil)
		if receivers.Len("data") != 1 {
			t.Errorf("the receivers are %s", receivers.Body)
		}
		// The secret is that of the receiver: an event is verified.
		s.Admin(http.MethodPost, "/api/store/webhook-receivers/"+receivers.Text("data.0.id")+"/test", nil)
		out.next(t, "webhook.test")
		if err := l.end(); err != nil {
			t.Errorf("it ends with %v", err)
		}
		said.next(t, "The receiver is unregistered.")
		left := s.Admin(http.MethodGet, "/api/store/webhook-receivers", nil)
		if left.Len("data") != 0 || len(client.lost) != 2 {
			t.Errorf("after losing the responses to %v it leaves %s", client.lost, left.Body)
		}
	}, apitest.Serve(func(c *config.Serve) { c.Dev = true }))
}

// A store's own events arrive while it listens, and no receiver is left when it ends. A server that may not send here says so.
func TestListen_toAStore(t *testing.T) {
	const receivers = "/api/store/webhook-receivers"
	apitest.Each(t, func(t *testing.T, s *apitest.Shop) {
		out, said, warned := make(words, 100), make(words, 100), make(words, 100)
		listen := func(address string) *listening {
			at, err := listener.NewAdmin(address, s.Secret)
			if err != nil {
				t.Fatal(err)
			}
			l := &listening{}
			l.run(t, listener.Job{
				Client: &http.Client{}, Admin: at, Types: []string{"feedback.*"}, Status: http.StatusNoContent, Out: out, Now: s.Clock.Now,
				Say: func(text string) { said <- text }, Warn: func(text string) { warned <- text },
			})
			return l
		}
		l := listen(s.AdminURL)
		said.next(t, "Listening at ")
		receiver := s.Admin(http.MethodGet, receivers, nil)
		if receiver.Len("data") != 1 || receiver.Text("data.0.webhook_types.0") != "feedback.*" {
			t.Errorf("the receivers are %s", receiver.Body)
		}
		s.OK(http.StatusCreated, http.MethodPost, "/v2/feedback", `{"name":"Anna","message":"Two\nlines"}`, apitest.As(s.Publishable))
		if got := out.next(t, "feedback.submitted  #1  "); !strings.Contains(got, `  "message": "Two\nlines"`) {
			t.Errorf("the feedback is printed as %s", got)
		}
		s.Admin(http.MethodPost, receivers+"/"+receiver.Text("data.0.id")+"/test", nil)
		out.next(t, "webhook.test")
		if err := l.end(); err != nil {
			t.Errorf("it ends with %v", err)
		}
		said.next(t, "is unregistered")
		if left := s.Admin(http.MethodGet, receivers, nil); left.Len("data") != 0 {
			t.Errorf("it leaves %s", left.Body)
		}
		if len(warned) > 0 {
			t.Errorf("it refuses what the store sends: %s", <-warned)
		}

		for _, allowed := range []bool{false, true} {
			guarded := s.Node(apitest.Serve(func(c *config.Serve) { c.AllowHTTP = allowed }))
			if err := <-listen(guarded.AdminURL).ended; err == nil || !strings.Contains(err.Error(), "--allow-http --allow-net 127.0.0.0/8") {
				t.Errorf("where http:// is allowed (%v) and loopback is not, it ends with %v", allowed, err)
			}
		}
	}, apitest.Serve(func(c *config.Serve) { c.Dev = true }))
}
