package catalog

func orEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// externalIDOrNil returns the stored form of an edit's external id: nil for "".
func externalIDOrNil(externalID string) *string {
	if externalID == "" {
		return nil
	}
	return &externalID
}

func equalStrings(a, b *string) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
