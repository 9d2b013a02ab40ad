package catalog

import (
	"sync"

	"vitrine/internal/shop/store"
)

// listsMax is how many pages of attributes are kept in memory; a page has at most 250 of them without their values.
const listsMax = 256

// listKey names a page of a store's attributes.
type listKey struct {
	storeID       store.ID
	kind          Kind
	search        string
	limit, offset int64
}

// attributeList is a page as it was at a version of the store's attributes. Every change of one of them raises that version in the same
// transaction, so a page of the present version is right on whichever node.
type attributeList struct {
	version int64
	list    []Attribute
	total   int64
}

// attributeLists keeps the pages that were asked for last.
type attributeLists struct {
	mu    sync.Mutex
	pages map[listKey]attributeList
}

func (l *attributeLists) get(key listKey, version int64) (attributeList, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.pages[key]
	return found, ok && found.version == version
}

func (l *attributeLists) put(key listKey, page attributeList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages == nil || len(l.pages) >= listsMax {
		l.pages = map[listKey]attributeList{} // what is asked for often is soon here again
	}
	l.pages[key] = page
}
