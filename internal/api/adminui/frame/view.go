package frame

import (
	"fmt"
	"html/template"
	"net/url"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// htmxConfig makes htmx obey the content security policy, show the pages of error responses, and keep no history in the
// browser's storage, since a page may show a token.
const htmxConfig = `{"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,` +
	`"selfRequestsOnly":true,"historyEnabled":false,"reportValidityOfForms":true,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}`

// View is the data of the layout template. Body is the data of the template of the page. The methods of its language,
// such as T, are also functions of the templates.
type View struct {
	*Language
	Title string
	// NavItem is the navigation item to highlight.
	NavItem  string
	Operator *access.Operator // nil on pages for somebody who has not signed in
	Store    store.Store
	// Stores are the stores that the operator can switch to; empty if there is only one.
	Stores []StoreLink
	// Crumbs are the pages above this one.
	Crumbs []Link
	// Success or Failure is the message above the page; at most one is set.
	Success, Failure string
	// Problems lead from the message of a failure to the fields that it is about.
	Problems []Link
	Body     any
	// Embedded is what a document inside the page may have; nil if there is none.
	Embedded *Embedded
	// NoBackground says that the server does no background work.
	NoBackground bool
	// URL is the URL of the request.
	URL *url.URL

	language int
	part     string
	assets   assetFiles
	may      func(access.Scope) bool
	toast    *Toast
	// waiting reads the counts of the navigation; nil for pages without them.
	waiting func() (waitingCounts, error)
	counts  waitingCounts

	acceptsGzip bool
	now         time.Time
}

// Link is a link to a page of the administration.
type Link struct{ Text, URL string }

// StoreLink is a store in the list of the operator's stores.
type StoreLink struct {
	ID, Name string
	Current  bool
}

// May reports whether the operator has a scope, such as "orders:write". It only decides which links and forms a page
// shows. Routes check the scope themselves.
func (v View) May(scope string) bool { return v.may(access.Scope(scope)) }

// HTMXConfig returns the configuration of htmx for the page's meta element.
func (v View) HTMXConfig() string { return htmxConfig }

// Toast returns the message that the last change left for this page, or nil.
func (v View) Toast() *Toast { return v.toast }

// StyleSheet returns the URL path of the style sheet of the part, or "".
func (v View) StyleSheet() string { return v.assets.urlPaths[v.part+".css"] }

// Script returns the URL path of the script of the part, or "".
func (v View) Script() string { return v.assets.urlPaths[v.part+".js"] }

// Timestamp formats a time in the timezone of the store.
func (v View) Timestamp(at time.Time) Timestamp { return v.Language.timestamp(v.Store, at, v.now) }

// Date formats the day of a time in the timezone of the store.
func (v View) Date(at time.Time) string { return v.Language.date(at.In(v.Store.Zone())) }

// PasswordField returns the data of the field in which the operator confirms the password.
func (v View) PasswordField(all FieldErrors) PasswordField {
	return PasswordField{FieldError: all.For("password"), Email: v.Operator.Email}
}

// OptionalPasswordField returns the data of a field that may be left empty unless what the hint says is changed.
func (v View) OptionalPasswordField(all FieldErrors, hint string) PasswordField {
	f := v.PasswordField(all)
	f.Hint = hint
	return f
}

// PasswordField is the data of the template "password".
type PasswordField struct {
	FieldError
	Email string // tells password managers whose password to fill in
	// Hint says when the password is needed; it always is if there is no hint.
	Hint string
}

// Timestamp is a formatted time: ISO for the datetime attribute, Text for people, and Short for lists.
type Timestamp struct{ ISO, Text, Short string }

// NewTimestamp formats a time in the language of the request and the timezone of its store.
func (p *Pages) NewTimestamp(r *httpapi.Request, at time.Time) Timestamp {
	return p.Language(r).timestamp(r.Principal.Store, at, p.frame.Now())
}

// NewPreciseTimestamp is like NewTimestamp, with seconds.
func (p *Pages) NewPreciseTimestamp(r *httpapi.Request, at time.Time) Timestamp {
	t := p.NewTimestamp(r, at)
	t.Text += at.Format(":05")
	return t
}

// NewOptionalTimestamp formats a time like NewTimestamp. It returns nil for nil.
func (p *Pages) NewOptionalTimestamp(r *httpapi.Request, at *time.Time) *Timestamp {
	if at == nil {
		return nil
	}
	return new(p.NewTimestamp(r, *at))
}

// State is the data of the template "state": a badge whose colour depends on the code.
type State struct{ Code, Text string }

// Pager is the data of the template "pager": the addresses of the pages before and after, or "".
type Pager struct{ Previous, Next string }

// NewPager returns the links around a part of a list, from the newest row to the oldest. newer and older are the
// positions of the adjacent parts, or nil. The function link returns the address for a position, which is the value of
// the parameter that name names.
func NewPager[P any](newer, older *P, link func(name string, at *P) string) (p Pager) {
	if newer != nil {
		p.Previous = link("after", newer)
	}
	if older != nil {
		p.Next = link("before", older)
	}
	return p
}

// Address returns the address of a page with a query of names and values. A later value of a name replaces an earlier
// one, and an empty value removes the name.
func Address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Empty is the data of the template "empty": what a list shows that has no rows, and what to do next.
type Empty struct {
	Text, Hint  string
	URL, Action string // the button; none without a URL
}

// queryAddress returns the address of the page of u with another value of a parameter, and without the parameters that
// select a page of a list. An empty value removes the parameter.
func queryAddress(u *url.URL, pairs ...any) template.URL {
	q := u.Query()
	for _, name := range []string{"page", "before", "after", "cursor"} {
		q.Del(name)
	}

	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1])
		if value == "" {
			q.Del(name)
		} else {
			q.Set(name, value)
		}
	}

	// Both parts are encoded by package url, so they need no further escaping.
	if len(q) == 0 {
		return template.URL(u.EscapedPath())
	}

	return template.URL(u.EscapedPath() + "?" + q.Encode())
}

// Copy is the data of the template "copy": a text to copy, such as a token.
type Copy struct {
	ID, Label, Text string
	Rows            int
}
