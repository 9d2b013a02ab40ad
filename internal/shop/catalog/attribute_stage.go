package catalog

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// Attributes of these kinds are hidden: they are neither options nor features, so that no query finds them.
const (
	stagedKind  Kind = "staged"  // Stage writes its values, and CreateStaged makes it visible
	deletedKind Kind = "deleted" // Run deletes it with its values, after Deletions.Run has deleted the links to them
)

// LongList is the number of values above which an attribute should be created with Stage, and above which Run deletes
// the values of a deleted attribute. Writing as many values takes about 50 ms on SQLite, where all other writes wait.
const LongList = 10_000

const (
	// stageSlice is the time after which Stage ends a transaction.
	stageSlice = 50 * time.Millisecond
	// stagedLifetime is the age from which on a staged attribute was left behind by a process that ended. Stage takes
	// at most stageTimeout, and the request ends soon after it.
	stagedLifetime = time.Hour
	stageTimeout   = 10 * time.Minute
	purgeEvery     = 10 * time.Minute
)

// Staged is an attribute whose values are stored, but which does not exist for other use cases yet.
type Staged struct {
	attributes *Attributes
	db         *database.DB
	storeID    store.ID
	a          Attribute // its kind is the kind of the attribute to create
	created    bool
}

// Stage writes the values of a new attribute in short transactions, before CreateStaged creates the attribute. It is
// for more than LongList values, for which Create would take long. It returns the same faults as Create about the
// values. If the process ends before CreateStaged or Discard, Run deletes the values later.
func (s *Attributes) Stage(
	ctx context.Context, db *database.DB, storeID store.ID, kind Kind, e AttributeEdit,
) (_ *Staged, err error) {
	defer fault.AddContext(&err, "stage %s", kind.Noun())
	a, err := s.newAttribute(kind, e)
	if err != nil {
		return nil, err
	}
	t := &Staged{attributes: s, db: db, storeID: storeID, a: a}
	ctx, cancel := context.WithTimeout(ctx, stageTimeout)
	defer cancel()
	// Other long transactions need not give way to these writes.
	if err := t.write(database.InBackground(database.WithOwner(ctx, storeID)), e); err != nil {
		t.Discard(ctx)
		return nil, err
	}
	return t, nil
}

func (t *Staged) write(ctx context.Context, e AttributeEdit) error {
	err := t.db.WriteAlone(ctx, func(q database.Querier) error {
		hidden := t.a
		hidden.Kind = stagedKind
		hidden.ExternalID = nil
		err := insertAttribute(ctx, store.In(q, t.storeID), &hidden)
		t.a.Key = hidden.Key
		return err
	})
	if err != nil {
		return err
	}

	values := newValueWriter(store.Tx{}, &t.a)
	values.allNew = true
	batch := make([]ValueEdit, 0, LongList)
	for v, err := range e.Values.All {
		if err != nil {
			return err
		}

		if batch = append(batch, v); len(batch) == cap(batch) {
			if err := t.writeBatch(ctx, values, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}

	if err := t.writeBatch(ctx, values, batch); err != nil {
		return err
	}

	return values.wrong.Fault()
}

// writeBatch writes some values in one transaction, or in several if the machine is slow.
func (t *Staged) writeBatch(ctx context.Context, values *valueWriter, batch []ValueEdit) error {
	for len(batch) > 0 {
		var a Attribute
		var w valueWriter
		n := 0

		err := t.db.WriteAlone(ctx, func(q database.Querier) error {
			a = t.a
			w = *values
			w.tx = store.In(q, t.storeID)
			w.a = &a

			n = 0
			for began := time.Now(); n < len(batch) && time.Since(began) < stageSlice; {
				next := min(n+write.ChunkSize, len(batch))
				if err := w.writeSome(ctx, ListOf(batch[n:next]...)); err != nil {
					return err
				}
				n = next
			}

			return nil
		})
		if err != nil {
			return err
		}

		t.a, *values = a, w
		values.a = &t.a
		batch = batch[n:]
	}

	return nil
}

// CreateStaged creates an attribute whose values Stage has written, like Create. e is the edit that was staged.
func (s *Attributes) CreateStaged(
	ctx context.Context, tx store.Tx, t *Staged, e AttributeEdit,
) (_ Attribute, err error) {
	defer fault.AddContext(&err, "create staged %s", t.a.Kind.Noun())

	if e.setsExternalIDs() {
		if err := LockPushes(ctx, tx); err != nil {
			return Attribute{}, err
		}
	}

	a := t.a
	if err := showAttribute(ctx, tx, &a); err != nil {
		return Attribute{}, err
	}

	values := newValueWriter(tx, &a)
	values.written = a.ValueCount
	tx.Unscoped().AfterCommit(func() { t.created = true })
	if err := s.saveAndLink(ctx, values, e); err != nil {
		return Attribute{}, err
	}

	return a, audit.Record(ctx, tx, a.entry(a.Kind.actions().created))
}

// Discard deletes a staged attribute, unless it was created. It returns before the values are deleted.
func (t *Staged) Discard(ctx context.Context) {
	if t.created || t.a.Key == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	// After an error Run finds the attribute by its age.
	_ = t.db.Write(ctx, func(q database.Querier) error {
		return t.attributes.hide(ctx, store.In(q, t.storeID), t.a.Key, stagedKind)
	})
}

// hide makes an attribute of the kind invisible and lets Run delete it after the commit.
func (s *Attributes) hide(ctx context.Context, tx store.Tx, attributeKey int64, kind Kind) error {
	tx.Unscoped().AfterCommit(func() { wake(s.attributeHidden) })
	return hideAttribute(ctx, tx, attributeKey, kind)
}

// Run deletes hidden attributes with their values, in short transactions, until ctx ends.
func (s *Attributes) Run(ctx context.Context, db *database.DB, log *slog.Logger) error {
	return periodic.Run(ctx, log, periodic.Task{
		Name: "delete the values of deleted options and features", Every: purgeEvery, Wake: s.attributeHidden,
		Do: func(ctx context.Context) error { return s.purge(database.InBackground(ctx), db) },
	})
}

func (s *Attributes) purge(ctx context.Context, db *database.DB) error {
	for {
		var storeID store.ID
		var attributeKey int64
		err := db.Read(ctx, func(q database.Querier) (err error) {
			storeID, attributeKey, err = findHidden(ctx, q, s.Now().Add(-stagedLifetime))
			return err
		})
		if err != nil || attributeKey == 0 {
			return err
		}

		for more := true; more; {
			err := db.Write(ctx, func(q database.Querier) (err error) {
				more, err = purgeSome(ctx, store.In(q, storeID), attributeKey)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}
