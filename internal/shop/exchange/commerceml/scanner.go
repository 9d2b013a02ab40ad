package commerceml

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// eventKind is the kind of an event.
type eventKind int

// The kinds of events.
const (
	startEvent eventKind = iota
	endEvent
	textEvent
)

// attr is an attribute of a start tag.
type attr struct{ name, value string }

// startTag is the tag with which an element begins. Names are without their prefixes.
type startTag struct {
	name  string
	attrs []attr
}

// event is a piece of a file.
type event struct {
	kind  eventKind
	start startTag // of a startEvent
	text  []byte   // of a textEvent; valid until the next event
}

// scanner splits a file in UTF-8 into start tags, end tags and texts. Files of 1C may have gigabytes, and encoding/xml
// would take several times as long. The scanner refuses tags that do not match, characters that XML does not allow,
// unknown entities, and document types, so that nothing expands. The tests compare it with encoding/xml.
type scanner struct {
	file  io.Reader
	buf   []byte // buf[at:end] is read and not yet consumed
	at    int
	end   int
	eof   bool
	base  int64 // offset of buf[0] in the file
	line  int
	open  []string          // full names of the elements that are open
	names map[string]string // full names that occurred, so that each is one string
	text  []byte            // of an event whose text differs from the file
	room  *Room
	held  int64  // bytes of room that the buffers and names take
	torn  []byte // the last bytes of the text, if its rest is the next event
	// selfClosed says that the element which was begun last has ended, too.
	selfClosed bool
}

func newScanner(file io.Reader, room *Room) *scanner {
	return &scanner{file: file, buf: make([]byte, readBuffer), line: 1, names: map[string]string{}, room: room}
}

// offset returns how many bytes are consumed.
func (s *scanner) offset() int64 { return s.base + int64(s.at) }

// fail returns the fault of a file that is not well-formed.
func (s *scanner) fail(format string, args ...any) error {
	return malformed("The file is not well-formed XML: line "+strconv.Itoa(s.line)+": "+format+".", args...)
}

// fill reads more of the file behind what is not yet consumed. It returns io.EOF at the end of the file.
func (s *scanner) fill() error {
	if s.eof {
		return io.EOF
	}

	if s.at > 0 {
		copy(s.buf, s.buf[s.at:s.end])
		s.base += int64(s.at)
		s.end -= s.at
		s.at = 0
	}

	if err := s.resize(); err != nil {
		return err
	}

	for range maxEmptyReads {
		n, err := s.file.Read(s.buf[s.end:])
		s.end += n
		s.eof = errors.Is(err, io.EOF)
		switch {
		case s.eof && n > 0:
			return nil
		case err != nil || n > 0:
			return err
		}
	}

	return io.ErrNoProgress
}

// resize makes room in the buffer, which has what is not yet consumed at its beginning. A buffer that was needed for a
// long piece of the file becomes short again.
func (s *scanner) resize() error {
	size := len(s.buf)
	switch {
	case s.end == size && size >= maxElementBytes:
		return errTooLarge()
	case s.end == size:
		if err := s.hold(int64(size)); err != nil {
			return err
		}
		s.buf = append(s.buf, make([]byte, size)...)
	case size > readBuffer && s.end < readBuffer/2:
		s.buf = append(make([]byte, 0, readBuffer), s.buf[:s.end]...)[:readBuffer]
		s.free(int64(size - readBuffer))
	}
	return nil
}

// hold counts memory of the scanner, and free that it is not held any more.
func (s *scanner) hold(n int64) error {
	if err := s.room.Take(n); err != nil {
		return err
	}
	s.held += n
	return nil
}

func (s *scanner) free(n int64) {
	s.room.Free(n)
	s.held -= n
}

// maxEmptyReads limits the reads in a row that return nothing.
const maxEmptyReads = 100

