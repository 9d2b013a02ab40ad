package exchange

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// undoPageItems is how many changes Undo reads in a transaction, with the things that they are about.
const undoPageItems = 200

// MaxUndoNumbers is how many items can be chosen one by one.
const MaxUndoNumbers = 1000

// UndoState says whether a change of a file can be reverted.
type UndoState string

// The states. UndoChanged is a thing that was changed again since. UndoImpossible is one that cannot be reverted: it
// was deleted, only its images changed, it is too large, or it names something without an external id.
const (
	UndoReady      UndoState = "ready"
	UndoChanged    UndoState = "changed"
	UndoImpossible UndoState = "impossible"
)

// UndoItem is a change of a file, and whether it can be reverted.
type UndoItem struct {
	RunChange

	State UndoState
	body  []byte // the item that reverts it
}

// ItemNumber identifies the item within its run, for UndoChoice.
func (i *UndoItem) ItemNumber() int64 { return i.number() }

// UndoChoice says which changes are reverted: those with the numbers, or all that are UndoReady if it is nil.
type UndoChoice []int64

// UndoCounts are the numbers of changes of a run by what Undo does about them.
type UndoCounts struct{ Reverted, Changed, Impossible int64 }

// CanUndo reports whether a run has kept what it has changed: the applied file of an operator, or a push that asked for
// it.
func (r *Run) CanUndo() bool {
	return r.keepsChanges() && !r.DryRun && r.FinishedAt != nil && r.Created+r.Updated > 0
}

// UndoItems returns one page of the changes of a run with their states, in the order of the items. The parameter after
// is the result next of the page before, or 0. The result next is 0 on the last page.
func (s *Pushes) UndoItems(
	ctx context.Context, tx store.Tx, run Run, after, limit int64,
) (list []UndoItem, next int64, err error) {
	defer fault.AddContext(&err, "look how run %s is reverted", run.ID)
	changes, next, err := s.runs.Changes(ctx, tx, run, after, limit)
	if err != nil {
		return nil, 0, err
	}
	list, err = s.undoItems(ctx, tx, run, changes)
	return list, next, err
}

// undoItems compares what a run has changed with what is stored now.
func (s *Pushes) undoItems(ctx context.Context, tx store.Tx, run Run, changes []RunChange) ([]UndoItem, error) {
	list := make([]UndoItem, len(changes))
	undos := make([]*undoItem, len(changes))
	var probes []byte
	for i, c := range changes {
		list[i] = UndoItem{RunChange: c, State: UndoImpossible}
		if len(c.before) > 0 {
			undos[i] = newUndoItem(run.Entity, c)
			probes = append(append(probes, unmarked(undos[i].probe())...), '\n')
		}
	}

	if len(probes) == 0 {
		return list, nil
	}

	var ignored item.Ignored
	batch, err := s.handlers[run.Entity].decodeSmall(item.NDJSON, probes, len(changes), &ignored)
	if err != nil {
		return nil, err
	}
	things, err := batch.describe(ctx, tx)
	if err != nil {
		return nil, err
	}

	probed := batch.items()
	for i, undo := range undos {
		if undo == nil {
			continue
		}

		subject := probed[0].Subject
		probed = probed[1:]
		var now *described
		if thing, found := things[subject]; found {
			now = &thing
		}
		list[i].body = undo.body(now)
		list[i].State = undo.state(now, list[i].body)
	}

	return list, nil
}

func (u *undoItem) state(now *described, body []byte) UndoState {
	switch {
	case body == nil || hasOwnID(body):
		return UndoImpossible
	case u.isCurrent(now):
		return UndoReady
	}
	return UndoChanged
}

