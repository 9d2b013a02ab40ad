package exchange

import (
	"context"
	"io"
	"iter"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// entityHandler decodes the items of one entity into batches. It hides the type of the items' contents.
type entityHandler interface {
	// stream yields the items of a body in batches of up to limit, in their order. The last element may be an error. It
	// decodes the items of the next batch while the caller applies a batch. A batch is valid until the next one.
	// Closing the body must unblock a waiting Read.
	stream(
		ctx context.Context, format item.Format, body io.ReadCloser, limit int, ignored *item.Ignored,
	) iter.Seq2[itemBatch, error]
	// decodeSmall returns the items of a body as one batch. It returns errNotSmall if there are none, or more than
	// limit.
	decodeSmall(format item.Format, body []byte, limit int, ignored *item.Ignored) (itemBatch, error)
}

// itemBatch is a group of items of one entity that is applied in one transaction.
type itemBatch interface {
	items() []*item.Item
	// slice returns a batch of items()[from:to].
	slice(from, to int) itemBatch
	// write takes the members that are not owned by the token out of the items. It stores the items in the caller's
	// transaction and returns their outcomes in the same order. An item that failed has changed nothing. An error means
	// that the batch failed, and the transaction must be rolled back.
	write(ctx context.Context, tx store.Tx, run *Run, owned productfield.Set) ([]push.Pushed, error)
	// describe reads what the items are about, by their subjects, as an export shows it.
	describe(ctx context.Context, tx store.Tx) (map[string]described, error)
	// match makes items whose SKU exists items of its variant: see matchOf.
	match(ctx context.Context, tx store.Tx, exports *export.Exports) (changed []int64, err error)
	// markOf returns the mark of the i-th item, or "".
	markOf(i int) catalog.Mark
	// idMember returns the name of the JSON member that identifies an item: id or variant_id.
	idMember() string
}

// entityOf is an entityHandler for items with contents of type T.
type entityOf[T any] struct {
	itemType item.Type[T]
	// push writes items without Errors in the caller's transaction and returns their outcomes in the same order. No two
	// of them have the same subject, unless byVariant is set.
	push func(ctx context.Context, tx store.Tx, items []T) ([]push.Pushed, error)
	// findRepeated, if not nil, returns the key of the row for each undecoded line that leaves it unchanged, and 0 for
	// each line that must be decoded. The ids of the lines are distinct.
	findRepeated func(ctx context.Context, tx store.Tx, lines []catalog.PushedLine) ([]int64, error)
	// setOrigin, if not nil, sets the run and the item that get the warning if an image download fails later.
	setOrigin func(content *T, from catalog.Origin)
	// compare, if not nil, makes an item of a file one that is compared with what is stored.
	compare func(content *T)
	// restrict, if not nil, takes the members out of an item that are not in owned, and returns them.
	restrict func(content *T, owned productfield.Set) (dropped productfield.Set)
	// byVariant means that items are identified by variant_id, and that push applies items of one variant in order.
	byVariant bool
	// describe reads what items are about, and mark, if it is not nil, returns the mark of an item.
	describe describer[T]
	mark     func(*T) catalog.Mark
	// matching is for files that name variants by their SKUs; empty for entities that cannot have one.
	matching matchOf[T]
	// repeats is batchRepeats if it is 0. Tests set it.
	repeats int
}

type batchOf[T any] struct {
	of   *entityOf[T]
	list []*item.Decoded[T]
	// lazy says whether the next items are left undecoded: they are, while most items leave everything unchanged.
	// Otherwise they are decoded while others are applied. It may be nil.
	lazy *item.Lazy
}

func (b batchOf[T]) items() []*item.Item {
	items := make([]*item.Item, len(b.list))
	for i, it := range b.list {
		items[i] = &it.Item
	}
	return items
}

func (b batchOf[T]) slice(from, to int) itemBatch { return batchOf[T]{b.of, b.list[from:to], b.lazy} }

func (b batchOf[T]) idMember() string {
	if b.of.byVariant {
		return "variant_id"
	}
	return "id"
}

func (b batchOf[T]) write(
	ctx context.Context, tx store.Tx, run *Run, owned productfield.Set,
) ([]push.Pushed, error) {
	outcomes := make([]push.Pushed, len(b.list))
	if err := b.decodeChanged(ctx, tx, owned, outcomes); err != nil {
		return nil, err
	}

	for i, it := range b.list {
		if len(it.Errors) > 0 {
			outcomes[i].Outcome, outcomes[i].Errors = push.Failed, it.Errors
		}
	}

	for _, round := range b.rounds(outcomes) {
		contents := make([]T, len(round))
		dropped := make([]productfield.Set, len(round))
		for n, i := range round {
			contents[n] = b.list[i].Content
			if b.of.setOrigin != nil {
				b.of.setOrigin(&contents[n], catalog.Origin{RunKey: run.Key, Item: b.list[i].Index})
			}
			if b.of.compare != nil && run.isFile() {
				b.of.compare(&contents[n])
			}
			if b.of.restrict != nil && owned != productfield.All {
				dropped[n] = b.of.restrict(&contents[n], owned)
			}
		}

		pushed, err := b.of.push(ctx, tx, contents)
		if err != nil {
			return nil, err
		}

		for n, i := range round {
			outcomes[i] = pushed[n]
			warnOfNotOwned(&outcomes[i], dropped[n])
		}
	}

	if b.lazy != nil && b.of.findRepeated != nil {
		b.lazy.Store(isMostlyUnchanged(outcomes))
	}

	return outcomes, nil
}

func isMostlyUnchanged(outcomes []push.Pushed) bool {
	n := 0
	for i := range outcomes {
		if outcomes[i].Outcome == push.Unchanged {
			n++
		}
	}
	return 2*n > len(outcomes)
}

// decodeChanged decodes the items that are not decoded yet, except those whose lines leave everything unchanged, of
// which it sets the outcomes. A line after another one with the same subject is always decoded.
func (b batchOf[T]) decodeChanged(
	ctx context.Context, tx store.Tx, owned productfield.Set, outcomes []push.Pushed,
) error {
	if b.of.findRepeated == nil {
		return nil
	}

	var lines []catalog.PushedLine
	var positions []int
	seen := map[string]bool{}
	for i, it := range b.list {
		if it.Line != nil && owned == productfield.All && !seen[it.Subject] {
			lines = append(lines, *it.Line)
			positions = append(positions, i)
		}
		seen[it.Subject] = true
	}

	if len(lines) > 0 {
		keys, err := b.of.findRepeated(ctx, tx, lines)
		if err != nil {
			return err
		}
		for n, i := range positions {
			if keys[n] != 0 {
				outcomes[i] = push.Pushed{Outcome: push.Unchanged, Key: keys[n]}
			}
		}
	}

	for i, it := range b.list {
		if outcomes[i].Outcome == 0 {
			it.Decode()
		}
	}

	return nil
}

// rounds splits the positions of the items into rounds, which are pushed one after the other. A round has no two items
// with the same subject, unless byVariant is set. Items that have an outcome already are left out.
func (b batchOf[T]) rounds(outcomes []push.Pushed) [][]int {
	var rounds [][]int
	repeats := make(map[string]int, len(b.list))
	for i, it := range b.list {
		if outcomes[i].Outcome != 0 {
			continue
		}

		n := 0
		if !b.of.byVariant {
			n = repeats[it.Subject]
			repeats[it.Subject]++
		}

		if n == len(rounds) {
			rounds = append(rounds, nil)
		}

		rounds[n] = append(rounds[n], i)
	}

	return rounds
}
