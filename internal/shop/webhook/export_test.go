package webhook

import "time"

// SetAttemptTime has requests end sooner than usual. It is called before the kind is registered.
func (s *Service) SetAttemptTime(d time.Duration) {
	s.attemptTime = d
	s.client = s.newClient()
}
