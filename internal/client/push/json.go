package pushclient

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

// jsonItems reads the items of a JSON text. What is inside an item is the gate's to judge, item by item; only what breaks the text ends
// the reading.
type jsonItems struct {
	in    *bounded
	dec   *jsontext.Decoder
	shape shape
	began bool
	ended bool
	buf   []byte
}

func newJSONItems(in io.Reader, head []byte) (*jsonItems, error) {
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return nil, fault.New(fault.Malformed, "broken_file", `The file is no JSON with items: that is {"payload": […]} or a list.`)
	}
	j := &jsonItems{in: &bounded{in: in}}
	j.shape, _ = shapeOf(text)
	j.dec = jsontext.NewDecoder(j.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return j, nil
}

func (j *jsonItems) ignored() []string { return nil }

func (j *jsonItems) next() (item, error) {
	if j.ended {
		return item{}, io.EOF
	}
	body, err := j.value()
	if err != nil {
		j.ended = true
		return item{}, j.explain(err)
	}
	return item{body: body}, nil
}

// value reads the next item and puts it on one line.
func (j *jsonItems) value() ([]byte, error) {
	if !j.began {
		j.began = true
		if err := j.begin(); err != nil {
			return nil, err
		}
	}
	j.in.from = j.dec.InputOffset()
	if j.shape != sequence && j.dec.PeekKind() == ']' {
		return nil, j.end()
	}
	v, err := j.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	// Text holds line breaks only as escapes, so these stand between its parts.
	j.buf = append(j.buf[:0], v...)
	for i, c := range j.buf {
		if c == '\n' || c == '\r' {
			j.buf[i] = ' '
		}
	}
	return j.buf, nil
}

// begin goes to the first item.
func (j *jsonItems) begin() error {
	if j.shape == sequence {
		return nil
	}
	if _, err := j.dec.ReadToken(); err != nil || j.shape == list {
		return err
	}
	for {
		name, err := j.dec.ReadToken()
		if err != nil {
			return err
		}
		payload := name.String() == "payload"
		if payload && j.dec.PeekKind() == '[' {
			_, err = j.dec.ReadToken()
			return err
		}
		if err := j.dec.SkipValue(); err != nil {
			return err
		}
	}
}

// end reads what follows the last item: nothing that is an item.
func (j *jsonItems) end() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	for j.shape == document {
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
	return fault.New(fault.Malformed, "broken_file", "The file goes on after its list has ended, at byte %d; it must hold one list.", j.dec.InputOffset())
}

// explain says where a text breaks; an error of reading the file stays itself.
func (j *jsonItems) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && errors.Is(j.in.err, io.EOF):
		return fault.New(fault.Malformed, "broken_file", "The file is cut off: its JSON does not end.")
	case errors.As(err, &syntax):
		return fault.New(fault.Malformed, "broken_file", "The file is no JSON from byte %d on. With an item a line (NDJSON) only that one would fail.", syntax.ByteOffset).Because(syntax.Err)
	}
	return err
}

// bounded fails a read that would make the decoder hold more than an item may take.
type bounded struct {
	in   io.Reader
	read int64
	from int64 // where the present item begins
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.read-b.from > maxItem {
		return 0, tooLong("The item at byte %d", b.from)
	}
	n, err := b.in.Read(p)
	b.read += int64(n)
	b.err = err
	return n, err
}

func tooLong(what string, args ...any) *fault.Error {
	return fault.New(fault.TooLarge, "item_too_long", what+" is longer than an item can be (256 MiB).", args...)
}
