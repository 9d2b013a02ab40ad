package exchange

import (
	"context"
	"io"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// entityHandler decodes the items of one entity into batches that can be applied. The type of the items' contents is
// known only to the entity behind it.
type entityHandler interface {
	// decode decodes a body and calls apply with its items in batches, in their order. An error of apply ends it.
	decode(format item.Format, body io.Reader, ignored *item.Ignored, apply func(batch) error) error
	// stream is decode for a body that may come slowly: while a batch is applied, the items of the next are decoded.
	// apply is called with a context that ends when stream returns. Closing the body must end a Read that waits.
	stream(ctx context.Context, format item.Format, body io.ReadCloser, ignored *item.Ignored,
		apply func(context.Context, batch) error) error
}

// batch is a group of items of one entity that is applied in one transaction.
type batch interface {
	items() []*item.Item
	// slice is the batch of items[from:to].
	slice(from, to int) batch
	// apply writes the items in the caller's transaction and returns the outcomes in their order. An item that failed
	// has changed nothing. An error is about the whole batch: the transaction must not be committed.
	apply(ctx context.Context, tx store.Tx, runKey int64) ([]catalog.Pushed, error)
	// idMember is the member that people know an item by.
	idMember() string
}

// entity is an entityHandler for items with contents of type T.
type entity[T any] struct {
	itemType item.Type[T]
	// push writes items without Errors. Their subjects are all different, unless byVariant is set.
	push pushFunc[T]
	// byVariant says that items are known by variant_id, and that push takes several about one variant, in their order.
	byVariant bool
}

// pushFunc writes items in the caller's transaction and returns the outcomes in their order. origins tells of each item
// where it came from: that is where a download that fails later is reported.
type pushFunc[T any] func(
	ctx context.Context, tx store.Tx, items []T, origins []catalog.Origin,
) ([]catalog.Pushed, error)

// newEntity makes a handler of items whose origin does not matter.
func newEntity[T any](
	of item.Type[T], push func(ctx context.Context, tx store.Tx, items []T) ([]catalog.Pushed, error),
) *entity[T] {
	return &entity[T]{itemType: of, push: func(
		ctx context.Context, tx store.Tx, items []T, _ []catalog.Origin,
	) ([]catalog.Pushed, error) {
		return push(ctx, tx, items)
	}}
}

// byVariant makes a handler of items that are known by the variant they are about.
func byVariant[T any](e *entity[T]) *entity[T] {
	e.byVariant = true
	return e
}

func productEntity(c *catalog.Pushes) *entity[catalog.ProductPush] {
	return &entity[catalog.ProductPush]{itemType: item.Product(), push: func(
		ctx context.Context, tx store.Tx, items []catalog.ProductPush, origins []catalog.Origin,
	) ([]catalog.Pushed, error) {
		for i := range items {
			items[i].Origin = origins[i]
		}
		return c.ApplyProducts(ctx, tx, items)
	}}
}

func attributeEntity(
	c *catalog.Pushes, of item.Type[catalog.AttributePush], kind catalog.Kind,
) *entity[catalog.AttributePush] {
	return newEntity(of, func(
		ctx context.Context, tx store.Tx, items []catalog.AttributePush,
	) ([]catalog.Pushed, error) {
		return c.ApplyAttributes(ctx, tx, kind, items)
	})
}

// batchOf is a batch of items with contents of type T.
type batchOf[T any] struct {
	of   *entity[T]
	list []*item.Decoded[T]
}

func (b batchOf[T]) items() []*item.Item {
	items := make([]*item.Item, len(b.list))
	for i, it := range b.list {
		items[i] = &it.Item
	}
	return items
}

func (b batchOf[T]) slice(from, to int) batch { return batchOf[T]{b.of, b.list[from:to]} }

func (b batchOf[T]) idMember() string {
	if b.of.byVariant {
		return "variant_id"
	}
	return "id"
}

func (b batchOf[T]) apply(ctx context.Context, tx store.Tx, runKey int64) ([]catalog.Pushed, error) {
	outcomes := make([]catalog.Pushed, len(b.list))
	for i, it := range b.list {
		if len(it.Errors) > 0 {
			outcomes[i].Outcome, outcomes[i].Errors = catalog.Failed, it.Errors
		}
	}
	for _, round := range b.rounds() {
		contents, origins := make([]T, len(round)), make([]catalog.Origin, len(round))
		for n, i := range round {
			contents[n], origins[n] = b.list[i].Content, catalog.Origin{RunKey: runKey, Item: b.list[i].Index}
		}
		pushed, err := b.of.push(ctx, tx, contents, origins)
		if err != nil {
			return nil, err
		}
		for n, i := range round {
			outcomes[i] = pushed[n]
		}
	}
	return outcomes, nil
}

// rounds splits the positions of the items into groups that are pushed one after the other. No round has two items with
// the same subject, unless they are pushed by variant. Items with Errors are in no round.
func (b batchOf[T]) rounds() [][]int {
	var list [][]int
	times := make(map[string]int, len(b.list))
	for i, it := range b.list {
		if len(it.Errors) > 0 {
			continue
		}
		n := 0
		if !b.of.byVariant {
			n = times[it.Subject]
			times[it.Subject]++
		}
		if n == len(list) {
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}
