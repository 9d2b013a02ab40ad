package pushclient

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// batch is what goes into one request of several: gzip of an item a line.
type batch struct {
	packed bytes.Buffer
	zip    *gzip.Writer
	items  int64
	bytes  int64 // before packing
	lines  lines
	// unreadable is what lay between the items.
	unreadable []unreadable
}

// newZip makes a packer. BestSpeed: on a network of 1 Gbit/s anything slower costs more time than it saves.
func newZip(w io.Writer) *gzip.Writer {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's own
	}
	return zip
}

func (b *batch) reset() {
	b.packed.Reset()
	if b.zip == nil {
		b.zip = newZip(&b.packed)
	}
	b.zip.Reset(&b.packed)
	b.items, b.bytes, b.lines, b.unreadable = 0, 0, b.lines[:0], nil
}

// entries is how many places of the file the batch settles.
func (b *batch) entries() int64 { return b.items + int64(len(b.unreadable)) }

// gather fills the batch up to the limits; an item that is larger than them goes alone. It returns io.EOF after the last item, or why the file
// cannot be read on; the batch holds what was before.
func (b *batch) gather(items itemReader, mostItems int, mostBytes int64, ahead *item) (rest *item, err error) {
	b.reset()
	for b.entries() < int64(mostItems) {
		next := ahead
		ahead = nil
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
		case b.items > 0 && b.bytes+int64(len(next.body)) >= mostBytes:
			return next, nil
		}
		b.add(*next)
	}
	return nil, nil
}

func (b *batch) add(it item) {
	_, _ = b.zip.Write(it.body) // into memory
	_, _ = b.zip.Write([]byte{'\n'})
	b.items++
	b.bytes += int64(len(it.body)) + 1
	b.lines.add(it.line)
}

// body ends the batch. The bytes hold until the batch is reset.
func (b *batch) body() body {
	_ = b.zip.Close() // into memory
	content := b.packed.Bytes()
	return func() (io.ReadCloser, error) { return sized{bytes.NewReader(content)}, nil }
}

// sized is a body of known length.
type sized struct{ *bytes.Reader }

func (sized) Close() error { return nil }
