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
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/trace"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
)

// Deps are the dependencies and the settings of a Server.
type Deps struct {
	DB    *database.DB
	Vault *vault.Vault
	Log   *slog.Logger
	Now   func() time.Time
	// Authenticate returns the principal of a request's credential. The server sends its error as a problem.
	Authenticate func(ctx context.Context, r *http.Request) (access.Principal, error)
	// Metrics may be nil.
	Metrics *Metrics
	// Tracer traces the requests. It is nil if they are not traced.
	Tracer *trace.Tracer
	// Admission bounds the requests in progress. It may be nil.
	Admission Admission
	// SpoolDir is the directory of the files to which long bodies and responses are spilled.
	SpoolDir string
	// FailedCredentialsPerMinute limits the requests with a bad credential per address; 0 means no limit.
	FailedCredentialsPerMinute int
	// PublicWritesPerMinute, PublicWritesPerPerson and PublicWritesPerStore limit the public writes of one address, of
	// one customer, and of one store per minute. 0 means no limit.
	PublicWritesPerMinute, PublicWritesPerPerson, PublicWritesPerStore int
	// TrustedProxies are the networks whose X-Forwarded-For is believed. Rate limits and the access log use the address
	// in it.
	TrustedProxies []netip.Prefix
	// OnUntrustedProxy is called with the peer of each request that has an X-Forwarded-For that is not believed. It may
	// be nil.
	OnUntrustedProxy func(peer netip.Addr)
	// ReadDeadline and WriteDeadline limit the time of a request in the database. If they are 0, the defaults apply: 30
	// seconds for reading and 10 minutes for writing.
	ReadDeadline, WriteDeadline time.Duration
	// Yielding says how long edits give way to other writes. If it is zero, database.DefaultYielding applies.
	Yielding database.Yielding
	// AllowLocalOrigins allows the origins of this machine for every store, for development.
	AllowLocalOrigins bool
	// Guard is called before a request is routed and may refuse it with a fault. It may be nil.
	Guard func(r *http.Request) error
	// Quotas are the names of the quotas of the routes, for the metrics.
	Quotas []string
	// Memory limits what requests hold. Without it they are not limited.
	Memory *memory.Budget
	// NoRoute returns the fault of a request that matches no route. It may be nil, and may return nil for the default.
	NoRoute func(r *http.Request) error
	// ProblemPage may write a problem as an HTML page. If it is nil or returns false, the server writes JSON.
	// Its Principal is zero if the request has no valid credential.
	ProblemPage func(w http.ResponseWriter, r *Request, p Problem) bool
}

// AnyScope is for Route.Needs: the route needs a valid credential, whatever its scopes.
const AnyScope access.Scope = "any"

// Server serves the routes of one surface.
type Server struct {
	Deps
	log               *slog.Logger
	table             RouteTable
	routes            []Route
	failedCredentials *rateLimiter
	runningKeys       sync.Map // the idempotency keys of running requests in this process
	buffers           sync.Pool
	bodyBuffers       sync.Pool
	encoders          encoderPools
	overload          overloadLog

	writesByAddress, writesByPerson, writesByStore *rateLimiter
}

// NewServer returns a server of the routes. It panics if two routes have the same pattern.
func NewServer(deps Deps, routes []Route) *Server {
	s := &Server{
		Deps: deps, log: deps.Log, table: NewRouteTable(), routes: routes,
		failedCredentials: newRateLimiter("failed_credentials", deps.FailedCredentialsPerMinute, time.Minute),
		writesByAddress:   newRateLimiter("public_writes_per_address", deps.PublicWritesPerMinute, time.Minute),
		writesByPerson:    newRateLimiter("public_writes_per_person", deps.PublicWritesPerPerson, time.Minute),
		writesByStore:     newRateLimiter("public_writes_per_store", deps.PublicWritesPerStore, time.Minute),
	}
	if s.Memory == nil {
		s.Memory = &memory.Budget{} // its shares are nil and admit everything
	}

	if s.ReadDeadline == 0 {
		s.ReadDeadline = 30 * time.Second
	}

	if s.WriteDeadline == 0 {
		s.WriteDeadline = 10 * time.Minute
	}

	if s.Yielding.Attempts == 0 {
		s.Yielding = database.DefaultYielding()
	}

	s.countFromZero()

	for _, route := range routes {
		params := route.queryParams()
		s.table.Add(route,
			func(w http.ResponseWriter, r *http.Request) { s.serveRoute(w.(*responseRecorder), r, route, params) })
	}

	return s
}

