package httpapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/access"
)

// Metrics are the HTTP metrics of all surfaces. They are labelled by route pattern, never by path: a path may contain
// a token.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	aborted  *prometheus.CounterVec
	problems *prometheus.CounterVec
	limited  *prometheus.CounterVec
	wrong    prometheus.Counter
}

// NewMetrics creates the metrics and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vitrine_http_requests_total", Help: "Requests by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "vitrine_http_request_seconds",
			Help:    "Seconds from the start of a request to the end of its response, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vitrine_http_response_bytes_total", Help: "Bytes of response bodies sent, by route.",
		}, []string{"route"}),
		aborted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vitrine_http_aborted_total",
			Help: "Requests whose connection was closed without a whole response, by route and reason. " +
				"The reason client_left is the client's doing; connection_lost and response_broken are the server's.",
		}, []string{"route", "reason"}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vitrine_http_problems_total",
			Help: "Requests that were answered with a problem, by its code.",
		}, []string{"code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vitrine_rate_limited_total", Help: "Requests that a rate limit refused, by limiter.",
		}, []string{"limiter"}),
		wrong: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "vitrine_wrong_credentials_total",
			Help: "Requests with a key, a token or a session that is not valid.",
		}),
	}

	m.problems.WithLabelValues(codeInternal) // so that the metric exists before the first problem
	registry.MustRegister(m.requests, m.seconds, m.bytes, m.aborted, m.problems, m.limited, m.wrong)
	return m
}

// statusNoResponse is the status in the log and in the metrics of a request that got no response. It is nginx's status
// for a client that closed the connection.
const statusNoResponse = 499

// The reasons for which a connection is closed without a whole response.
const (
	// reasonClientLeft: the client closed the connection, or stopped sending its request or reading the response.
	reasonClientLeft = "client_left"
	// reasonConnectionLost: the context of the connection was cancelled although its client is there. Either this is a
	// bug, or the process shut down and closed requests that did not end in time.
	reasonConnectionLost = "connection_lost"
	// reasonResponseBroken: the status was sent, and then the rest of the response failed.
	reasonResponseBroken = "response_broken"
)

// observe ends the span of the request, writes the line of the access log and updates the metrics. aborted is the
// reason for which the connection is closed without a whole response; it is empty for a request with a whole response.
func (s *Server) observe(r *http.Request, rec *responseRecorder, start time.Time, aborted string) {
	route := cmp.Or(r.Pattern, "none")
	status := cmp.Or(rec.status, statusNoResponse)
	rec.endSpan(r, status, aborted)
	took := time.Since(start)
	requestID := RequestID(r.Context())
	level := slog.LevelInfo

	if isProbe(route) && status < http.StatusBadRequest {
		level = slog.LevelDebug
	}

	line := append(make([]slog.Attr, 0, 16),
		slog.String("method", r.Method), slog.String("route", route), slog.Int("status", status),
		slog.Int64("bytes", rec.bytes), slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.String("request_id", requestID), slog.String("address", limiterKey(r.RemoteAddr)))
	line = appendPrincipal(line, rec.principal)
	if rec.problem != "" {
		line = append(line, slog.String("code", rec.problem))
	}

	if agent := cleanUserAgent(r.UserAgent()); agent != "" {
		line = append(line, slog.String("user_agent", agent))
	}

	if id := trace.ID(r.Context(), r.Header); id != "" {
		line = append(line, slog.String("trace_id", id))
	}

	if aborted != "" {
		line = append(line, slog.String("aborted", aborted))
	}

	s.log.LogAttrs(r.Context(), level, "request", line...)

	if aborted != "" && aborted != reasonClientLeft {
		s.log.LogAttrs(r.Context(), slog.LevelWarn, "request aborted",
			slog.String("request_id", requestID), slog.String("route", route), slog.Int("status", status),
			slog.String("reason", aborted))
	}

	if s.Metrics == nil {
		return
	}

	s.Metrics.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	s.Metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
	s.Metrics.bytes.WithLabelValues(route).Add(float64(rec.bytes))

	if aborted != "" {
		s.Metrics.aborted.WithLabelValues(route, aborted).Inc()
	}
}

// countWrongCredential counts a request whose credential is not valid.
func (s *Server) countWrongCredential() {
	if s.Metrics != nil {
		s.Metrics.wrong.Inc()
	}
}

// logRequest logs a message about a request, with its id and route.
func (s *Server) logRequest(r *http.Request, level slog.Level, message string, more ...slog.Attr) {
	s.log.LogAttrs(r.Context(), level, message, append([]slog.Attr{
		slog.String("request_id", RequestID(r.Context())), slog.String("route", r.Pattern)}, more...)...)
}

