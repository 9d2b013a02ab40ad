package frame

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/live"
	"vitrine/internal/shop/store"
)

// Deps are the services that the pages of all parts use.
type Deps struct {
	DB       *database.DB
	Access   *access.Service
	Accounts *account.Service
	Audit    *audit.Service
	Now      func() time.Time
	// Live tells pages that lists have changed; nil if it does not.
	Live *live.Hub
	// NoBackground says that the server does no background work; all pages show it.
	NoBackground bool
}

// Frame renders pages. It is safe for concurrent use.
type Frame struct {
	Deps
	assets    assetFiles
	languages []*catalogue
	problems  *Pages // the pages of errors
	routes    *routePatterns
	gzip      gzipPool
}

// New loads the embedded files. It panics if they are invalid.
func New(d Deps) *Frame {
	f := &Frame{Deps: d, assets: loadAssets(), languages: loadLanguages()}
	f.problems = f.NewPages("frame", embeddedTemplates, nil)
	return f
}

// Assets returns the route of the files that the pages load.
func (f *Frame) Assets() httpapi.Route {
	return httpapi.Route{Method: "GET", Path: "/assets/{file}", Class: httpapi.ClassList, Handler: f.assets.serve}
}

// pageTimeout limits the time that a handler of a page may take.
const pageTimeout = 30 * time.Second

// Page returns the route of a page or a form for operators whose role includes needs.
func Page(method, path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
	route := httpapi.Route{Method: method, Path: path, Needs: needs, Handler: forOperator(withTimeout(h))}
	if method == http.MethodGet {
		route.Class = httpapi.ClassList
	}
	return route
}

// LongAction returns a route like the route of a posted form, but without a timeout, for a handler that may change many
// rows or receive a large file.
func LongAction(path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
	return httpapi.Route{Method: "POST", Path: path, Needs: needs, Handler: forOperator(h)}
}

// Download returns the route of a file that a handler may take long to write. It has no timeout, and its reads are
// heavy.
func Download(path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
	return httpapi.Route{Method: "GET", Path: path, Needs: needs, Class: httpapi.ClassHeavy, Handler: forOperator(h)}
}

// PostedDownload is like Download for a file whose form may change something first.
func PostedDownload(path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
	return httpapi.Route{Method: "POST", Path: path, Needs: needs, Class: httpapi.ClassHeavy, Handler: forOperator(h)}
}

// BeginFunc runs a function in a transaction. It is a method of database.DB, such as Write, or the result of Read or
// Snapshot.
type BeginFunc func(ctx context.Context, fn func(database.Querier) error) error

// Read returns a function that does the same as database.DB.Read, with the priority of the slot that the request has.
func (f *Frame) Read(r *httpapi.Request) BeginFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return f.DB.ReadWith(ctx, r.Work.Priority(), false, fn)
	}
}

// Snapshot is like Read, but all statements of the function see the same state of the database.
func (f *Frame) Snapshot(r *httpapi.Request) BeginFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return f.DB.ReadWith(ctx, r.Work.Priority(), true, fn)
	}
}

// InStore runs fn in a transaction on the store of the request, which begin starts. If the request has an error,
// InStore returns it and does not call fn.
func InStore[T any](
	r *httpapi.Request, begin BeginFunc, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	return inStoreAs(r, r.Work.Class(), begin, fn)
}

// ReadStore is like InStore with a snapshot. scans says that the read may look at very many rows, as a search does: its
// class is then ClassHeavy.
func ReadStore[T any](
	f *Frame, r *httpapi.Request, scans bool, fn func(ctx context.Context, tx store.Tx) (T, error),
) (T, error) {
	class := r.Work.Class()
	if scans {
		class = httpapi.ClassHeavy
	}
	return inStoreAs(r, class, f.Snapshot(r), fn)
}

// ReadFeed is like ReadStore, for a read that takes as long as a product feed.
func ReadFeed[T any](
	f *Frame, r *httpapi.Request, fn func(ctx context.Context, tx store.Tx) (T, error),
) (T, error) {
	begin := func(ctx context.Context, fn func(database.Querier) error) error {
		return f.DB.ReadWith(ctx, database.Long, true, fn)
	}
	return inStoreAs(r, httpapi.ClassFeed, begin, fn)
}

func inStoreAs[T any](
	r *httpapi.Request, class httpapi.Class, begin BeginFunc, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	if err := r.Err(); err != nil {
		return value, err
	}
	return admitted(r, class, begin, fn)
}

// admitted does the same as inStoreAs, also for a request that has an error.
func admitted[T any](
	r *httpapi.Request, class httpapi.Class, begin BeginFunc, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	release, err := r.Work.Admit(r.Context(), class)
	if err != nil {
		return value, err
	}
	defer release()
	err = begin(r.Context(), func(q database.Querier) (err error) {
		value, err = fn(r.Context(), r.WriteTx(q))
		return err
	})
	return value, err
}

// Change runs fn in a write transaction on the store of the request. The operator is the author of its changes.
func Change[T any](
	f *Frame, r *httpapi.Request, fn func(ctx context.Context, tx store.Tx) (T, error),
) (T, error) {
	return InStore(r, f.DB.Write, fn)
}

// Redirect answers with 303 See Other, so that the browser sends a GET. target is a path of this server.
func Redirect(w http.ResponseWriter, r *http.Request, target string) error {
	SetSecurityHeaders(w.Header())
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}
