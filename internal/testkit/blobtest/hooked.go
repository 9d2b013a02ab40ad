package blobtest

import (
	"context"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
)

// HookedStore is a blob store that calls a hook before each Put and Remove. If the hook returns an error, the method
// returns that error and changes nothing.
type HookedStore struct {
	blob.Store
	BeforePut    func(name string) error
	BeforeRemove func(folder string) error
	// Puts counts the calls of Put, including failed ones.
	Puts atomic.Int64
}

// Put calls BeforePut, then the store.
func (h *HookedStore) Put(ctx context.Context, name string, content []byte) error {
	h.Puts.Add(1)
	if h.BeforePut != nil {
		if err := h.BeforePut(name); err != nil {
			return err
		}
	}
	return h.Store.Put(ctx, name, content)
}

// Remove calls BeforeRemove, then the store.
func (h *HookedStore) Remove(ctx context.Context, folder string) error {
	if h.BeforeRemove != nil {
		if err := h.BeforeRemove(folder); err != nil {
			return err
		}
	}
	return h.Store.Remove(ctx, folder)
}

// Unavailable is a hook that fails like a blob store that cannot be reached.
func Unavailable(string) error {
	return fault.New(fault.Unavailable, "file_storage_unavailable", "The storage cannot be reached.").After(time.Second)
}
