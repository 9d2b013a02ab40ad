// Package catalog owns what a shop sells: variant options, features and their values, products and their variants.
// It does not know how a catalogue is searched (search), fed (exchange) or spoken of over HTTP (storeapi).
package catalog

import "time"

// Service is the catalogue's use-cases. Those that change something take the caller's transaction.
type Service struct {
	now      func() time.Time
	lists    attributeLists
	planning planning
	sources  *ImageSources // nil where images are not downloaded
}

// NewService makes the service; now is its clock.
func NewService(now func() time.Time) *Service { return &Service{now: now} }

// after returns the present time, later than t in any case: a change is always newer than what it changes.
func (s *Service) after(t time.Time) time.Time {
	now := s.now().UTC().Truncate(time.Microsecond)
	if !now.After(t) {
		now = t.Add(time.Microsecond)
	}
	return now
}
