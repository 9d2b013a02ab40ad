package webhook

import "time"

// SetAttemptTimeout changes the timeout of attempts. Call it before the kind is registered.
func (s *Service) SetAttemptTimeout(d time.Duration) {
	s.attemptTimeout = d
	s.client = s.newClient()
}
