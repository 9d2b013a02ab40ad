package exchange

import (
	"errors"
	"io"
	"sync"
	"time"
)

// bodyStart is a body whose first bytes are read ahead by a goroutine, so that a small body is known to be complete
// before its push begins. Read returns these bytes as soon as they are there.
type bodyStart struct {
	body io.ReadCloser
	done chan struct{} // closed when the goroutine has ended

	mu       sync.Mutex
	progress *sync.Cond // the goroutine has read something
	bytes    []byte     // what the goroutine has read
	unread   []byte     // the part of bytes that Read has not returned yet
	stop     bool       // the goroutine shall end after its current Read
	ended    bool       // the goroutine does not call Read any more
	err      error      // of its last Read
}

// readBodyStart begins to read up to smallPushBytes of a body. The caller must call release in the end.
func readBodyStart(body io.ReadCloser) *bodyStart {
	b := &bodyStart{body: body, done: make(chan struct{})}
	b.progress = sync.NewCond(&b.mu)
	go func() {
		defer close(b.done)
		buf := make([]byte, smallPushBytes)
		for n, ended := 0, false; !ended; {
			read, err := body.Read(buf[n:])
			n += read
			ended = b.add(buf[:n], read, err)
		}
	}()
	return b
}

// add records the result of a Read of the goroutine, and reports whether it was the last one.
func (b *bodyStart) add(all []byte, read int, err error) (last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unread = all[len(all)-read-len(b.unread):]
	b.bytes, b.err = all, err
	b.ended = b.stop || err != nil || len(all) == cap(all)
	b.progress.Broadcast()
	return b.ended
}

// whole returns the body if it ends within smallPushWait and smallPushBytes. It must be called before Read.
func (b *bodyStart) whole() (body []byte, ok bool) {
	timeout := time.NewTimer(smallPushWait)
	defer timeout.Stop()
	select {
	case <-b.done:
	case <-timeout.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = true
	return b.bytes, b.ended && errors.Is(b.err, io.EOF)
}

// Read reads the body from its beginning.
func (b *bodyStart) Read(p []byte) (int, error) {
	if n, err := b.readUnread(p); n > 0 || err != nil {
		return n, err
	}
	return b.body.Read(p)
}

// readUnread reads what the goroutine has read, and waits for it. It returns 0 and nil if the rest of the body must be
// read by the caller.
func (b *bodyStart) readUnread(p []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.unread) == 0 && !b.ended {
		b.progress.Wait()
	}
	n = copy(p, b.unread)
	b.unread = b.unread[n:]
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// Close closes the body, which unblocks a waiting Read, and waits for the end of the goroutine.
func (b *bodyStart) Close() error {
	err := b.body.Close()
	<-b.done
	return err
}

// release closes the body if the goroutine still waits for it.
func (b *bodyStart) release() {
	select {
	case <-b.done:
	default:
		_ = b.Close()
	}
}
