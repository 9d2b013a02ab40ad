package exchange

import (
	"testing"

	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/store"
)

// A store could hold its part of the spool twice: by requests, and by pushes in one transaction.
func TestH7_wholePushesAndRequestsShareTheSpoolOfTheirStore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.SpoolShare = memory.NewShare("spool", "large request bodies and responses", 1<<20)
		request := s.SpoolShare.Open(store.MemoryOwner(s.Store.ID))
		if err := request.Grow(s.SpoolShare.StoreLimit()); err != nil {
			s.Fatal(err)
		}
		const body = `{"id": 1, "name": "One"}`
		run, err := s.tryPush(Products, body, ndjson, atomic)
		s.wantFault(run, err, "too_many_requests")
		request.Release()
		s.push(Products, body, ndjson, atomic)
	})
}
