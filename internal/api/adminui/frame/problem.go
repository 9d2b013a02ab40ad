package frame

import (
	"net/http"
	"strings"

	"vitrine/internal/api/httpapi"
)

// PartlyDone is the code of a failure after a part of what was asked for was done. The message says which.
const PartlyDone = "partly_done"

// errorBody is the data of an error page.
type errorBody struct {
	Status    int
	Heading   string
	Message   string
	RequestID string
}

// Problem renders an error as an HTML page. It redirects a request without a session to /login, which redirects back
// after the login. The page has the navigation if an operator made the request. For a path that programs call, Problem
// writes nothing and returns false, so that the server responds with JSON.
func (f *Frame) Problem(w http.ResponseWriter, r *httpapi.Request, p httpapi.Problem) bool {
	if isProgramPath(r.URL.Path) {
		return false
	}
	if p.Status == http.StatusUnauthorized {
		return f.askToSignIn(w, r) == nil
	}
	l := f.languages[f.languageIndex(r.Request)].forPart("frame")
	t := errorBody{Status: p.Status, RequestID: p.RequestID}
	t.Heading, t.Message = problemTexts(l, p)
	v := f.problems.NewPublicView(r.Request, t.Heading, t)
	if by := r.Principal; by.Operator != nil {
		// Without the list of stores: reading it could fail for the same reason as the page.
		v.Operator, v.Store, v.may = by.Operator, by.Store, by.May
	}
	return f.problems.Render(w, p.Status, "problem", v) == nil
}

// problemTexts returns the heading and the message of the page of a problem.
func problemTexts(l *Language, p httpapi.Problem) (heading, message string) {
	switch p.Code {
	case "forbidden":
		return l.T("Not allowed"), l.T("Your role does not include this. Ask an owner of the store if you need it.")
	case "cross_origin":
		return l.T("Not allowed"),
			l.T("This form was sent from the page of another site. Open the administration and send it from there.")
	case "no_such_path", "method_not_allowed":
		return l.T("Page not found"), l.T("There is nothing at this address.")
	case "malformed_query":
		return l.T("The address is wrong"), l.wrongAddress()
	}

	message = l.Fault(p.Detail)
	if len(p.Errors) > 0 {
		messages := make([]string, len(p.Errors))
		for i, e := range p.Errors {
			messages[i] = l.Fault(e.Message)
		}
		message = strings.Join(messages, " ")
	}

	if p.Code == PartlyDone {
		return l.T("Not everything was done"), message
	}
	switch p.Status {
	case http.StatusNotFound:
		return l.T("Not found"), message
	case http.StatusPreconditionFailed:
		return l.T("Something has changed meanwhile"), message
	case http.StatusRequestEntityTooLarge:
		return l.T("Too large"), message
	case http.StatusTooManyRequests:
		return l.T("Too many requests"), message
	case http.StatusConflict, http.StatusServiceUnavailable, http.StatusRequestTimeout:
		return l.T("Not possible at the moment"), message
	case http.StatusInternalServerError:
		return l.T("Something went wrong"), l.T("The server failed. Nothing was changed in part. " +
			"Try again; if it fails again, quote the id below when you ask for help.")
	}

	return l.T("This was not accepted"), message
}

// isProgramPath reports whether a path of the admin listener is for programs rather than browsers.
func isProgramPath(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "api", "debug", "docs", "openapi.json", "healthz", "readyz", "metrics":
		return true
	}
	return false
}
