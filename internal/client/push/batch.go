package push

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// batch collects the items of one request as gzip-compressed NDJSON.
type batch struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	items      int64
	rawBytes   int64 // before compression
	lines      itemLines
	// unreadable are the entries between the items that could not be read.
	unreadable []unreadableEntry
}

// newGzipWriter uses BestSpeed: on a network of 1 Gbit/s a slower level costs more time than it saves.
func newGzipWriter(w io.Writer) *gzip.Writer {
	gz, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a valid level
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

// entries returns the number of entries of the file in the batch: items and unreadable entries.
func (b *batch) entries() int64 { return b.items + int64(len(b.unreadable)) }

// fill reads items into the batch until a limit is reached. An item larger than the limits gets a batch of its own. If
// the next item does not fit, fill returns it as excess; the caller passes it as pending to the next call. The error is
// io.EOF after the last item, or the error of reading the file; the batch then contains the items before it.
func (b *batch) fill(read func() (item, error), maxItems int, maxBytes int64, pending *item) (excess *item, err error) {
	b.reset()
	for b.entries() < int64(maxItems) {
		next := pending
		pending = nil
		if next == nil {
			it, err := read()
			if err != nil {
				return nil, err
			}
			next = &it
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
	_, _ = b.gzip.Write(it.body) // writing to memory does not fail
	_, _ = b.gzip.Write([]byte{'\n'})
	b.items++
	b.rawBytes += int64(len(it.body)) + 1
	b.lines.add(it.line)
}

// finish completes the gzip stream and returns the request body. The body is valid until the batch is reset.
func (b *batch) finish() bodyFunc {
	_ = b.gzip.Close() // writing to memory does not fail
	content := b.compressed.Bytes()
	return func() (io.ReadCloser, error) { return sizedBody{bytes.NewReader(content)}, nil }
}

type sizedBody struct{ *bytes.Reader }

func (sizedBody) Close() error { return nil }
