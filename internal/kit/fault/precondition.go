package fault

// Precondition reports whether an object with the given version may be changed. A nil Precondition accepts any version.
type Precondition func(version int64) bool

// Check returns a Stale fault unless p accepts the version.
func (p Precondition) Check(version int64) error {
	if p == nil || p(version) {
		return nil
	}
	return VersionChanged()
}

// VersionChanged returns the Stale fault for an object that was changed since the client read it. Its message names the
// headers If-Match and ETag, with which API clients state a precondition.
func VersionChanged() *Error {
	return New(Stale, "precondition_failed", "This has changed since you read it: If-Match does not name its present "+
		"ETag. Read it again and repeat the change on that.")
}
