// Package wire reads strict JSON value by value, in bounded memory, and records each broken rule with its path
// ("values[2].name"). Malformed JSON ends the reading. A value of the wrong type is recorded and skipped.
package wire

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

const (
	// MaxDepth is the maximum nesting of arrays and objects; the root is the first level.
	MaxDepth = 64
	// MaxMembers is the maximum number of members of an object, unknown ones included. The reader remembers the names
	// of the objects that it is in, to find duplicates; the limit bounds that memory. maxNameBytes is the maximum
	// length of a name as written, with its quotes.
	MaxMembers   = 1000
	maxNameBytes = 1 << 10
	// MaxFields is the maximum number of broken rules that are recorded. More would not help the client: if a body has
	// very many bad values, they usually have one cause.
	MaxFields = 100
	// maxToken is the default limit in bytes for one string, number or run of white space.
	maxToken = 8 << 20
)

// Reader reads one JSON document. After an error its methods do nothing, so a caller can check for errors once, at the
// end. If the result ok is false, no value was read, or the value breaks a rule.
type Reader struct {
	failures
	dec   *jsontext.Decoder
	input *boundedReader
	// rootName begins the message about a root of the wrong type, and tokenName the message about a token that exceeds
	// the limit of input.
	rootName, tokenName string
	// isStream is true for a reader of NewStream. Its decoder does not check for duplicate names, since it would
	// remember all names of an element; the reader of the element checks them. names has the names of the objects
	// around the elements, by depth.
	isStream bool
	names    []map[string]bool
	// start is the position of the document's first character.
	start Position
	// listBytes is the memory of all lists, taken is how much of it take was asked for. take may be nil.
	listBytes, taken int64
	take             func(total int64) error
	unknown          func(path string)
}

// OnUnknown sets the function that UnknownMember calls.
func (r *Reader) OnUnknown(fn func(path string)) { r.unknown = fn }

// UnknownMember reports the current member as unknown. Without OnUnknown it does nothing.
func (r *Reader) UnknownMember() {
	if r.unknown != nil {
		r.unknown(r.Path())
	}
}

// NewReader returns a reader of the document in r.
func NewReader(r io.Reader) *Reader {
	w := &boundedReader{r: r, limit: maxToken}
	return &Reader{dec: jsontext.NewDecoder(w), input: w, rootName: "The body",
		tokenName: "A single string or number, or the space between two,"}
}

// NewStream returns a reader of a document whose elements are read with Raw. Each element may have at most limit bytes.
// elementName is the subject of the message about a longer element. Raw does not check the elements for duplicate names
// and for the number of members: the caller reads each of them with NewItem.
func NewStream(r io.Reader, limit int64, elementName string) *Reader {
	in := NewReader(r)
	in.dec.Reset(in.input, jsontext.AllowDuplicateNames(true))
	in.input.limit = limit
	in.tokenName = elementName
	in.isStream = true
	return in
}

// NewItem returns a reader of one element that Raw returned, as a document of its own.
func NewItem(raw []byte) *Reader {
	in := NewReader(bytes.NewReader(raw))
	in.input.limit = int64(len(raw))
	in.input.whole = raw
	in.rootName = "The item"
	return in
}

// boundedReader is the input of the decoder. Its Read fails once the decoder has buffered more than limit bytes for one
// token.
type boundedReader struct {
	r        io.Reader
	read     int64
	consumed int64
	limit    int64
	// err is the error that ended the reading: an error of the underlying reader, or errTokenTooLong. It is nil at the
	// end of the input.
	err error
	// captured has the bytes that were read since Raw began to read a value; nil at other times.
	captured []byte
	// head has the first bytes of the input, up to four.
	head []byte
	// whole is the input if all of it is in memory, else nil. positions then tracks the positions in the input.
	whole     []byte
	positions positionTracker
}

// headBytes is the number of bytes that DetectEncoding needs.
const headBytes = 4

var errTokenTooLong = errors.New("token too long")

func (w *boundedReader) Read(p []byte) (int, error) {
	if w.read-w.consumed > w.limit || int64(len(w.captured)) > w.limit {
		w.err = errTokenTooLong
		return 0, w.err
	}

	if w.whole == nil {
		p = p[:min(len(p), maxChunk)]
	}

	n, err := w.r.Read(p)
	if room := headBytes - len(w.head); room > 0 {
		w.head = append(w.head, p[:min(n, room)]...)
	}

	if w.whole == nil && n > 0 {
		w.positions.add(p[:n], w.consumed)
	}

	w.read += int64(n)
	if w.captured != nil {
		w.captured = append(w.captured, p[:n]...)
	}

	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}

	return n, err
}

