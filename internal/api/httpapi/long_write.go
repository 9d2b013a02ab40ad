package httpapi

import (
	"context"
	"errors"

	"vitrine/internal/kit/admission"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// WriteLong runs fn in a transaction of its own, which may be long. On SQLite other writes would all wait for the
// transaction, so it gives way to them and is tried again. If it had to give way at every attempt, WriteLong returns
// fault.Conflict. fn may run more than once. See AdmitLong for the other faults.
func (r *Request) WriteLong(ctx context.Context, fn func(database.Querier) error) error {
	release, err := r.Work.AdmitLong(ctx)
	if err != nil {
		return err
	}
	defer release()

	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	err = r.server.DB.WriteLong(ctx, r.server.Yielding, fn)
	if errors.Is(err, database.ErrYielded) {
		return fault.New(fault.Conflict, "atomic_too_large",
			"Nothing was changed. An edit is one transaction; on SQLite all other writes of the server wait for it, "+
				"so it "+
				"gives way to them, and other writes came at every attempt. Send it in several smaller requests or "+
				"at a "+
				"quieter time, or run the server on PostgreSQL.")
	}

	return err
}

// AdmitLong waits for the slots of a long edit, which the request then has until release is called. A store has one
// such edit at a time. AdmitLong does nothing if the request has the slots. Write
// releases them before it sends the response. If it gets none in time, the error is
// fault.TooMany or fault.Unavailable.
func (w *Work) AdmitLong(ctx context.Context) (release func(), err error) {
	if w.freeLong != nil {
		return func() {}, nil
	}

	// A store has one slot, so its addresses need not be told apart.
	key := admission.Key{Tenant: string(w.request.Principal.Store.ID[:])}
	free, err := w.request.server.Admission[ClassLong].Acquire(ctx, key)
	if err != nil {
		return nil, err
	}

	freeWrite, err := w.Admit(ctx, ClassWrite)
	if err != nil {
		free()
		return nil, err
	}

	w.freeLong = func() {
		freeWrite()
		free()
	}
	return w.releaseLong, nil
}

// releaseLong releases the slots of a long edit that the request has, if any.
func (w *Work) releaseLong() {
	if w.freeLong != nil {
		w.freeLong()
		w.freeLong = nil
	}
}
