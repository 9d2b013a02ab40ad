package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The columns of a store can be written to a file and read again; see docs/adr/0014-columns-file.md. A file begins with
// columnsMagic and columnsFormat. Sections follow, in the order of columnsSections. A section is a sequence of frames,
// each with a tag, a length and a checksum, so that a torn or damaged file is detected. Numbers are little-endian.
const (
	columnsMagic = "VTRNCOLS"
	// columnsFormat is the version of the format. Raise it with every change of a section, of its layout or of its
	// meaning, such as how the words of a product are made. Files of another version are not read.
	columnsFormat uint32 = 9
)

// errColumnsFile reports that a file does not contain usable columns.
var errColumnsFile = errors.New("not a usable file of search columns")

func columnsFileError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errColumnsFile, fmt.Sprintf(format, args...))
}

// writeColumns writes the header and the sections. After each frame it calls pause, and ends with its error if it
// returns one: the columns may have changed then.
func writeColumns(w io.Writer, header columnsHeader, c *searchColumns, pause func() error) error {
	if _, err := w.Write(binary.LittleEndian.AppendUint32([]byte(columnsMagic), columnsFormat)); err != nil {
		return err
	}

	f := &fieldCodec{out: w, pause: pause, frame: make([]byte, frameHeaderLen, frameHeaderLen+frameLen)}
	write := func(tag string, transfer func()) error {
		f.tag = tag
		transfer()
		f.flush(lastFrame)
		return f.err
	}
	if err := write(headerTag, func() { header.transfer(f) }); err != nil {
		return err
	}

	for _, section := range columnsSections() {
		if err := write(section.tag, func() { section.transfer(f, c) }); err != nil {
			return err
		}
	}

	return write(endTag, func() {})
}

// columnsReader reads columns from a file. The error wraps errColumnsFile if the file is not usable.
type columnsReader struct{ f *fieldCodec }

// newColumnsReader reads the header of a file of the given size.
func newColumnsReader(r io.Reader, size int64) (*columnsReader, columnsHeader, error) {
	var header columnsHeader
	start := make([]byte, len(columnsMagic)+4)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, header, readError(err)
	}
	if string(start[:len(columnsMagic)]) != columnsMagic {
		return nil, header, columnsFileError("it has another type")
	}
	if format := binary.LittleEndian.Uint32(start[len(columnsMagic):]); format != columnsFormat {
		return nil, header, columnsFileError("it has format %d, not %d", format, columnsFormat)
	}
	reader := &columnsReader{&fieldCodec{in: r, size: size, frame: make([]byte, 0, frameHeaderLen+frameLen)}}
	return reader, header, reader.section(headerTag, func() { header.transfer(reader.f) })
}

func (r *columnsReader) section(tag string, transfer func()) error {
	r.f.tag = tag
	r.f.ended = false
	transfer()
	if r.f.err == nil && (len(r.f.unread) > 0 || !r.f.ended) && !r.f.endsEmpty() {
		r.f.fail("section %s is longer than expected", tag)
	}
	return r.f.err
}

// columns reads the sections after the header. The state of the columns is the state in the header.
func (r *columnsReader) columns(header columnsHeader) (*searchColumns, error) {
	c := newColumns()
	for _, section := range columnsSections() {
		if err := r.section(section.tag, func() { section.transfer(r.f, c) }); err != nil {
			return nil, err
		}
	}
	if err := r.section(endTag, func() {}); err != nil {
		return nil, err
	}
	c.state = header.state
	if err := c.check(); err != nil {
		return nil, err
	}

	c.summarize()
	c.textHashes = make([]uint64, c.rowCount())
	return c, nil
}
