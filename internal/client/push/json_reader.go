package push

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	format "vitrine/internal/shop/exchange/item" // item is a type of this package
)

// jsonReader reads the items of a JSON file. It leaves their validation to the gate. A syntax error ends the reading.
type jsonReader struct {
	in      *boundedItemReader
	dec     *jsontext.Decoder
	shape   jsonShape
	started bool
	ended   bool
	buf     []byte
}

func newJSONReader(in io.Reader, head []byte) (*jsonReader, error) {
	j := &jsonReader{in: &boundedItemReader{in: in}}
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return j, fault.New(fault.Malformed, "broken_file",
			`The file does not contain items as JSON, which are {"payload": […]} or a list.`)
	}
	j.shape, _ = detectShape(text)
	j.dec = jsontext.NewDecoder(j.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return j, nil
}

func (j *jsonReader) next() (item, error) {
	if j.ended {
		return item{}, io.EOF
	}
	body, err := j.readItem()
	if err != nil {
		j.ended = true
		return item{}, j.describeError(err)
	}
	return item{body: body}, nil
}

// readItem reads the next item and returns it on one line.
func (j *jsonReader) readItem() ([]byte, error) {
	if !j.started {
		j.started = true
		if err := j.seekFirstItem(); err != nil {
			return nil, err
		}
	}

	j.in.itemStart = j.dec.InputOffset()
	if j.shape != shapeSequence && j.dec.PeekKind() == ']' {
		return nil, j.readTrailer()
	}

	v, err := j.dec.ReadValue()
	if err != nil {
		return nil, err
	}

	// JSON strings contain line breaks only as escapes, so these line breaks are white space between tokens.
	j.buf = append(j.buf[:0], v...)
	for i, c := range j.buf {
		if c == '\n' || c == '\r' {
			j.buf[i] = ' '
		}
	}

	return j.buf, nil
}

func (j *jsonReader) seekFirstItem() error {
	if j.shape == shapeSequence {
		return nil
	}
	if _, err := j.dec.ReadToken(); err != nil || j.shape == shapeList {
		return err
	}

	for {
		name, err := j.dec.ReadToken()
		if err != nil {
			return err
		}

		if name.String() == "payload" && j.dec.PeekKind() == '[' {
			_, err = j.dec.ReadToken()
			return err
		}

		if err := j.dec.SkipValue(); err != nil {
			return err
		}
	}
}

// readTrailer reads the rest of the file after the last item and fails if it contains another value.
func (j *jsonReader) readTrailer() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}

	for j.shape == shapeDocument {
		t, err := j.dec.ReadToken()
		if err != nil {
			return err
		}
		if t.Kind() == '}' {
			break
		}
		if err := j.dec.SkipValue(); err != nil {
			return err
		}
	}

	switch _, err := j.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return err
	}

	return fault.New(fault.Malformed, "broken_file",
		"The file continues after the end of its list, at byte %d; it must contain one list.", j.dec.InputOffset())
}

// describeError returns an error with the position of a syntax error. It returns other errors unchanged.
func (j *jsonReader) describeError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && errors.Is(j.in.err, io.EOF) {
		return fault.New(fault.Malformed, "broken_file", "The file is cut off: its JSON is incomplete.")
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fault.New(fault.Malformed, "broken_file", "The file is not valid JSON at byte %d. "+
			"In NDJSON, with one item per line, only that item would fail.", syntax.ByteOffset).Because(syntax.Err)
	}
	return err
}

// boundedItemReader limits the size of an item: a read fails if the decoder already buffers more than maxItemBytes.
type boundedItemReader struct {
	in        io.Reader
	bytesRead int64
	itemStart int64 // offset of the current item
	err       error
}

func (b *boundedItemReader) Read(p []byte) (int, error) {
	if b.bytesRead-b.itemStart > maxItemBytes {
		return 0, itemTooLong("The item at byte %d", b.itemStart)
	}
	n, err := b.in.Read(p)
	b.bytesRead += int64(n)
	b.err = err
	return n, err
}

func itemTooLong(what string, args ...any) *fault.Error {
	return fault.New(fault.TooLarge, "item_too_long", what+" is longer than the limit for an item (256 MiB).", args...)
}

// ndjsonReader reads one item per line and skips empty lines. It leaves the parsing of the JSON to the gate.
type ndjsonReader struct {
	in   *bufio.Reader
	line int64
	buf  []byte
}

func (n *ndjsonReader) next() (item, error) {
	for {
		text, whole, err := format.ReadLine(n.in, n.buf, maxItemBytes)
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return item{}, err
		}

		n.line++
		n.buf = text
		if !whole {
			f := itemTooLong("This line")
			return item{
				line:       n.line,
				unreadable: &unreadableEntry{issue: Issue{Line: n.line, Code: f.Code, Message: f.Message}},
			}, nil
		}

		if text = bytes.TrimSpace(text); len(text) > 0 {
			return item{body: text, line: n.line}, nil
		}
	}
}
