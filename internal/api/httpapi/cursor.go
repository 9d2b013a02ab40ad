package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// Cursor is a place in a list that grows for ever, and how much is asked for from there on.
type Cursor struct {
	// At is the number that the last answer ended with; 0 is the beginning.
	At      int64
	PerPage int64

	route string
	// plain says that clients see the number itself.
	plain bool
}

// Cursor returns the place that the query asks for. The text is for this route only: a cursor of another list is malformed.
func (r *Request) Cursor() (Cursor, error) {
	c := Cursor{PerPage: DefaultPerPage, route: r.Pattern}
	if err := r.positive("per_page", &c.PerPage, MaxPerPage); err != nil {
		return c, err
	}
	text, err := r.Param("cursor")
	if err != nil || !r.query.Has("cursor") {
		return c, err
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != 12 || binary.BigEndian.Uint32(b[8:]) != c.check(b[:8]) {
		return c, badParam("cursor", "must be a meta.next_cursor of this list; leave it out to begin")
	}
	c.At = int64(binary.BigEndian.Uint64(b))
	return c, nil
}

// SequenceCursor is Cursor for a list whose elements show the numbers that order it. The text is such a number, so who has read to the end
// goes on later behind the last element that they know.
func (r *Request) SequenceCursor() (Cursor, error) {
	c := Cursor{PerPage: DefaultPerPage, plain: true}
	if err := r.positive("per_page", &c.PerPage, MaxPerPage); err != nil {
		return c, err
	}
	text, err := r.Param("cursor")
	if err != nil || text == "" { // as one begins who keeps the last sequence in a variable
		return c, err
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil || at < 0 || text[0] == '+' {
		return c, badParam("cursor", "must be the sequence of the last event that you know, or a meta.next_cursor of this list; leave it out to begin")
	}
	c.At = at
	return c, nil
}

// text is how a place looks to clients.
func (c Cursor) text(at int64) string {
	if c.plain {
		return strconv.FormatInt(at, 10)
	}
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 12), uint64(at))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(b, c.check(b)))
}

// check tells a cursor from one that was made up, or that is of another list.
func (c Cursor) check(at []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(c.route)), crc32.IEEETable, at)
}

// CursorMeta is how a list that grows for ever goes on.
type CursorMeta struct {
	_ struct{} `doc:"How the list goes on."`

	PerPage    int64   `json:"per_page" doc:"How many elements an answer has at most." minimum:"1" maximum:"250" example:"50"`
	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to read on; null if this is the end." example:"AAAAAAAAAAdbxSRh"`
}

// MetaCursor appends the meta behind the list of data: next is the number that the list ended with, 0 at the end.
func (a *Response) MetaCursor(c Cursor, next int64) {
	meta := CursorMeta{PerPage: c.PerPage}
	if next != 0 {
		meta.NextCursor = new(c.text(next))
	}
	a.MetaOf(meta)
}
