package app

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/demo/page"
	"vitrine/internal/kit/fault"
)

// demoCaptchaToken is the test token with which the page passes a captcha that this server judges itself.
const demoCaptchaToken = "test-pass"

type demoPage struct {
	files  map[string]demoFile // by name
	policy string
}

type demoFile struct {
	mediaType string
	content   []byte
	etag      string
}

// demoRoutes returns the routes of the example storefront at /demo, or none without --dev. They are not part of the
// API and its OpenAPI document. public is the base URL of images; it is empty if this server serves them.
func (a *App) demoRoutes(public string) ([]httpapi.Route, error) {
	script, err := captchaScript(a.cfg.CaptchaScriptURL)
	if err != nil || !a.cfg.Dev {
		return nil, err
	}

	token := ""
	if a.judgesTestTokens() && script == "" {
		token = demoCaptchaToken
	}

	// The MIME table of the system differs between machines.
	types := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
		".js": "text/javascript; charset=utf-8"}
	served := demoPage{files: map[string]demoFile{}, policy: demoPolicy(script, public)}
	entries, err := fs.ReadDir(page.Files, ".")
	if err != nil {
		return nil, err
	}

	for _, entry := range entries {
		content, err := fs.ReadFile(page.Files, entry.Name())
		if err != nil {
			return nil, err
		}

		if script != "" && entry.Name() == page.Index {
			content = bytes.Replace(content, []byte(page.CaptchaScript), []byte(html.EscapeString(script)), 1)
		}
		if token != "" && entry.Name() == page.Index {
			meta := strings.Replace(page.CaptchaToken, `""`, `"`+token+`"`, 1)
			content = bytes.Replace(content, []byte(page.CaptchaToken), []byte(meta), 1)
		}

		sum := sha256.Sum256(content)
		served.files[entry.Name()] = demoFile{types[path.Ext(entry.Name())], content, fmt.Sprintf(`"%x"`, sum[:8])}
	}

	return []httpapi.Route{
		{Method: http.MethodGet, Path: "/demo", Handler: served.redirect},
		{Method: http.MethodGet, Path: "/demo/{$}", Handler: served.serve},
		{Method: http.MethodGet, Path: "/demo/{path...}", Handler: served.serve},
	}, nil
}

// captchaScript validates the URL of the captcha script. Empty means the default URL.
func captchaScript(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	u, err := url.Parse(given)
	// The host becomes part of a content security policy, where some characters would end a source.
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "" ||
		strings.ContainsAny(u.Host, `;,'"*`) {
		return "", errors.New("--captcha-script-url must be an address such as https://captcha.shop.example/script.js")
	}
	return u.String(), nil
}

// demoPolicy returns the content security policy of the page. It allows this server, its images and the captcha, whose
// badge adds inline styles.
func demoPolicy(script, public string) string {
	scripts := "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/"
	frames := "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/"
	if script != "" {
		scripts = urlOrigin(script)
		frames = scripts
	}
	return "default-src 'none'; script-src 'self' " + scripts + "; connect-src 'self' " + scripts + "; frame-src " +
		frames + "; style-src 'self' 'unsafe-inline'; img-src 'self' data: " + urlOrigin(public) +
		"; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
}

// urlOrigin returns the origin of a valid URL, and "" for an empty one.
func urlOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// redirect redirects /demo to /demo/, because the page has relative URLs. The browser keeps the fragment.
func (p demoPage) redirect(w http.ResponseWriter, r *httpapi.Request) error {
	to := url.URL{Path: "/demo/", RawQuery: r.URL.RawQuery}
	http.Redirect(w, r.Request, to.String(), http.StatusTemporaryRedirect)
	return nil
}

// serve responds with a file, or with the page itself if the path may be one of a product or a category.
func (p demoPage) serve(w http.ResponseWriter, r *httpapi.Request) error {
	name := r.PathValue("path")
	f, ok := p.files[name]
	if !ok {
		if ext := path.Ext(name); !strings.Contains(name, "/") && ext != "" && ext != ".html" {
			return fault.New(fault.NotFound, "no_such_path", "There is no such file; the page is at /demo.")
		}
		f = p.files[page.Index]
		if depth := strings.Count(name, "/"); depth > 0 {
			base := strings.Replace(page.Base, "./", strings.Repeat("../", depth), 1)
			f.content = bytes.Replace(f.content, []byte(page.Base), []byte(base), 1)
		}
	}

	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.etag)

	if r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}

	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	_, _ = w.Write(f.content) // a client that disconnected needs no response

	return nil
}