// Document reads the whole document, which must be an object, and calls fn for each member with its name. A member that
// fn does not read is skipped. Document returns a Malformed fault, an Invalid fault with all broken rules, or nil.
func (r *Reader) Document(fn func(name string)) error {
	r.Object(fn)
	return r.End()
}

// End checks that nothing follows the root value, which the caller has read. It returns the same errors as Document.
func (r *Reader) End() error {
	r.expectEnd()
	return r.Err()
}

// expectEnd records an error if anything follows the document.
func (r *Reader) expectEnd() {
	if r.err != nil {
		return
	}

	r.dec.PeekKind() // buffers the next character, if there is one
	end := r.dec.InputOffset()
	rest := r.unreadFrom(end)
	next := bytes.TrimLeft(rest, " \t\r\n")
	at := r.positionOf(end + int64(len(rest)-len(next)))
	_, err := r.dec.ReadToken()

	switch {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.setDecodeError(err)
	default:
		r.err = malformedJSON("There is something after the end of the JSON document, at %s; send exactly one.", at)
	}
}

// Offset returns the number of bytes of the document that were read.
func (r *Reader) Offset() int64 { return r.dec.InputOffset() }

// Object reads an object and calls fn for each member. If the value is not an object, it records a wrong type and
// returns false.
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

// Required is a member that an object must have, and the message if it is absent.
type Required struct{ Member, Message string }

// ObjectWith reads an object as Object does. Each required member that is absent breaks the rule "required".
func (r *Reader) ObjectWith(fn func(name string), required ...Required) bool {
	absent := required
	ok := r.Object(func(name string) {
		if i := slices.IndexFunc(absent, func(m Required) bool { return m.Member == name }); i >= 0 {
			absent = slices.Concat(absent[:i], absent[i+1:])
		}
		fn(name)
	})
	if ok {
		for _, m := range absent {
			r.FailAt(m.Member, "required", "%s", m.Message)
		}
	}
	return ok
}

// Array reads an array and calls fn for each element. If the value is not an array, it records a wrong type and returns
// false.
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
	r.limitDepth(r.dec.StackDepth())
	return r.err == nil
}

// limitDepth ends the reading with an error if depth exceeds MaxDepth.
func (r *Reader) limitDepth(depth int) {
	if r.err == nil && depth > MaxDepth {
		r.err = malformedJSON("The JSON nests deeper than %d levels.", MaxDepth)
	}
}

// expectKind reports whether the next value has the given kind. Otherwise it records a wrong type and skips the value.
func (r *Reader) expectKind(kind jsontext.Kind, want string) bool {
	if r.err != nil {
		return false
	}
	if r.dec.PeekKind() == kind {
		return true
	}
	r.WrongType(want)
	return false
}

// WrongType records that the next value has the wrong type, and skips it.
func (r *Reader) WrongType(want string) {
	if r.err != nil {
		return
	}
	next := r.dec.PeekKind()
	if next == 0 {
		r.readToken() // records the syntax error
		return
	}
	r.Failf("wrong_type", "%s must be %s, not %s.", r.subject(), want, jsonKindName(next))
	r.Skip()
}

func (r *Reader) subject() string {
	if len(r.path) == 0 {
		return r.rootName
	}
	return "This"
}

func jsonKindName(k jsontext.Kind) string {
	return map[jsontext.Kind]string{'n': "null", 't': "true or false", 'f': "true or false", '"': "a string",
		'0': "a number", '{': "an object", '[': "a list"}[k]
}

// Skip skips the next value, of any size. It still fails if the value nests too deep.
func (r *Reader) Skip() {
	depth := r.dec.StackDepth()
	for r.err == nil {
		r.readToken()
		r.limitDepth(r.dec.StackDepth())
		if r.dec.StackDepth() <= depth {
			return
		}
	}
}

// Null reports whether the next value is null, and skips it if so.
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
	kind := r.dec.PeekKind()
	if kind != 't' && kind != 'f' {
		r.WrongType("true or false")
		return false, false
	}
	r.readToken()
	return kind == 't', r.err == nil
}

// Number reads a number and returns it as written.
func (r *Reader) Number() (string, bool) {
	if !r.expectKind('0', "a number") {
		return "", false
	}
	return r.readScalar()
}

