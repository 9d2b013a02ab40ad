package catalog

import (
	"context"
	"time"
)

func OrEmpty[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// assign sets field to *sent, unless sent is nil.
func assign[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}

// assignExternalID sets an external id to *sent, unless sent is nil. "" removes the external id.
func assignExternalID(field **string, sent *string) {
	if sent != nil {
		*field = externalIDOrNil(*sent)
	}
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

func equalKeys(a, b *int64) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}

// pointersTo returns pointers to the elements of a list.
func pointersTo[T any](list []T) []*T {
	pointers := make([]*T, len(list))
	for i := range list {
		pointers[i] = &list[i]
	}
	return pointers
}

// inOrder runs steps until one fails.
func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// laterTime returns the later of two times.
func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
