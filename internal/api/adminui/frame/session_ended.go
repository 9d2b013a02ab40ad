package frame

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"vitrine/internal/api/httpapi"
)

// keepField is a hidden field of forms that take long to fill in. If the session has ended when such a form is sent,
// its fields are kept on a page from which it can be sent again.
const keepField = "_keep"

// routePatterns tells which paths have a page: pages has the patterns of GET routes.
type routePatterns struct {
	all   *http.ServeMux
	pages map[string]bool
}

func newRoutePatterns(routes []httpapi.Route) *routePatterns {
	known := &routePatterns{all: http.NewServeMux(), pages: map[string]bool{}}
	added := map[string]bool{}
	for _, route := range routes {
		if !added[route.Path] {
			known.all.Handle(route.Path, http.NotFoundHandler())
		}
		added[route.Path] = true
		known.pages[route.Path] = known.pages[route.Path] || route.Method == http.MethodGet
	}
	return known
}

// nearest returns the path if it has a page, or the path of the nearest page above it. Most forms are posted to a path
// below that of their page, such as /inquiries/{id}/take.
func (known *routePatterns) nearest(urlPath string) string {
	for known != nil && strings.HasPrefix(urlPath, "/") && urlPath != "/" {
		_, pattern := known.all.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: urlPath}})
		if known.pages[pattern] {
			return urlPath
		}
		urlPath = path.Dir(urlPath)
	}
	return "/"
}

// SetRoutes tells the frame the routes of all parts, so that a login can lead back to a page.
func (f *Frame) SetRoutes(routes []httpapi.Route) { f.routes = newRoutePatterns(routes) }

// returnPath returns the path to open after the login: the path of the request if it asks for a page. After a form or
// an htmx request, it is the page that sent it.
func (f *Frame) returnPath(r *http.Request) string {
	if r.Method == http.MethodGet && !isHTMX(r) {
		return LocalRedirectPath(r.URL.RequestURI())
	}
	from, err := url.Parse(r.Header.Get("Referer"))
	if err != nil || from.Host != r.Host || from.Path == "" {
		return LocalRedirectPath((&url.URL{Path: f.routes.nearest(r.URL.Path)}).EscapedPath())
	}
	if f.routes.nearest(from.Path) == from.Path {
		return LocalRedirectPath(from.RequestURI())
	}
	return LocalRedirectPath((&url.URL{Path: f.routes.nearest(from.Path)}).EscapedPath())
}

func isHTMX(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// endedBody is the data of the page that keeps a form whose session has ended.
type endedBody struct {
	Login  string
	Action string
	Fields url.Values
}

// askToSignIn redirects to /login with the path to open next. A form that has the field keepField is kept instead.
func (f *Frame) askToSignIn(w http.ResponseWriter, r *httpapi.Request) error {
	login := "/login"
	if next := f.returnPath(r.Request); next != "/" {
		login += "?next=" + url.QueryEscape(next)
	}

	if isHTMX(r.Request) {
		// htmx would follow a 303 itself and insert the sign-in page into the current page. HX-Redirect makes it
		// navigate.
		SetSecurityHeaders(w.Header())
		w.Header().Set("HX-Redirect", login)
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	}

	if fields := keptFields(r); fields != nil {
		v := f.problems.NewPublicView(r.Request, "Your session has ended",
			endedBody{Login: login, Action: r.URL.EscapedPath(), Fields: fields})
		return f.problems.Render(w, http.StatusUnauthorized, "session_ended", v)
	}

	return Redirect(w, r.Request, login)
}

// keptFields returns the fields of a form that asks to be kept, or nil.
func keptFields(r *httpapi.Request) url.Values {
	if r.Method != http.MethodPost || r.ReadForm(maxFormBytes, maxFormFields) != nil || !r.PostForm.Has(keepField) {
		return nil
	}
	return r.PostForm
}
