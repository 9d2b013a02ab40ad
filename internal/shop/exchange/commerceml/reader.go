package commerceml

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
)

const (
	// maxDepth limits how deep elements are nested.
	maxDepth = 64
	// maxElementBytes limits an element that is held in memory, in bytes of the file: a good, an offer or a document.
	maxElementBytes = 8 << 20
	// maxNodes limits the elements inside one that is held in memory.
	maxNodes = 100_000
	// maxLongText limits the text that is kept of an element inside one that is held in memory. The longest text that
	// is used is a description of maxDescription characters.
	maxLongText = 512 << 10
	// maxShortText limits the text that is kept of other elements, which are ids, names and marks. It is more than a
	// name may have, so that one which is too long is still seen to be.
	maxShortText = 4 << 10
	// readBuffer is the size of the buffer of a file.
	readBuffer = 64 << 10
)

// element is an element of a file with all that is inside it.
type element struct {
	name     string
	attrs    []attr
	text     string
	children []*element
}

// child returns the first child with this name, or nil.
func (e *element) child(name string) *element {
	for _, c := range e.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// textOf returns the text of the first child with this name, without the spaces around it.
func (e *element) textOf(name string) string {
	if c := e.child(name); c != nil {
		return c.text
	}
	return ""
}

func (e *element) attr(name string) string { return attrOf(e.attrs, name) }

func attrOf(attrs []attr, name string) string {
	for _, a := range attrs {
		if a.name == name {
			return strings.TrimSpace(a.value)
		}
	}
	return ""
}

// reader reads the elements of a file one by one.
type reader struct {
	scanner *scanner
	room    *Room
	depth   int
}

// newReader returns a reader of a file in UTF-8 or in one of the single-byte encodings of Russian. It returns a fault
// for UTF-16 and for an empty file.
func newReader(file io.Reader, room *Room) (*reader, error) {
	buffered := bufio.NewReaderSize(file, readBuffer)
	head, err := buffered.Peek(maxDeclaration)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	switch {
	case len(bytes.TrimSpace(head)) == 0:
		return nil, malformed("The file is empty.")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")),
		bytes.HasPrefix(head, []byte("\x00<")), bytes.HasPrefix(head, []byte("<\x00")):
		return nil, malformed("The file is in UTF-16; send it in UTF-8 or windows-1251.")
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = buffered.Discard(3) // they are buffered
		head = head[3:]
	}

	decoded := io.Reader(buffered)
	if m := declaration.FindSubmatch(head); m != nil {
		if decoded, err = charsetReader(string(m[1]), buffered); err != nil {
			return nil, err
		}
	}

	return &reader{scanner: newScanner(decoded, room), room: room}, nil
}

// maxDeclaration limits the XML declaration, whose encoding is the submatch of declaration.
const maxDeclaration = 1024

var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']`)

// charsetReader decodes the encodings that 1C writes, besides UTF-8.
func charsetReader(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf-8", "utf8":
		return input, nil
	case "windows-1251", "windows1251", "cp1251", "cp-1251":
		return charmap.Windows1251.NewDecoder().Reader(input), nil
	case "koi8-r":
		return charmap.KOI8R.NewDecoder().Reader(input), nil
	case "ibm866", "cp866":
		return charmap.CodePage866.NewDecoder().Reader(input), nil
	}
	return nil, malformed("The encoding %.40q is not supported; send the file in UTF-8 or windows-1251.", label)
}

// malformed returns the fault of a file that cannot be read.
func malformed(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, "malformed_xml", format, args...)
}

// next returns the next event. It returns io.EOF at the end of a complete document.
func (r *reader) next() (event, error) {
	e, err := r.scanner.next()
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = malformed("The XML of the file ends in the middle; send all of its parts.")
		}
		return e, err
	}

	switch e.kind {
	case startEvent:
		if r.depth++; r.depth > maxDepth {
			return e, malformed("Elements are nested deeper than %d levels.", maxDepth)
		}
	case endEvent:
		r.depth--
	case textEvent:
	}

	return e, nil
}

// elementText is the text of an element, which may come in several events. A text is one string in most cases.
type elementText struct {
	first string
	all   []byte // empty if there is only the first
}

// kept returns what is kept of the text of the next event: without space before the text, and nothing beyond limit
// bytes of the element's text.
func (t *elementText) kept(text []byte, limit int) []byte {
	had := max(len(t.first), len(t.all))
	if had == 0 {
		text = bytes.TrimLeftFunc(text, unicode.IsSpace)
	}
	return cutBytes(text, limit-had)
}

// add adds what kept has returned.
func (t *elementText) add(text []byte) {
	switch {
	case len(text) == 0:
	case len(t.all) > 0:
		t.all = append(t.all, text...)
	case t.first != "":
		t.all = append(append(t.all, t.first...), text...)
	default:
		t.first = string(text)
	}
}

// cutBytes returns the beginning of a text in UTF-8, of at most limit bytes.
func cutBytes(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:max(0, limit)]
}

// trimmed returns the text without the spaces around it.
func (t *elementText) trimmed() string {
	if len(t.all) > 0 {
		return string(bytes.TrimSpace(t.all))
	}
	return strings.TrimSpace(t.first)
}

// each calls fn for each child of the element that was begun last, up to its end. fn reads the child to its end. each
// returns the text of the element, at most maxShortText bytes.
func (r *reader) each(fn func(start startTag) error) (string, error) {
	var text elementText
	for {
		e, err := r.next()
		if err != nil {
			return "", err
		}

		switch e.kind {
		case startEvent:
			err = fn(e.start)
		case textEvent:
			text.add(text.kept(e.text, maxShortText))
		case endEvent:
			return text.trimmed(), nil
		}

		if err != nil {
			return "", err
		}
	}
}

func errTooLarge() error {
	return malformed("An element of the file has more than %d MiB.", maxElementBytes>>20)
}

// skip reads the element that was begun last to its end.
func (r *reader) skip() error {
	for end := r.depth - 1; r.depth > end; {
		if _, err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// text reads the element that was begun last and returns its text, at most maxShortText bytes of it.
func (r *reader) text() (string, error) {
	return r.each(func(startTag) error { return r.skip() })
}

// root reads the beginning of the document, and returns a fault if it is no CommerceML.
func (r *reader) root() error {
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return malformed("The file has no element.")
		}
		if err != nil {
			return err
		}

		if e.kind == startEvent {
			if e.start.name != "КоммерческаяИнформация" {
				return malformed("The file is no CommerceML: its first element is %.60q, not КоммерческаяИнформация.",
					e.start.name)
			}
			return nil
		}
	}
}

// readDocument reads a whole file. fn reads each child of the root.
func readDocument(file io.Reader, room *Room, fn func(r *reader, start startTag) error) (err error) {
	r, err := newReader(file, room)
	if err != nil {
		return err
	}
	defer func() { r.scanner.free(r.scanner.held) }()

	if err := r.root(); err != nil {
		return err
	}
	if _, err := r.each(func(start startTag) error { return fn(r, start) }); err != nil {
		return err
	}

	for {
		switch _, err := r.next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("after the end of the document: %w", err)
		case r.depth > 0:
			return malformed("The file has a second document after the first; were its parts sent twice?")
		}
	}
}
