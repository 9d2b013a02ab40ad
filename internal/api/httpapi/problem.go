package httpapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/kit/admission"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
)

// codeInternal is the code of a problem whose cause only the log has.
const codeInternal = "internal"

// StatusOf returns the HTTP status of a fault kind. No other code maps kinds to statuses.
func StatusOf(kind fault.Kind) int {
	return cmp.Or(map[fault.Kind]int{
		fault.Malformed:       http.StatusBadRequest,
		fault.Unauthenticated: http.StatusUnauthorized,
		fault.Denied:          http.StatusForbidden,
		fault.NotFound:        http.StatusNotFound,
		fault.Conflict:        http.StatusConflict,
		fault.Gone:            http.StatusGone,
		fault.Stale:           http.StatusPreconditionFailed,
		fault.TooLarge:        http.StatusRequestEntityTooLarge,
		fault.Unsupported:     http.StatusUnsupportedMediaType,
		fault.Invalid:         http.StatusUnprocessableEntity,
		fault.TooMany:         http.StatusTooManyRequests,
		fault.Unavailable:     http.StatusServiceUnavailable,
		fault.TooSlow:         http.StatusRequestTimeout,
	}[kind], http.StatusInternalServerError)
}

// Problem is the body of every error: an RFC 9457 problem with a stable code and the fields that broke a rule.
type Problem struct {
	Type      string         `json:"type" doc:"A URI that names the kind of problem." example:"urn:vitrine:problem:validation_failed"`
	Title     string         `json:"title" doc:"The HTTP status in words."`
	Status    int            `json:"status" doc:"The HTTP status."`
	Detail    string         `json:"detail" doc:"What was wrong, and what would be right."`
	Code      string         `json:"code" doc:"A stable snake_case word for programs." example:"validation_failed"`
	RequestID string         `json:"request_id" doc:"Name it when you ask for help."`
	Errors    []ProblemField `json:"errors,omitzero" doc:"With 422, and with 409 where lines are named: each place that broke a rule."`
}

// ProblemField is one field that broke a rule.
type ProblemField struct {
	Field     string         `json:"field" example:"values[2].name"`
	Code      string         `json:"code" example:"required"`
	Message   string         `json:"message"`
	Available schema.Decimal `json:"available,omitzero" doc:"With out_of_stock: how many are left." example:"2"`
}

// writeProblem sends err as a problem. An error that is neither a fault nor a timeout becomes an internal error, whose
// text goes to the log only. writeProblem sends nothing if err says that the context of the request was cancelled.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var f *fault.Error
	switch known := errors.As(err, &f); {
	case !known && errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		return // Server.finishRequest closes the connection
	case !known && errors.Is(err, context.DeadlineExceeded):
		f = fault.New(fault.Unavailable, "timeout",
			"The request took too long and was given up. Try again shortly.").After(time.Second)
	case !known:
		f = errInternal()
		s.logRequest(r, slog.LevelError, "request failed", slog.Any("error", err))
	case f.Kind == fault.Internal && f.Cause != nil:
		s.logRequest(r, slog.LevelError, "request failed", slog.Any("error", err))
	}

	if f.Kind == fault.Unavailable && f.Code != admission.Overloaded { // logOverload logs that
		s.logRequest(r, slog.LevelWarn, "request not served", slog.Any("error", err))
	}

	var extra *extraMember
	errors.As(err, &extra)
	h := w.Header()
	h.Del("ETag")
	h.Del("Location")
	h.Del("Cache-Tag")

	if after := retryAfterOf(f); after > 0 {
		h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(after.Seconds())))))
	}

	s.sendProblem(w, r, f, extra, StatusOf(f.Kind))
}

// retryAfterOf returns when the client should try again, or 0. Every 503 has such a time.
func retryAfterOf(f *fault.Error) time.Duration {
	if f.Kind == fault.Unavailable {
		return cmp.Or(f.RetryAfter, time.Second)
	}
	return f.RetryAfter
}

func errInternal() *fault.Error {
	return fault.New(fault.Internal, codeInternal,
		"Something went wrong on our side. Quote the request_id when you ask for help.")
}

// extraMember is an error whose problem has an additional member. json is its value.
type extraMember struct {
	error
	name string
	json []byte
}

func (e *extraMember) Unwrap() error { return e.error }

// WithProblemMember wraps err so that the problem that is sent for it has an additional member. value is JSON.
func WithProblemMember(err error, name string, value []byte) error {
	return &extraMember{err, name, value}
}

// sendProblem writes a problem as an HTML page if Deps.ProblemPage does so, and as JSON otherwise.
func (s *Server) sendProblem(
	w http.ResponseWriter, r *http.Request, f *fault.Error, extra *extraMember, status int,
) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	p := newProblem(f, status, RequestID(r.Context()))
	if rec, ok := w.(*responseRecorder); ok {
		rec.problem = p.Code
	}

	if s.Metrics != nil {
		s.Metrics.problems.WithLabelValues(p.Code).Inc()
	}

	if s.problemPage(w, r, p) {
		return
	}

	h.Set("Content-Type", "application/problem+json")
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="vitrine"`)
	}

	body := p.json(extra)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// problemPage reports whether Deps.ProblemPage has written the problem.
func (s *Server) problemPage(w http.ResponseWriter, r *http.Request, p Problem) bool {
	rec, ok := w.(*responseRecorder)
	if s.ProblemPage == nil || !ok {
		return false
	}
	page := newRequest(s, r, &rec.body, "")
	page.Principal = rec.principal
	defer page.release()
	return s.ProblemPage(w, page, p)
}

func newProblem(f *fault.Error, status int, requestID string) Problem {
	p := Problem{Type: "urn:vitrine:problem:" + f.Code, Title: http.StatusText(status), Status: status,
		Detail: f.Message, Code: f.Code, RequestID: requestID}
	if status == http.StatusUnprocessableEntity {
		p.Errors = []ProblemField{}
	}
	for _, field := range f.Fields {
		p.Errors = append(p.Errors, ProblemField{Field: field.Field, Code: field.Code, Message: field.Message,
			Available: schema.Decimal(field.Available)})
	}
	return p
}

// ProblemJSON returns the JSON of the problem that the server sends for f.
func ProblemJSON(f *fault.Error, requestID string) []byte {
	return newProblem(f, StatusOf(f.Kind), requestID).json(nil)
}

// json returns the body of the response, with an additional member unless extra is nil.
func (p Problem) json(extra *extraMember) []byte {
	b := wire.AppendJSON(nil, p)
	if extra != nil {
		b = append(b[:len(b)-1], ',')
		b = wire.AppendString(b, extra.name)
		b = append(b, ':')
		b = append(b, extra.json...)
		b = append(b, '}')
	}
	return append(b, '\n')
}
