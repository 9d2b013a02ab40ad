package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"vitrine/internal/kit/fault"
)

// maxInMemory is how many bytes of a body or response are held in memory. A longer one is spilled to a temporary file.
const maxInMemory = 1 << 20

// Buffer holds the bytes of one body or one response of any length in bounded memory. Callers append to B and call
// Spill between appends.
type Buffer struct {
	B    []byte
	dir  string
	file *os.File
	size int64 // length of the file in bytes
	pool *sync.Pool
}

// newBuffer returns an empty buffer. It reuses the memory of a closed buffer if the pool has any.
func (s *Server) newBuffer() *Buffer {
	b := &Buffer{dir: s.SpoolDir, pool: &s.buffers}
	if mem, ok := s.buffers.Get().(*[]byte); ok {
		b.B = (*mem)[:0]
	}
	return b
}

// newBuffer returns an empty buffer that the server closes after the handler has returned.
func (r *Request) newBuffer() *Buffer {
	b := r.server.newBuffer()
	r.buffers = append(r.buffers, b)
	return b
}

// Close returns the memory to the pool and closes the file.
func (b *Buffer) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if mem := b.B; cap(mem) > 0 && cap(mem) <= maxInMemory {
		mem = mem[:0]
		b.pool.Put(&mem)
	}
	b.B, b.file = nil, nil
}

// Reset empties the buffer. It keeps the memory and the file for reuse.
func (b *Buffer) Reset() error {
	b.B, b.size = b.B[:0], 0
	if b.file == nil {
		return nil
	}
	return b.file.Truncate(0)
}

// Spill moves the bytes from memory to the file if there are at least maxInMemory of them. Once the file exists, a
// quarter of maxInMemory is enough.
func (b *Buffer) Spill() error {
	if len(b.B) < maxInMemory && (b.file == nil || len(b.B) < maxInMemory/4) {
		return nil
	}
	return b.appendToFile()
}

func (b *Buffer) appendToFile() error {
	if b.file == nil {
		f, err := os.CreateTemp(b.dir, "spool-*")
		if err != nil {
			return spoolFault(err)
		}
		// An unlinked file is deleted when it is closed, even if the process crashes.
		_ = os.Remove(f.Name())
		b.file = f
	}
	n, err := b.file.WriteAt(b.B, b.size)
	b.size += int64(n)
	b.B = b.B[:0]
	if err != nil {
		return spoolFault(err)
	}
	return nil
}

func spoolFault(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fault.Unavailable, "disk_full",
			"The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return fmt.Errorf("spool: %w", err)
}

// Len returns the number of bytes in the file and in memory.
func (b *Buffer) Len() int64 { return b.size + int64(len(b.B)) }

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.B = append(b.B, p...)
	return len(p), b.Spill()
}

// Section returns a reader of n bytes from offset on. Several sections may be open at once. They are valid until the
// next write to the buffer.
func (b *Buffer) Section(offset, n int64) io.ReadSeeker {
	if b.file == nil {
		return bytes.NewReader(b.B[offset : offset+n])
	}
	return io.NewSectionReader(b.file, offset, n)
}

// Reader returns a reader of all bytes.
func (b *Buffer) Reader() io.ReadSeeker { return b.Section(0, b.Len()) }

// flush moves the rest of a spilled buffer to its file. It must be called before Section, which reads only the file of
// such a buffer.
func (b *Buffer) flush() error {
	if b.file == nil || len(b.B) == 0 {
		return nil
	}
	return b.appendToFile()
}
