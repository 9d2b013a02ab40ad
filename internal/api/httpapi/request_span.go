package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// startSpan starts the span of a request and returns its context. Probes of monitoring are not traced.
func (s *Server) startSpan(ctx context.Context, r *http.Request, rec *responseRecorder) context.Context {
	if s.Tracer == nil || isProbe(http.MethodGet+" "+r.URL.Path) {
		return ctx
	}
	ctx, rec.span = s.Tracer.StartServer(ctx, r.Header, "HTTP")
	rec.body.timed = rec.span.Recording()
	return ctx
}

// spanTime returns the current time if the request is traced, and the zero time otherwise.
func (w *responseRecorder) spanTime() time.Time {
	if !w.span.Recording() {
		return time.Time{}
	}
	return time.Now()
}

// endSpan ends the span of a request. The span has the route, never the path or the query, which may contain a token.
func (w *responseRecorder) endSpan(r *http.Request, status int, aborted string) {
	if !w.span.Recording() {
		return
	}

	method := spanMethod(r.Method)
	w.span.Rename(method)
	w.span.String("http.request.method", method)

	if r.Pattern != "" {
		w.span.Rename(r.Pattern)
		_, route, _ := strings.Cut(r.Pattern, " ")
		w.span.String("http.route", route)
	}

	w.span.Int("http.response.status_code", int64(status))
	w.span.Int("http.request.body.size", w.body.bytesRead())
	w.span.Int("http.response.body.size", w.bytes)
	w.span.Millis("vitrine.http.body_wait_ms", w.body.readWait())
	w.span.Millis("vitrine.http.send_ms", w.sending)
	w.span.String("vitrine.request_id", RequestID(r.Context()))

	if w.principal.Kind != "" {
		w.span.String("vitrine.store_id", w.principal.Store.ID.String())
		w.span.String("vitrine.credential", string(w.principal.Kind))
	}

	if w.problem != "" {
		w.span.String("vitrine.problem", w.problem)
	}

	if aborted != "" {
		w.span.String("vitrine.aborted", aborted)
	}

	if status >= http.StatusInternalServerError {
		w.span.Fail(strconv.Itoa(status))
	}

	w.span.End()
}

// spanMethod returns a method, or _OTHER for one that HTTP does not define.
func spanMethod(method string) string {
	if slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions}, method) {
		return method
	}
	return "_OTHER"
}
