package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
)

// Deps is what a surface needs.
type Deps struct {
	DB    *database.DB
	Vault *vault.Vault
	Log   *slog.Logger
	Now   func() time.Time
	// Authenticate tells who a request comes from. Its fault is the answer.
	Authenticate func(r *http.Request) (access.Principal, error)
	// Metrics counts requests; nil counts nothing.
	Metrics *Metrics
	// SpoolDir holds long bodies and answers while they are handled.
	SpoolDir string
	// FailedCredentialsPerMinute limits them per address; 0 never does.
	FailedCredentialsPerMinute int
	// PublicWritesPerMinute limits them per address, PublicWritesPerPerson those of a customer who has signed in, and PublicWritesPerStore
	// those of all addresses together, each by the minute; 0 never does.
	PublicWritesPerMinute, PublicWritesPerPerson, PublicWritesPerStore int
	// TrustedProxies are the networks whose X-Forwarded-For is believed. Limits and the log then go by what it says.
	TrustedProxies []netip.Prefix
	// ReadDeadline and WriteDeadline bound a request's time in the database; 0 takes a default.
	ReadDeadline, WriteDeadline time.Duration
	// Guard may refuse a request before it is routed, for what only one surface needs; its fault is the answer. nil refuses nothing.
	Guard func(r *http.Request) error
	// Page is offered every problem before it is written as JSON: a surface with pages for people answers with one and returns
	// true. nil leaves them all.
	Page func(w http.ResponseWriter, r *http.Request, p Problem) bool
}

// AnyScope as what a route needs asks for a credential that is valid, whatever it may do.
const AnyScope access.Scope = "any"

// Server answers the routes of one surface.
type Server struct {
	Deps
	log      *slog.Logger
	mux      *http.ServeMux
	routes   []Route
	failures *limiter
	running  sync.Map // the idempotency keys at work in this process
	buffers  sync.Pool
	packers  packers

	writesByAddress, writesByPerson, writesByStore *limiter
}

// NewServer makes a surface out of its table. Two routes with the same pattern are a programming error and panic.
func NewServer(deps Deps, routes []Route) *Server {
	s := &Server{
		Deps: deps, log: deps.Log, mux: http.NewServeMux(), routes: routes, failures: newLimiter(deps.FailedCredentialsPerMinute),
		writesByAddress: newLimiter(deps.PublicWritesPerMinute), writesByPerson: newLimiter(deps.PublicWritesPerPerson), writesByStore: newLimiter(deps.PublicWritesPerStore),
	}
	if s.ReadDeadline == 0 {
		s.ReadDeadline = 30 * time.Second
	}
	if s.WriteDeadline == 0 {
		s.WriteDeadline = 10 * time.Minute
	}
	for _, route := range routes {
		s.mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) { s.serve(w.(*recorder), r, route) })
	}
	return s
}

// Routes returns the table.
func (s *Server) Routes() []Route { return s.routes }

func (s *Server) now() time.Time { return s.Now() }

// ServeHTTP does what every request needs: an id, a line in the log, metrics, recovery from panics, and a response. A
// request whose handler has written none gets a 500, or its connection is closed if nobody is there to read it.
// net/http would send an empty 200 instead, which a client takes for success.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	requestID := requestID(r.Header.Get("X-Request-Id"))
	rec := &recorder{ResponseWriter: w, ctx: r.Context()}
	rec.body.init(w, r)
	r = r.WithContext(context.WithValue(r.Context(), requestIDKey{}, requestID))
	r.Body = &rec.body
	r.RemoteAddr = proxies(s.TrustedProxies).client(r)
	h := rec.Header()
	h.Set("X-Request-Id", requestID)
	h.Set("X-Content-Type-Options", "nosniff")
	defer func() { s.end(rec, r, start, requestID, recover()) }()
	if connectionEnded(rec.ctx) && !clientLeft(rec.ctx) {
		return // all statements would fail; end closes the connection before anything is done
	}
	s.dispatch(rec, r)
}

// end runs after every request. It writes a 500 if the handler wrote nothing, or aborts the connection if nobody can be
// answered on it, and logs and counts the request. panicked is what recover returned.
func (s *Server) end(rec *recorder, r *http.Request, start time.Time, requestID string, panicked any) {
	aborted := panicked == http.ErrAbortHandler //nolint:errorlint // it is a value that is panicked with, never wrapped
	switch {
	case aborted:
	case panicked != nil:
		s.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", requestID), slog.String("route", r.Pattern),
			slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
		aborted = rec.status != 0 // what was sent so far must not look like a whole response
	case rec.short(r.Method):
		aborted = true
	case rec.status == 0 && !connectionEnded(rec.ctx):
		s.log.LogAttrs(r.Context(), slog.LevelError, "handler wrote no response", slog.String("request_id", requestID), slog.String("route", r.Pattern))
	}
	if rec.status == 0 && !aborted && !connectionEnded(rec.ctx) {
		s.writeProblem(rec, r, requestID, errInternal())
	}
	reason := ""
	if aborted || rec.status == 0 {
		reason = rec.abortReason()
	}
	s.observe(r, rec, start, requestID, reason)
	if reason != "" {
		_ = rec.body.Close() // or net/http would wait for the rest of it
		panic(http.ErrAbortHandler)
	}
}

