package onec

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// maxContactText limits the texts of a Contact, in characters.
const maxContactText = 500

// Contact is the last request of 1C, and what it was answered, for people who connect 1C.
type Contact struct {
	At time.Time `json:"at,omitzero"`
	// Said is the request: its type, its mode and the name of a file.
	Said string `json:"said,omitzero"`
	// Answered is the text of the answer on one line.
	Answered string `json:"answered,omitzero"`
	// Failed says that the answer was a failure.
	Failed bool `json:"failed,omitzero"`
}

// SaveContact stores the last request of 1C.
func (s *Service) SaveContact(ctx context.Context, storeID store.ID, c Contact) (err error) {
	defer fault.AddContext(&err, "store the last request of 1C of store %s", storeID)
	c.At = s.now()
	c.Said = item.Truncate(c.Said, maxContactText)
	c.Answered = item.Truncate(c.Answered, maxContactText)
	return s.write(ctx, func(q querier) error { return setStoreContact(ctx, store.In(q, storeID), c) })
}

// LastContact returns the last request of 1C. Its time is zero if there was none.
func (s *Service) LastContact(ctx context.Context, tx store.Tx) (Contact, error) {
	state, err := selectStoreState(ctx, tx)
	return state.contact, err
}
