package database

import (
	"context"
	"reflect"

	"github.com/ncruces/go-sqlite3"
)

// maxReadMemory is how much memory a read connection may keep between two reads. Its page cache and its cached
// statements take about half of it.
const maxReadMemory = 24 << 20

// memoryOf returns how many bytes SQLite has taken for a connection. That memory is not part of Go's heap, and it never
// shrinks while the connection is open. The driver knows its size but does not export it, so memoryOf looks inside; it
// returns 0 if the driver has changed.
func memoryOf(c *sqlite3.Conn) int64 {
	value := reflect.ValueOf(c)
	for _, field := range []string{"wrp", "Memory", "Buf"} {
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.Kind() != reflect.Struct {
			return 0
		}
		value = value.FieldByName(field)
	}
	if value.Kind() != reflect.Slice {
		return 0
	}
	return int64(value.Len())
}

// returnReader makes a read connection available to the next read. If a read has made it take more memory than it may
// keep, a new one takes its place.
func (e *sqliteEngine) returnReader(c *sqliteConn) {
	e.countMemory(c)
	if c.memory > maxReadMemory {
		if fresh, err := e.connect(context.Background(), true); err == nil { // otherwise the next read tries again
			e.readMemory.Add(-c.memory)
			_ = c.shutdown() // it only read
			c = fresh
			e.countMemory(c)
		}
	}
	e.idleReaders <- c
}

// countMemory updates what is known of the memory of a read connection, which the caller uses.
func (e *sqliteEngine) countMemory(c *sqliteConn) {
	now := memoryOf(c.Conn)
	e.readMemory.Add(now - c.memory)
	c.memory = now
}
