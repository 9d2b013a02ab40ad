package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// maxSmallPushItems and smallPushBytes limit a push that is applied in the transaction that inserts its run. Other
	// writes share this transaction, so it must be short.
	maxSmallPushItems = 20
	smallPushBytes    = 64 << 10
)

// errNotSmall means that a push cannot be applied by pushSmall.
var errNotSmall = errors.New("not a small push")

// isSmall reports whether the push may be small.
func (p Params) isSmall() bool {
	switch p.Entity {
	case Products, Prices, Remainders, Stocks:
	default:
		return false // pending references to the entities are linked before the run ends
	}
	return 0 < p.Size && p.Size <= smallPushBytes && !p.inOneTransaction() && !p.DryRun && !p.ArchiveMissing &&
		!p.KeepChanges
}

// readSmallBody reads a body that should be small, and returns its bytes. They are nil if the body is larger, because
// it was compressed, or if it broke off. The result again reads the body from its beginning.
func readSmallBody(body io.ReadCloser) (whole []byte, again io.ReadCloser) {
	start, err := io.ReadAll(io.LimitReader(body, smallPushBytes+1))
	rest := io.Reader(body)
	if err != nil {
		rest = failedReader{err}
	}
	again = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), rest), body}
	if err != nil || len(start) > smallPushBytes {
		return nil, again
	}
	return start, again
}

// failedReader returns its error at every Read.
type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }

// pushSmall applies a push of a few items in one short transaction, which also inserts and ends its run. Otherwise the
// push would wait for its turn among the writes three times. body is the whole body. If pushSmall returns an error
// other than database.ErrUnknownOutcome, nothing was written, and the push must be applied in the usual way, which also
// records an error.
func (s *Pushes) pushSmall(ctx context.Context, storeID store.ID, params Params, body []byte) (run Run, err error) {
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
			applied, err := p.runBatch(ctx, q, batch)
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

			return s.catalogPushes.End(ctx, tx, applied.end)
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
	return batchOf[T]{of: e, list: list}, nil
}
