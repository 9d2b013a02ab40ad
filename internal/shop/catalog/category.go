package catalog

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
)

// CategoryID identifies a category.
type CategoryID = id.Of[Category]

// Category is a category of products. Categories form a tree. Siblings have the order that people gave them; those
// without a place follow, in the order in which they were added.
type Category struct {
	Key        int64
	ID         CategoryID
	ExternalID *string
	Name       string
	// Description is plain text, which may be empty.
	Description string
	// ParentID is nil for a root category.
	ParentID *CategoryID
	// Slug is the present slug; it is empty until the worker of package firstslug gives an old category one.
	Slug slug.Slug
	SEO  seo.Meta
	// Image is the picture; nil without one. Find, Create, Edit and List fill it in.
	Image *Image
	// Version increases with every write of the category, and when its parent is deleted.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	parentKey *int64
	position  int64 // siblings are sorted by position, then by key; noPosition without a place
}

// noPosition is the position of a category without a place; see NoPositionSQL.
const noPosition = 1_000_000_000

// CategoryEdit is an edit of a category. Nil members leave their fields unchanged.
type CategoryEdit struct {
	Name       *string
	ExternalID *string // "" removes it
	ParentID   *CategoryID
	Root       bool       // makes it a root category; ParentID is nil then
	Slug       *slug.Slug // "" makes a new one of the name
	SEO        *seo.Meta
	// Description is nil, or the new text, which may be empty.
	Description *string
	// Image is nil, or the new picture: an image that belongs to nothing, or nil for none.
	Image **ImageID
}

// CategoryFilter selects the categories of a list. The zero filter selects all.
type CategoryFilter struct {
	Search   string      // if not empty, it must match the name
	ParentID *CategoryID // selects only the children of that category
	Roots    bool        // selects only root categories; ParentID is nil then
}
