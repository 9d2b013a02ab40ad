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
	"vitrine/internal/shop/webhook"
)

//go:embed templates/*.html
var embeddedTemplates embed.FS

// contentSecurityPolicy lets a page load resources of this server only: no inline scripts or styles, no other origins,
// no frames.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// htmxConfig makes htmx obey the content security policy, show the pages of error responses, and keep no history in the
// browser's storage, since a page may show a token.
const htmxConfig = `{"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,` +
	`"selfRequestsOnly":true,"historyEnabled":false,"reportValidityOfForms":true,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}`

// maxFormBytes limits the body of a form. The longest form has a list of origins and is far below the limit.
const maxFormBytes = 1 << 20

// pageTimeout limits the time that a handler of a page may take.
const pageTimeout = 30 * time.Second

// pageView is the data of the layout template. Body is the data of the template of the page.
type pageView struct {
	Title string
	// NavItem is the navigation item to highlight.
	NavItem  string
	Operator *access.Operator // nil on the sign-in page and on error pages
	Store    store.Store
	// Success or Failure is the message above the page; at most one is set.
	Success, Failure string
	Body             any

	may func(access.Scope) bool
}

// MayWriteStore reports whether the operator may change the settings. Like the other May methods, it only decides which
// links and forms a page shows. Routes check the scope themselves.
func (v pageView) MayWriteStore() bool { return v.may(access.StoreWrite) }

// MayManageKeys reports whether the operator may see and change keys.
func (v pageView) MayManageKeys() bool { return v.may(access.KeysManage) }

// MayWriteCatalog reports whether the operator may change the catalogue.
func (v pageView) MayWriteCatalog() bool { return v.may(access.CatalogWrite) }

// MayWriteWebhooks reports whether the operator may change receivers and send events again.
func (v pageView) MayWriteWebhooks() bool { return v.may(access.WebhooksWrite) }

// HTMXConfig returns the configuration of htmx for the page's meta element.
func (v pageView) HTMXConfig() string { return htmxConfig }

// Timestamp formats a time in the timezone of the store.
func (v pageView) Timestamp(at time.Time) timestamp { return newTimestamp(v.Store, at) }

// PasswordField returns the data of the field in which the operator confirms the password.
func (v pageView) PasswordField(all fieldErrors) passwordField {
	return passwordField{fieldError: all.For("password"), Email: v.Operator.Email}
}

type passwordField struct {
	fieldError
	Email string // tells password managers whose password to fill in
}

// timestamp is a formatted time: ISO for the datetime attribute, Text for people.
type timestamp struct{ ISO, Text string }

func newTimestamp(s store.Store, at time.Time) timestamp {
	local := at.In(s.Zone())
	return timestamp{ISO: local.Format(time.RFC3339), Text: local.Format("2 Jan 2006, 15:04")}
}

// newOptionalTimestamp formats a time like newTimestamp. It returns nil for nil.
func newOptionalTimestamp(s store.Store, at *time.Time) *timestamp {
	if at == nil {
		return nil
	}
	return new(newTimestamp(s, *at))
}

func parseTemplates(all assetFiles) map[string]*template.Template {
	base := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"asset": all.urlPath, "number": formatNumber, "entityTitle": entityTitle, "entityLower": entityLower,
		"deliveryStatus": capitalize[webhook.Status], "kind": kindName,
		"scope": scopeName, "role": capitalize[access.Role], "language": languageName, "provider": providerName,
	}).ParseFS(embeddedTemplates, "templates/layout.html", "templates/parts.html"))
	parsed := map[string]*template.Template{}
	for _, entry := range mustBuiltIn(embeddedTemplates.ReadDir("templates")) {
		name := strings.TrimSuffix(entry.Name(), ".html")
		if name != "layout" && name != "parts" {
			parsed[name] = template.Must(template.Must(base.Clone()).
				ParseFS(embeddedTemplates, "templates/"+entry.Name()))
		}
	}
	return parsed
}

// newView returns the data of a page for the operator of the request.
func (ui *UI) newView(r *httpapi.Request, title, navItem string, body any) pageView {
	return pageView{Title: title, NavItem: navItem, Operator: r.Principal.Operator, Store: r.Principal.Store, Body: body,
		may: r.Principal.May}
}

// render writes the page named name. It writes nothing if the template fails.
func (ui *UI) render(w http.ResponseWriter, status int, name string, v pageView) error {
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
	_, _ = w.Write(b.Bytes()) // a client that disconnected needs no response
	return nil
}

// rejectForm writes the page of a form that was refused, with a message above it.
func (ui *UI) rejectForm(w http.ResponseWriter, name string, v pageView, message string) error {
	v.Failure = message
	return ui.render(w, http.StatusUnprocessableEntity, name, v)
}

// redirectMessage returns the message if the query has the parameter that param names, and "" otherwise. The redirect
// after a change adds that parameter.
func redirectMessage(r *httpapi.Request, param, message string) string {
	if r.URL.Query().Has(param) {
		return message
	}
	return ""
}

// redirect answers with 303 See Other, so that the browser sends a GET. target is a path of this server.
func redirect(w http.ResponseWriter, r *http.Request, target string) error {
	setSecurityHeaders(w.Header())
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// setSecurityHeaders sets the headers that every response to a browser has.
func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// parseForm parses the body of a form into r.PostForm. It reports an error through r.Fail.
func parseForm(w http.ResponseWriter, r *httpapi.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		r.Fail(fault.New(fault.TooLarge, "body_too_large", "The form is over the limit of %d bytes.", maxFormBytes))
	case err != nil:
		r.Fail(fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(err))
	}
}

// fieldErrors are the validation messages of a form by field name.
type fieldErrors map[string][]string

// fieldError has the validation messages of one field.
type fieldError struct {
	Name     string
	Messages []string
}

// For returns the messages of a field.
func (all fieldErrors) For(name string) fieldError {
	return fieldError{Name: name, Messages: all[name]}
}

// Attributes returns the ARIA attributes that connect a field to its hints and its messages. name and hints are not
// escaped, so they must be constants in a template, never text from a request.
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

// newFieldErrors groups the messages of an Invalid fault by form field. A message about a list element, such as
// cors_origins[1], is prefixed with the element. The argument lists has the elements of each list by field name.
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
