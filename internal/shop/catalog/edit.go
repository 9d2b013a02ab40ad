package catalog

func orEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// externalIDOrNil is how an external id of an edit is kept.
func externalIDOrNil(externalID string) *string {
	if externalID == "" {
		return nil
	}
	return &externalID
}

func equalStrings(a, b *string) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
