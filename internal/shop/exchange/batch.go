package exchange

import (
	"context"
	"io"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop/exchange/item"
)

const (
	// batchItems and batchBytes limit a batch, which is applied in one transaction. They are large enough for efficient
	// bulk statements, and small enough that other transactions wait for its locks only briefly.
	batchItems = 1000
	batchBytes = 4 << 20
	// batchRepeats limits the items of a batch with the same Subject, since those are applied one after the other.
	batchRepeats = 20
	// batchWait is how long the first item of a batch waits for more items of a slow client.
	batchWait = time.Second
	// decodeAheadBytes limits the bytes of items that are decoded and not yet applied. It must exceed batchBytes plus
	// the weight of one item; otherwise the decoder would wait for room that only a full batch releases.
	decodeAheadBytes = 16 << 20
)

// decode implements entityHandler.
func (e *entityOf[T]) decode(format item.Format, body io.Reader, ignored *item.Ignored, apply func(itemBatch) error) error {
	var list []*item.Decoded[T]
	bytes := int64(0)
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		b := batchOf[T]{e, list}
		list, bytes = nil, 0
		return apply(b)
	}
	d := &item.Decoder[T]{Type: e.itemType, Ignored: ignored, Emit: func(it *item.Decoded[T]) error {
		list = append(list, it)
		if bytes += itemWeight(it.Item); len(list) < batchItems && bytes < batchBytes {
			return nil
		}
		return flush()
	}}
	if err := d.Decode(format, body); err != nil {
		return err
	}
	return flush()
}

// stream implements entityHandler.
func (e *entityOf[T]) stream(
	ctx context.Context, format item.Format, body io.ReadCloser, ignored *item.Ignored,
	apply func(context.Context, itemBatch) error,
) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	items, room := make(chan *item.Decoded[T], batchItems), semaphore.NewWeighted(decodeAheadBytes)
	decodeResult := make(chan error, 1)
	go func() {
		defer close(items)
		d := &item.Decoder[T]{Type: e.itemType, Ignored: ignored, Emit: func(it *item.Decoded[T]) error {
			if err := room.Acquire(ctx, itemWeight(it.Item)); err != nil {
				return err
			}
			select {
			case items <- it:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		decodeResult <- d.Decode(format, body)
	}()
	err := e.collectBatches(items, room, func(b itemBatch) error { return apply(ctx, b) })
	if err != nil {
		stop()
		_ = body.Close() // unblocks a Read that waits for the client
	}
	decodeErr := <-decodeResult
	if err != nil {
		return err
	}
	return decodeErr
}

// collectBatches collects items into batches. It applies a batch when it is full, or when its first item has waited
// batchWait.
func (e *entityOf[T]) collectBatches(
	items <-chan *item.Decoded[T], room *semaphore.Weighted, apply func(itemBatch) error,
) error {
	var list []*item.Decoded[T]
	var weight int64
	var timeout <-chan time.Time
	repeats := map[string]int{}
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		err := apply(batchOf[T]{e, list})
		room.Release(weight)
		list, weight, timeout = list[:0], 0, nil
		clear(repeats)
		return err
	}
	for {
		select {
		case it, more := <-items:
			if !more {
				return flush()
			}
			if list = append(list, it); len(list) == 1 {
				timeout = time.After(batchWait)
			}
			repeats[it.Subject]++
			weight += itemWeight(it.Item)
			if len(list) < batchItems && weight < batchBytes && repeats[it.Subject] < batchRepeats {
				continue
			}
		case <-timeout:
		}
		if err := flush(); err != nil {
			return err
		}
	}
}

// itemWeight returns how many bytes an item counts towards decodeAheadBytes and batchBytes.
func itemWeight(it item.Item) int64 { return min(int64(len(it.Raw))+1, decodeAheadBytes/2) }
