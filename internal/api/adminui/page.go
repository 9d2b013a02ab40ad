package adminui

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// policy lets a page load what this server gives it and nothing else: no inline script or style, no other origin, no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// htmxConfig keeps htmx within that policy, lets it show the pages of errors, and keeps copies of pages, which may hold a
// token, out of the browser's storage.
const htmxConfig = `{"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,"historyEnabled":false,` +
	`"reportValidityOfForms":true,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}`

// maxForm is far more than any form here holds; the longest is a list of origins.
const maxForm = 1 << 20

// pageTime bounds the time in which a page does its work.
const pageTime = 30 * time.Second

// view is what every page shows, with its own part in Body.
type view struct {
	Title string
	// Here is the entry of the navigation that the page belongs to.
	Here     string
	Operator *access.Operator // nil on pages for those who are not signed in
	Store    store.Store
	// Good and Bad are the one message above the page.
	Good, Bad string
	Body      any

	may func(access.Scope) bool
}

// MayChange and MayKeys say what the navigation and the pages offer; what a request may do is decided by its route.
func (v view) MayChange() bool { return v.may(access.StoreWrite) }

// MayKeys reports whether the operator sees keys.
func (v view) MayKeys() bool { return v.may(access.KeysManage) }

// MayCatalog reports whether the operator may change the catalogue.
func (v view) MayCatalog() bool { return v.may(access.CatalogWrite) }

// MayWebhooks reports whether the operator may change receivers, and have events sent.
func (v view) MayWebhooks() bool { return v.may(access.WebhooksWrite) }

// HTMX is the configuration of htmx.
func (v view) HTMX() string { return htmxConfig }

// When is an instant for people, in the timezone of the store.
func (v view) When(at time.Time) when { return whenIn(v.Store, at) }

// Password is the field that asks for the operator's password once more.
func (v view) Password(all wrongs) passwordField {
	return passwordField{wrong: all.Of("password"), Email: v.Operator.Email}
}

type passwordField struct {
	wrong
	Email string // for password managers, which want to know whose it is
}

// when is an instant for people and for programs.
type when struct{ Machine, Text string }

func whenIn(s store.Store, at time.Time) when {
	local := at.In(s.Zone())
	return when{Machine: local.Format(time.RFC3339), Text: local.Format("2 Jan 2006, 15:04")}
}

// optionalWhen is nil for what has not happened.
func optionalWhen(s store.Store, at *time.Time) *when {
	if at == nil {
		return nil
	}
	return new(whenIn(s, *at))
}

func parseTemplates(all files) map[string]*template.Template {
	base := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"asset": all.address, "kind": kindName, "scope": scopeName, "language": languageName, "provider": providerName, "role": roleName,
		"entity": entityName, "things": entityWords, "status": statusName, "number": numberText, "delivery": deliveryStatusName,
	}).ParseFS(templates, "templates/layout.html", "templates/parts.html"))
	parsed := map[string]*template.Template{}
	for _, entry := range must(templates.ReadDir("templates")) {
		name := strings.TrimSuffix(entry.Name(), ".html")
		if name != "layout" && name != "parts" {
			parsed[name] = template.Must(template.Must(base.Clone()).ParseFS(templates, "templates/"+entry.Name()))
		}
	}
	return parsed
}

// view is a page for the operator who asks.
func (ui *UI) view(r *httpapi.Request, title, here string, body any) view {
	return view{Title: title, Here: here, Operator: r.Principal.Operator, Store: r.Principal.Store, Body: body, may: r.Principal.May}
}

// render writes a page whole or, if its template fails, nothing.
func (ui *UI) render(w http.ResponseWriter, status int, name string, v view) error {
	if v.may == nil {
		v.may = func(access.Scope) bool { return false }
	}
	var b bytes.Buffer
	if err := ui.templates[name].ExecuteTemplate(&b, "layout.html", v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	h := w.Header()
	protect(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that left needs no answer
	return nil
}

// redirect sends the browser on with a GET. The target is one of our own paths.
func redirect(w http.ResponseWriter, r *http.Request, target string) {
	protect(w.Header())
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// protect sets what every answer to a person carries.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// readForm reads the fields of a form.
func readForm(w http.ResponseWriter, r *httpapi.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	var tooLong *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLong):
		return fault.New(fault.TooLarge, "body_too_large", "The form is over the limit of %d bytes.", maxForm)
	}
	return fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err)
}

// wrongs are what is wrong with a form: messages by the name of the field.
type wrongs map[string][]string

// wrong is what is wrong with one field.
type wrong struct {
	Name     string
	Messages []string
}

// Of returns what is wrong with a field.
func (all wrongs) Of(name string) wrong { return wrong{Name: name, Messages: all[name]} }

// Marks are the attributes that tie a field to its hints and to what is wrong with it. The names come from templates, never from a request.
func (all wrongs) Marks(name string, hints ...string) template.HTMLAttr {
	marks := ""
	if len(all[name]) > 0 {
		marks = `aria-invalid="true" `
		hints = append(hints, name+"-wrong")
	}
	if len(hints) > 0 {
		marks += `aria-describedby="` + strings.Join(hints, " ") + `"`
	}
	return template.HTMLAttr(marks)
}

// wrongFields sorts broken rules by the field of the form. A place in a list, such as cors_origins[1], is named by what stands there.
func wrongFields(err error, lists map[string][]string) wrongs {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	all := wrongs{}
	for _, field := range f.Fields {
		name, place, inList := strings.Cut(field.Field, "[")
		message := field.Message
		place, _, _ = strings.Cut(place, "]")
		if i, err := strconv.Atoi(place); inList && err == nil && i < len(lists[name]) {
			message = lists[name][i] + ": " + message
		}
		all[name] = append(all[name], message)
	}
	return all
}

// signedIn is for pages: a key has no business there, whatever it may do.
func (ui *UI) signedIn(h httpapi.Handler) httpapi.Handler {
	return ui.operatorsOnly(func(w http.ResponseWriter, r *httpapi.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), pageTime)
		defer cancel()
		r.Request = r.WithContext(ctx)
		return h(w, r)
	})
}

// operatorsOnly is signedIn for work that may take longer.
func (ui *UI) operatorsOnly(h httpapi.Handler) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		if r.Principal.Operator == nil {
			return fault.New(fault.Unauthenticated, "session_required", "Pages are for operators; sign in at /login. For programs there is /api.")
		}
		return h(w, r)
	}
}
