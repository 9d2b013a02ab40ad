package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/fault"
)

// Metrics are the counters of the surfaces, by route pattern: never by path, which may hold a token.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
}

// NewMetrics registers the counters.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_http_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "vitrine_http_request_seconds", Help: "Time to answer by route.", Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_http_response_bytes_total", Help: "Bytes of bodies sent by route."}, []string{"route"}),
	}
	registry.MustRegister(m.requests, m.seconds, m.bytes)
	return m
}

// observe writes the access log's line and counts.
func (s *Server) observe(r *http.Request, rec *recorder, start time.Time, requestID string) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	took := time.Since(start)
	status := rec.status
	if status == 0 {
		status = 499 // the client left before there was an answer
	}
	s.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("method", r.Method), slog.String("route", route), slog.Int("status", status), slog.Int64("bytes", rec.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("request_id", requestID), slog.String("address", address(r.RemoteAddr)))
	if s.Metrics == nil {
		return
	}
	s.Metrics.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	s.Metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
	s.Metrics.bytes.WithLabelValues(route).Add(float64(rec.bytes))
}

// recorder remembers what was answered, and gives the client time to take it.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.wait()
	w.ResponseWriter.WriteHeader(status)
}

// wait moves the deadline on with every piece, of whatever answer: a slow client is served, one that stopped reading is not.
func (w *recorder) wait() {
	// Not every writer has deadlines (a recorder in a test); then the server's own apply.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(silence))
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.wait()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writeMethodProblem is the 405, the one status that no kind of fault stands for: the path exists, and Allow says how.
func (s *Server) writeMethodProblem(w http.ResponseWriter, r *http.Request, allow string) {
	f := fault.New(fault.NotFound, "method_not_allowed", "This path takes %s, not %s.", allow, printable(r.Method))
	s.sendProblem(w, r, f, nil, http.StatusMethodNotAllowed, RequestID(r.Context()))
}

func printable(method string) string {
	if len(method) > 20 {
		method = method[:20]
	}
	return strings.ToUpper(method)
}