// countFromZero makes counters that alerts use exist before their first event: Prometheus does not see the increase of
// a counter that begins with 1.
func (s *Server) countFromZero() {
	if s.Metrics == nil {
		return
	}
	for _, l := range []*rateLimiter{s.failedCredentials, s.writesByAddress, s.writesByPerson, s.writesByStore} {
		s.Metrics.limited.WithLabelValues(l.name)
	}
	for _, name := range s.Quotas {
		s.Metrics.limited.WithLabelValues(name)
	}
	for _, route := range s.routes {
		for _, reason := range []string{reasonConnectionLost, reasonResponseBroken} {
			s.Metrics.aborted.WithLabelValues(route.Method+" "+route.Path, reason)
		}
	}
}

// Routes returns the table of routes.
func (s *Server) Routes() []Route { return s.routes }

func (s *Server) now() time.Time { return s.Now() }

// ServeHTTP implements http.Handler. It assigns the request id, recovers from panics, and writes the access log, the
// metrics and the trace. A request whose handler wrote no response gets a 500, or its connection is closed if its
// context was cancelled. net/http would send an empty 200 instead, which a client takes for success.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	beginHandling(r.Context())
	requestID := requestIDOrNew(r.Header.Get("X-Request-Id"))
	rec := &responseRecorder{ResponseWriter: w, ctx: r.Context()}
	rec.body.init(w, r)
	r = r.WithContext(s.startSpan(context.WithValue(r.Context(), requestIDKey{}, requestID), r, rec))
	r.Body = &rec.body
	s.noticeProxy(r)
	r.RemoteAddr = trustedProxies(s.TrustedProxies).clientAddress(r)
	h := rec.Header()
	h.Set("X-Request-Id", requestID)
	h.Set("X-Content-Type-Options", "nosniff")
	defer func() { s.finishRequest(rec, r, start, recover()) }()

	if connectionCancelled(rec.ctx) && !clientDisconnected(rec.ctx) {
		return // with a cancelled context all SQL statements would fail; finishRequest closes the connection
	}

	s.dispatch(rec, r)
}

// finishRequest runs after every request. If the handler wrote no response, it writes a 500, or aborts the connection
// if its context was cancelled. Then it logs and counts the request. panicValue is the result of recover.
func (s *Server) finishRequest(rec *responseRecorder, r *http.Request, start time.Time, panicValue any) {
	aborted := panicValue == http.ErrAbortHandler //nolint:errorlint // the panic value is never a wrapped error
	switch {
	case aborted:
	case panicValue != nil:
		s.logRequest(r, slog.LevelError, "panic", slog.String("panic", fmt.Sprint(panicValue)),
			slog.String("stack", string(debug.Stack())))
		aborted = rec.status != 0 // a part of a response must not look like a whole one
	case rec.truncated(r.Method):
		aborted = true
	case rec.status == 0 && !connectionCancelled(rec.ctx):
		s.logRequest(r, slog.LevelError, "handler wrote no response")
	}

	if rec.status == 0 && !aborted && !connectionCancelled(rec.ctx) {
		s.writeProblem(rec, r, errInternal())
	}

	reason := ""
	if aborted || rec.status == 0 {
		reason = rec.abortReason()
	}

	s.observe(r, rec, start, reason)

	if reason != "" {
		_ = rec.body.Close() // otherwise net/http would wait for the rest of the body
		panic(http.ErrAbortHandler)
	}
}

