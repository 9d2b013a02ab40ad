package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// readTx returns q as a transaction on the store of the request that changes nothing.
func (r *Request) readTx(q database.Querier) store.Tx { return store.In(q, r.Principal.Store.ID) }

// Read runs fn with read-only access to the database and sends the response that fn rendered. If snapshot is true, all
// statements of fn see the same state of the database. If fn returns the error of [Work.Heavy], Read calls it again.
func (r *Request) Read(
	w http.ResponseWriter, snapshot bool, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	return r.readWithin(w, r.server.ReadDeadline, r.readPrimary(snapshot), fn)
}

// ReadCatalog is like Read with a snapshot, for a response that shows only what the versions of the store's catalogue
// cover. It reads from the replica if there is one and it has exactly the versions that the primary had when the
// request was authenticated, and from the primary otherwise. A replica that is ahead, or follows another primary, would
// show what the primary does not have.
func (r *Request) ReadCatalog(
	w http.ResponseWriter, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	read := r.readPrimary(true)
	if known := r.Principal.Versions; known != nil {
		read = func(ctx context.Context, fn func(database.Querier) error) error {
			isFresh := func(ctx context.Context, q database.Querier) (bool, error) {
				has, err := store.FindVersions(ctx, r.readTx(q))
				if errors.Is(err, database.ErrNoRows) {
					return false, nil
				}
				return err == nil && has.SameCatalog(*known), err
			}
			return r.server.DB.ReadReplica(ctx, r.Work.Priority(), true, isFresh, fn)
		}
	}
	return r.readWithin(w, r.server.ReadDeadline, read, fn)
}

// readFunc calls a function with read-only access to the database.
type readFunc func(ctx context.Context, fn func(database.Querier) error) error

// readPrimary returns a readFunc of the primary.
func (r *Request) readPrimary(snapshot bool) readFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return r.server.DB.ReadWith(ctx, r.Work.Priority(), snapshot, fn)
	}
}

// ReadLong is like Read with a snapshot, for a response that may have very many rows. limit is its deadline.
func (r *Request) ReadLong(
	w http.ResponseWriter, limit time.Duration, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	return r.readWithin(w, limit, r.readPrimary(true), fn)
}

func (r *Request) readWithin(
	w http.ResponseWriter, limit time.Duration, read readFunc,
	fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	if r.err != nil {
		return r.err
	}

	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()

	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	out := newResponse(r)
	defer out.Close()

	work := func(q database.Querier) error {
		if err := out.Reset(); err != nil { // of what an attempt before has rendered
			return err
		}
		return fn(ctx, r.readTx(q), out)
	}
	err := r.readAs(ctx, r.Work.class, read, work)
	if errors.Is(err, errHeavy) {
		err = r.readAs(ctx, ClassHeavy, read, work)
	}
	if errors.Is(err, errFeed) {
		err = r.readAs(ctx, ClassFeed, read, work)
	}

	if err != nil {
		return err
	}

	return out.send(w)
}

// readAs calls read with fn, as work of the class.
func (r *Request) readAs(ctx context.Context, c Class, read readFunc, fn func(database.Querier) error) error {
	release, err := r.Work.Admit(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	before := r.Work.class
	r.Work.class = c // the slot may be one that the handler has taken in another class
	defer func() { r.Work.class = before }()
	return read(ctx, fn)
}

// ReadTx runs fn with read-only access to the database and sends no response. It is for lookups that precede the
// response. An error of fn becomes the error of the request.
func (r *Request) ReadTx(fn func(ctx context.Context, tx store.Tx) error) {
	if r.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	read := func(q database.Querier) error { return fn(ctx, r.readTx(q)) }
	r.err = r.readAs(ctx, r.Work.class, r.readPrimary(false), read)
}

// Respond sends the response that fn renders without access to the database.
func (r *Request) Respond(w http.ResponseWriter, fn func(out *Response) error) error {
	if r.err != nil {
		return r.err
	}
	out := newResponse(r)
	defer out.Close()
	if err := fn(out); err != nil {
		return err
	}
	return out.send(w)
}

// Compute sends the response that fn renders with work of the request's class but without access to the database. It
// sends nothing if fn returns an error.
func (r *Request) Compute(w http.ResponseWriter, fn func(out *Response) error) error {
	if r.err != nil {
		return r.err
	}
	release, err := r.Work.Admit(r.Context(), r.Work.class)
	if err != nil {
		return err
	}
	defer release()
	return r.Respond(w, fn)
}
