package exchange

import (
	"cmp"
	"context"
	"io"
	"iter"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop/exchange/item"
)

const (
	// batchItems and batchBytes limit a batch, which is applied in one transaction. They are large enough for efficient
	// bulk statements, and small enough that other transactions wait only briefly for the locks of the batch.
	batchItems = 1000
	batchBytes = 4 << 20
	// dryRunBatchItems is batchItems of a dry run on SQLite, whose transactions do not end early for other writes.
	dryRunBatchItems = 200
	// batchRepeats limits the items with the same Subject in a batch, because they are applied one after the other.
	batchRepeats = 20
	// batchWait is how long the first item of a batch waits for further items from a slow client.
	batchWait = time.Second
	// decodeAheadBytes limits the weight of the items that are decoded but not yet applied. It must exceed batchBytes
	// plus the weight of one item; otherwise the decoder would wait for room that only a full batch releases.
	decodeAheadBytes = 16 << 20
)

func (e *entityOf[T]) stream(
	ctx context.Context, format item.Format, body io.ReadCloser, limit int, ignored *item.Ignored,
) iter.Seq2[itemBatch, error] {
	return func(yield func(itemBatch, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()

		lazy := &item.Lazy{}
		lazy.Store(e.findRepeated != nil)
		items := make(chan *item.Decoded[T], batchItems)
		room := semaphore.NewWeighted(decodeAheadBytes)
		result := make(chan error, 1)
		go func() {
			defer close(items)
			result <- e.decodeAhead(ctx, format, body, ignored, items, room, lazy)
		}()

		stopped := !e.collectBatches(items, room, limit, lazy, yield)
		if stopped {
			stop()
			_ = body.Close() // unblocks a Read that waits for the client
		}

		if err := <-result; err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// decodeAhead sends the items of a body to a channel. room limits the bytes of the items that are not yet applied.
func (e *entityOf[T]) decodeAhead(
	ctx context.Context, format item.Format, body io.Reader, ignored *item.Ignored,
	items chan<- *item.Decoded[T], room *semaphore.Weighted, lazy *item.Lazy,
) error {
	large := &largeItem{}
	defer large.release()

	d := &item.Decoder[T]{Type: e.itemType, Ignored: ignored, BeforeLarge: large.acquirer(ctx), Lazy: lazy}
	for it, err := range d.Decode(format, body) {
		if err != nil {
			return err
		}
		if err := room.Acquire(ctx, itemWeight(it.Item)); err != nil {
			return err
		}

		select {
		case items <- it:
		case <-ctx.Done():
			return ctx.Err()
		}

		if !large.held {
			continue
		}

		// The large item is applied before the next one is decoded.
		if err := room.Acquire(ctx, decodeAheadBytes); err != nil {
			return err
		}

		room.Release(decodeAheadBytes)
		large.release()
	}

	return nil
}

// collectBatches yields items in batches of up to limit. A batch ends when it is full, or when its first item has
// waited batchWait. It returns false as soon as yield does.
func (e *entityOf[T]) collectBatches(
	items <-chan *item.Decoded[T], room *semaphore.Weighted, limit int, lazy *item.Lazy,
	yield func(itemBatch, error) bool,
) bool {
	var list []*item.Decoded[T]
	var weight int64
	var timeout <-chan time.Time
	repeats := map[string]int{}

	for more := true; more; {
		var it *item.Decoded[T]
		select {
		case it, more = <-items:
		case <-timeout:
		}

		if it != nil {
			if list = append(list, it); len(list) == 1 {
				timeout = time.After(batchWait)
			}
			repeats[it.Subject]++
			weight += itemWeight(it.Item)
			if len(list) < limit && weight < batchBytes && repeats[it.Subject] < cmp.Or(e.repeats, batchRepeats) {
				continue
			}
		}

		if len(list) > 0 && !yield(batchOf[T]{e, list, lazy}, nil) {
			return false
		}

		room.Release(weight)
		list = list[:0]
		weight = 0
		timeout = nil
		clear(repeats)
	}

	return true
}

// itemWeight returns how many bytes an item counts towards decodeAheadBytes and batchBytes.
func itemWeight(it item.Item) int64 {
	bytes := len(it.Raw) + 1
	for _, line := range it.Lines {
		bytes += len(line.Text)
	}
	return min(int64(bytes), decodeAheadBytes/2)
}
