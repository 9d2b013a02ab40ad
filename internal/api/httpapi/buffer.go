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

// inMemory is how much of a body or an answer is held in memory; what is longer lives in an unnamed file.
const inMemory = 1 << 20

// Buffer holds the bytes of one body or one answer of any length in bounded memory. Append to B and call Spill now and then.
type Buffer struct {
	B    []byte
	dir  string
	file *os.File
	size int64 // of what is in the file
	pool *sync.Pool
}

// newBuffer takes memory that an earlier request gave back.
func (s *Server) newBuffer() *Buffer {
	b := &Buffer{dir: s.SpoolDir, pool: &s.buffers}
	if mem, ok := s.buffers.Get().(*[]byte); ok {
		b.B = (*mem)[:0]
	}
	return b
}

// Close gives the memory and the file back.
func (b *Buffer) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if mem := b.B; cap(mem) > 0 && cap(mem) <= inMemory {
		mem = mem[:0]
		b.pool.Put(&mem)
	}
	b.B, b.file = nil, nil
}

// Reset empties the buffer.
func (b *Buffer) Reset() error {
	b.B, b.size = b.B[:0], 0
	if b.file == nil {
		return nil
	}
	return b.file.Truncate(0)
}

// Spill moves what is in memory to the file once it is long.
func (b *Buffer) Spill() error {
	if len(b.B) < inMemory && (b.file == nil || len(b.B) < inMemory/4) {
		return nil
	}
	return b.toFile()
}

func (b *Buffer) toFile() error {
	if b.file == nil {
		f, err := os.CreateTemp(b.dir, "spool-*")
		if err != nil {
			return spoolFault(err)
		}
		// Nobody needs its name, and without one it cannot be left behind.
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
		return fault.New(fault.Unavailable, "disk_full", "The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return fmt.Errorf("spool: %w", err)
}

// Len returns the number of bytes.
func (b *Buffer) Len() int64 { return b.size + int64(len(b.B)) }

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.B = append(b.B, p...)
	return len(p), b.Spill()
}

// Section reads n bytes from an offset on; it may be called again and again, but not while the buffer is written to.
func (b *Buffer) Section(offset, n int64) io.ReadSeeker {
	if b.file == nil {
		return bytes.NewReader(b.B[offset : offset+n])
	}
	return io.NewSectionReader(b.file, offset, n)
}

// Reader reads it all from the start.
func (b *Buffer) Reader() io.ReadSeeker { return b.Section(0, b.Len()) }

// settle makes a spilled buffer readable as a whole.
func (b *Buffer) settle() error {
	if b.file == nil || len(b.B) == 0 {
		return nil
	}
	return b.toFile()
}
