package exchange

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// maxRunChanges is the number of items whose changes a run keeps.
const maxRunChanges = 100_000

// Action says what a push would do to a thing.
type Action string

// The actions.
const (
	ActionCreated  Action = "created"
	ActionUpdated  Action = "updated"
	ActionArchived Action = "archived"
	ActionRestored Action = "restored"
	ActionDeleted  Action = "deleted"
)

// RunChange is what a run says of an item that changed something, or would change it in a dry run.
type RunChange struct {
	_ struct{} `doc:"What an item would change, or has changed."`

	Index   int64          `json:"index" doc:"Which item of the push, from 0."`
	ID      *string        `json:"id" doc:"Your id of it."`
	Action  Action         `json:"action" enum:"created,updated,archived,restored,deleted"`
	Changes []MemberChange `json:"changes" doc:"The members that would change, at most 1,000."`

	// before is what Undo needs of the thing before a file changed it: see keptBefore. It is empty for a dry run, and
	// for what cannot be reverted.
	before jsontext.Value
}

// number identifies the change within its run.
func (c RunChange) number() int64 { return c.Index + 1 }

// size returns about how many bytes the change takes.
func (c RunChange) size() int {
	n := 100 + len(c.before)
	for _, m := range c.Changes {
		n += 100 + len(m.Field) + len(m.From) + len(m.To)
	}
	return n
}

// Changes returns one page of what a dry run would change, or a file has changed, in the order of the items. The
// parameter after is the result next of the page before, or 0. The result next is 0 on the last page.
func (s *Runs) Changes(
	ctx context.Context, tx store.Tx, run Run, after, limit int64,
) (list []RunChange, next int64, err error) {
	defer fault.AddContext(&err, "read the changes of run %s", run.ID)
	list, err = changesAfter(ctx, tx, run.Key, after, limit+1)
	list, next = cutPage(list, limit, RunChange.number)
	return list, next, err
}

// described is a thing as an export shows it. An archived thing has no text.
type described struct {
	text     []byte
	archived bool
}

// describer reads the things that items of type T are about, by the subjects of the items.
type describer[T any] func(ctx context.Context, tx store.Tx, list []*item.Decoded[T]) (map[string]described, error)

// describe returns the stored state of the things that the items name, by subject. Items with errors are skipped.
func (b batchOf[T]) describe(ctx context.Context, tx store.Tx) (map[string]described, error) {
	return b.of.describe(ctx, tx, slices.DeleteFunc(slices.Clone(b.list),
		func(it *item.Decoded[T]) bool { return len(it.Errors) > 0 }))
}

func (b batchOf[T]) markOf(i int) catalog.Mark {
	if b.of.mark == nil {
		return ""
	}
	return b.of.mark(&b.list[i].Content)
}

// addChanges adds what the items change, given the things before and after.
func (p *pushRun) addChanges(
	b itemBatch, outcomes []push.Pushed, before, after map[string]described, a *appliedItems,
) {
	for i, it := range b.items() {
		full := p.changes+len(a.results.changes) >= maxRunChanges
		if o := outcomes[i].Outcome; full || o != push.Created && o != push.Updated {
			continue
		}

		was, existed := before[it.Subject]
		is, exists := after[it.Subject]
		c := RunChange{Index: it.Index, Action: ActionUpdated}
		if it.ID != "" {
			c.ID = new(item.Truncate(it.ID, rule.MaxName))
		}

		switch {
		case b.markOf(i) == catalog.DeletedMark:
			c.Action = ActionDeleted
		case b.markOf(i) == catalog.ArchivedMark:
			c.Action = ActionArchived
		case !existed:
			c.Action = ActionCreated
		case was.archived && exists && !is.archived:
			c.Action = ActionRestored
		}

		if c.Action != ActionDeleted && c.Action != ActionArchived {
			c.Changes = diffItems(was.shown(), is.shown())
		}

		if c.Action == ActionUpdated && len(c.Changes) == 0 {
			continue
		}

		if !p.run.DryRun {
			c.before = keptBefore(p.run.Entity, c, was.text, is.text)
		}

		a.results.changes = append(a.results.changes, c)
	}
}
