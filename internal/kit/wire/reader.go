// Package wire reads strict JSON element by element, in bounded memory, and gathers every broken rule with its place
// ("values[2].name"). Malformed JSON ends the reading; a value of the wrong type is noted and passed over.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

const (
	// MaxDepth is how deep arrays and objects may nest; the root is the first level.
	MaxDepth = 64
	// MaxFields is how many broken rules are listed; a body of a million bad values has one cause, not a million.
	MaxFields = 100
	// maxToken bounds the memory that one string or number may take.
	maxToken = 8 << 20
)

// Reader walks one JSON document. After an error all its methods do nothing, so a caller checks once, at the end, with Done.
type Reader struct {
	dec    *jsontext.Decoder
	input  *boundedReader
	path   []byte
	fields []fault.Field
	err    error
	// rootName is what the document is called where it is of the wrong type, part what may not be longer than the window.
	rootName, tokenName string
}

// NewReader reads the document from r.
func NewReader(r io.Reader) *Reader {
	w := &boundedReader{r: r, limit: maxToken}
	return &Reader{dec: jsontext.NewDecoder(w), input: w, rootName: "The body", tokenName: "A single string or number, or the space between two,"}
}

// NewStream is NewReader for a document whose elements are read whole, with Raw: each may have that many bytes. They are called part where
// one is longer.
func NewStream(r io.Reader, limit int64, elementName string) *Reader {
	in := NewReader(r)
	in.input.limit, in.tokenName = limit, elementName
	return in
}

// NewItem reads one element that Raw gave, as a document of its own.
func NewItem(raw []byte) *Reader {
	in := NewReader(bytes.NewReader(raw))
	in.input.limit, in.rootName = int64(len(raw)), "The item"
	return in
}

// boundedReader fails a read that would make the decoder hold more than one token may take.
type boundedReader struct {
	r        io.Reader
	read     int64
	consumed int64
	limit    int64
	// err is why there is no more to read; nil at the end of the body too.
	err error
	// startsLikeBOM is whether the body begins as a byte order mark does.
	startsLikeBOM bool
}

var errTokenTooLong = errors.New("token too long")

func (w *boundedReader) Read(p []byte) (int, error) {
	if w.read-w.consumed > w.limit {
		w.err = errTokenTooLong
		return 0, w.err
	}
	n, err := w.r.Read(p)
	if w.read == 0 {
		w.startsLikeBOM = n > 0 && p[0] == 0xEF // no other text of JSON begins with it
	}
	w.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// Document reads the whole document, which must be an object; fn is called once a member, with its name. What fn does not read is passed over.
// It returns the malformed fault, or the rules that were broken, or nil.
func (r *Reader) Document(fn func(name string)) error {
	r.Object(fn)
	return r.End()
}

// End says that the document has been read; anything after it is malformed. It returns what Document returns.
func (r *Reader) End() error {
	r.expectEnd()
	return r.Done()
}

// expectEnd refuses anything after the document.
func (r *Reader) expectEnd() {
	if r.err != nil {
		return
	}
	_, err := r.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.setDecodeError(err)
	default:
		r.err = malformedJSON("There is something after the end of the JSON document; send exactly one.")
	}
}

// Done returns what was wrong so far.
func (r *Reader) Done() error {
	if r.err != nil {
		return r.err
	}
	return fault.Fields(r.fields)
}

