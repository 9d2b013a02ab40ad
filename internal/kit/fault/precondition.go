package fault

// Precondition judges the version of a thing that is about to be changed; nil accepts any.
type Precondition func(version int64) bool

// Check returns Changed unless the version is accepted.
func (p Precondition) Check(version int64) error {
	if p == nil || p(version) {
		return nil
	}
	return Changed()
}

// Changed is a Stale fault: somebody else was faster.
func Changed() *Error {
	return New(Stale, "precondition_failed", "This has changed since you read it: If-Match does not name its present ETag. Read it again and repeat the change on that.")
}
