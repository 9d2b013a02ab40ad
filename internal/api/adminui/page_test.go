package adminui_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/adminui"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
)

func TestAssets_areNamedByHashAndCachedForever(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := &client{fixture: s}
		names := regexp.MustCompile(`"(/assets/[a-z]+\.[0-9a-f]{16}\.(?:css|js|svg))"`).
			FindAllStringSubmatch(v.get("/login").text, -1)
		if len(names) < 5 {
			t.Fatalf("the page loads %v, want at least 5 files", names)
		}

		for _, m := range names {
			plain := v.get(m[1], "Accept-Encoding", "identity").wantStatus(200)
			if got := plain.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("%s: Cache-Control is %q", m[1], got)
			}

			packed := v.get(m[1], "Accept-Encoding", "br, gzip;q=0.8").wantStatus(200)
			if packed.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s is not compressed", m[1])
				continue
			}

			z, err := gzip.NewReader(strings.NewReader(packed.text))
			if err != nil {
				t.Fatal(err)
			}
			if unpacked, err := io.ReadAll(z); err != nil || string(unpacked) != plain.text {
				t.Errorf("%s decompresses to other content (%v)", m[1], err)
			}
			if got := v.get(m[1], "Accept-Encoding", "gzip;q=0").Header.Get("Content-Encoding"); got != "" {
				t.Errorf("%s is compressed for a client that refuses gzip", m[1])
			}
		}

		for _, path := range []string{"/assets/htmx.js", "/assets/README.md", "/assets/", "/assets/../routes.go"} {
			v.get(path).wantStatus(404).wantHTML()
		}
	})
}

func TestErrors_areHTMLForPagesAndJSONForPrograms(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := &client{fixture: s}
		for _, path := range []string{"/nothing", "//keys", "/keys/", "/settings/x", "/Login"} {
			v.get(path).wantStatus(404).wantHTML().contains("Page not found", "Request <code>")
		}
		v.send("PUT", "/login", nil).wantStatus(405).wantHTML()
		for _, path := range []string{"/api/nothing", "/api", "/api/store/settings", "/metrics/x", "/healthz/"} {
			if got := v.get(path).Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("%s: Content-Type is %s", path, got)
			}
		}
		v.get("/healthz").wantStatus(200)
		v.get("/readyz").wantStatus(200)
		v.get("/metrics").wantStatus(200).contains(`route="GET /healthz"`)
	})
}

func TestErrors_ofTheServerShowTheRequestID(t *testing.T) {
	ui := adminui.New(adminui.Deps{Now: time.Now})
	for status, heading := range map[int]string{500: "Something went wrong", 503: "Not possible at the moment"} {
		w := httptest.NewRecorder()
		r := &httpapi.Request{Request: httptest.NewRequest(http.MethodGet, "/settings", nil)}
		if !ui.Problem(w, r,
			httpapi.Problem{Status: status, Title: http.StatusText(status), Code: "internal", Detail: "Detail.",
				RequestID: "request-<1>"}) {
			t.Fatal("Problem returned false for the path of a page")
		}

		if w.Code != status || !strings.Contains(w.Body.String(), heading) ||
			!strings.Contains(w.Body.String(), "request-&lt;1&gt;") || w.Header().Get("X-Frame-Options") != "DENY" {
			t.Errorf("got %d: %s", w.Code, w.Body)
		}

		r = &httpapi.Request{Request: httptest.NewRequest(http.MethodGet, "/api/me", nil)}
		if ui.Problem(httptest.NewRecorder(), r, httpapi.Problem{Status: status}) {
			t.Error("Problem returned true for the path of an API request")
		}
	}
}

// Searches, files and other heavy reads leave connections for the pages.
func TestP2_pagesDoNotWaitForHeavyReads(t *testing.T) {
	eachEngine(t, func(_ *testing.T, s *fixture) {
		v := s.owner()
		release := s.HoldConnections(database.Long)
		defer release()
		for _, path := range []string{"/keys", "/exchange", "/webhooks", "/settings", "/mailbox"} {
			v.get(path).wantStatus(200)
		}
	})
}
