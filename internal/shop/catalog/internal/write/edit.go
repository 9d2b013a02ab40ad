// Package write has what all writes of the catalogue share and what knows nothing of products: statements with batches
// of rows, broken rules with the paths of their fields, and small functions on edits.
package write

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

// Assign sets field to *sent, unless sent is nil.
func Assign[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}

func EqualStrings(a, b *string) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}

func EqualKeys(a, b *int64) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}

// PointersTo returns pointers to the elements of a list.
func PointersTo[T any](list []T) []*T {
	pointers := make([]*T, len(list))
	for i := range list {
		pointers[i] = &list[i]
	}
	return pointers
}

// InOrder runs steps until one fails.
func InOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// LaterTime returns the later of two times.
func LaterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
