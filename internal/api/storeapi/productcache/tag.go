package productcache

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/change"
)

// cacheTags are the tags of a response, with a comma between them. A response has at most change.MaxTags of them. A
// list has the tag of all lists first.
type cacheTags struct {
	text  []byte
	count int
}

// listTags returns the tags of a list without its products.
func listTags() cacheTags {
	text := make([]byte, 0, len(change.ListTag)+(change.MaxTags-1)*len(",product-")+(change.MaxTags-1)*idLength)
	return cacheTags{append(text, change.ListTag...), 1}
}

// next makes room for another tag, and reports whether there is any.
func (t *cacheTags) next() bool {
	if t.count == change.MaxTags {
		return false
	}
	if t.count++; t.count > 1 {
		t.text = append(t.text, ',')
	}
	return true
}

// idMember is how the JSON of a product or a category begins.
const (
	idMember = `{"id":"`
	idLength = 36
)

// idOf returns the id in the JSON of a product or a category.
func idOf(json []byte) []byte { return json[len(idMember) : len(idMember)+idLength] }

// addProduct adds the tag of a product. head is the beginning of its JSON.
func (t *cacheTags) addProduct(head []byte) {
	if t.next() {
		t.text = append(append(t.text, change.ProductTag...), idOf(head)...)
	}
}

// addCategoryID adds the tag of a category.
func (t *cacheTags) addCategoryID(categoryID catalog.CategoryID) {
	if t.next() {
		t.text = categoryID.Append(append(t.text, change.CategoryTag...))
	}
}

// addCategory adds the tag of a category of a single product. json is that of the category.
func (t *cacheTags) addCategory(json []byte) {
	if t.next() {
		t.text = append(append(t.text, change.CategoryTag...), idOf(json)...)
	}
}
