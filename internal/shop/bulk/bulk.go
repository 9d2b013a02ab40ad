// Package bulk changes many products at once: it archives and restores them, and changes their categories, features and
// cells, which are members that differ from product to product.
// The products of a change are fixed when it starts. They are changed in chunks, each in one transaction, by a job of
// the queue, so that a change survives restarts and other writers run in between. Single products belong to package
// catalog.
package bulk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// ChunkSize is the number of products that one transaction changes. A change of at most ChunkSize products is done when
// Start returns; a job does a larger one.
const ChunkSize = 500

// Retention is how long a change can be seen and undone.
const Retention = 7 * 24 * time.Hour

// Action is what a change does with products.
type Action string

// The actions.
const (
	Archive        Action = "archive"
	Restore        Action = "restore"
	AddCategory    Action = "add-category"
	RemoveCategory Action = "remove-category"
	AddFeature     Action = "set-feature"
	RemoveFeature  Action = "remove-feature"
	// SetCells gives cells their new texts, UnsetCells those that they had before.
	SetCells   Action = "set-cells"
	UnsetCells Action = "unset-cells"
)

// inverse returns the action that undoes an action.
func (a Action) inverse() Action {
	return map[Action]Action{Archive: Restore, Restore: Archive, AddCategory: RemoveCategory,
		RemoveCategory: AddCategory, AddFeature: RemoveFeature, RemoveFeature: AddFeature,
		SetCells: UnsetCells, UnsetCells: SetCells}[a]
}

// OfCells reports whether the action is one on cells.
func (a Action) OfCells() bool { return a == SetCells || a == UnsetCells }

// Target is what the products get or lose. An archiving has none.
type Target struct {
	Category catalog.CategoryID  `json:"category,omitzero"`
	Feature  catalog.AttributeID `json:"feature,omitzero"`
	Value    catalog.ValueID     `json:"value,omitzero"`
}

// ID identifies a change.
type ID = id.Of[Change]

// Change is a change of many products.
type Change struct {
	ID     ID
	Action Action
	Target Target
	Label  string // describes the change for people
	UndoOf *ID    // the change that this one undoes
	// Total is the number of products or cells, Done how many were examined, and Changed how many were changed.
	Total, Done, Changed int64
	// Failure says why the change ended early, or is empty.
	Failure    string
	CreatedAt  time.Time
	FinishedAt *time.Time

	nextChunk int64
	writer    productfield.Writer // who started the change
}

// IsParked reports whether the rest of the change was set aside, because too many processes died during it.
func (c Change) IsParked() bool { return c.Failure == parkedFailure }

// IsDiscarded reports whether the rest of the change was set aside and then discarded.
func (c Change) IsDiscarded() bool { return c.Failure == discardedFailure }

// Deps are the dependencies of the service.
type Deps struct {
	DB       *database.DB
	Products *catalog.Products
	Queue    *queue.Queue
	Now      func() time.Time
}

// Service starts and runs changes. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service. The caller registers its Kind with the queue.
func New(d Deps) *Service { return &Service{d} }

// Find returns a change, or fault.NotFound.
func (s *Service) Find(ctx context.Context, tx store.Tx, changeID ID) (_ Change, err error) {
	defer fault.AddContext(&err, "find bulk change %s", changeID)
	return selectChange(ctx, tx, changeID, "")
}

// Start records a change of the products with these row keys. A change of at most ChunkSize products is done in the
// caller's transaction; a job does a larger one. Start returns fault.Invalid if a change of at most ChunkSize products
// has a target that does not exist; the caller then rolls back. The job of a larger change notices it later.
func (s *Service) Start(
	ctx context.Context, tx store.Tx, action Action, target Target, label string, keys []int64,
) (_ Change, err error) {
	defer fault.AddContext(&err, "start bulk change %s", action)

	if action.inverse() == "" || action.OfCells() {
		return Change{}, fault.OneField("action", "unknown_choice", "There is no such change.")
	}

	c := s.newChange(ctx, action, target, label)
	c.Total = int64(len(keys))
	var chunks [][]byte
	for chunk := range slices.Chunk(keys, ChunkSize) {
		chunks = append(chunks, packKeys(chunk))
	}

	return s.start(ctx, tx, c, chunks)
}

