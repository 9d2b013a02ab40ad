package catalog

import (
	"time"

	"vitrine/internal/kit/id"
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
	// Version grows with every write of the category, and when its parent is deleted.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	parentKey *int64
}

// CategoryEdit is what a request says of a category. Members that are nil stay as they are.
type CategoryEdit struct {
	Name       *string
	ExternalID *string // "" takes it away
	ParentID   *CategoryID
	Root       bool // takes it from under its parent; ParentID is nil then
}

// CategoryFilter says which categories a list has; the zero filter leaves none out.
type CategoryFilter struct {
	Search   string      // if not empty, it must match the name
	ParentID *CategoryID // leaves only the children of that category
	Roots    bool        // leaves only roots; ParentID is nil then
}

// applyMembers applies the edit's members to the category, its place in the tree aside.
func (c *Category) applyMembers(e CategoryEdit, wrong *breaches) {
	if e.Name != nil {
		c.Name = *e.Name
	} else if c.Name == "" {
		wrong.nameRequired("category")
	}
	if e.ExternalID != nil {
		c.ExternalID = externalIDOrNil(*e.ExternalID)
	}
}
