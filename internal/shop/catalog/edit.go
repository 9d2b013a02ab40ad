package catalog

func orEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// orNone is how an external id of an edit is kept.
func orNone(externalID string) *string {
	if externalID == "" {
		return nil
	}
	return &externalID
}

func sameText(a, b *string) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
