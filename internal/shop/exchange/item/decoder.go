package item

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// Decoder decodes the items of a push one by one. It is used for one body only.
type Decoder[T any] struct {
	Type Type[T]
	// Ignored collects the unknown members.
	Ignored *Ignored
	// BeforeLarge is called before an item with more than LargeBytes is decoded, which takes several times its length
	// of memory. An error ends the decoding. It may be nil.
	BeforeLarge func() error
	// Lazy, if not nil and true, leaves those lines of a mapped file undecoded that have a catalog.PushedLine.
	Lazy    *Lazy
	next    int64 // index of the next item
	mapped  bool  // the format is Mapped
	rows    bool  // the format is XLSX
	meta    Meta  // of the item that is decoded
	scratch []byte
}

// LargeBytes is the length above which BeforeLarge is called. Only options and features with very many values are
// longer.
const LargeBytes = 4 << 20

// beforeDecoding calls BeforeLarge if an item is large.
func (d *Decoder[T]) beforeDecoding(raw []byte) error {
	if len(raw) <= LargeBytes || d.BeforeLarge == nil {
		return nil
	}
	return d.BeforeLarge()
}

// errStopped ends the decoding when the caller of Decode needs no more items.
var errStopped = errors.New("no more items are needed")

// Decode yields the items of a body in order. The last element may be an error, if the document or the body is broken.
func (d *Decoder[T]) Decode(format Format, body io.Reader) iter.Seq2[*Decoded[T], error] {
	decode := d.decodeDocument
	switch format {
	case NDJSON, Mapped:
		d.mapped = format == Mapped
		decode = d.decodeItems
	case CSV, XLSX:
		d.rows = format == XLSX
		decode = d.decodeTable
	case JSON:
	}

	return func(yield func(*Decoded[T], error) bool) {
		d.Ignored.known = d.Type.members
		text, err := skipMark(format, body)
		if err == nil {
			err = decode(text, yield)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// decodeDocument decodes {"payload": […]}, or a list of items without the object around it.
func (d *Decoder[T]) decodeDocument(body io.Reader, yield func(*Decoded[T], error) bool) error {
	r := wire.NewStream(body, int64(d.Type.maxBytes), "An item of the payload")

	readItems := func() {
		r.Array(func(int) {
			start := r.NextPosition()
			raw, ok := r.Raw()
			if !ok {
				return
			}

			if err := d.beforeDecoding(raw); err != nil {
				r.Stop(err)
				return
			}

			it, err := d.parseItem(raw, start)
			if err != nil {
				r.Stop(addIndex(err, it.Index))
			} else if !yield(it, nil) {
				r.Stop(errStopped)
			}
		})
	}
	if r.IsArray() {
		readItems()
		return r.End()
	}

	found := false
	ok := r.Object(func(name string) {
		if name != "payload" {
			d.Ignored.Add(name, besidePayload)
			return
		}
		found = true
		readItems()
	})
	switch {
	case ok && !found && r.IsObject(): // another object follows
		d.Ignored.List = nil
		return fault.New(fault.Malformed, "malformed_json", "%s", looksLikeNDJSON)
	case ok && !found:
		r.FailAt("payload", "required", "The items belong into a list named payload.")
	}

	return r.End()
}

// decodeItems decodes one item per line and skips empty lines. A malformed line becomes an item with an error.
func (d *Decoder[T]) decodeItems(body io.Reader, yield func(*Decoded[T], error) bool) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	more := true
	for number := int64(1); more; number++ {
		line, whole, err := ReadLine(lines, nil, d.Type.maxBytes)
		if more = err == nil; err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		text := bytes.TrimLeftFunc(line, unicode.IsSpace)
		start := wire.StartOfLine(number).After(line[:len(line)-len(text)])
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if err := d.beforeDecoding(text); err != nil {
			return err
		}

		var it *Decoded[T]
		if whole && d.mapped {
			it = d.decodeMapped(text, start)
		} else if whole {
			it = d.decodeItem(text, start)
		} else {
			it = d.tooLongItem(text)
		}

		if !yield(it, nil) {
			return errStopped
		}
	}

	return nil
}

// ReadLine appends the next line to buffer, with its line end. A line longer than limit is cut to limit+1 bytes, and
// whole is false. The last line comes with io.EOF, and may be empty.
func ReadLine(r *bufio.Reader, buffer []byte, limit int) (line []byte, whole bool, err error) {
	line = buffer[:0]
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if room := limit + 1 - len(line); len(part) <= room {
			line = append(line, part...)
		} else {
			line = append(line, part[:max(0, room)]...)
			whole = false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// addIndex adds the index of an item to the message of its fault.
func addIndex(err error, index int64) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.Message += fmt.Sprintf(" It is in the item with the index %d, counted from 0.", index)
	}
	return err
}

// decodeItem decodes the item of a line. If the line is malformed, the item has an error, too.
func (d *Decoder[T]) decodeItem(line []byte, start wire.Position) *Decoded[T] {
	it, err := d.parseItem(line, start)
	if err != nil {
		broken := fault.Field{Code: "malformed_json", Message: "This line is not a JSON object."}
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code != broken.Code {
			broken.Code, broken.Message = f.Code, f.Message
		} else if ok {
			broken.Message += " " + f.Message
		}
		it.ID = ""
		it.Subject = ""
		it.Name = ""
		it.Errors = []fault.Field{broken}
	}
	return it
}

// parseItem decodes one item, which begins at a position of the body. Its Errors say what is wrong with it. The error
// is that of malformed JSON.
func (d *Decoder[T]) parseItem(raw []byte, start wire.Position) (*Decoded[T], error) {
	it := &Decoded[T]{Item: Item{Index: d.next, Raw: raw}}
	d.next++
	f := &itemReader{Reader: wire.NewItem(raw), ignored: d.Ignored, index: it.Index, scratch: d.scratch,
		meta: d.meta, mapped: d.mapped, raw: raw}
	f.SetStart(start)
	f.OnUnknown(func(path string) { f.ignored.Add(path, f.index) })
	it.Content = d.Type.decode(f)
	it.ID = f.id
	it.Subject = f.subject
	it.Name = f.name
	it.Version = f.version
	it.Warnings = f.warnings
	d.scratch = f.scratch

	if err := f.End(); err != nil {
		broken, ok := errors.AsType[*fault.Error](err)
		if ok && len(broken.Fields) > 0 {
			it.Errors = broken.Fields
			return it, nil
		}
		return it, err
	}

	return it, nil
}

// tooLongItem returns a failed item for a line that exceeds the limit. Its Raw is the beginning of the line.
func (d *Decoder[T]) tooLongItem(line []byte) *Decoded[T] {
	it := &Decoded[T]{Item: Item{Index: d.next, Raw: line, Errors: []fault.Field{{
		Code: "too_long",
		Message: fmt.Sprintf("An item may have at most %d bytes; of this one only the beginning is kept.",
			d.Type.maxBytes),
	}}}}
	d.next++
	return it
}
