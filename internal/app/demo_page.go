package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"vitrine/examples/storefront"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

// demoPage is the example of a storefront, as it is served to developers.
type demoPage struct {
	files  map[string]demoFile // by name
	policy string
}

type demoFile struct {
	mediaType string
	content   []byte
	tag       string
}

// demoRoutes serve the example of a storefront at /demo, and only with --dev. They are no part of the API, and in no document. public is
// where images are, if not here.
func (a *App) demoRoutes(public string) ([]httpapi.Route, error) {
	script, err := captchaScript(a.cfg.CaptchaScriptURL)
	if err != nil || !a.cfg.Dev {
		return nil, err
	}
	page := demoPage{files: map[string]demoFile{}, policy: demoPolicy(script, public)}
	entries, err := fs.ReadDir(storefront.Files, ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := fs.ReadFile(storefront.Files, entry.Name())
		if err != nil {
			return nil, err
		}
		if script != "" && entry.Name() == storefront.Page {
			content = bytes.Replace(content, []byte(storefront.CaptchaScript), []byte(html.EscapeString(script)), 1)
		}
		page.files[entry.Name()] = newDemoFile(entry.Name(), content)
	}
	return []httpapi.Route{
		{Method: http.MethodGet, Path: "/demo", Handler: page.lead},
		{Method: http.MethodGet, Path: "/demo/{$}", Handler: page.serve},
		{Method: http.MethodGet, Path: "/demo/{file}", Handler: page.serve},
	}, nil
}

// captchaScript checks where the page shall load the captcha's script from; empty is its usual address.
func captchaScript(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	u, err := url.Parse(given)
	// The host goes into a policy, where some characters that a host may have would end a word.
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "" || strings.ContainsAny(u.Host, `;,'"*`) {
		return "", errors.New("--captcha-script-url must be an address such as https://captcha.shop.example/script.js")
	}
	return u.String(), nil
}

// demoPolicy keeps the page to this server, its images and the captcha, whose badge writes styles into the page.
func demoPolicy(script, public string) string {
	scripts, frames := "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/", "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/"
	if script != "" {
		scripts = origin(script)
		frames = scripts
	}
	return "default-src 'none'; script-src 'self' " + scripts + "; connect-src 'self' " + scripts + "; frame-src " + frames +
		"; style-src 'self' 'unsafe-inline'; img-src 'self' data: " + origin(public) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// origin is that of an address that was checked; nothing of an empty one.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func newDemoFile(name string, content []byte) demoFile {
	sum := sha256.Sum256(content)
	// The system's table of media types differs from machine to machine.
	types := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	return demoFile{mediaType: types[path.Ext(name)], content: content, tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// lead leads to where the names of the page's files, which are relative, are right. The fragment with the key stays with the browser.
func (p demoPage) lead(w http.ResponseWriter, r *httpapi.Request) error {
	to := url.URL{Path: "/demo/", RawQuery: r.URL.RawQuery}
	http.Redirect(w, r.Request, to.String(), http.StatusTemporaryRedirect)
	return nil
}

func (p demoPage) serve(w http.ResponseWriter, r *httpapi.Request) error {
	name := r.PathValue("file")
	if name == "" {
		name = storefront.Page
	}
	f, ok := p.files[name]
	if !ok {
		return fault.New(fault.NotFound, "no_such_path", "There is no such file; the page is at /demo.")
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	_, _ = w.Write(f.content) // a client that left needs no answer
	return nil
}
