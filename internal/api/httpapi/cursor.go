package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// Cursor is a position in a list, and the number of elements to read from there.
type Cursor struct {
	// At is the position of the last element that the client has read; 0 is the beginning of the list.
	At      int64
	PerPage int64

	route string
	// plain is true if clients see the position as a decimal number, not as an opaque string.
	plain bool
}

// Cursor returns the position and the page size in the query parameters cursor and per_page. A cursor is bound to its
// route: a cursor of another list is malformed.
func (q *Query) Cursor() Cursor {
	c := Cursor{PerPage: q.positiveParam("per_page", DefaultPerPage, MaxPerPage), route: q.request.Pattern}
	text, given := q.Param("cursor")
	if !given {
		return c
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != 12 || binary.BigEndian.Uint32(b[8:]) != c.checksum(b[:8]) {
		q.BadParam("cursor", "must be a meta.next_cursor of this list; leave it out to begin")
		return c
	}
	c.At = int64(binary.BigEndian.Uint64(b))
	return c
}

// SequenceCursor is like Cursor, for a list whose elements contain their sequence number. The query parameter is such a
// number, so a client that has read to the end can later continue after the last element that it knows.
func (q *Query) SequenceCursor() Cursor {
	c := Cursor{PerPage: q.positiveParam("per_page", DefaultPerPage, MaxPerPage), plain: true}
	text, _ := q.Param("cursor")
	if text == "" { // a client without a stored sequence may send an empty cursor
		return c
	}
	var err error
	if c.At, err = strconv.ParseInt(text, 10, 64); err != nil || c.At < 0 || text[0] == '+' {
		q.BadParam("cursor", "must be the sequence of the last event that you know, "+
			"or a meta.next_cursor of this list; leave it out to begin")
	}
	return c
}

// encode returns the cursor that clients send for the position at.
func (c Cursor) encode(at int64) string {
	if c.plain {
		return strconv.FormatInt(at, 10)
	}
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 12), uint64(at))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(b, c.checksum(b)))
}

// checksum returns a checksum of the route and the position. It detects cursors that are invented or belong to another
// list.
func (c Cursor) checksum(at []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(c.route)), crc32.IEEETable, at)
}

// CursorMeta is the member meta of a list that clients read by cursor.
type CursorMeta struct {
	_ struct{} `doc:"How the list goes on."`

	PerPage    int64   `json:"per_page" doc:"How many elements an answer has at most." minimum:"1" maximum:"250" example:"50"`
	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to read on; null if this is the end." example:"AAAAAAAAAAdbxSRh"`
}

// appendCursorMeta appends the member meta of a list that clients read by cursor. next is the position of the last
// element in this response, or 0 if the list has no more elements.
func (a *Response) appendCursorMeta(c Cursor, next int64) {
	meta := CursorMeta{PerPage: c.PerPage}
	if next != 0 {
		meta.NextCursor = new(c.encode(next))
	}
	a.AppendMeta(meta)
}

// StateCursor returns the state of the query parameter cursor, for lists whose position is more than a number. It is
// nil at the beginning of the list. A cursor is bound to its route, as in Cursor.
func (q *Query) StateCursor(length int) []byte {
	text, given := q.Param("cursor")
	if !given {
		return nil
	}
	c := Cursor{route: q.request.Pattern}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != length+4 || binary.BigEndian.Uint32(b[length:]) != c.checksum(b[:length]) {
		q.BadParam("cursor", "must be a meta.next_cursor of this list; leave it out to begin")
		return nil
	}
	return b[:length]
}

// EncodeStateCursor returns the cursor that clients send for a state of StateCursor.
func (q *Query) EncodeStateCursor(state []byte) string {
	c := Cursor{route: q.request.Pattern}
	b := binary.BigEndian.AppendUint32(append([]byte(nil), state...), c.checksum(state))
	return base64.RawURLEncoding.EncodeToString(b)
}
