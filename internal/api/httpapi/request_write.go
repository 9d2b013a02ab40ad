package httpapi

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// WriteTx returns q as a transaction on the store of the request. The principal is the author of its changes.
func (r *Request) WriteTx(q database.Querier) store.Tx {
	return store.In(q, r.Principal.Store.ID).By(r.Actor(), r.server.now())
}

// Write runs fn in a transaction and sends the response that fn rendered after the commit. The record of the request's
// Idempotency-Key, if it has one, is written in the same transaction. The parameter long is true for work that may be
// long: it runs as WriteLong does, not in a group commit with other requests. fn may run more than once.
func (r *Request) Write(
	w http.ResponseWriter, long bool, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	if r.err != nil {
		return r.err
	}

	ctx, cancel := context.WithTimeout(r.Context(), r.server.WriteDeadline)
	defer cancel()

	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	out := newResponse(r)
	defer out.Close()

	work := func(q database.Querier) error {
		if err := out.Reset(); err != nil {
			return err
		}
		if err := fn(ctx, r.WriteTx(q), out); err != nil {
			return err
		}
		return out.seal() // after the commit it would be too late to refuse the request
	}

	record, err := r.claimIdempotencyKey()
	if err != nil {
		return err
	}
	if err := r.writeRecord(ctx, long, out, record, work); err != nil {
		return err
	}

	r.releaseIdempotencyKey()
	r.Work.releaseLong()

	if record != nil && record.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}

	return out.send(w)
}

// writeRecord runs work in a transaction, together with the record of the Idempotency-Key unless it is nil.
func (r *Request) writeRecord(
	ctx context.Context, long bool, out *Response, record *idempotencyRecord, work func(database.Querier) error,
) error {
	write := r.writeShort
	if long {
		write = r.WriteLong
	}
	if record == nil {
		return write(ctx, work)
	}
	err := write(ctx, func(q database.Querier) error { return record.run(ctx, q, out, work) })
	if errors.Is(err, database.ErrUnknownOutcome) {
		err = record.resolveLostCommit(r.Context(), r.Work.Priority(), out, err)
	}
	return err
}

// writeShort runs fn in a transaction that may share a group commit with other requests.
func (r *Request) writeShort(ctx context.Context, fn func(database.Querier) error) error {
	release, err := r.Work.Admit(ctx, ClassWrite)
	if err != nil {
		return err
	}
	defer release()
	return r.server.DB.WriteSoon(ctx, false, fn)
}

// Replay sends the stored response if the request's Idempotency-Key has one, and reports whether it did. Handlers that
// do work before Write call it first: repeating that work could fail. Replay claims the key. From then on a second
// request with the key gets idempotency_in_progress, until this request ends.
func (r *Request) Replay(w http.ResponseWriter) (bool, error) {
	if r.err != nil {
		return false, r.err
	}

	record, err := r.claimIdempotencyKey()
	if record == nil || err != nil {
		return false, err
	}

	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()

	out := newResponse(r)
	defer out.Close()

	release, err := r.Work.Admit(ctx, ClassShort)
	if err != nil {
		return false, err
	}

	found, err := record.find(ctx, r.Work.Priority(), out)
	release()
	if err != nil || !found {
		return false, err
	}

	r.releaseIdempotencyKey()
	w.Header().Set("Idempotent-Replayed", "true")
	return true, out.send(w)
}
