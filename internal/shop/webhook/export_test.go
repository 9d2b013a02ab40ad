package webhook

import "time"

// SetAttemptTimeout has requests end sooner than usual. It is called before the kind is registered.
func (s *Service) SetAttemptTimeout(d time.Duration) {
	s.attemptTimeout = d
	s.client = s.newClient()
}
