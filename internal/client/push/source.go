package push

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item/table"
)

// headBytes is the number of bytes that are read ahead to detect the format of a file.
const headBytes = 64 << 10

// inputSource is an input file, decompressed and without a byte order mark.
type inputSource struct {
	text *bufio.Reader
	// size is the size of the file in bytes, compressed if the file is; -1 if it is not known.
	size      int64
	bytesRead atomic.Int64 // how many of these bytes were read
	file      io.Closer
	// next reads the next item, or returns io.EOF. After another error it must not be called again.
	next func() (item, error)
	// charset returns what a table is decoded from: see table.Reader. It is nil for other formats.
	charset func() wire.Encoding
	// workbook is the XLSX file, or what people take for one; nil for other formats.
	workbook *os.File
	rows     *table.Sheet
}

func (s *inputSource) progress(items, done int64) Progress {
	return Progress{Bytes: s.bytesRead.Load(), Size: s.size, Items: items, Done: done}
}

// newInputSource returns a source that reads from in. It detects gzip by its magic number.
func newInputSource(in io.Reader, size int64, file io.Closer) (*inputSource, error) {
	s := &inputSource{size: size, file: file}
	raw := bufio.NewReaderSize(&countingReader{in, &s.bytesRead}, headBytes)
	s.text = raw
	if head, _ := raw.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		decompressed, err := gzip.NewReader(raw)
		if err != nil {
			return nil, errors.Join(inputGzipError(err), s.Close())
		}
		s.text = bufio.NewReaderSize(&gzipErrorReader{decompressed}, headBytes)
	}

	head, err := s.text.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, s.Close())
	}

	if xlsx.LooksLike(head) {
		if s.workbook, err = copyWorkbook(s.text); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}

	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, err = s.text.Discard(3)
		return s, err
	}

	if err := checkFileEncoding(head); err != nil {
		return nil, errors.Join(err, s.Close())
	}

	return s, nil
}

// checkFileEncoding returns a fault if the first bytes of a file show that it is not text in UTF-8.
func checkFileEncoding(head []byte) error {
	switch e := wire.DetectEncoding(head); e {
	case "", wire.Markup: // detectFormat quotes what the file begins with
		return nil
	case wire.UTF16, wire.UTF32:
		return fault.New(fault.Invalid, "not_utf8", "The file is %s; save it as UTF-8.", e)
	default:
		return fault.New(fault.Invalid, "unknown_format",
			"The file looks like %s; unpack it first. Only gzip is unpacked.",
			e)
	}
}

// Close closes the file, if there is one.
func (s *inputSource) Close() error {
	var err error
	if s.rows != nil {
		err = s.rows.Close()
	}
	if s.workbook != nil {
		err = errors.Join(err, s.workbook.Close())
	}
	if s.file == nil {
		return err
	}
	return errors.Join(err, s.file.Close())
}

type countingReader struct {
	in   io.Reader
	read *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read.Add(int64(n))
	return n, err
}

type gzipErrorReader struct{ in io.Reader }

func (u *gzipErrorReader) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = inputGzipError(err)
	}
	return n, err
}

func inputGzipError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fault.New(fault.Malformed, "broken_file", "The file is cut off: its gzip data is incomplete.")
	}
	return fault.New(fault.Malformed, "broken_file", "The file's gzip data is corrupt.").Because(err)
}
