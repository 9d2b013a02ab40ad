// Package inquiry owns what visitors of a shop ask for without buying: feedback and calls back. Each is kept as it came, told to others as an
// event of the same transaction, and never changes. It does not judge whether a visitor is a person: that is done before.
package inquiry

import (
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// The most characters that the texts of an inquiry may have.
const (
	MaxLine = 255    // of a name, or of a time to call at
	MaxText = 10_000 // of a message or a comment
)

// Service is what can be done with inquiries. It is safe for concurrent use.
type Service struct {
	events *event.Emitter
	now    func() time.Time
}

// NewService makes a service that emits through events; now tells when an inquiry was made.
func NewService(events *event.Emitter, now func() time.Time) *Service {
	return &Service{events: events, now: now}
}

// Filter leaves some of the inquiries. The zero value leaves all.
type Filter struct {
	// Search holds words, each of which must begin a word of the inquiry: of a name, an address, a number or a text.
	Search string
	// From is the first instant, Before the first that is past them; zero without such a bound.
	From, Before time.Time
}

// moment is now in the precision of the database.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// dates renders dates as the shop shows them.
func (s *Service) dates(shop store.Store) *locale.Dates {
	return locale.NewDates(shop.Language(), shop.Zone(), s.now())
}
