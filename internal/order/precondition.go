package order

import "vitrine/internal/fault"

// Precondition judges the version that a change is about to replace; nil accepts any.
type Precondition func(version int64) bool

func (p Precondition) check(version int64) error {
	if p == nil || p(version) {
		return nil
	}
	return fault.New(fault.Stale, "precondition_failed", "This has changed since you read it: If-Match does not name its present ETag. Read it again and repeat the change on that.")
}
