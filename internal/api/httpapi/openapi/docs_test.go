package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/httpapi"
)

func startServer(t *testing.T) *httptest.Server {
	t.Helper()
	d := newThingDocument(t)
	server := httptest.NewServer(httpapi.NewServer(httpapi.Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now},
		append(thingRoutes(), d.Routes()...)))
	t.Cleanup(server.Close)
	return server
}

// fetch sends a request with headers (name, value, name, …) and returns the body without decompressing it.
func fetch(t *testing.T, method, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}

	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}

	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}

	return res, body
}

func TestDocs_scriptsAreImmutable(t *testing.T) {
	server := startServer(t)
	res, page := fetch(t, "GET", server.URL+"/docs")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("/docs is %d %v", res.StatusCode, res.Header)
	}

	if !strings.Contains(string(page), "<noscript>") || !strings.Contains(string(page), `href="/openapi.json"`) {
		t.Error("without scripts the page does not lead to /openapi.json")
	}

	script := regexp.MustCompile(`<script src="(/docs/[a-z]+\.[0-9a-f]{16}\.js)">`)
	scripts := script.FindAllStringSubmatch(string(page), -1)
	if len(scripts) != 2 {
		t.Fatalf("the page has %d scripts of ours, want 2: %s", len(scripts), page)
	}

	for _, s := range scripts {
		plain, script := fetch(t, "GET", server.URL+s[1])
		compressed, gzipped := fetch(t, "GET", server.URL+s[1], "Accept-Encoding", "br, gzip")
		if plain.StatusCode != 200 || plain.Header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
			plain.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s is %d %v", s[1], plain.StatusCode, plain.Header)
		}

		if compressed.Header.Get("Content-Encoding") != "gzip" || !bytes.Equal(gunzip(t, gzipped), script) {
			t.Errorf("%s differs when it is compressed", s[1])
		}
	}

	total := 0
	files := regexp.MustCompile(`"(/docs(?:/[^"]+\.js(?:on)?)?)"`)
	for _, file := range files.FindAllStringSubmatch(string(page)+`"/docs"`, -1) {
		_, transferred := fetch(t, "GET", server.URL+file[1], "Accept-Encoding", "gzip")
		total += len(transferred)
	}
	if total > 300<<10 {
		t.Errorf("the page takes %d bytes without its document, want at most 300 KiB", total)
	}

	if res, _ := fetch(t, "GET", server.URL+"/docs/other.js"); res.StatusCode != 404 {
		t.Errorf("an unknown file is %d, want 404", res.StatusCode)
	}
	if res, _ := fetch(t, "POST", server.URL+"/docs"); res.StatusCode != 405 {
		t.Errorf("POST /docs is %d", res.StatusCode)
	}
}

// The page of the documentation fills its trial requests with the examples of parameters, so its OpenAPI document has
// no examples of optional parameters. The document for programs keeps them.
func TestDocs_pageHasNoExamplesOfOptionalParameters(t *testing.T) {
	server := startServer(t)
	_, page := fetch(t, "GET", server.URL+"/docs")
	name := regexp.MustCompile(`spec-url="(/docs/document\.[0-9a-f]{16}\.json)"`).FindSubmatch(page)
	if name == nil {
		t.Fatalf("the page names no document: %s", page)
	}

	res, forPage := fetch(t, "GET", server.URL+string(name[1]))
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" ||
		res.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("the document of the page is %d %v", res.StatusCode, res.Header)
	}
	_, usual := fetch(t, "GET", server.URL+"/openapi.json")
	if with := optionalExamples(t, usual); len(with) == 0 {
		t.Error("/openapi.json has no examples of optional parameters")
	}
	if with := optionalExamples(t, forPage); len(with) > 0 {
		t.Errorf("the page sends %q with every request that somebody tries", with)
	}
	if !strings.Contains(string(forPage), "Example: `") || !strings.Contains(string(forPage), "(/openapi.json)") {
		t.Error("the page does not name the examples, or the document for programs")
	}
}

// optionalExamples returns the names of the optional parameters with examples.
func optionalExamples(t *testing.T, document []byte) (names []string) {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name     string `json:"name"`
				Required bool   `json:"required"`
				Example  any    `json:"example"`
			} `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}

	for _, path := range d.Paths {
		for _, operation := range path {
			for _, p := range operation.Parameters {
				if !p.Required && p.Example != nil {
					names = append(names, p.Name)
				}
			}
		}
	}
	return names
}

func gunzip(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestDocs_loadsNothingFromOtherHosts(t *testing.T) {
	server := startServer(t)
	res, page := fetch(t, "GET", server.URL+"/docs")
	for _, directive := range strings.Split(res.Header.Get("Content-Security-Policy"), "; ") {
		for _, source := range strings.Fields(directive)[1:] {
			if source != "data:" && source != "blob:" && (source[0] != '\'' || strings.Contains(source, "eval")) {
				t.Errorf("the policy allows %s in %q", source, directive)
			}
		}
	}
	if strings.Contains(strings.ReplaceAll(string(page), "http://www.w3.org/2000/svg", ""), "://") {
		t.Errorf("the page links elsewhere: %s", page)
	}
}

func TestOpenAPI_is304WithMatchingETag(t *testing.T) {
	server := startServer(t)
	res, body := fetch(t, "GET", server.URL+"/openapi.json")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" ||
		res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("/openapi.json is %d %v", res.StatusCode, res.Header)
	}
	if memberAt(t, decode(t, body), "openapi") != "3.1.0" {
		t.Error("this is not an OpenAPI 3.1 document")
	}

	res, iso := fetch(t, "GET", server.URL+"/openapi.json?dates=iso")
	if res.StatusCode != 200 || !strings.Contains(string(iso), `{"$ref":"#/components/schemas/ISODate"}`) {
		t.Errorf("with dates=iso it is %d %s", res.StatusCode, iso)
	}
	if res, _ = fetch(t, "GET", server.URL+"/openapi.json?dates=unix"); res.StatusCode != 400 {
		t.Errorf("with dates=unix it is %d", res.StatusCode)
	}

	res, _ = fetch(t, "GET", server.URL+"/openapi.json")
	res, again := fetch(t, "GET", server.URL+"/openapi.json", "If-None-Match", res.Header.Get("ETag"))
	if res.StatusCode != 304 || len(again) != 0 {
		t.Errorf("with the ETag it is %d with %d bytes, want 304 and none", res.StatusCode, len(again))
	}
}

func TestStart_isHTMLForBrowsersAndJSONForPrograms(t *testing.T) {
	server := startServer(t)
	res, body := fetch(t, "GET", server.URL+"/", "Accept", "text/html,application/xhtml+xml")
	if res.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(string(body), `href="/docs"`) {
		t.Errorf("a browser gets %v %s", res.Header, body)
	}
	res, body = fetch(t, "GET", server.URL+"/", "Accept", "*/*")
	if res.Header.Get("Content-Type") != "application/json" ||
		strings.TrimSpace(string(body)) != `{"name":"Things","version":"1.2.3","docs":"/docs",`+
			`"openapi":"/openapi.json"}` {
		t.Errorf("a program gets %v %s", res.Header, body)
	}
	if res, _ := fetch(t, "GET", server.URL+"/nothing"); res.StatusCode != 404 {
		t.Errorf("/nothing is %d", res.StatusCode)
	}
}

func TestAssets_rapidocHasChecksumFromReadme(t *testing.T) {
	compressed, err := assets.ReadFile("assets/rapidoc.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(gunzip(t, compressed))
	readme, err := os.ReadFile("assets/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
		t.Errorf("the README names another checksum than %x", sum)
	}
}