// Undo starts the dry run of a file that reverts chosen changes of a run, and returns it. QueueUpload applies it. Later
// items are reverted before earlier ones. Undo returns fault.Conflict if the run is no applied file, or if nothing is
// to be reverted, and the errors of Spool.
func (s *Pushes) Undo(
	ctx context.Context, storeID store.ID, run Run, choice UndoChoice, by access.OperatorID,
) (dryRun Run, counts UndoCounts, err error) {
	defer fault.AddContext(&err, "revert run %s", run.ID)
	if !run.CanUndo() {
		return Run{}, counts, fault.New(fault.Conflict, "no_file", "This run has changed nothing that can be reverted.")
	}

	body := &undoBody{ctx: database.WithOwner(ctx, storeID), pushes: s, storeID: storeID, run: run,
		before: math.MaxInt64}
	if choice != nil {
		body.chosen = map[int64]bool{}
		for _, number := range choice {
			body.chosen[number] = true
		}
	}

	if err := body.fill(); err != nil && err != io.EOF { //nolint:errorlint // fill returns io.EOF as it is
		return Run{}, body.counts, err
	}
	if len(body.buffered) == 0 {
		return Run{}, body.counts, fault.New(fault.Conflict, "nothing_to_revert",
			"Nothing of this can be reverted any more: it was changed since.")
	}

	params := Params{Entity: run.Entity, Format: item.NDJSON, Operator: by, FileName: run.FileName, DryRun: true,
		Undoes: run.Key}
	dryRun, err = s.Spool(ctx, storeID, params, body)
	return dryRun, body.counts, err
}

// undoBody is the body of the push that reverts a run. It implements io.Reader.
type undoBody struct {
	ctx      context.Context //nolint:containedctx // Read has no parameter for it
	pushes   *Pushes
	storeID  store.ID
	run      Run
	chosen   map[int64]bool // nil for all that are UndoReady
	before   int64          // the number of the last change that was read
	buffered []byte
	counts   UndoCounts
}

func (u *undoBody) Read(b []byte) (int, error) {
	if err := u.fill(); err != nil {
		return 0, err
	}
	n := copy(b, u.buffered)
	u.buffered = u.buffered[n:]
	return n, nil
}

// fill reads changes until one of them is reverted. It returns io.EOF after the last one.
func (u *undoBody) fill() error {
	for len(u.buffered) == 0 {
		list, err := database.Read(u.ctx, u.pushes.DB, func(q querier) ([]UndoItem, error) {
			tx := store.In(q, u.storeID)
			changes, err := changesBefore(u.ctx, tx, u.run.Key, u.before, undoPageItems)
			if err != nil || len(changes) == 0 {
				return nil, err
			}
			return u.pushes.undoItems(u.ctx, tx, u.run, changes)
		})
		if err != nil {
			return fmt.Errorf("read what is to be reverted: %w", err)
		}
		if len(list) == 0 {
			return io.EOF
		}

		u.before = list[len(list)-1].number()
		u.add(list)
	}

	return nil
}

// add appends the items that revert the chosen changes.
func (u *undoBody) add(list []UndoItem) {
	var text bytes.Buffer

	for i := range list {
		it := &list[i]
		isChosen := u.chosen[it.number()]
		switch {
		case u.chosen != nil && !isChosen:
		case it.State == UndoImpossible:
			u.counts.Impossible++
		case it.State == UndoChanged && !isChosen:
			u.counts.Changed++
		default:
			u.counts.Reverted++
			text.Write(it.body)
			text.WriteByte('\n')
		}
	}

	u.buffered = text.Bytes()
}

// UndoneBy returns the newest applied run that reverts this one; nil if there is none.
func (s *Runs) UndoneBy(ctx context.Context, tx store.Tx, run Run) (_ *Run, err error) {
	defer fault.AddContext(&err, "look whether run %s was reverted", run.ID)
	return optionalRun(selectRunByUndoes(ctx, tx, run.Key))
}

// Undone returns the run that this one reverts; nil if there is none.
func (s *Runs) Undone(ctx context.Context, tx store.Tx, run Run) (_ *Run, err error) {
	if run.Undoes == 0 {
		return nil, nil //nolint:nilnil // the comment says it
	}
	defer fault.AddContext(&err, "look what run %s reverts", run.ID)
	return optionalRun(selectRunByKey(ctx, tx, run.Undoes))
}