// String reads a string. A control character other than tab and newline breaks the rule "control_character".
func (r *Reader) String() (string, bool) {
	if !r.expectKind('"', "a string") {
		return "", false
	}
	return r.readCleanString()
}

// StringOrNumber reads a string, or a number as written.
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
	r.WrongType("a string or a number")
	return "", false
}

// Raw reads any value and returns a copy of its JSON text.
func (r *Reader) Raw() ([]byte, bool) {
	if !r.isStream {
		return r.captureValue()
	}
	depth := r.dec.StackDepth()
	v := r.readValue()
	r.limitDepth(depth + jsonDepth(v))
	if r.err != nil {
		return nil, false
	}
	return bytes.Clone(v), true
}

// captureValue skips the next value, so that all its members are counted, and returns a copy of its text.
func (r *Reader) captureValue() ([]byte, bool) {
	if r.err != nil {
		return nil, false
	}
	from := r.dec.InputOffset()
	r.input.captured = append(make([]byte, 0, 64), r.dec.UnreadBuffer()...)
	r.Skip()
	text := r.input.captured
	r.input.captured = nil
	if r.err != nil {
		return nil, false
	}
	// The text begins with what separates the value from the one before it.
	text = bytes.TrimLeft(text[:r.dec.InputOffset()-from], " \t\r\n:,")
	return bytes.Clone(text), true
}

// readValue reads the next value. The result is valid until the next read.
func (r *Reader) readValue() jsontext.Value {
	if r.err != nil {
		return nil
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		r.setDecodeError(err)
		return nil
	}
	r.input.consumed = r.dec.InputOffset()
	return v
}

// jsonDepth returns the nesting depth of a valid value.
func jsonDepth(v []byte) int {
	depth := 0
	deepest := 0
	inString := false
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

func (r *Reader) readCleanString() (string, bool) { return r.readCleanText(false) }

// readCleanText reads a string, or the name of a member, and checks it for control characters.
func (r *Reader) readCleanText(name bool) (string, bool) {
	read := r.readScalar
	if name {
		read = r.readMemberName
	}

	s, ok := read()
	if !ok || !r.Check(checkCharacters(s)) {
		return "", false
	}
	return s, true
}

// readScalar reads the next string or number. It returns a number as written and a string unquoted.
func (r *Reader) readScalar() (string, bool) {
	v := r.readValue()
	if r.err != nil || v[0] != '"' {
		return string(v), r.err == nil
	}
	return unquoteJSON(v), true
}

func unquoteJSON(v []byte) string {
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	// This cannot fail: the decoder has validated the string.
	s, _ := jsontext.AppendUnquote(nil, v)
	return string(s)
}

func (r *Reader) readMemberName() (string, bool) {
	v := r.readValue()
	r.checkName(v)
	if r.err != nil {
		return "", false
	}
	return internName(v), true
}

// checkName checks the name of a member that was just read, and limits the number of members of its object.
func (r *Reader) checkName(v []byte) {
	if r.err != nil {
		return
	}
	depth := r.dec.StackDepth()
	switch _, n := r.dec.StackIndex(depth); { // n counts the names and the values of the object so far
	case n > 2*MaxMembers:
		r.err = fault.New(fault.Malformed, "too_many_members",
			"An object of the JSON has more than %d members, at %s.", MaxMembers, r.positionOfName(v))
	case len(v) > maxNameBytes:
		r.err = malformedJSON("The name of a member is longer than %d bytes, at %s.", maxNameBytes-2,
			r.positionOfName(v))
	case r.isStream && !r.addName(depth, unquoteJSON(v), n == 1):
		r.err = malformedJSON("The JSON has the same member twice in one object, at %s.", r.positionOfName(v))
	}
}

// addName adds the name of a member of the object at the given depth, and reports whether the object did not have it.
// The parameter first is true for the first member of an object.
func (r *Reader) addName(depth int, name string, first bool) bool {
	for len(r.names) <= depth {
		r.names = append(r.names, nil)
	}
	if first {
		r.names[depth] = map[string]bool{}
	}
	had := r.names[depth][name]
	r.names[depth][name] = true
	return !had
}

// atName reports whether the next token is the name of a member.
func (r *Reader) atName() bool {
	kind, n := r.dec.StackIndex(r.dec.StackDepth())
	return kind == '{' && n%2 == 0 && r.dec.PeekKind() == '"'
}

// internName returns the name of a member. It does not allocate for the most frequent names.
func internName(v []byte) string {
	switch string(v) {
	case `"id"`:
		return "id"
	case `"name"`:
		return "name"
	}
	return unquoteJSON(v)
}

func (r *Reader) readToken() {
	if r.err != nil {
		return
	}
	if r.atName() {
		r.checkName(r.readValue())
		return
	}
	if _, err := r.dec.ReadToken(); err != nil {
		r.setDecodeError(err)
		return
	}
	r.input.consumed = r.dec.InputOffset()
}

// setDecodeError converts an error of the decoder to a Malformed fault. Errors of the transport, such as a body over
// its limit or a disconnected client, are kept unchanged.
func (r *Reader) setDecodeError(err error) {
	if r.err != nil {
		return
	}

	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(r.input.err, errTokenTooLong):
		r.err = malformedJSON("%s is longer than %d bytes.", r.tokenName, r.input.limit)
	case r.input.err != nil:
		// The error of the input takes precedence over err. The decoder wraps it, or loses it if the same Read also
		// returned bytes.
		r.err = r.input.err
	case errors.Is(err, io.EOF) && r.dec.InputOffset() == 0:
		r.err = malformedJSON("The body is empty; a JSON document is expected.")
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		r.err = r.endFault()
	case errors.As(err, &syntax):
		r.err = r.syntaxFault(syntax)
	default:
		r.err = err
	}
}

