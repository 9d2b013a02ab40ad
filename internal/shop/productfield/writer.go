package productfield

import (
	"context"
	"encoding/binary"
)

// Writer identifies who wrote a member of a product last: an operator or a key, of one store. It is the random half of
// their id, so that a product needs 8 bytes for each member. 0 means that it is not known.
type Writer int64

// WriterOf returns the writer with the id of an operator or a key.
func WriterOf(id [16]byte) Writer { return Writer(binary.BigEndian.Uint64(id[8:])) }

// OrNull returns the writer as a column value, or NULL if it is not known.
func (w Writer) OrNull() any {
	if w == 0 {
		return nil
	}
	return int64(w)
}

type writerKey struct{}

// WithWriter returns a context in which the writer is recorded with each write of a product.
func WithWriter(ctx context.Context, w Writer) context.Context {
	return context.WithValue(ctx, writerKey{}, w)
}

// WriterFrom returns the writer of WithWriter, or 0.
func WriterFrom(ctx context.Context) Writer {
	w, _ := ctx.Value(writerKey{}).(Writer)
	return w
}
