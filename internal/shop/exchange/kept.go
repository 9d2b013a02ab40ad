package exchange

import (
	"context"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// keptEighths is how many eighths of --spool-limit the failed items and the changes of dry runs of one store may
	// have.
	keptEighths = 1
	// What the rows of a failed item and of a change take besides their texts. It counts like bytes of these.
	rejectRowBytes = 64
	changeRowBytes = 128
	// packWindow is how far back the compressor of failed items looks, which bounds its memory.
	packWindow = 1 << 20
)

// keptLimit returns how many bytes of failed items and of changes of dry runs are kept of a store; 0 means no limit.
func (s *core) keptLimit() int64 { return s.SpoolShare.Limit() * keptEighths / 8 }

// packer compresses failed items. EncodeAll is safe for concurrent use.
var packer = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(packWindow))
})

// pack compresses the item if that makes it smaller.
func (r *reject) pack() error {
	if r.packed {
		return nil
	}
	encoder, err := packer()
	if err != nil {
		return err
	}
	if packed := encoder.EncodeAll(r.sent, nil); len(packed) < len(r.sent) {
		r.sent = packed
		r.packed = true
	}
	return nil
}

// keep counts the failed items and the changes of a batch against what is kept of the store. It drops those that do not
// fit, and returns a warning for each kind of them. The errors of the items are kept in any case.
func (r *pushResults) keep(ctx context.Context, tx store.Tx, run *Run, limit int64) (warnings []RunNote, err error) {
	if len(r.rejects) == 0 && len(r.changes) == 0 {
		return nil, nil
	}

	before, err := lockKept(ctx, tx)
	if err != nil {
		return nil, err
	}

	bytes := int64(0)
	fits := func(n int64) bool {
		if limit > 0 && before+bytes+n > limit {
			return false
		}
		bytes += n
		return true
	}
	warn := func(index int64, code, message string, args ...any) {
		warnings = append(warnings, RunNote{Index: index, Code: code, Message: fmt.Sprintf(message, args...)})
	}
	for i := range r.rejects {
		if err := r.rejects[i].pack(); err != nil {
			return nil, err
		}
		if fits(int64(len(r.rejects[i].sent)) + rejectRowBytes) {
			continue
		}

		warn(r.rejects[i].index, "rejects_not_kept", "From this item on, %d failed items are not kept for download: "+
			"what is kept of failed items and dry runs of this store may have %d MiB. Their errors are kept.",
			len(r.rejects)-i, limit>>20)
		r.rejects = r.rejects[:i]
		break
	}

	for i, c := range r.changes {
		if fits(int64(len(wire.AppendJSON(nil, c.Changes))+len(c.before)) + changeRowBytes) {
			continue
		}
		warn(c.Index, "changes_not_kept", "From this item on, the changes of %d items are not kept: what is kept of "+
			"failed items and dry runs of this store may have %d MiB. The counts are "+
			"right.", len(r.changes)-i, limit>>20)
		r.changes = r.changes[:i]
		break
	}

	return warnings, addKept(ctx, tx, run.Key, bytes)
}

// unpackRejects returns a function that returns a failed item as it was sent. Its result is valid until the next call.
func unpackRejects() func(stored []byte, packed bool) ([]byte, error) {
	var decoder *zstd.Decoder
	var buffer []byte
	return func(stored []byte, packed bool) (_ []byte, err error) {
		if !packed {
			return stored, nil
		}

		if decoder == nil {
			decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(item.MaxBytes+packWindow))
			if err != nil {
				return nil, err
			}
		}

		buffer, err = decoder.DecodeAll(stored, buffer[:0])
		return buffer, err
	}
}