// StartCells records a change of canonical cells, and does it as Start does. A cell whose text is not the one that the
// operator saw stays as it is.
func (s *Service) StartCells(
	ctx context.Context, tx store.Tx, label string, cells []catalog.Cell,
) (_ Change, err error) {
	defer fault.AddContext(&err, "start change of %d cells", len(cells))

	c := s.newChange(ctx, SetCells, Target{}, label)
	c.Total = int64(len(cells))
	var chunks [][]byte
	for chunk := range slices.Chunk(cells, ChunkSize) {
		packed, err := json.Marshal(chunk)
		if err != nil {
			return Change{}, err
		}
		chunks = append(chunks, packed)
	}

	return s.start(ctx, tx, c, chunks)
}

func (s *Service) start(ctx context.Context, tx store.Tx, c Change, chunks [][]byte) (Change, error) {
	if err := s.deleteOldChanges(ctx, tx); err != nil {
		return Change{}, err
	}
	if err := insertChange(ctx, tx, &c); err != nil {
		return Change{}, err
	}
	if err := insertChunks(ctx, tx, c.ID, chunks); err != nil {
		return Change{}, err
	}

	return s.begin(ctx, tx, c)
}

// deleteOldChanges deletes the changes of a store whose retention is over, and their parked jobs.
func (s *Service) deleteOldChanges(ctx context.Context, tx store.Tx) error {
	old, err := deleteChangesBefore(ctx, tx, s.Now().Add(-Retention))
	if err != nil || len(old) == 0 {
		return err
	}
	var names []string
	for _, changeID := range old {
		names = append(names, changeID.String())
	}
	return s.Queue.CancelParked(ctx, tx.Unscoped(), kindName, names)
}

// Undo starts a change that undoes another one on the products that it has changed. It returns fault.NotFound, or
// fault.Conflict while the other one is running.
func (s *Service) Undo(ctx context.Context, tx store.Tx, changeID ID, label string) (_ Change, err error) {
	defer fault.AddContext(&err, "undo bulk change %s", changeID)

	was, err := selectChange(ctx, tx, changeID, tx.Dialect().ForUpdate)
	if err != nil {
		return Change{}, err
	}
	if was.FinishedAt == nil {
		return Change{}, fault.New(fault.Conflict, "running", "The change is not finished yet. Undo it afterwards.")
	}

	c := s.newChange(ctx, was.Action.inverse(), was.Target, label)
	c.UndoOf = &was.ID
	c.Total = was.Changed
	if err := insertChange(ctx, tx, &c); err != nil {
		return Change{}, err
	}
	if err := copyDoneChunks(ctx, tx, was, c.ID); err != nil {
		return Change{}, err
	}

	return s.begin(ctx, tx, c)
}

func (s *Service) newChange(ctx context.Context, action Action, target Target, label string) Change {
	return Change{ID: id.New[Change](), Action: action, Target: target, Label: label,
		CreatedAt: database.Moment(s.Now()), writer: productfield.WriterFrom(ctx)}
}

// begin does a small change, or adds the job of a large one.
func (s *Service) begin(ctx context.Context, tx store.Tx, c Change) (Change, error) {
	if c.Total > ChunkSize {
		return c, s.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: kindName, Lane: tx.StoreID().String(),
			UniqueName: c.ID.String(), Payload: jobOf(tx.StoreID(), c.ID).payload()})
	}
	for c.FinishedAt == nil {
		if err := s.runChunk(ctx, tx, &c); err != nil {
			return c, err
		}
	}
	if c.Failure != "" {
		return c, fault.OneField("target", "unknown_target", "%s", c.Failure)
	}
	return c, nil
}

