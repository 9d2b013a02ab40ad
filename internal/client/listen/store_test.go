package listen_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/client/listen"
	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
)

// messages is a writer that sends each write to a channel.
type messages chan string

func (w messages) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// waitFor returns the next message that contains the word.
func (w messages) waitFor(t *testing.T, word string) string {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case text := <-w:
			if strings.Contains(text, word) {
				return text
			}
		case <-timeout:
			t.Fatalf("no message contains %q", word)
		}
	}
}

// lossyTransport loses the response to the first request of each method: the client gets an empty 200 instead.
type lossyTransport struct {
	http.RoundTripper
	lost map[string]bool
}

func (l *lossyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err != nil || l.lost[r.Method] {
		return resp, err
	}
	l.lost[r.Method] = true
	resp.Body.Close()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// The server processes the first attempt, but its response is lost. The second attempt registers no second receiver.
func TestListen_registersOnceDespiteLostResponses(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		admin, err := listen.NewAdmin(s.AdminURL, s.Secret)
		if err != nil {
			t.Fatal(err)
		}

		infos := make(messages, 100)
		out := make(messages, 100)
		client := &lossyTransport{
			http.DefaultTransport, map[string]bool{},
		}
		l := &testListener{}
		l.start(t, listen.Job{
			Client: &http.Client{Transport: client}, Admin: admin, Types: []string{"*"}, Status: http.StatusNoContent,
			Out: out,
			Now: s.Clock.Now, Info: func(text string) { infos <- text }, Warn: l.warnings.writeLine,
		})
		infos.waitFor(t, "Listening at ")

		receivers := s.DoAdmin(http.MethodGet, "/api/store/webhook-receivers", nil)
		if receivers.Len("data") != 1 {
			t.Errorf("the receivers are %s", receivers.Body)
		}

		// Listen has the secret of this receiver: it accepts the receiver's event.
		s.DoAdmin(http.MethodPost, "/api/store/webhook-receivers/"+receivers.Text("data.0.id")+"/test", nil)
		out.waitFor(t, "webhook.test")

		if err := l.stop(); err != nil {
			t.Errorf("Listen returned %v", err)
		}

		infos.waitFor(t, "The receiver is unregistered.")
		left := s.DoAdmin(http.MethodGet, "/api/store/webhook-receivers", nil)
		if left.Len("data") != 0 || len(client.lost) != 2 {
			t.Errorf("after the responses to %v were lost, these receivers are left: %s", client.lost, left.Body)
		}
	}, apitest.DevMode())
}

// Listen receives the events of a store and leaves no receiver behind. With a server that may not send to loopback it
// fails with an explanation.
func TestListen_receivesEventsOfAStore(t *testing.T) {
	const receivers = "/api/store/webhook-receivers"

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		out := make(messages, 100)
		infos := make(messages, 100)
		warnings := make(messages, 100)

		listen := func(address string) *testListener {
			admin, err := listen.NewAdmin(address, s.Secret)
			if err != nil {
				t.Fatal(err)
			}

			l := &testListener{}
			l.start(t, listen.Job{
				Client: &http.Client{}, Admin: admin, Types: []string{"feedback.*"}, Status: http.StatusNoContent,
				Out: out, Now: s.Clock.Now,
				Info: func(text string) { infos <- text }, Warn: func(text string) { warnings <- text },
			})
			return l
		}

		l := listen(s.AdminURL)
		infos.waitFor(t, "Listening at ")
		receiver := s.DoAdmin(http.MethodGet, receivers, nil)
		if receiver.Len("data") != 1 || receiver.Text("data.0.webhook_types.0") != "feedback.*" {
			t.Errorf("the receivers are %s", receiver.Body)
		}

		s.OK(http.StatusCreated, http.MethodPost, "/v2/feedback", `{"name":"Anna","message":"Two\nlines"}`,
			apitest.As(s.Publishable))
		if got := out.waitFor(t, "feedback.submitted  #1  "); !strings.Contains(got, `  "message": "Two\nlines"`) {
			t.Errorf("the feedback is printed as %s", got)
		}

		s.DoAdmin(http.MethodPost, receivers+"/"+receiver.Text("data.0.id")+"/test", nil)
		out.waitFor(t, "webhook.test")

		if err := l.stop(); err != nil {
			t.Errorf("Listen returned %v", err)
		}

		infos.waitFor(t, "is unregistered")
		if left := s.DoAdmin(http.MethodGet, receivers, nil); left.Len("data") != 0 {
			t.Errorf("these receivers are left: %s", left.Body)
		}
		if len(warnings) > 0 {
			t.Errorf("an event of the store is rejected: %s", <-warnings)
		}

		for _, allowed := range []bool{false, true} {
			guarded := s.StartNode(apitest.WithConfig(func(c *config.Serve) { c.AllowHTTP = allowed }))
			if err := <-listen(guarded.AdminURL).result; err == nil ||
				!strings.Contains(err.Error(), "--allow-http --allow-net 127.0.0.0/8") {
				t.Errorf("with AllowHTTP=%v and loopback forbidden, Listen returned %v", allowed, err)
			}
		}
	}, apitest.DevMode())
}
