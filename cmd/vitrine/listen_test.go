package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// fakeAdmin is an admin API. After the registration it sends a signed and a forged event, and then stops the command.
type fakeAdmin struct {
	*httptest.Server
	t        *testing.T
	stop     func()
	types    []string
	statuses []int
	deleted  int
}

const listenEvent = `{"id":"e1","type":"order.submitted","store_id":"s","created_at":"2026-11-14T12:00:05+00:00",` +
	`"sequence":12,"payload":{"total":5}}`

func newFakeAdmin(t *testing.T) *fakeAdmin {
	s := &fakeAdmin{t: t}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("thirty-two bytes that are secret"))
	switch {
	case r.Header.Get("Authorization") != "Bearer sk_right":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"code":"invalid_credential","detail":"No."}`)
	case r.Method == http.MethodDelete:
		s.deleted++
		w.WriteHeader(http.StatusNoContent)

	default:
		var sent struct {
			URL   string   `json:"url"`
			Types []string `json:"webhook_types"`
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			s.t.Error(err)
		}

		s.types = sent.Types
		fmt.Fprintf(w, `{"data":{"id":"r1","secret":%q}}`, secret)
		go func() {
			defer s.stop()
			s.send(sent.URL, secret)
		}()
	}
}

func (s *fakeAdmin) send(url, secret string) {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		s.t.Error(err)
		return
	}

	now := time.Now()
	signature, err := signer.Sign("e1", now, []byte(listenEvent))
	if err != nil {
		s.t.Error(err)
		return
	}

	for _, signature := range []string{signature, "v1,AAAA"} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(listenEvent))
		if err != nil {
			s.t.Error(err)
			return
		}

		r.Header.Set("webhook-id", "e1")
		r.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()))
		r.Header.Set("webhook-signature", signature)

		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Error(err)
			return
		}

		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		s.statuses = append(s.statuses, resp.StatusCode)
	}
}

// vitrine listen prints signed events in each format, rejects forged ones, and reports invalid command lines.
func TestListen_printsEvents(t *testing.T) {
	for _, c := range []struct {
		line     string
		code     int
		types    string // [*] if empty
		statuses string
		out      []string // parts of standard output; empty if nil
		err      []string // parts of standard error; empty if nil
		never    string
	}{
		{line: "", statuses: "[204 401]", out: []string{"  order.submitted  #12  e1\n{\n  \"total\": 5\n}\n"},
			err: []string{
				"Listening at http://127.0.0.1:", " for *, as the receiver r1", "signature is invalid",
				"is unregistered",
			}, never: "\x1b"},
		{
			line: "--types order.*,feedback.submitted --status 500", types: "[order.* feedback.submitted]",
			statuses: "[500 401]", out: []string{"order.submitted"},
			err: []string{"for order.*, feedback.submitted, ", "answered 500"},
		},
		{
			line: "--json", statuses: "[204 401]", out: []string{listenEvent + "\n"}, err: []string{"Listening"},
			never: "#12",
		},
		{
			line: "--quiet", statuses: "[204 401]", out: []string{"order.submitted"},
			err: []string{"signature is invalid"}, never: "total",
		},
		{line: "--key sk_wrong", code: 1, statuses: "[]", err: []string{"unknown, expired or revoked"}},
		{
			line: "--key pk_1", code: 2, statuses: "[]", err: []string{"sk_", "vitrine key create --kind secret"},
			never: "pk_1",
		},
		{line: "--key=", code: 1, statuses: "[]", err: []string{"sk_"}},
		{line: "--to localhost:8081", code: 2, statuses: "[]", err: []string{"http://localhost:8081"}},
		{line: "--status 100", code: 2, statuses: "[]", err: []string{"--status"}},
		{line: "--port 65536", code: 2, statuses: "[]", err: []string{"--port"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			// These variables have other meanings and must not affect the command.
			t.Setenv("VITRINE_SECRET_KEY", strings.Repeat("0f", 32))
			t.Setenv("VITRINE_TO", "http://localhost:8080")
			t.Setenv("VITRINE_PORT", "tcp://10.0.0.1:80")
			t.Setenv("VITRINE_KEY", "sk_right")
			s := newFakeAdmin(t)
			t.Setenv("VITRINE_ADMIN_URL", s.URL)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			s.stop = cancel
			var out, errs bytes.Buffer
			args := append([]string{"listen"}, strings.Fields(c.line)...)
			if code := runCommandLine(ctx, args, &out, &errs); code != c.code {
				t.Errorf("the exit code is %d, want %d", code, c.code)
			}

			for _, side := range []struct {
				text  string
				words []string
			}{{out.String(), c.out}, {errs.String(), c.err}} {
				if side.words == nil && side.text != "" {
					t.Errorf("the output is %s", side.text)
				}

				for _, word := range side.words {
					if !strings.Contains(side.text, word) {
						t.Errorf("the output does not contain %q: %s", word, side.text)
					}
				}

				if c.never != "" && strings.Contains(side.text, c.never) || strings.Contains(side.text, "sk_right") ||
					strings.Contains(side.text, "whsec_") {
					t.Errorf("the output is %s", side.text)
				}
			}

			if c.types == "" {
				c.types = "[*]"
			}

			if got := fmt.Sprint(s.types); s.statuses != nil && got != c.types {
				t.Errorf("the registered types are %s, want %s", got, c.types)
			}
			if got := fmt.Sprint(s.statuses); got != c.statuses || s.deleted != len(s.statuses)/2 {
				t.Errorf("the response statuses are %s, want %s; %d receivers are deleted", got, c.statuses, s.deleted)
			}
		})
	}
}
