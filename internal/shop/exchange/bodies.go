package exchange

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// deleteChunkLimit is the maximum number of chunks of bodies that a transaction deletes. A chunk has up to 1 MiB.
	deleteChunkLimit = 64
	// ChunkBytes is the number of bytes of a body in one row, before compression.
	ChunkBytes = 1 << 20
)

// SpoolRetryAfter is when a client should send a push again that found no room. Room appears when a push is applied.
const SpoolRetryAfter = 10 * time.Second

const (
	// reservedEighths of the room for all stores are kept for those that have at most 1/newcomerParts of it. So a few
	// stores cannot use up the room of all others.
	reservedEighths = 1
	newcomerParts   = 64
	// scarceEighths of the room for all stores are in use when it is scarce.
	scarceEighths = 6
)

// CheckRoom returns a fault if a body, of which some bytes are stored, may not have more. It checks the limits of
// SpoolShare, of which a part is reserved, against what the database has, so that all nodes together keep them. On
// PostgreSQL, transactions at the same time may exceed them by a chunk each.
func (s *Bodies) CheckRoom(ctx context.Context, q querier, storeID store.ID, stored, more int64) error {
	if s.DatabaseRoom != nil && s.DatabaseRoom() < more {
		return fault.New(fault.Unavailable, "disk_full", "The disk of the database has no room for this push; nothing "+
			"of it was applied. The service goes on when there is room again.").After(30 * time.Second)
	}

	if s.SpoolShare == nil {
		return nil
	}

	storeLimit := s.SpoolShare.StoreLimit()
	if stored+more > storeLimit {
		return fault.New(fault.TooLarge, "push_too_large", "The pushes of a store that wait to be applied in the "+
			"background may have %d MiB after compression, and this one alone has more. Nothing of it was applied. "+
			"Send it in smaller parts, or without Prefer: respond-async.", storeLimit>>20)
	}

	ofStore, ofAll, err := spooledBytes(ctx, q, storeID)
	limit := s.SpoolShare.Limit()
	if ofStore+more > limit/newcomerParts {
		limit -= limit * reservedEighths / 8
	}

	switch {
	case err != nil:
		return err
	case ofStore+more > storeLimit:
		return fault.New(fault.TooMany, "too_many_requests", "Too many pushes of this store wait to be applied in the "+
			"background; nothing of this one was applied. Send it again when some of them are "+
			"done.").After(SpoolRetryAfter)
	case ofAll+more > limit:
		return fault.New(fault.Unavailable, "overloaded", "Too many pushes wait to be applied in the background; "+
			"nothing of this one was applied. Send it again when some of them are done.").After(SpoolRetryAfter)
	}

	return nil
}

// BodyChunk is a part of a body.
type BodyChunk struct {
	RunKey int64
	// Number counts the chunks of the body from 0. Stored is the size of the chunks before this one.
	Number, Stored int64
	// Packed is compressed with zstd, at most ChunkBytes of the body.
	Packed []byte
}

// Add stores the next chunk of a body in the caller's transaction. It returns the faults of CheckRoom, or
// fault.Unavailable if the run was ended as interrupted.
func (s *Bodies) Add(ctx context.Context, tx store.Tx, chunk BodyChunk) error {
	size := int64(len(chunk.Packed))
	if err := s.CheckRoom(ctx, tx.Unscoped(), tx.StoreID(), chunk.Stored, size); err != nil {
		return err
	}
	if err := addSpooledBytes(ctx, tx, chunk.RunKey, size); err != nil {
		return err
	}
	return insertBodyChunk(ctx, tx, chunk.RunKey, chunk.Number, chunk.Packed)
}

// AreScarce reports whether the bodies of all stores have nearly used up their room. They never do without a limit.
func (s *Bodies) AreScarce(ctx context.Context, q querier) (bool, error) {
	limit := s.SpoolShare.Limit()
	if limit == 0 {
		return false, nil
	}
	_, ofAll, err := spooledBytes(ctx, q, store.ID{})
	return ofAll > limit*scarceEighths/8, err
}

// deleteFinished deletes the bodies of finished runs that were left behind: of pushes that failed after all retries,
// and of nodes that stopped before they deleted them. It also deletes uploaded files that are not kept any more.
func (s *Bodies) deleteFinished(ctx context.Context) error {
	left, err := database.Read(ctx, s.DB, func(q querier) ([]RunRef, error) {
		return finishedRunsWithBody(ctx, q, pruneRunLimit, s.now())
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return s.Delete(ctx, left)
}

// Delete deletes the spooled bodies of the runs, up to deleteChunkLimit chunks per transaction.
func (s *Bodies) Delete(ctx context.Context, runs []RunRef) error {
	for n := int64(deleteChunkLimit); n >= deleteChunkLimit; {
		err := s.DB.WriteAlone(ctx, func(q querier) (err error) {
			n, err = execRunRefs(ctx, q, bodiesTable().deleteSQL(), runs, deleteChunkLimit)
			if err != nil || n >= deleteChunkLimit {
				return err
			}
			return clearSpooledBytes(ctx, q, runs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// spooledBody reads a spooled body. It implements io.ReadCloser.
type spooledBody struct {
	ctx      context.Context //nolint:containedctx // Read has no parameter for it
	s        *Bodies
	storeID  store.ID
	runKey   int64
	number   int64
	buffered []byte
	decoder  *zstd.Decoder
}

func (p *spooledBody) Read(b []byte) (int, error) {
	for len(p.buffered) == 0 {
		if err := p.nextChunk(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.buffered)
	p.buffered = p.buffered[n:]
	return n, nil
}

// nextChunk reads and decompresses the next chunk. It returns io.EOF after the last one.
func (p *spooledBody) nextChunk() (err error) {
	if p.decoder == nil {
		p.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(4*ChunkBytes))
		if err != nil {
			return err
		}
	}

	compressed, err := database.Read(p.ctx, p.s.DB, func(q querier) ([]byte, error) {
		return selectBodyChunk(p.ctx, store.In(q, p.storeID), p.runKey, p.number)
	})
	if errors.Is(err, database.ErrNoRows) {
		return io.EOF
	}
	if err != nil {
		return err
	}

	p.number++
	p.buffered, err = p.decoder.DecodeAll(compressed, nil)
	return err
}

// Close does nothing. A Read waits only for the database, and returns when the context ends.
func (p *spooledBody) Close() error { return nil }

// release frees the decoder. Read must not be called afterwards.
func (p *spooledBody) release() {
	if p.decoder != nil {
		p.decoder.Close()
	}
}