// runChunk does the next chunk of a change, whose row the transaction has inserted or locked. A target that does not
// exist ends the change.
func (s *Service) runChunk(ctx context.Context, tx store.Tx, c *Change) error {
	packed, err := selectChunk(ctx, tx, c.ID, c.nextChunk)
	if errors.Is(err, database.ErrNoRows) {
		c.FinishedAt = new(database.Moment(s.Now()))
		return updateChange(ctx, tx, c)
	}

	if err != nil {
		return err
	}

	done, err := s.applyChunk(ctx, tx, c, packed)
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Invalid {
		c.Failure = "What the products were to get or lose no longer exists."
		if kind == fault.Invalid {
			c.Failure = "The products cannot have these values together."
		}
		c.FinishedAt = new(database.Moment(s.Now()))
		return updateChange(ctx, tx, c)
	}

	if err != nil {
		return err
	}

	c.Done += int64(done.examined)
	c.Changed += int64(done.changed)

	if err := updateChunk(ctx, tx, c.ID, c.nextChunk, done.packed); err != nil {
		return err
	}

	if c.nextChunk++; c.Done >= c.Total {
		c.FinishedAt = new(database.Moment(s.Now()))
	}

	return updateChange(ctx, tx, c)
}

// doneChunk is a chunk after it was done: packed has what was changed.
type doneChunk struct {
	packed            []byte
	examined, changed int
}

// applyChunk does the action on a chunk.
func (s *Service) applyChunk(ctx context.Context, tx store.Tx, c *Change, packed []byte) (done doneChunk, err error) {
	if c.Action.OfCells() {
		return s.applyCells(ctx, tx, c, packed)
	}
	keys := unpackKeys(packed)
	changed, err := s.apply(ctx, tx, c, keys)
	return doneChunk{packKeys(changed), len(keys), len(changed)}, err
}

// applyCells does a change of cells, or undoes one.
func (s *Service) applyCells(ctx context.Context, tx store.Tx, c *Change, packed []byte) (done doneChunk, err error) {
	var cells []catalog.Cell
	if err := json.Unmarshal(packed, &cells); err != nil {
		return done, err
	}
	if c.Action == UnsetCells {
		invert(cells)
	}

	ctx = productfield.WithWriter(ctx, c.writer)
	changed, err := s.Products.SetCells(ctx, tx, cells)
	if err != nil {
		return done, err
	}

	if c.Action == UnsetCells {
		invert(changed)
	}
	done.packed, err = json.Marshal(changed)
	done.examined, done.changed = len(cells), len(changed)
	return done, err
}

func invert(cells []catalog.Cell) {
	for i := range cells {
		cells[i] = cells[i].Inverse()
	}
}

// apply does the action on a chunk and returns the keys of the products that it changed.
func (s *Service) apply(ctx context.Context, tx store.Tx, c *Change, keys []int64) ([]int64, error) {
	ctx = productfield.WithWriter(ctx, c.writer)
	ref := catalog.ValueRef{Attribute: c.Target.Feature, Value: c.Target.Value}
	switch c.Action {
	case Archive:
		return s.Products.ArchiveAll(ctx, tx, keys, s.Now())
	case Restore:
		return s.Products.RestoreAny(ctx, tx, keys)
	case AddCategory:
		return s.Products.AddCategoryToAll(ctx, tx, keys, c.Target.Category)
	case RemoveCategory:
		return s.Products.RemoveCategoryFromAll(ctx, tx, keys, c.Target.Category)
	case AddFeature:
		return s.Products.AddFeatureToAll(ctx, tx, keys, ref)
	case RemoveFeature:
		return s.Products.RemoveFeatureFromAll(ctx, tx, keys, ref)
	}

	return nil, fmt.Errorf("unknown action %q", c.Action)
}

// packKeys and unpackKeys convert row keys to the content of a chunk.
func packKeys(keys []int64) []byte {
	b := make([]byte, 0, 8*len(keys))
	for _, key := range keys {
		b = binary.BigEndian.AppendUint64(b, uint64(key))
	}
	return b
}

func unpackKeys(b []byte) []int64 {
	keys := make([]int64, len(b)/8)
	for i := range keys {
		keys[i] = int64(binary.BigEndian.Uint64(b[8*i:]))
	}
	return keys
}

func (t Target) text() (string, error) {
	b, err := json.Marshal(t)
	return string(b), err
}
