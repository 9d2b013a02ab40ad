package change

// The tags of cached responses. ListTag is that of every list: each change of the catalogue may change any list. The
// other two are followed by an id.
const (
	ListTag     = "list"
	ProductTag  = "product-"
	CategoryTag = "category-"
	// MaxTags is how many tags a response has at most.
	MaxTags = 50
)

// AppendProductTag appends the tag of responses that show the product.
func AppendProductTag[ID interface{ Append(b []byte) []byte }](b []byte, productID ID) []byte {
	return productID.Append(append(b, ProductTag...))
}

// AppendCategoryTag appends the tag of responses that show the category.
func AppendCategoryTag[ID interface{ Append(b []byte) []byte }](b []byte, categoryID ID) []byte {
	return categoryID.Append(append(b, CategoryTag...))
}
