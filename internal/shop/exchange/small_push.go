package exchange

import (
	"bytes"
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// maxSmallPushItems and smallPushBytes limit a push that is applied in the transaction that inserts its run. Other
	// writes share this transaction, so it must be short.
	maxSmallPushItems = 20
	smallPushBytes    = 64 << 10
	// smallPushWait is how long Push waits for the end of a small body before it inserts the run.
	smallPushWait = 20 * time.Millisecond
)

// errNotSmall means that a push cannot be applied by applySmall.
var errNotSmall = errors.New("not a small push")

// applySmall applies a push of a few items in one short transaction, which also inserts and ends its run. Otherwise the
// push would wait for its turn among the writes three times. body is the whole body. If applySmall returns an error
// other than database.ErrUnknownOutcome, nothing was written, and the push must be applied in the usual way, which also
// records an error.
func (s *Pushes) applySmall(ctx context.Context, storeID store.ID, params Params, body []byte) (run Run, err error) {
	switch params.Entity {
	case Products, Prices, Remainders, Stocks:
	default:
		return Run{}, errNotSmall // pending references to the entities are linked before the run ends
	}
	if params.inOneTransaction() || params.DryRun || params.ArchiveMissing {
		return Run{}, errNotSmall
	}
	var ignored item.Ignored
	batch, err := s.handlers[params.Entity].decodeSmall(params.Format, body, s.smallPushItems, &ignored)
	if err != nil {
		return Run{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout+lockRetryTime)
	defer cancel()
	var p *pushRun
	began := s.now()
	err = s.withStoreLock(ctx, storeID, func() error {
		return s.write(ctx, func(q querier) error {
			run = Run{ID: id.New[Run](), Params: params, Status: Running, CreatedAt: began, StartedAt: &began}
			tx := store.In(q, storeID)
			if err := insertRun(ctx, tx, &run); err != nil {
				return err
			}
			p = s.newPushRun(storeID, &run)
			p.ignored = ignored
			applied, err := p.applyBatchIn(ctx, q, batch)
			if err != nil {
				return err
			}
			run = applied.run
			if err := applied.results.insert(ctx, tx, &run, s.keptLimit()); err != nil {
				return err
			}
			p.setOutcome(nil)
			if err := s.runs.End(ctx, tx, &run); err != nil {
				return err
			}
			return s.Catalog.Pushes.End(ctx, tx, applied.end)
		})
	})
	if err != nil {
		return Run{}, err
	}
	p.log(ctx, nil)
	return run, nil
}

func (e *entityOf[T]) decodeSmall(
	format item.Format, body []byte, limit int, ignored *item.Ignored,
) (itemBatch, error) {
	var list []*item.Decoded[T]
	d := &item.Decoder[T]{Type: e.itemType, Ignored: ignored}
	for it, err := range d.Decode(format, bytes.NewReader(body)) {
		if err != nil {
			return nil, err
		}
		if list = append(list, it); len(list) > limit {
			return nil, errNotSmall
		}
	}
	if len(list) == 0 {
		return nil, errNotSmall
	}
	return batchOf[T]{e, list}, nil
}
