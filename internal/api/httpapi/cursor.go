package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// Cursor is a position in a list that only grows, and the number of elements to read from there.
type Cursor struct {
	// At is the number of the last element that the client has read; 0 is the beginning.
	At      int64
	PerPage int64

	route string
	// plain is true if clients see the number itself instead of an opaque text.
	plain bool
}

// Cursor returns the position that the query parameter cursor names. A cursor is bound to its route: a cursor of
// another list is malformed.
func (r *Request) Cursor() Cursor {
	c := Cursor{PerPage: r.positiveParam("per_page", DefaultPerPage, MaxPerPage), route: r.Pattern}
	text, given := r.Param("cursor")
	if !given {
		return c
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != 12 || binary.BigEndian.Uint32(b[8:]) != c.checksum(b[:8]) {
		r.BadParam("cursor", "must be a meta.next_cursor of this list; leave it out to begin")
		return c
	}
	c.At = int64(binary.BigEndian.Uint64(b))
	return c
}

// SequenceCursor is Cursor for a list whose elements show the numbers that order it. Its text is such a number. So a
// client that has read to the end can continue later after the last element that it has.
func (r *Request) SequenceCursor() Cursor {
	c := Cursor{PerPage: r.positiveParam("per_page", DefaultPerPage, MaxPerPage), plain: true}
	text, _ := r.Param("cursor")
	if text == "" { // an empty cursor is what a client sends whose stored sequence is still unset
		return c
	}
	var err error
	if c.At, err = strconv.ParseInt(text, 10, 64); err != nil || c.At < 0 || text[0] == '+' {
		r.BadParam("cursor", "must be the sequence of the last event that you know, "+
			"or a meta.next_cursor of this list; leave it out to begin")
	}
	return c
}

// encode encodes a position for clients.
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

// CursorMeta is the meta of a list by cursor.
type CursorMeta struct {
	_ struct{} `doc:"How the list goes on."`

	PerPage    int64   `json:"per_page" doc:"How many elements an answer has at most." minimum:"1" maximum:"250" example:"50"`
	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to read on; null if this is the end." example:"AAAAAAAAAAdbxSRh"`
}

// appendCursorMeta appends the member meta of a list by cursor. next is the number of the last element in this
// response, or 0 if the list has no more elements.
func (a *Response) appendCursorMeta(c Cursor, next int64) {
	meta := CursorMeta{PerPage: c.PerPage}
	if next != 0 {
		meta.NextCursor = new(c.encode(next))
	}
	a.AppendMeta(meta)
}
