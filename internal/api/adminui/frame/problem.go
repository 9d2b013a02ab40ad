package frame

import (
	"net/http"
	"net/url"
	"strings"

	"vitrine/internal/api/httpapi"
)

// errorBody is the data of an error page.
type errorBody struct {
	Status    int
	Heading   string
	Message   string
	RequestID string
}

// Problem renders an error as an HTML page. It redirects a request without a session to /login, which redirects back
// after the login. For a path that programs call, Problem writes nothing and returns false, so that the server responds
// with JSON.
func (f *Frame) Problem(w http.ResponseWriter, r *http.Request, p httpapi.Problem) bool {
	if isProgramPath(r.URL.Path) {
		return false
	}
	if p.Status == http.StatusUnauthorized {
		redirectToLogin(w, r)
		return true
	}
	l := f.languages[f.languageIndex(r)].forPart("frame")
	t := errorBody{Status: p.Status, Heading: p.Title, Message: p.Detail, RequestID: p.RequestID}
	switch {
	case p.Code == "forbidden":
		t.Heading, t.Message = l.T("Not allowed"),
			l.T("Your role does not include this. Ask an owner of the store if you need it.")
	case p.Code == "cross_origin":
		t.Heading = l.T("Not allowed")
	case p.Code == "no_such_path":
		t.Heading, t.Message = l.T("Page not found"), l.T("There is nothing at this address.")
	case p.Status == http.StatusNotFound:
		t.Heading = l.T("Not found")
	case p.Status == http.StatusInternalServerError:
		t.Heading, t.Message = l.T("Something went wrong"), l.T("The server failed. Nothing was changed in part. "+
			"Try again; if it fails again, quote the id below when you ask for help.")
	}
	v := f.problems.NewPublicView(r, t.Heading, t)
	return f.problems.Render(w, p.Status, "problem", v) == nil
}

// isProgramPath reports whether a path of the admin listener is for programs rather than browsers.
func isProgramPath(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "api", "docs", "openapi.json", "healthz", "readyz", "metrics":
		return true
	}
	return false
}

// redirectToLogin redirects to /login with the requested path in the parameter next. This works for a POST, too,
// because every path that a form is posted to also has a page.
func redirectToLogin(w http.ResponseWriter, r *http.Request) {
	target := r.URL.Path
	if r.Method == http.MethodGet && r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	login := "/login"
	if target != "/" {
		login += "?next=" + url.QueryEscape(target)
	}
	if r.Header.Get("HX-Request") == "true" {
		// htmx would follow a 303 itself and insert the sign-in page into the current page. HX-Redirect makes it
		// navigate.
		SetSecurityHeaders(w.Header())
		w.Header().Set("HX-Redirect", login)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_ = Redirect(w, r, login)
}
