package webhook

import "time"

// SetAttemptTimeout changes the timeout of attempts. Call it before the service's Kind is registered with the queue.
func (s *Service) SetAttemptTimeout(d time.Duration) {
	s.sender.setTimeout(d)
}
