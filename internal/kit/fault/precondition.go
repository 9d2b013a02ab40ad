package fault

// Precondition reports whether an object with the given version may be changed. A nil Precondition accepts any version.
type Precondition func(version int64) bool

// Check returns a Stale fault unless the version is accepted.
func (p Precondition) Check(version int64) error {
	if p == nil || p(version) {
		return nil
	}
	return VersionChanged()
}

// VersionChanged returns the Stale fault for an object that was changed since the client read it. Its message names
// If-Match and ETag, through which API clients send a Precondition.
func VersionChanged() *Error {
	return New(Stale, "precondition_failed", "This has changed since you read it: If-Match does not name its present "+
		"ETag. Read it again and repeat the change on that.")
}
