package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Position is a place in a text: the number of line feeds before it, and the number of characters since the last one.
type Position struct{ line, column int64 }

// StartOfLine returns the position of the first character of a line. Lines are numbered from 1.
func StartOfLine(n int64) Position { return Position{line: n - 1} }

// After returns the position after text, which begins at p. It counts every byte that does not continue a UTF-8
// sequence as a character, so a text may be cut anywhere and need not be valid.
func (p Position) After(text []byte) Position {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		p.line += int64(bytes.Count(text, []byte{'\n'}))
		p.column = 0
		text = text[i+1:]
	}
	p.column += countCharacters(text)
	return p
}

func countCharacters(text []byte) (n int64) {
	for _, c := range text {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

// String names the position for people, who count lines and columns from 1.
func (p Position) String() string { return fmt.Sprintf("line %d, column %d", p.line+1, p.column+1) }

// maxChunk limits the bytes of one Read, of which positionTracker keeps a copy.
const maxChunk = 64 << 10

// positionTracker computes positions in a stream of which the decoder has discarded the beginning. It keeps a copy of
// the last chunk only. When a chunk is read, the decoder buffers what follows the last complete token, an incomplete
// token. So the end of the last token before an error is either the same as when the last chunk was read, or it is in
// that chunk.
type positionTracker struct {
	chunk       []byte
	chunkOffset int64
	// known is the position of knownOffset, the largest offset in the chunk whose position was computed. So positions
	// of increasing offsets take one pass over the chunk.
	knownOffset int64
	known       Position
	tokenOffset int64 // end of the last complete token when the chunk was read
	tokenEnd    Position
}

// add records that the decoder has read chunk, when it had consumed the given number of bytes.
func (t *positionTracker) add(chunk []byte, consumed int64) {
	t.tokenEnd = t.at(consumed)
	t.tokenOffset = consumed
	t.advance(t.chunkOffset + int64(len(t.chunk)))
	t.chunkOffset = t.knownOffset
	t.chunk = append(t.chunk[:0], chunk...)
}

// at returns the position of an offset: the end of the last complete token, or an offset in the last chunk. In a chunk,
// the offsets must not decrease from call to call.
func (t *positionTracker) at(offset int64) Position {
	if offset <= t.tokenOffset {
		return t.tokenEnd
	}
	t.advance(min(offset, t.chunkOffset+int64(len(t.chunk))))
	return t.known
}

// advance sets known to the position of an offset in the chunk.
func (t *positionTracker) advance(offset int64) {
	if offset > t.knownOffset {
		t.known = t.known.After(t.chunk[t.knownOffset-t.chunkOffset : offset-t.chunkOffset])
		t.knownOffset = offset
	}
}

// NextPosition returns the position of the next element of an array. The function that Array calls may call it before
// it reads the element: Array has buffered the first character.
func (r *Reader) NextPosition() Position {
	if r.err != nil {
		return Position{}
	}
	at := r.dec.InputOffset()
	unread := r.dec.UnreadBuffer()
	value := bytes.TrimLeft(unread, " \t\r\n:,")
	return r.positionOf(at + int64(len(unread)-len(value)))
}

// SetStart sets the position of the document's first character, for messages about malformed JSON. It is for an item
// that is a part of a longer text.
func (r *Reader) SetStart(p Position) { r.start = p }

// positionOf returns the position of an offset that is not before the end of the last complete token.
func (r *Reader) positionOf(offset int64) Position {
	if r.input.whole != nil {
		return r.start.After(r.input.whole[:min(offset, int64(len(r.input.whole)))])
	}
	at := r.dec.InputOffset()
	unread := r.dec.UnreadBuffer()
	return r.input.positions.at(at).After(unread[:max(0, min(offset-at, int64(len(unread))))])
}

// positionOfName returns the position of the name of a member that was just read.
func (r *Reader) positionOfName(name []byte) Position {
	p := r.positionOf(r.dec.InputOffset())
	p.column -= countCharacters(name) // a name has no line feeds
	return p
}

// unreadFrom returns the bytes that the decoder has buffered from an offset on.
func (r *Reader) unreadFrom(offset int64) []byte {
	unread := r.dec.UnreadBuffer()
	return unread[max(0, min(offset-r.dec.InputOffset(), int64(len(unread)))):]
}

// describeCharacter names the first character of text: 'x', U+000A or the byte 0xE2.
func describeCharacter(text []byte) string {
	c, size := utf8.DecodeRune(text)
	switch {
	case size == 0:
		return "the end"
	case c == utf8.RuneError && size == 1:
		return fmt.Sprintf("the byte 0x%02X", text[0])
	case !unicode.IsPrint(c):
		return fmt.Sprintf("the character U+%04X", c)
	}
	return "the character " + strconv.QuoteRune(c)
}