// requestID takes the client's id if it is one that a log can hold, and makes one otherwise.
func requestID(given string) string {
	if given != "" && len(given) <= 128 && !strings.ContainsFunc(given, func(c rune) bool { return c <= 0x20 || c >= 0x7f }) {
		return given
	}
	return uuid.Must(uuid.NewV7()).String()
}

// dispatch finds the route, or says why there is none.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	if s.Guard != nil {
		if err := s.Guard(r); err != nil {
			s.writeProblem(w, r, RequestID(r.Context()), err)
			return
		}
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" && r.Header.Get("Origin") != "" {
		preflight(w, r)
		return
	}
	if !canonical(r.URL.Path) {
		s.writeProblem(w, r, RequestID(r.Context()), NoSuchPath())
		return
	}
	if _, pattern := s.mux.Handler(r); pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	methods := allowed(s.mux, r)
	if len(methods) == 0 {
		s.writeProblem(w, r, RequestID(r.Context()), NoSuchPath())
		return
	}
	allow := strings.Join(methods, ", ")
	w.Header().Set("Allow", allow)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.writeMethodProblem(w, r, allow)
}

// NoSuchPath is the fault of a request for a path that no route has.
func NoSuchPath() error {
	return fault.New(fault.NotFound, "no_such_path", "There is nothing at this path. The API is described at /docs and /openapi.json.")
}

// serve checks the credential and its rights, then runs the handler.
func (s *Server) serve(w *recorder, r *http.Request, route Route) {
	req := &Request{Request: r, ID: RequestID(r.Context()), server: s, body: &w.body}
	defer req.release()
	err := s.admit(w, req, route)
	if err == nil {
		err = route.Handler(w, req)
	}
	switch {
	case err == nil:
	case w.status != 0:
		// The status is out; only closing the connection tells the client that this is not all.
		if !w.failed {
			s.log.LogAttrs(r.Context(), slog.LevelWarn, "response failed",
				slog.String("request_id", req.ID), slog.String("route", r.Pattern), slog.Any("error", err))
		}
		panic(http.ErrAbortHandler)
	default:
		s.writeProblem(w, r, req.ID, err)
	}
}

func (s *Server) admit(w http.ResponseWriter, r *Request, route Route) error {
	if route.Needs == "" {
		return nil
	}
	w.Header().Add("Vary", "Authorization, Origin")
	if r.Header.Get(outbound.HopHeader) != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return fault.New(fault.Denied, "loop", "This request was sent by a store to an address that somebody gave it, such as a webhook's, and would have a store call a store for ever. Nothing was changed.")
	}
	p, err := s.authenticate(r.Request)
	if fault.KindOf(err) == fault.Unauthenticated && guessed(err) {
		if wait := s.failures.add(r.Address(), s.now()); wait > 0 {
			return errFailures(wait)
		}
	}
	if err != nil {
		return err
	}
	r.Principal = p
	allowOrigin(w, r)
	may := p.May(route.Needs)
	if route.Exchange {
		may = p.MayPush(string(route.Needs))
	}
	if route.Needs == access.Profile && !may {
		return fault.New(fault.Denied, "forbidden", "This is for customers who have signed in: it takes a customer token (ct_…), which POST /v2/auth/passwordless/confirm gives.")
	}
	if route.Needs != AnyScope && !may {
		return fault.New(fault.Denied, "forbidden", "This credential is valid, but may not do this; it would need the scope %s.", route.Needs)
	}
	if !route.Exchange {
		if r.key, err = idempotencyKey(r.Request); err != nil {
			return err
		}
	}
	if route.PublicWrite() {
		return s.allowPublicWrite(r)
	}
	return nil
}

// authenticate bounds the time that telling who asks may take: a database that hangs must not hang its clients.
func (s *Server) authenticate(r *http.Request) (access.Principal, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.ReadDeadline)
	defer cancel()
	return s.Authenticate(r.WithContext(ctx))
}

// CredentialRequired is the code of the fault for a request that carries no credential at all. It is somebody who has yet to sign in, and
// no guess that a limit would count.
const CredentialRequired = "credential_required"

func guessed(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code != CredentialRequired
}

func errFailures(wait time.Duration) error {
	return fault.New(fault.TooMany, "too_many_failed_credentials", "Too many requests with a bad credential came from this address.").After(wait)
}

// MayTry returns a TooMany fault while too many bad credentials have come from the address of this request. It is for handlers that
// check a credential themselves, such as a password; they call Failed for a wrong one.
func (r *Request) MayTry() error {
	if wait := r.server.failures.full(r.Address(), r.server.now()); wait > 0 {
		return errFailures(wait)
	}
	return nil
}

// Failed counts a bad credential against the address of this request.
func (r *Request) Failed() { r.server.failures.add(r.Address(), r.server.now()) }
