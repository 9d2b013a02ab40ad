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
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// maxInMemory is how many bytes of a body or response are held in memory. A longer one is spilled to a temporary
	// file.
	maxInMemory = 1 << 20
	// minBuffer is the capacity of a new buffer of a body, and the room that it has at least for the next Read.
	minBuffer, minRead = 4 << 10, 512
	// maxBodyBuffer is the capacity up to which the memory of a body is reused. It is small: a body may hold its buffer
	// for as long as its client likes, and the memory of a short one should be short, too.
	maxBodyBuffer = 64 << 10
)

// Buffer holds the bytes of one body or one response of any length in bounded memory. Callers append to B and call
// Spill between appends. The memory and the bytes of the file are counted in shares of the server's budget.
type Buffer struct {
	B      []byte
	dir    string
	file   *os.File
	size   int64 // length of the file in bytes
	pool   *sync.Pool
	pooled int // the capacity up to which the pool takes the memory
	share  *memory.Share
	// isResponse is true for the buffer of a response. The work for it is done, so it is rather written to a file than
	// refused.
	isResponse bool
	memory     *memory.Grant
	spool      *memory.Grant
}

// newBuffer returns an empty buffer. It reuses the memory of a closed buffer if the pool has any.
func newBuffer(r *Request, share *memory.Share, pool *sync.Pool, pooled int) *Buffer {
	b := &Buffer{dir: r.server.SpoolDir, pool: pool, pooled: pooled, share: share, memory: share.Open(r.owner()),
		spool: r.server.Memory.Spool.Open(r.owner())}
	if mem, ok := pool.Get().(*[]byte); ok {
		b.B = (*mem)[:0]
	}
	return b
}

// newBodyBuffer returns an empty buffer for a part of the body. The server closes it after the handler has returned.
func (r *Request) newBodyBuffer() *Buffer {
	b := newBuffer(r, r.server.Memory.Bodies, &r.server.bodyBuffers, maxBodyBuffer)
	r.buffers = append(r.buffers, b)
	return b
}

// owner returns on whose behalf the request holds memory.
func (r *Request) owner() memory.Owner {
	if r.memoryOwner == (memory.Owner{}) {
		r.memoryOwner = store.MemoryOwner(r.Principal.Store.ID)
		r.memoryOwner.Address = r.Address()
		switch r.Principal.Kind {
		case access.SecretKey, access.ExchangeToken, access.OperatorSession, access.FeedKey:
		default:
			r.memoryOwner.Visitor = true
		}
	}
	return r.memoryOwner
}

// Close returns the memory to the pool and closes the file.
func (b *Buffer) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	b.recycle()
	b.file = nil
	b.memory.Release()
	b.spool.Release()
}

// recycle returns the memory to the pool.
func (b *Buffer) recycle() {
	if mem := b.B; cap(mem) > 0 && cap(mem) <= b.pooled {
		mem = mem[:0]
		b.pool.Put(&mem)
	}
	b.B = nil
}

// seal ends the writing of a response. It moves the rest of a spilled one to its file, and acquires the memory of
// another one: a slow client may make the server hold it for long. If the share is getting full, seal first moves a
// short response out of a large buffer. A response for whose memory there is no room is spilled.
func (b *Buffer) seal() error {
	switch {
	case b.file != nil:
		return b.flush()
	case len(b.B) == 0:
		b.recycle()
		b.memory.Release()
		return nil
	}

	if cap(b.B) > minBuffer && cap(b.B) > 2*len(b.B) && b.share.Used() > b.share.Limit()/16 {
		exact := bytes.Clone(b.B)
		b.recycle()
		b.B = exact
		b.memory.Shrink(int64(cap(exact)))
	}

	if b.memory.Grow(int64(cap(b.B))) != nil {
		return b.appendToFile()
	}

	return nil
}

// grow makes room for n more bytes. It acquires the memory before it allocates it.
func (b *Buffer) grow(n int) error {
	need := len(b.B) + n
	size := cap(b.B)
	if need > size {
		size = max(need, minBuffer, min(2*size, maxInMemory+minBuffer))
	}
	if err := b.memory.Grow(int64(size)); err != nil {
		return err
	}
	if size > cap(b.B) {
		b.B = append(make([]byte, 0, size), b.B...)
	}
	return nil
}

// readFrom appends the bytes of src until its end, and calls seen with each part. It returns errTooLarge if the buffer
// has more than limit bytes then, unless limit is Unlimited.
func (b *Buffer) readFrom(src io.Reader, limit int64, seen func(part []byte)) error {
	for {
		if err := b.grow(minRead); err != nil {
			return err
		}

		before := len(b.B)
		n, err := src.Read(b.B[before:cap(b.B)])
		b.B = b.B[:before+n]
		seen(b.B[before:])

		if limit != Unlimited && b.Len() > limit {
			return errTooLarge
		}
		if spilled := b.Spill(); spilled != nil {
			return spilled
		}

		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// Reset empties the buffer. It keeps the memory and the file for reuse.
func (b *Buffer) Reset() error {
	b.B = b.B[:0]
	b.size = 0
	if b.file == nil {
		return nil
	}
	err := b.file.Truncate(0)
	b.spool.Release()
	return err
}

// Spill moves the bytes from memory to the file if there are at least maxInMemory of them. Once the file exists, a
// quarter of maxInMemory is enough. A response is also moved if there is no room for its memory. Spill returns a fault
// if the budget has no room for the bytes.
func (b *Buffer) Spill() error {
	if err := b.memory.Grow(int64(len(b.B))); err != nil {
		if !b.isResponse {
			return err
		}
		return b.appendToFile()
	}
	if len(b.B) < maxInMemory && (b.file == nil || len(b.B) < maxInMemory/4) {
		return nil
	}
	return b.appendToFile()
}

func (b *Buffer) appendToFile() error {
	if err := b.spool.Grow(b.size + int64(len(b.B))); err != nil {
		return err
	}

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
	if err := b.grow(len(p)); err != nil {
		return 0, err
	}
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