// Stop ends the reading with an error of the caller's.
func (r *Reader) Stop(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Broken reports whether reading has ended early because the JSON is malformed.
func (r *Reader) Broken() bool { return r.err != nil }

// Path is the place of the value that is read now.
func (r *Reader) Path() string { return string(r.path) }

// Offset is the number of bytes of the document that were read.
func (r *Reader) Offset() int64 { return r.dec.InputOffset() }

// Failf notes a broken rule at the present place.
func (r *Reader) Failf(code, message string, args ...any) {
	r.FailAt("", code, message, args...)
}

// FailAt notes a broken rule at a member of the present place.
func (r *Reader) FailAt(member, code, message string, args ...any) {
	if len(r.fields) >= MaxFields {
		return
	}
	path := string(r.path)
	if member != "" && path != "" {
		path += "."
	}
	r.fields = append(r.fields, fault.Field{Field: path + member, Code: code, Message: fmt.Sprintf(message, args...)})
}

// Forgive takes back what was noted of a member of the present place, and of what is inside it: it turned out that nobody needs it.
func (r *Reader) Forgive(member string) {
	path := string(r.path)
	if path != "" {
		path += "."
	}
	path += member
	r.fields = slices.DeleteFunc(r.fields, func(f fault.Field) bool {
		rest, within := strings.CutPrefix(f.Field, path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Object reads an object and calls fn for each member. It returns false, with the fault noted, if the value is something else.
func (r *Reader) Object(fn func(name string)) bool {
	if !r.enter('{', "an object") {
		return false
	}
	pathLength := len(r.path)
	for r.err == nil && r.dec.PeekKind() != '}' {
		name, ok := r.readMemberName()
		if !ok {
			return false
		}
		if pathLength > 0 {
			r.path = append(r.path, '.')
		}
		r.path = append(r.path, name...)
		before := r.dec.InputOffset()
		fn(name)
		if r.err == nil && r.dec.InputOffset() == before {
			r.Skip()
		}
		r.path = r.path[:pathLength]
	}
	r.readToken()
	return r.err == nil
}

// Array reads an array and calls fn for each element. It returns false, with the fault noted, if the value is something else.
func (r *Reader) Array(fn func(i int)) bool {
	if !r.enter('[', "a list") {
		return false
	}
	pathLength := len(r.path)
	for i := 0; r.err == nil && r.dec.PeekKind() != ']'; i++ {
		r.path = append(r.path, '[')
		r.path = strconv.AppendInt(r.path, int64(i), 10)
		r.path = append(r.path, ']')
		before := r.dec.InputOffset()
		fn(i)
		if r.err == nil && r.dec.InputOffset() == before {
			r.Skip()
		}
		r.path = r.path[:pathLength]
	}
	r.readToken()
	return r.err == nil
}

func (r *Reader) enter(kind jsontext.Kind, want string) bool {
	if !r.expectKind(kind, want) {
		return false
	}
	r.readToken()
	if r.err == nil && r.dec.StackDepth() > MaxDepth {
		r.err = malformedJSON("The JSON nests deeper than %d levels.", MaxDepth)
	}
	return r.err == nil
}

// expectKind looks at the next value; one of another kind is noted as a wrong type and passed over.
func (r *Reader) expectKind(kind jsontext.Kind, want string) bool {
	if r.err != nil {
		return false
	}
	next := r.dec.PeekKind()
	if next == kind {
		return true
	}
	r.Wrong(want)
	return false
}

// Wrong notes that the value here should have been something else, and passes over it.
func (r *Reader) Wrong(want string) {
	if r.err != nil {
		return
	}
	next := r.dec.PeekKind()
	if next == 0 {
		r.readToken() // gives the syntax error
		return
	}
	r.Failf("wrong_type", "%s must be %s, not %s.", r.subject(), want, kindName(next))
	r.Skip()
}

func (r *Reader) subject() string {
	if len(r.path) == 0 {
		return r.rootName
	}
	return "This"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	default:
		return "a list"
	}
}

// Skip passes over the next value, however large, and still refuses one that nests too deep.
func (r *Reader) Skip() {
	depth := r.dec.StackDepth()
	for r.err == nil {
		r.readToken()
		if r.err == nil && r.dec.StackDepth() > MaxDepth {
			r.err = malformedJSON("The JSON nests deeper than %d levels.", MaxDepth)
		}
		if r.dec.StackDepth() <= depth {
			return
		}
	}
}

// Null reports whether the next value is null, and passes over it if so.
func (r *Reader) Null() bool {
	if r.err != nil || r.dec.PeekKind() != 'n' {
		return false
	}
	r.readToken()
	return true
}

// Bool reads true or false.
func (r *Reader) Bool() (value, ok bool) {
	if r.err != nil {
		return false, false
	}
	switch r.dec.PeekKind() {
	case 't':
		r.readToken()
		return true, r.err == nil
	case 'f':
		r.readToken()
		return false, r.err == nil
	}
	r.Wrong("true or false")
	return false, false
}

// Number reads a number and returns it as it was written.
func (r *Reader) Number() (string, bool) {
	if !r.expectKind('0', "a number") {
		return "", false
	}
	return r.readScalar()
}

// String reads a string; control characters other than tab and newline are noted as a fault.
func (r *Reader) String() (string, bool) {
	if !r.expectKind('"', "a string") {
		return "", false
	}
	return r.readCleanString()
}

// StringOrNumber reads a string, or a number as it was written.
func (r *Reader) StringOrNumber() (string, bool) {
	if r.err != nil {
		return "", false
	}
	switch r.dec.PeekKind() {
	case '0':
		return r.readScalar()
	case '"':
		return r.readCleanString()
	}
	r.Wrong("a string or a number")
	return "", false
}

// Raw reads any value and returns its text.
func (r *Reader) Raw() ([]byte, bool) {
	depth := r.dec.StackDepth()
	if r.err != nil {
		return nil, false
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		r.setDecodeError(err)
		return nil, false
	}
	r.input.consumed = r.dec.InputOffset()
	if depthOf(v)+depth > MaxDepth {
		r.err = malformedJSON("The JSON nests deeper than %d levels.", MaxDepth)
		return nil, false
	}
	return bytes.Clone(v), true
}

// depthOf counts the deepest nesting of a valid value.
func depthOf(v []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func (r *Reader) readCleanString() (string, bool) {
	s, ok := r.readScalar()
	if !ok {
		return "", false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\t' && c != '\n' {
			r.Failf("control_character", "A text may hold no control character other than tab and newline; this one has U+%04X.", c)
			return "", false
		}
	}
	return s, true
}

// readScalar reads the next string or number: numbers as written, strings unquoted.
func (r *Reader) readScalar() (string, bool) {
	v, err := r.dec.ReadValue()
	if err != nil {
		r.setDecodeError(err)
		return "", false
	}
	r.input.consumed = r.dec.InputOffset()
	if len(v) == 0 || v[0] != '"' {
		return string(v), true
	}
	return unquote(v), true
}

func unquote(v []byte) string {
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	// The decoder has accepted it, so it cannot fail.
	s, _ := jsontext.AppendUnquote(nil, v)
	return string(s)
}

func (r *Reader) readMemberName() (string, bool) {
	v, err := r.dec.ReadValue()
	if err != nil {
		r.setDecodeError(err)
		return "", false
	}
	r.input.consumed = r.dec.InputOffset()
	return internName(v), true
}

// internName spares the allocation for the names that come a million times.
func internName(v []byte) string {
	switch string(v) {
	case `"id"`:
		return "id"
	case `"name"`:
		return "name"
	}
	return unquote(v)
}

func (r *Reader) readToken() {
	if r.err != nil {
		return
	}
	if _, err := r.dec.ReadToken(); err != nil {
		r.setDecodeError(err)
		return
	}
	r.input.consumed = r.dec.InputOffset()
}

// setDecodeError turns what the decoder says into the malformed fault. An error of the transport (a body over its limit, a client who left) stays itself.
func (r *Reader) setDecodeError(err error) {
	if r.err != nil {
		return
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(r.input.err, errTokenTooLong):
		r.err = malformedJSON("%s is longer than %d bytes.", r.tokenName, r.input.limit)
	case r.input.err != nil:
		// Not what the decoder makes of it: in the middle of a value it says that the syntax is wrong.
		r.err = r.input.err
	case errors.Is(err, io.EOF) && r.dec.InputOffset() == 0:
		r.err = malformedJSON("The body is empty; a JSON document is expected.")
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		r.err = malformedJSON("The JSON ends in the middle, after %d bytes.", r.input.read)
	case errors.Is(err, jsontext.ErrDuplicateName):
		r.err = malformedJSON("The JSON has the same member twice in one object (at byte %d).", r.offsetOf(err))
	case errors.As(err, &syntax) && syntax.ByteOffset == 0 && r.input.startsLikeBOM:
		r.err = malformedJSON("The JSON begins with a byte order mark; save it as UTF-8 without one.")
	case errors.As(err, &syntax):
		r.err = malformedJSON("The JSON is malformed at byte %d: %s.", syntax.ByteOffset, syntaxReason(syntax))
	default:
		r.err = err
	}
}

func (r *Reader) offsetOf(err error) int64 {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return syntax.ByteOffset
	}
	return r.dec.InputOffset()
}

// syntaxReason is what the decoder says, without the piece of the document that it quotes: a document may hold a secret.
func syntaxReason(e *jsontext.SyntacticError) string {
	s := ""
	if e.Err != nil {
		s = e.Err.Error()
	}
	if i := strings.IndexAny(s, "`'\""); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	if s == "" || !utf8.ValidString(s) || len(s) > 100 {
		return "it is no JSON"
	}
	return s
}

func malformedJSON(message string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_json", message, args...)
}

// IsObject reports whether the next value is an object, without reading it.
func (r *Reader) IsObject() bool { return r.err == nil && r.dec.PeekKind() == '{' }
