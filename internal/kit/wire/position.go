package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// position is a place in a text: the number of line feeds before it, and the number of characters since the last one.
type position struct{ line, column int64 }

// after returns the position after text, which begins at p. It counts every byte that does not continue a UTF-8
// sequence as a character, so a text may be cut anywhere and need not be valid.
func (p position) after(text []byte) position {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		p.line += int64(bytes.Count(text, []byte{'\n'}))
		p.column = 0
		text = text[i+1:]
	}
	for _, c := range text {
		if c&0xC0 != 0x80 {
			p.column++
		}
	}
	return p
}

// String names the position for people, who count lines and columns from 1.
func (p position) String() string { return fmt.Sprintf("line %d, column %d", p.line+1, p.column+1) }

// maxChunk limits the bytes of one Read, of which positionTracker keeps a copy.
const maxChunk = 64 << 10

// positionTracker computes positions in a stream of which the decoder has discarded the beginning. It keeps a copy of
// the last chunk only. When a chunk is read, the decoder buffers what follows the last complete token, an incomplete
// token. So the end of the last token before an error is either the same as when the last chunk was read, or it is in
// that chunk.
type positionTracker struct {
	chunk       []byte
	chunkOffset int64
	chunkStart  position
	tokenOffset int64 // end of the last complete token when the chunk was read
	tokenEnd    position
}

// add records that the decoder has read chunk, when it had consumed the given number of bytes.
func (t *positionTracker) add(chunk []byte, consumed int64) {
	t.tokenEnd, t.tokenOffset = t.at(consumed), consumed
	t.chunkStart = t.chunkStart.after(t.chunk)
	t.chunkOffset += int64(len(t.chunk))
	t.chunk = append(t.chunk[:0], chunk...)
}

// at returns the position of an offset: the end of the last complete token, or an offset in the last chunk.
func (t *positionTracker) at(offset int64) position {
	if offset <= t.tokenOffset {
		return t.tokenEnd
	}
	return t.chunkStart.after(t.chunk[:max(0, min(offset-t.chunkOffset, int64(len(t.chunk))))])
}

// positionOf returns the position of an offset that is not before the end of the last complete token.
func (r *Reader) positionOf(offset int64) position {
	if r.input.whole != nil {
		at := position{line: r.firstLine}
		return at.after(r.input.whole[:min(offset, int64(len(r.input.whole)))])
	}
	at, unread := r.dec.InputOffset(), r.dec.UnreadBuffer()
	return r.input.positions.at(at).after(unread[:max(0, min(offset-at, int64(len(unread))))])
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
