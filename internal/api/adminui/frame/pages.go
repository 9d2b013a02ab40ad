package frame

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var embeddedTemplates embed.FS

// contentSecurityPolicy lets a page load resources of this server only: no inline scripts or styles, no other origins,
// no frames. Images may also be data: URLs and object URLs, which a page makes of a file that the operator has chosen.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Pages are the templates of one part of the administration.
type Pages struct {
	frame *Frame
	part  string
	// parsed returns the template of a page by its name and the number of the language. A template is parsed on its
	// first use, so that the program starts fast.
	parsed map[string][]func() *template.Template
}

// NewPages returns the pages of a part: one for each file of templates/ except parts.html, which has definitions for
// all of them. Part is the name of the package, and of the files with its texts, style sheet and script.
func (f *Frame) NewPages(part string, files fs.FS, funcs template.FuncMap) *Pages {
	p := &Pages{frame: f, part: part, parsed: map[string][]func() *template.Template{}}
	for _, entry := range mustBuiltIn(fs.ReadDir(files, "templates")) {
		name := strings.TrimSuffix(entry.Name(), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		for _, c := range f.languages {
			p.parsed[name] = append(p.parsed[name], sync.OnceValue(func() *template.Template {
				return p.parse(files, name, c.forPart(part), funcs)
			}))
		}
	}
	return p
}

// parse returns the template of a page with the layout around it.
func (p *Pages) parse(files fs.FS, name string, l *Language, funcs template.FuncMap) *template.Template {
	t := template.New("layout.html").Funcs(template.FuncMap{
		"asset": p.frame.assets.urlPath, "icon": icon, "T": l.T, "plural": l.Plural, "number": l.Number,
		"decimal": l.Decimal, "money": l.Money, "price": l.Price, "query": queryAddress, "fault": l.Fault,
	}).Funcs(funcs)
	template.Must(t.ParseFS(embeddedTemplates, "templates/layout.html", "templates/parts.html"))
	if _, err := fs.Stat(files, "templates/parts.html"); err == nil && p.part != "frame" {
		template.Must(t.New("part").Parse(string(mustBuiltIn(fs.ReadFile(files, "templates/parts.html")))))
	}
	template.Must(t.ParseFS(files, "templates/"+name+".html"))
	foldConstants(t, map[string]func(string) string{
		"T":     func(text string) string { return template.HTMLEscapeString(l.T(text)) },
		"icon":  func(name string) string { return string(icon(name)) },
		"asset": func(name string) string { return template.HTMLEscapeString(p.frame.assets.urlPath(name)) },
	})
	return t
}

// Names returns the names of the pages, for tests.
func (p *Pages) Names() (names []string) {
	for name := range p.parsed {
		names = append(names, name)
	}
	return names
}

// Language returns the language of the pages that the request gets.
func (p *Pages) Language(r *httpapi.Request) *Language {
	return p.frame.languages[p.frame.languageIndex(r.Request)].forPart(p.part)
}

// NewView returns the data of a page for the operator of the request. Title is an English text; navItem is the item of
// the navigation to highlight.
func (p *Pages) NewView(r *httpapi.Request, title, navItem string, body any) View {
	v := p.newView(r.Request, title)
	v.NavItem = navItem
	v.Operator = r.Principal.Operator
	v.Store = r.Principal.Store
	v.Body = body
	v.may = r.Principal.May
	v.waiting = p.frame.waiting(r)
	if r.Principal.SeveralStores {
		v.Stores = p.frame.storeLinks(r)
	}
	return v
}

// storeLinks returns the stores of the operator. It returns none if they cannot be read: a page is worth more than the
// list in its header.
func (f *Frame) storeLinks(r *httpapi.Request) (links []StoreLink) {
	stores, err := InStore(r, f.Read(r), func(ctx context.Context, tx store.Tx) ([]account.AccountStore, error) {
		return f.Accounts.Sessions.StoresOf(ctx, tx.Unscoped(), r.Principal)
	})
	if err != nil {
		return nil
	}
	for _, s := range stores {
		links = append(links, StoreLink{ID: s.ID.String(), Name: s.Name, Current: s.ID == r.Principal.Store.ID})
	}
	return links
}

// NewPublicView returns the data of a page for somebody who has not signed in.
func (p *Pages) NewPublicView(r *http.Request, title string, body any) View {
	v := p.newView(r, title)
	v.Body = body
	return v
}

func (p *Pages) newView(r *http.Request, title string) View {
	index := p.frame.languageIndex(r)
	l := p.frame.languages[index].forPart(p.part)
	return View{Language: l, Title: l.T(title), URL: r.URL, language: index, part: p.part, assets: p.frame.assets,
		may: func(access.Scope) bool { return false }, toast: readToast(r), NoBackground: p.frame.NoBackground,
		now: p.frame.Now(), acceptsGzip: httpapi.AcceptsEncoding(r.Header.Get("Accept-Encoding"), "gzip")}
}

// Render writes the page named name. It writes nothing if the template fails, or if the counts of the navigation cannot
// be read.
func (p *Pages) Render(w http.ResponseWriter, status int, name string, v View) error {
	if v.waiting != nil {
		var err error
		if v.counts, err = v.waiting(); err != nil {
			return fmt.Errorf("count what waits: %w", err)
		}
	}

	var b bytes.Buffer
	if err := p.parsed[name][v.language]().ExecuteTemplate(&b, "layout.html", v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	h := w.Header()
	SetSecurityHeaders(h)
	if v.Embedded != nil {
		h.Set("Content-Security-Policy", v.Embedded.policy())
	}
	if v.toast != nil {
		clearToast(w)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	body := b.Bytes()
	if v.acceptsGzip && len(body) >= minGzipSize {
		body = p.frame.gzip.pack(body)
		h.Set("Content-Encoding", "gzip")
	}

	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that disconnected needs no response
	return nil
}

// Show returns the handler of the page named name, which the function view fills.
func (p *Pages) Show(name string, view func(*httpapi.Request) (View, error)) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		v, err := view(r)
		if err != nil {
			return err
		}
		return p.Render(w, http.StatusOK, name, v)
	}
}

// Reject writes the page of a form that was refused, with a message above it.
func (p *Pages) Reject(w http.ResponseWriter, name string, v View, message string) error {
	v.Failure = message
	return p.Render(w, http.StatusUnprocessableEntity, name, v)
}

// SetSecurityHeaders sets the headers that every response to a browser has.
func SetSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// forOperator returns a handler that calls h for operators with a session and refuses keys.
func forOperator(h httpapi.Handler) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		if r.Principal.Operator == nil {
			return fault.New(fault.Unauthenticated, "session_required",
				"Pages are for operators; sign in at /login. For programs there is /api.")
		}
		return h(w, r)
	}
}

// withTimeout returns a handler that calls h with a context that ends after pageTimeout.
func withTimeout(h httpapi.Handler) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		r.Request = r.WithContext(ctx)
		return h(w, r)
	}
}