// endFault returns the fault of JSON that is cut off. For an item, the number of its bytes would not help.
func (r *Reader) endFault() error {
	at := r.positionOf(r.input.read)
	if r.input.whole != nil {
		return malformedJSON("The JSON ends in the middle, at %s.", at)
	}
	return malformedJSON("The JSON ends in the middle, at %s, after %d bytes.", at, r.input.read)
}

// syntaxFault returns the fault of malformed JSON. It names the line, the column and the character.
func (r *Reader) syntaxFault(e *jsontext.SyntacticError) error {
	at := r.positionOf(e.ByteOffset)
	rest := r.unreadFrom(e.ByteOffset)

	if e.ByteOffset < headBytes {
		if bytes.HasPrefix(r.input.head, []byte{0xEF}) { // no valid JSON starts with this byte
			return malformedJSON("The JSON begins with a byte order mark; save it as UTF-8 without one.")
		}
		if err := CheckEncoding(r.input.head); err != nil {
			return err
		}
	}

	switch _, size := utf8.DecodeRune(rest); {
	case errors.Is(e.Err, jsontext.ErrDuplicateName):
		return malformedJSON("The JSON has the same member twice in one object, at %s.", at)
	case size == 1 && rest[0] >= utf8.RuneSelf && utf8.FullRune(rest):
		return malformedJSON("The JSON is not UTF-8 at %s, at %s.%s", at, describeCharacter(rest), charsetHint(rest))
	}

	return malformedJSON("The JSON is malformed at %s, at %s: %s.", at, describeCharacter(rest), syntaxReason(e))
}

// quotedPattern matches what a message of the decoder quotes from the document, which may be a secret. What a message
// quotes in parentheses is what the decoder expected.
var quotedPattern = regexp.MustCompile("^(invalid character )?.*?('(\\\\.[0-9a-fA-F]*|[^\\\\'])'|`[^`]*`) ?")

// syntaxReason returns the decoder's message without the part of the document that it quotes.
func syntaxReason(e *jsontext.SyntacticError) string {
	s := ""
	if e.Err != nil {
		s = e.Err.Error()
	}

	if m := quotedPattern.FindStringSubmatchIndex(s); m != nil {
		before := ""
		if m[2] < 0 { // it is not about a single character, which the caller names
			before = s[:m[4]]
		}
		s = strings.TrimSpace(before + s[m[1]:])
	}

	switch {
	case s == "at start of value":
		return "no value begins with it"
	case s == "" || !utf8.ValidString(s) || len(s) > 100:
		return "it is no JSON"
	}

	return s
}

func malformedJSON(message string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_json", message, args...)
}

// IsObject reports whether the next value is an object. It does not read the value.
func (r *Reader) IsObject() bool { return r.err == nil && r.dec.PeekKind() == '{' }

// IsNumber reports whether the next value is a number. It does not read the value.
func (r *Reader) IsNumber() bool { return r.err == nil && r.dec.PeekKind() == '0' }

// IsArray reports whether the next value is a list. It does not read the value.
func (r *Reader) IsArray() bool { return r.err == nil && r.dec.PeekKind() == '[' }