// responseRecorder is the ResponseWriter of every request. It records what was sent, gives a slow client time to read
// it, and closes the connection after the response if the connection cannot carry another request.
type responseRecorder struct {
	http.ResponseWriter
	ctx    context.Context //nolint:containedctx // the request's context, to check whether its connection has ended
	body   requestBody
	status int // 0 until the status is sent
	bytes  int64
	failed bool // a Write to the connection failed
	// principal is the principal of the request, for the log and the page of a problem. It is zero before the
	// credential is checked.
	principal access.Principal
	// problem is the code of the problem that was sent, for the log.
	problem string
	// span is the span of the request, if it is traced. sending is how long the client took to read the response, apart
	// from what the buffers of the connection hold.
	span    trace.Span
	sending time.Duration
	// started is the time of the first byte. After clientIdleTimeout the client must read at minBodyRate on average.
	started time.Time
	// keptOpen says that the response is a stream that ends when the client leaves: see KeepOpen.
	keptOpen bool
}

// KeepOpen exempts the response from the rule that a client must read at minBodyRate on average: it is a stream with
// pauses. A client that stops reading is still disconnected.
func KeepOpen(w http.ResponseWriter) {
	for w != nil {
		if rec, ok := w.(*responseRecorder); ok {
			rec.keptOpen = true
			return
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = wrapper.Unwrap()
	}
}

func (w *responseRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
		if !w.body.drain() || connectionCancelled(w.ctx) {
			w.Header().Set("Connection", "close")
		}
	}
	w.extendDeadline(0)
	w.ResponseWriter.WriteHeader(status)
}

// extendDeadline sets the write deadline. It is called before every Write of n bytes. A client may read slowly, but one
// that stops reading, or reads less than minBodyRate on average, is disconnected.
func (w *responseRecorder) extendDeadline(n int) {
	// The writer of a test may have no deadlines (httptest.ResponseRecorder).
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(w.nextDeadline(time.Now(), n))
}

// nextDeadline returns when the client must have read all but the socket buffers of the next n bytes.
func (w *responseRecorder) nextDeadline(now time.Time, n int) time.Time {
	if w.started.IsZero() {
		w.started = now
	}
	idle := now.Add(clientIdleTimeout + transferTime(int64(n)))
	if w.keptOpen {
		return idle
	}
	if due := w.started.Add(clientIdleTimeout + transferTime(w.bytes+int64(n))); due.Before(idle) {
		return due
	}
	return idle
}

func (w *responseRecorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.extendDeadline(len(p))
	start := w.spanTime()
	n, err := w.ResponseWriter.Write(p)
	if !start.IsZero() {
		w.sending += time.Since(start)
	}
	w.bytes += int64(n)
	if err != nil && !errors.Is(err, http.ErrContentLength) && !errors.Is(err, http.ErrBodyNotAllowed) {
		w.failed = true
	}
	return n, err
}

// FlushError implements Flush for http.ResponseController. It sends the status 200 if no status was sent.
func (w *responseRecorder) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.extendDeadline(0)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// truncated reports whether fewer bytes were sent than Content-Length announces. This happens with http.ServeContent,
// which reports no error when it fails to read the file.
func (w *responseRecorder) truncated(method string) bool {
	declared := w.Header().Get("Content-Length")
	noBody := method == http.MethodHead || w.status == http.StatusNoContent || w.status == http.StatusNotModified
	if declared == "" || noBody || w.status == 0 {
		return false
	}
	length, err := strconv.ParseInt(declared, 10, 64)
	return err == nil && w.bytes < length
}

// abortReason returns why a request ends without a whole response.
func (w *responseRecorder) abortReason() string {
	switch {
	case w.failed, w.body.clientTimedOut(), clientDisconnected(w.ctx):
		return reasonClientLeft
	case w.status == 0:
		return reasonConnectionLost
	}
	return reasonResponseBroken
}

// Unwrap lets http.ResponseController reach the connection.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writeMethodProblem writes a 405, the only error status without a fault kind. allow lists the methods of the path.
func (s *Server) writeMethodProblem(w http.ResponseWriter, r *http.Request, allow string) {
	f := fault.New(fault.NotFound, "method_not_allowed", "This path takes %s, not %s.", allow,
		strings.ToUpper(r.Method[:min(len(r.Method), 20)]))
	s.sendProblem(w, r, f, nil, http.StatusMethodNotAllowed)
}
