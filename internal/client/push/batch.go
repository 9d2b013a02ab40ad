package pushclient

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// batch is what goes into one request of several: gzip of an item a line.
type batch struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	items      int64
	rawBytes   int64 // before packing
	lines      itemLines
	// unreadable is what lay between the items.
	unreadable []unreadableEntry
}

// newGzipWriter makes a packer. BestSpeed: on a network of 1 Gbit/s anything slower costs more time than it saves.
func newGzipWriter(w io.Writer) *gzip.Writer {
	gz, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's own
	}
	return gz
}

func (b *batch) reset() {
	b.compressed.Reset()
	if b.gzip == nil {
		b.gzip = newGzipWriter(&b.compressed)
	}
	b.gzip.Reset(&b.compressed)
	b.items, b.rawBytes, b.lines, b.unreadable = 0, 0, b.lines[:0], nil
}

// entries is how many places of the file the batch settles.
func (b *batch) entries() int64 { return b.items + int64(len(b.unreadable)) }

// fill fills the batch up to the limits; an item that is larger than them goes alone. It returns io.EOF after the last item, or why the file
// cannot be read on; the batch holds what was before.
func (b *batch) fill(items itemReader, maxItems int, maxBytes int64, pending *item) (excess *item, err error) {
	b.reset()
	for b.entries() < int64(maxItems) {
		next := pending
		pending = nil
		if next == nil {
			read, err := items.next()
			if err != nil {
				return nil, err
			}
			next = &read
		}
		switch {
		case next.unreadable != nil:
			b.unreadable = append(b.unreadable, *next.unreadable)
			continue
		case b.items > 0 && b.rawBytes+int64(len(next.body)) >= maxBytes:
			return next, nil
		}
		b.add(*next)
	}
	return nil, nil
}

func (b *batch) add(it item) {
	_, _ = b.gzip.Write(it.body) // into memory
	_, _ = b.gzip.Write([]byte{'\n'})
	b.items++
	b.rawBytes += int64(len(it.body)) + 1
	b.lines.add(it.line)
}

// finish ends the batch. The bytes hold until the batch is reset.
func (b *batch) finish() bodyFunc {
	_ = b.gzip.Close() // into memory
	content := b.compressed.Bytes()
	return func() (io.ReadCloser, error) { return sizedBody{bytes.NewReader(content)}, nil }
}

// sizedBody is a body of known length.
type sizedBody struct{ *bytes.Reader }

func (sizedBody) Close() error { return nil }
