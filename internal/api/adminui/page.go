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
var embeddedTemplates embed.FS

// contentSecurityPolicy lets a page load what this server gives it and nothing else: no inline script or style, no other origin, no frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// htmxConfig keeps htmx within that policy, lets it show the pages of errors, and keeps copies of pages, which may hold a
// token, out of the browser's storage.
const htmxConfig = `{"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,"historyEnabled":false,` +
	`"reportValidityOfForms":true,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}`

// maxFormBytes is far more than any form here holds; the longest is a list of origins.
const maxFormBytes = 1 << 20

// pageTimeout bounds the time in which a page does its work.
const pageTimeout = 30 * time.Second

// view is what every page shows, with its own part in Body.
type view struct {
	Title string
	// NavItem is the entry of the navigation that the page belongs to.
	NavItem  string
	Operator *access.Operator // nil on pages for those who are not signed in
	Store    store.Store
	// Success and Bad are the one message above the page.
	Success, Failure string
	Body             any

	may func(access.Scope) bool
}

// MayWriteStore and MayManageKeys say what the navigation and the pages offer; what a request may do is decided by its route.
func (v view) MayWriteStore() bool { return v.may(access.StoreWrite) }

// MayManageKeys reports whether the operator sees keys.
func (v view) MayManageKeys() bool { return v.may(access.KeysManage) }

// MayWriteCatalog reports whether the operator may change the catalogue.
func (v view) MayWriteCatalog() bool { return v.may(access.CatalogWrite) }

// MayWriteWebhooks reports whether the operator may change receivers, and have events sent.
func (v view) MayWriteWebhooks() bool { return v.may(access.WebhooksWrite) }

// HTMXConfig is the configuration of htmx.
func (v view) HTMXConfig() string { return htmxConfig }

// Timestamp is an instant for people, in the timezone of the store.
func (v view) Timestamp(at time.Time) timestamp { return newTimestamp(v.Store, at) }

// PasswordField is the field that asks for the operator's password once more.
func (v view) PasswordField(all fieldErrors) passwordField {
	return passwordField{fieldError: all.For("password"), Email: v.Operator.Email}
}

type passwordField struct {
	fieldError
	Email string // for password managers, which want to know whose it is
}

// timestamp is an instant for people and for programs.
type timestamp struct{ ISO, Text string }

func newTimestamp(s store.Store, at time.Time) timestamp {
	local := at.In(s.Zone())
	return timestamp{ISO: local.Format(time.RFC3339), Text: local.Format("2 Jan 2006, 15:04")}
}

// newOptionalTimestamp is nil for what has not happened.
func newOptionalTimestamp(s store.Store, at *time.Time) *timestamp {
	if at == nil {
		return nil
	}
	return new(newTimestamp(s, *at))
}

func parseTemplates(all assetFiles) map[string]*template.Template {
	base := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"asset": all.urlPath, "kind": kindName, "scope": scopeName, "language": languageName, "provider": providerName, "role": roleName,
		"entityTitle": entityTitle, "entityLower": entityLower, "runStatus": statusName, "number": formatNumber, "deliveryStatus": deliveryStatusName,
	}).ParseFS(embeddedTemplates, "templates/layout.html", "templates/parts.html"))
	parsed := map[string]*template.Template{}
	for _, entry := range must(embeddedTemplates.ReadDir("templates")) {
		name := strings.TrimSuffix(entry.Name(), ".html")
		if name != "layout" && name != "parts" {
			parsed[name] = template.Must(template.Must(base.Clone()).ParseFS(embeddedTemplates, "templates/"+entry.Name()))
		}
	}
	return parsed
}

// newView is a page for the operator who asks.
func (ui *UI) newView(r *httpapi.Request, title, here string, body any) view {
	return view{Title: title, NavItem: here, Operator: r.Principal.Operator, Store: r.Principal.Store, Body: body, may: r.Principal.May}
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
	setSecurityHeaders(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that left needs no answer
	return nil
}

// redirect sends the browser on with a GET. The target is one of our own paths.
func redirect(w http.ResponseWriter, r *http.Request, target string) {
	setSecurityHeaders(w.Header())
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// setSecurityHeaders sets what every answer to a person carries.
func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// parseForm reads the fields of a form.
func parseForm(w http.ResponseWriter, r *httpapi.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return fault.New(fault.TooLarge, "body_too_large", "The form is over the limit of %d bytes.", maxFormBytes)
	}
	return fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err)
}

// fieldErrors are what is wrong with a form: messages by the name of the field.
type fieldErrors map[string][]string

// fieldError is what is wrong with one field.
type fieldError struct {
	Name     string
	Messages []string
}

// For returns what is wrong with a field.
func (all fieldErrors) For(name string) fieldError {
	return fieldError{Name: name, Messages: all[name]}
}

// Attributes are the attributes that tie a field to its hints and to what is wrong with it. The names come from templates, never from a request.
func (all fieldErrors) Attributes(name string, hints ...string) template.HTMLAttr {
	attributes := ""
	if len(all[name]) > 0 {
		attributes = `aria-invalid="true" `
		hints = append(hints, name+"-wrong")
	}
	if len(hints) > 0 {
		attributes += `aria-describedby="` + strings.Join(hints, " ") + `"`
	}
	return template.HTMLAttr(attributes)
}

// newFieldErrors sorts broken rules by the field of the form. A place in a list, such as cors_origins[1], is named by what stands there.
func newFieldErrors(err error, lists map[string][]string) fieldErrors {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	all := fieldErrors{}
	for _, field := range f.Fields {
		name, index, inList := strings.Cut(field.Field, "[")
		message := field.Message
		index, _, _ = strings.Cut(index, "]")
		if i, err := strconv.Atoi(index); inList && err == nil && i < len(lists[name]) {
			message = lists[name][i] + ": " + message
		}
		all[name] = append(all[name], message)
	}
	return all
}

// forOperator is for pages: a key has no business there, whatever it may do.
func (ui *UI) forOperator(h httpapi.Handler) httpapi.Handler {
	return ui.forOperatorUntimed(func(w http.ResponseWriter, r *httpapi.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		r.Request = r.WithContext(ctx)
		return h(w, r)
	})
}

// forOperatorUntimed is forOperator for work that may take longer.
func (ui *UI) forOperatorUntimed(h httpapi.Handler) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		if r.Principal.Operator == nil {
			return fault.New(fault.Unauthenticated, "session_required", "Pages are for operators; sign in at /login. For programs there is /api.")
		}
		return h(w, r)
	}
}
