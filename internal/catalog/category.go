package catalog

import (
	"time"

	"vitrine/internal/id"
)

// CategoryID names a category.
type CategoryID = id.Of[Category]

// Category is a shelf of the shop. Categories form a tree.
type Category struct {
	Key        int64
	ID         CategoryID
	ExternalID *string
	Name       string
	// ParentID is nil at the root of the tree.
	ParentID *CategoryID
	// Version grows with every write of the category.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}
