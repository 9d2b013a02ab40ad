package receiver_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

var (
	testSecret  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("thirty-two bytes that are secret"))
	otherSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("thirty-two bytes of another kind"))
)

// testRequest is a request to a receiver and the expected result.
type testRequest struct {
	name   string
	header map[string]string
	body   string
	status int
	prints string // expected output; none if empty
}

// signed reports whether the request has a valid signature.
func (r testRequest) signed() bool { return r.status != http.StatusUnauthorized }

// testRequests returns requests with valid and invalid signatures. The Standard Webhooks library signs them and must
// agree about which are valid.
func testRequests(t *testing.T) []testRequest {
	t.Helper()
	sign := func(secret, id, body string, at time.Time) string {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := signer.Sign(id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}

		return signature
	}

	now := time.Now()
	event := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"type":"feedback.submitted","store_id":"s",`+
			`"created_at":"2026-11-14T12:00:05+00:00","sequence":7,"payload":{"text":"Лампа  ✓"}}`, id)
	}
	newRequest := func(id, body string, at time.Time) testRequest {
		return testRequest{body: body, status: http.StatusNoContent, prints: "feedback.submitted #7 " + id,
			header: map[string]string{
				"webhook-id": id, "webhook-timestamp": fmt.Sprint(at.Unix()),
				"webhook-signature": sign(testSecret, id, body, at),
			}}
	}

	// variant returns a copy of a request with another name, optionally modified.
	variant := func(name string, r testRequest, change func(*testRequest)) testRequest {
		r.name = name
		if change != nil {
			change(&r)
		}
		return r
	}

	refused := func(name string, change func(h map[string]string)) testRequest {
		return variant(name, newRequest("bad", event("bad"), now), func(r *testRequest) {
			r.status = http.StatusUnauthorized
			r.prints = ""
			change(r.header)
		})
	}

	mistimed := func(name string, at time.Time) testRequest {
		return refused(name, func(h map[string]string) {
			h["webhook-timestamp"], h["webhook-signature"] = fmt.Sprint(at.Unix()), sign(testSecret, "bad",
				event("bad"), at)
		})
	}

	cases := []testRequest{
		variant("an event", newRequest("e1", event("e1"), now), nil),
		variant("the same again", newRequest("e1", event("e1"), now), func(r *testRequest) { r.prints = "e1 again" }),
		variant("four minutes late", newRequest("e2", event("e2"), now.Add(-4*time.Minute)), nil),
		variant("four minutes early", newRequest("e3", event("e3"), now.Add(4*time.Minute)), nil),
		variant("several signatures", newRequest("e4", event("e4"), now), func(r *testRequest) {
			r.header["webhook-signature"] = "v1a,AAAA " + sign(otherSecret, "e4", r.body, now) + " " +
				r.header["webhook-signature"]
		}),
		variant("signed, and no JSON", newRequest("e5", `{"id":`, now),
			func(r *testRequest) {
				r.status = http.StatusBadRequest
				r.prints = ""
			}),
		mistimed("six minutes late", now.Add(-6*time.Minute)),
		mistimed("six minutes early", now.Add(6*time.Minute)),
		variant("another body", newRequest("bad", event("bad"), now), func(r *testRequest) {
			r.body = strings.Replace(r.body, "7", "8", 1)
			r.status = http.StatusUnauthorized
			r.prints = ""
		}),
		refused("another secret",
			func(h map[string]string) { h["webhook-signature"] = sign(otherSecret, "bad", event("bad"), now) }),
		refused("another id", func(h map[string]string) { h["webhook-id"] = "e9" }),
		refused("another time", func(h map[string]string) { h["webhook-timestamp"] = fmt.Sprint(now.Unix() + 1) }),
		refused("a time in words", func(h map[string]string) { h["webhook-timestamp"] = "now" }),
		refused("a time beyond all",
			func(h map[string]string) { h["webhook-timestamp"] = "1" + strings.Repeat("0", 400) }),
		refused("another version", func(h map[string]string) {
			h["webhook-signature"] = strings.Replace(h["webhook-signature"], "v1,", "v2,", 1)
		}),
		refused("half a signature", func(h map[string]string) { h["webhook-signature"] = h["webhook-signature"][:20] }),
		refused("no digest", func(h map[string]string) { h["webhook-signature"] = "v1" }),
		refused("an empty digest", func(h map[string]string) { h["webhook-signature"] = "v1," }),
		refused("no base64", func(h map[string]string) { h["webhook-signature"] = "v1,\xe4\xb4!" }),
		refused("no signature", func(h map[string]string) { delete(h, "webhook-signature") }),
		refused("no time", func(h map[string]string) { delete(h, "webhook-timestamp") }),
		refused("no id", func(h map[string]string) { delete(h, "webhook-id") }),
	}

	official, err := standardwebhooks.NewWebhook(testSecret)
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range cases {
		header := http.Header{}
		for name, value := range c.header {
			header.Set(name, value)
		}
		if err := official.Verify([]byte(c.body), header); (err == nil) != c.signed() {
			t.Fatalf("%s: the official library returned %v", c.name, err)
		}
	}

	return cases
}

// Each receiver handles every signed event once and rejects all other requests.
func TestReceivers_handleSignedEventsOnce(t *testing.T) {
	cases := testRequests(t)
	for _, c := range []struct {
		language string
		command  func(t *testing.T) *exec.Cmd
	}{
		{"go", func(t *testing.T) *exec.Cmd {
			program := filepath.Join(t.TempDir(), "receiver")
			build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./go")
			build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in apitest.Build, to share its build cache
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			return exec.Command(program)
		}},
		{"python", func(t *testing.T) *exec.Cmd {
			if _, err := exec.LookPath("python3"); err != nil {
				t.Fatal("Python is not installed; scripts/deps.sh installs it")
			}
			return exec.Command("python3", "-W", "error", "python/receiver.py")
		}},
		{"javascript", func(t *testing.T) *exec.Cmd {
			if !hasNode() {
				t.Log("Node 20 is not installed, so receiver.mjs is not tested; verify.mjs is tested in Chromium")
				return nil
			}
			return exec.Command("node", "javascript/receiver.mjs")
		}},
	} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			cmd := c.command(t)
			if cmd == nil {
				return
			}

			url, lines := startReceiver(t, cmd)
			var want []string
			for _, r := range cases {
				if got := send(t, url, r); got != r.status {
					t.Errorf("%s: the response status is %d, want %d", r.name, got, r.status)
				}
				if r.prints != "" {
					want = append(want, r.prints)
				}
			}

			if got := send(t, url, testRequest{
				body: strings.Repeat("x", 1<<20+1),
			}); got != http.StatusRequestEntityTooLarge && got != 0 {
				t.Errorf("the response status of a body that is too long is %d", got)
			}

			resp, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}

			resp.Body.Close()
			if resp.StatusCode < 400 {
				t.Errorf("the response status of GET is %d", resp.StatusCode)
			}
			if got := lines(); !slices.Equal(got, want) {
				t.Errorf("the output is %q, want %q", got, want)
			}

			// Without a secret, anyone could sign with an empty key.
			unset := exec.Command(cmd.Args[0], cmd.Args[1:]...)
			unset.Env = append(os.Environ(), "WEBHOOK_SECRET=", "PORT=0")
			if out, err := unset.CombinedOutput(); err == nil ||
				!strings.Contains(string(out), "WEBHOOK_SECRET must be") {
				t.Errorf("without a secret it ended with %v: %s", err, out)
			}
		})
	}
}

// hasNode reports whether Node 20 or later is installed, which has Web Crypto.
func hasNode() bool {
	out, err := exec.Command("node", "--print", "parseInt(process.versions.node) >= 20").Output()
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// startReceiver starts a receiver on a free port. lines stops it and returns its output.
func startReceiver(t *testing.T, cmd *exec.Cmd) (url string, lines func() []string) {
	t.Helper()
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+testSecret, "PORT=0")
	cmd.Stderr = t.Output()

	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
	})
	scanner := bufio.NewScanner(out)
	if scanner.Scan() {
		url, _ = strings.CutPrefix(scanner.Text(), "listening at ")
	}

	if url == "" {
		t.Fatalf("the first line of the output is %q", scanner.Text())
	}

	return url, func() (printed []string) {
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("it has already ended: %v", err)
		}
		for scanner.Scan() {
			printed = append(printed, scanner.Text())
		}
		return printed
	}
}

// send returns the response status; 0 if the connection was closed without a response.
func send(t *testing.T, url string, r testRequest) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}
