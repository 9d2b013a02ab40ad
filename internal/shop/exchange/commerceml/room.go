package commerceml

import (
	"sync"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
)

const (
	// maxRoom is the limit of a Room, however much memory the server has. It is enough for all that the other limits of
	// this package let a file hold.
	maxRoom = 160 << 20
	// roomStep is how many bytes a Room acquires and releases at a time.
	roomStep = 64 << 10
)

// Room counts the memory that one file takes while it is read and mapped. It is acquired from a share before it is
// allocated. A Room is safe for concurrent use.
type Room struct {
	limit int64
	// reserved are bytes that are taken for good.
	reserved int64

	mu    sync.Mutex
	grant *memory.Grant
	held  int64
}

// NewRoom returns a Room of at most limit bytes, and of less than maxRoom in any case. The grant, which may be nil,
// must not be used by others until the file is read, and is released by the caller. A limit of 0 means maxRoom.
func NewRoom(grant *memory.Grant, limit int64) *Room {
	if limit <= 0 || limit > maxRoom {
		limit = maxRoom
	}
	return &Room{limit: limit, grant: grant}
}

// orDefault returns the room, or one that counts nothing in a share.
func (r *Room) orDefault() *Room {
	if r == nil {
		return NewRoom(nil, 0)
	}
	return r
}

// Reserve acquires bytes for as long as the file is read, before it is. The parts of the room are parts of the rest.
func (r *Room) Reserve(n int64) error {
	if err := r.Take(n); err != nil {
		return err
	}
	r.reserved += n
	return nil
}

// Take acquires bytes. It returns fault.TooLarge if the file would take more than the limit of the room, and
// fault.TooMany or fault.Unavailable if the share has no room now.
func (r *Room) Take(n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held+n > r.limit {
		return fault.New(fault.TooLarge, "file_needs_too_much_memory",
			"One part of the file, such as a good or an order, takes more memory than the %d MiB that the server has "+
				"for a "+
				"file. Split it, or start the server with more --memory.", max(1, r.limit>>20))
	}
	if err := r.grant.Grow((r.held + n + roomStep - 1) / roomStep * roomStep); err != nil {
		return err
	}
	r.held += n
	return nil
}

// Free releases bytes.
func (r *Room) Free(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= n
	r.grant.Shrink(r.held + roomStep)
}

// part returns the limit of something that may take an nth of the room, and at most most bytes.
func (r *Room) part(nth, most int64) int64 { return min((r.limit-r.reserved)/nth, most) }
