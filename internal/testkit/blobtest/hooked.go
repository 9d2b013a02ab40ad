package blobtest

import (
	"context"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
)

// Hooked is a blob store that calls a function before it puts or removes. A function that returns an error keeps the
// store from doing so.
type Hooked struct {
	blob.Store
	BeforePut    func(name string) error
	BeforeRemove func(folder string) error
	// Puts counts the calls of Put, failed ones too.
	Puts atomic.Int64
}

// Put calls BeforePut, then the store.
func (h *Hooked) Put(ctx context.Context, name string, content []byte) error {
	h.Puts.Add(1)
	if h.BeforePut != nil {
		if err := h.BeforePut(name); err != nil {
			return err
		}
	}
	return h.Store.Put(ctx, name, content)
}

// Remove calls BeforeRemove, then the store.
func (h *Hooked) Remove(ctx context.Context, folder string) error {
	if h.BeforeRemove != nil {
		if err := h.BeforeRemove(folder); err != nil {
			return err
		}
	}
	return h.Store.Remove(ctx, folder)
}

// Unavailable is a hook that fails as a store does that cannot be reached.
func Unavailable(string) error {
	return fault.New(fault.Unavailable, "file_storage_unavailable", "The storage cannot be reached.").After(time.Second)
}