// upTo returns what stands before the next delimiter, from the given number of bytes on, and consumes it with the
// delimiter. It returns io.EOF if there is no delimiter.
func (s *scanner) upTo(from int, delimiter string) ([]byte, error) {
	for searched := from; ; {
		if i := bytes.Index(s.buf[min(s.at+searched, s.end):s.end], []byte(delimiter)); i >= 0 {
			return s.take(searched+i, len(delimiter)), nil
		}
		searched = max(from, s.end-s.at-len(delimiter)+1)
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// take consumes n bytes and a delimiter of further bytes, and returns the n bytes.
func (s *scanner) take(n, behind int) []byte {
	taken := s.buf[s.at : s.at+n]
	s.line += bytes.Count(s.buf[s.at:s.at+n+behind], []byte{'\n'})
	s.at += n + behind
	return taken
}

// has reports whether the file goes on with this text.
func (s *scanner) has(text string) (bool, error) {
	for s.end-s.at < len(text) {
		if err := s.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return false, err
		}
	}
	return bytes.HasPrefix(s.buf[s.at:s.end], []byte(text)), nil
}

// next returns the next event. It returns io.EOF at the end of a complete document, and io.ErrUnexpectedEOF if the file
// ends inside an element.
func (s *scanner) next() (event, error) {
	e, err := s.scan()
	if errors.Is(err, io.EOF) && (len(s.open) > 0 || s.at < s.end) {
		err = io.ErrUnexpectedEOF
	}
	return e, err
}

func (s *scanner) scan() (event, error) {
	if s.selfClosed {
		s.selfClosed = false
		return s.endElement()
	}

	for {
		if s.at == s.end {
			if err := s.fill(); err != nil {
				return event{}, err
			}
		}

		if s.buf[s.at] != '<' {
			return s.charData()
		}

		s.torn = s.torn[:0]
		if e, found, err := s.markup(); found || err != nil {
			return e, err
		}
	}
}

// markup reads what begins with <. It returns false for what is not an event, such as a comment.
func (s *scanner) markup() (e event, found bool, err error) {
	for s.end-s.at < 2 {
		if err := s.fill(); err != nil {
			return e, false, err
		}
	}

	switch s.buf[s.at+1] {
	case '?':
		_, err = s.upTo(len("<?"), "?>")
		return e, false, err
	case '!':
		return s.declaration()
	}

	tag, err := s.tag()
	if err != nil {
		return e, false, err
	}

	if len(tag) > 0 && tag[0] == '/' {
		e, err = s.endTag(tag[1:])
	} else {
		e, err = s.startTag(tag)
	}

	return e, true, err
}

// declaration reads what begins with <!: a comment, which is no event, or the text of CDATA.
func (s *scanner) declaration() (e event, found bool, err error) {
	const comment, cdata = "<!--", "<![CDATA["
	if is, err := s.has(comment); is || err != nil {
		if err != nil {
			return e, false, err
		}

		text, err := s.upTo(len(comment), "-->")
		if inside := text[min(len(comment), len(text)):]; err == nil &&
			(bytes.Contains(inside, []byte("--")) || bytes.HasSuffix(inside, []byte("-"))) {
			err = s.fail("-- inside a comment")
		}

		return e, false, err
	}

	if is, err := s.has(cdata); !is || err != nil {
		if err == nil {
			err = malformed("The file has a document type, which is not accepted.")
		}
		return e, false, err
	}

	text, err := s.upTo(len(cdata), "]]>")
	if err != nil {
		return e, false, err
	}

	e, err = s.textOf(text[len(cdata):], false)
	return e, true, err
}

// charData reads the text up to the next tag or the end of the file, or a piece of a long text.
func (s *scanner) charData() (event, error) {
	text, isPiece, err := s.textPiece()
	if err != nil {
		return event{}, err
	}

	const cdataEnd = "]]>"
	joint := append(s.torn, text[:min(len(text), len(cdataEnd)-1)]...)
	if bytes.Contains(text, []byte(cdataEnd)) || bytes.Contains(joint, []byte(cdataEnd)) {
		return event{}, s.fail("]]> outside of CDATA")
	}
	s.torn = s.torn[:0]
	if isPiece {
		s.torn = append(s.torn, text[len(text)-len(cdataEnd)+1:]...)
	}
	return s.textOf(text, true)
}

// textPiece consumes the text up to the next tag or the end of the file. Of a longer text than maxPiece it consumes a
// piece, which ends where an entity, a character and an end of a line are not torn.
func (s *scanner) textPiece() (text []byte, isPiece bool, _ error) {
	for searched := 0; ; {
		unread := s.buf[s.at:s.end]
		if i := bytes.IndexByte(unread[searched:], '<'); i >= 0 {
			return s.take(searched+i, 0), false, nil
		}
		if searched = len(unread); searched >= maxPiece {
			return s.take(safeEnd(unread), 0), true, nil
		}
		if err := s.fill(); errors.Is(err, io.EOF) && len(s.open) == 0 {
			return s.take(s.end-s.at, 0), false, nil
		} else if err != nil {
			return nil, false, err
		}
	}
}

// maxPiece is the length of a text from which on it comes in pieces.
const maxPiece = 256 << 10

// safeEnd returns where a text of at least maxPiece bytes can be torn. It looks only at the last bytes.
func safeEnd(text []byte) int {
	n := len(text) - utf8.UTFMax
	if i := bytes.LastIndexByte(text[n-maxEntity:n], '&'); i >= 0 {
		return n - maxEntity + i
	}
	for range utf8.UTFMax - 1 {
		if !utf8.RuneStart(text[n]) {
			n--
		}
	}
	if text[n-1] == '\r' {
		n--
	}
	return n
}

// tag reads a tag and returns what stands between < and >.
func (s *scanner) tag() ([]byte, error) {
	if n := bytes.IndexByte(s.buf[s.at+1:s.end], '>'); n >= 0 && !bytes.ContainsAny(s.buf[s.at+1:s.at+1+n], `"'<`) {
		return s.take(n+1, 1)[1:], nil // no attributes, as most tags
	}

	mark := byte(0) // the quotation mark of the attribute value
	for i := 1; ; i++ {
		if i > maxTagBytes {
			return nil, malformed("A tag of the file has more than %d KiB.", maxTagBytes>>10)
		}

		if s.at+i == s.end {
			if err := s.fill(); err != nil {
				return nil, err
			}
		}

		switch c := s.buf[s.at+i]; {
		case mark != 0 && c == mark:
			mark = 0
		case mark != 0:
		case c == '"' || c == '\'':
			mark = c
		case c == '<':
			return nil, s.fail("< inside a tag")
		case c == '>':
			return s.take(i, 1)[1:], nil
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// name reads a name from the beginning of a tag and returns the rest.
func (s *scanner) name(tag []byte) (full string, rest []byte, err error) {
	n := 0
	for n < len(tag) && !isSpace(tag[n]) && tag[n] != '/' && tag[n] != '=' {
		n++
	}

	full, known := s.names[string(tag[:n])]
	if known {
		return full, tag[n:], nil
	}
	if n > maxNameBytes {
		return "", nil, s.fail("a name has more than %d bytes", maxNameBytes)
	}

	full = string(tag[:n])
	if !isName(full) {
		return "", nil, s.fail("%.60q is no name", full)
	}

	if len(s.names) < maxNames {
		if err := s.hold(int64(len(full)) + nameMemory); err != nil {
			return "", nil, err
		}
		s.names[full] = full
	}

	return full, tag[n:], nil
}

const (
	// maxNames limits the names that are kept, and maxNameBytes each of them. Each takes nameMemory besides its bytes.
	maxNames, maxNameBytes, nameMemory = 1000, 1000, 64
	// maxTagBytes limits a tag with attributes, and maxAttributes their number.
	maxTagBytes, maxAttributes = 256 << 10, 1000
)

// isName reports whether a text can be a name: letters, digits and some signs, and no digit at its beginning.
func isName(text string) bool {
	for i, r := range text {
		letter := r == '_' || r == ':' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			r > utf8.RuneSelf && r != utf8.RuneError
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9') && r != '·') {
			return false
		}
	}
	return text != "" && utf8.ValidString(text) && strings.Count(text, ":") <= 1
}

// local returns a name without its prefix.
func local(full string) string {
	if prefix, name, found := strings.Cut(full, ":"); found && prefix != "" && name != "" {
		return name
	}
	return full
}

func (s *scanner) startTag(tag []byte) (e event, err error) {
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		tag = tag[:n-1]
		s.selfClosed = true
	}

	full, rest, err := s.name(tag)
	if err != nil {
		return e, err
	}

	e.start.name = local(full)

	for {
		if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) == 0 {
			break
		}
		if len(e.start.attrs) >= maxAttributes {
			return e, malformed("A tag of the file has more than %d attributes.", maxAttributes)
		}

		var a attr
		if a, rest, err = s.attribute(rest); err != nil {
			return e, err
		}

		e.start.attrs = append(e.start.attrs, a)
	}

	s.open = append(s.open, full)
	return e, nil
}

// attribute reads an attribute from the beginning of a text and returns the rest.
func (s *scanner) attribute(text []byte) (a attr, rest []byte, err error) {
	full, rest, err := s.name(text)
	if err != nil {
		return a, nil, err
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) == 0 || rest[0] != '=' {
		return a, nil, s.fail("the attribute %.60s has no value", full)
	}
	if rest = bytes.TrimLeft(rest[1:], " \t\r\n"); len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return a, nil, s.fail("the value of the attribute %.60s has no quotation marks", full)
	}

	end := bytes.IndexByte(rest[1:], rest[0]) + 1 // tag has found the mark
	value := rest[1:end]
	if bytes.IndexByte(value, '<') >= 0 {
		return a, nil, s.fail("< inside the attribute %.60s", full)
	}

	e, err := s.textOf(value, true)
	return attr{local(full), string(e.text)}, rest[end+1:], err
}

func (s *scanner) endTag(tag []byte) (event, error) {
	if n := len(s.open); n > 0 && s.open[n-1] == string(tag) {
		return s.endElement()
	}
	full, rest, err := s.name(tag)
	switch {
	case err != nil:
		return event{}, err
	case len(bytes.TrimLeft(rest, " \t\r\n")) > 0:
		return event{}, s.fail("something stands behind the name in </%.60s>", full)
	case len(s.open) == 0:
		return event{}, s.fail("</%.60s> ends nothing", full)
	case s.open[len(s.open)-1] != full:
		return event{}, s.fail("<%.60s> is ended by </%.60s>", s.open[len(s.open)-1], full)
	}
	return s.endElement()
}

func (s *scanner) endElement() (event, error) {
	s.open = s.open[:len(s.open)-1]
	return event{kind: endEvent}, nil
}