// requestIDOrNew returns the client's X-Request-Id if it has 1 to 128 visible ASCII characters, and a new UUID
// otherwise.
func requestIDOrNew(given string) string {
	if given != "" && len(given) <= 128 && !strings.ContainsFunc(given, isInvisible) {
		return given
	}
	return uuid.Must(uuid.NewV7()).String()
}

// isInvisible reports whether c is not a visible ASCII character.
func isInvisible(c rune) bool { return c <= 0x20 || c >= 0x7f }

// dispatch calls the route of the request. It responds itself to OPTIONS and to requests that match no route.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	if err := checkHost(r.Host); err != nil {
		s.writeProblem(w, r, err)
		return
	}

	if s.Guard != nil {
		if err := s.Guard(r); err != nil {
			s.writeProblem(w, r, err)
			return
		}
	}

	isPreflight := r.Header.Get("Access-Control-Request-Method") != "" && r.Header.Get("Origin") != ""
	if r.Method == http.MethodOptions && isPreflight {
		writePreflight(w, r)
		return
	}

	if !isCanonicalPath(r.URL.Path) {
		s.writeProblem(w, r, NoSuchPath())
		return
	}

	if mux, found := s.table.of(r); found {
		mux.ServeHTTP(w, r)
		return
	}

	methods := s.table.allowedMethods(r)
	if len(methods) == 0 {
		if rec, ok := w.(*responseRecorder); ok && s.ProblemPage != nil {
			// Without a valid credential the page has no navigation.
			rec.principal, _ = s.authenticate(newRequest(s, r, &rec.body, ClassShort))
		}
		s.writeProblem(w, r, s.noRoute(r))
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

// noRoute returns the fault of a request that matches no route.
func (s *Server) noRoute(r *http.Request) error {
	if s.NoRoute != nil {
		if err := s.NoRoute(r); err != nil {
			return err
		}
	}
	return NoSuchPath()
}

// NoSuchPath returns the fault for a path that matches no route.
func NoSuchPath() error {
	return fault.New(fault.NotFound, "no_such_path",
		"There is nothing at this path. The API is described at /docs and /openapi.json.")
}

// serveRoute checks the credential, its scopes and the names of the query parameters, and calls the handler of the
// route. params are the names of the route's query parameters. A push holds its slot all the time, since the server
// works while the body arrives.
func (s *Server) serveRoute(w *responseRecorder, r *http.Request, route Route, params []string) {
	req := newRequest(s, r, &w.body, route.WorkClass())
	req.Received = time.Now()
	req.needs = route.Needs
	req.publicWrite = route.PublicWrite()
	defer req.release()

	err := req.Work.precheck(route)
	if err == nil {
		err = s.authorize(w, req, route)
		w.principal = req.Principal
	}

	if err == nil && route.checksQuery() {
		err = req.Query.check(params)
	}

	if err == nil && req.Work.class == ClassGate {
		var free func()
		if free, err = req.Work.Admit(r.Context(), ClassGate); err == nil {
			defer free()
		}
	}

	if err == nil {
		err = route.Handler(w, req)
	}

	switch {
	case err == nil:
	case w.status != 0:
		// The status was sent. Only closing the connection shows the client that the body is incomplete.
		if !w.failed {
			s.logRequest(r, slog.LevelWarn, "response failed", slog.Any("error", err))
		}
		panic(http.ErrAbortHandler)
	default:
		s.writeProblem(w, r, err)
	}
}

// release releases the Idempotency-Key and closes the buffers of the request.
func (r *Request) release() {
	r.releaseIdempotencyKey()
	for _, b := range r.buffers {
		b.Close()
	}
}

// authorize authenticates the request and sets its Principal and its Idempotency-Key. It returns a fault if the
// credential is bad or lacks the scope of the route, if a rate limit is exceeded, or if the request is a write that a
// store sent to an address which a user gave: it could cause the next one, and so on for ever.
func (s *Server) authorize(w http.ResponseWriter, r *Request, route Route) error {
	if route.Needs == "" {
		return nil
	}

	w.Header().Add("Vary", "Authorization, Origin")

	if r.Header.Get(outbound.HopHeader) != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return fault.New(fault.Denied, "loop",
			"This request was sent by a store to an address that somebody gave it, such as a webhook's, "+
				"and would have "+
				"a store call a store for ever. Nothing was changed.")
	}

	if route.KeyInQuery != "" {
		if err := useQueryKey(r, route.KeyInQuery); err != nil {
			return err
		}
	}

	p, err := s.authenticate(r)
	if fault.KindOf(err) == fault.Unauthenticated && isWrongCredential(err) {
		s.countWrongCredential()
		if wait := s.failedCredentials.add(r.Address(), s.now()); wait > 0 {
			s.countLimited(s.failedCredentials)
			return errTooManyFailedCredentials(wait)
		}
	}

	if err != nil {
		return err
	}

	r.Principal = p
	r.setWriter()
	allowOrigin(w, r)
	may := p.May(route.Needs)

	switch {
	case route.Exchange:
		may = p.MayExchange(route.Needs)
	case p.Kind == access.FeedKey:
		may = route.KeyInQuery == access.FeedKey
	case route.SecretOnly && p.IsShopper():
		return fault.New(fault.Denied, "forbidden",
			"This is not for shoppers: it takes a secret key (sk_…) with the scope %s.", route.Needs)
	}

	if route.Needs != AnyScope && !may {
		if route.Denied != "" {
			return fault.New(fault.Denied, "forbidden", "%s", route.Denied)
		}
		return fault.New(fault.Denied, "forbidden",
			"This credential is valid, but may not do this; it would need the scope %s.", route.Needs)
	}

	if !route.Exchange {
		if r.idempotencyKey, err = idempotencyKeyOf(r.Request, p); err != nil {
			return err
		}
	}

	if route.PublicWrite() && !route.Unlimited {
		return s.allowPublicWrite(r)
	}

	return nil
}

// authenticate calls Authenticate with a deadline, so that clients do not hang if the database hangs.
func (s *Server) authenticate(r *Request) (access.Principal, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.ReadDeadline)
	defer cancel()
	release, err := r.Work.Admit(ctx, ClassShort)
	if err != nil {
		return access.Principal{}, err
	}
	defer release()
	return s.Authenticate(ctx, r.Request)
}

// CredentialRequired is the code of the fault for a request without a credential. Such a request is not counted as a
// failed credential.
const CredentialRequired = "credential_required"

// isWrongCredential reports whether err is about a wrong credential, not a missing one.
func isWrongCredential(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code != CredentialRequired
}

func errTooManyFailedCredentials(wait time.Duration) error {
	return fault.New(fault.TooMany, "too_many_failed_credentials",
		"Too many requests with a bad credential came from this address.").After(wait)
}

// TryCredential counts an attempt with a credential that the handler itself checks, such as a password, against the
// failed credentials of the request's address. It returns a TooMany fault if there were too many. The handler calls
// succeeded if the credential is right or was not checked, which takes the attempt back. Concurrent attempts are
// counted before any of them is checked; otherwise all of them would pass.
func (r *Request) TryCredential() (succeeded func(), err error) {
	limiter := r.server.failedCredentials
	address := r.Address()
	if wait := limiter.add(address, r.server.now()); wait > 0 {
		r.server.countLimited(limiter)
		return nil, errTooManyFailedCredentials(wait)
	}
	return func() { limiter.remove(address, r.server.now()) }, nil
}

// confirmTimeout limits the duration of ConfirmPassword, which waits for a free slot to hash the password.
const confirmTimeout = 20 * time.Second

// ConfirmPassword calls the method of the sessions with the principal of the request. A wrong password counts as a
// failed credential of the address.
func (r *Request) ConfirmPassword(sessions *account.Sessions, password string) error {
	if r.Principal.Kind != access.OperatorSession {
		return nil
	}
	succeeded, err := r.TryCredential()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), confirmTimeout)
	defer cancel()
	err = sessions.ConfirmPassword(ctx, r.Principal, password, r.Work.AdmitWrite)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != account.WrongPassword {
		succeeded()
	}
	return err
}
