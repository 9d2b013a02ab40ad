package catalog

import (
	"sync"

	"vitrine/internal/shop/store"
)

// maxCachedPages is how many pages of attributes are kept in memory; a page has at most 250 of them without their values.
const maxCachedPages = 256

// attributePageKey names a page of a store's attributes.
type attributePageKey struct {
	storeID       store.ID
	kind          Kind
	search        string
	limit, offset int64
}

// attributePage is a page as it was at a version of the store's attributes. Every change of one of them raises that version in the same
// transaction, so a page of the present version is right on whichever node.
type attributePage struct {
	version int64
	list    []Attribute
	total   int64
}

// attributePageCache keeps the pages that were asked for last.
type attributePageCache struct {
	mu    sync.Mutex
	pages map[attributePageKey]attributePage
}

func (l *attributePageCache) get(key attributePageKey, version int64) (attributePage, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.pages[key]
	return found, ok && found.version == version
}

func (l *attributePageCache) put(key attributePageKey, page attributePage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages == nil || len(l.pages) >= maxCachedPages {
		l.pages = map[attributePageKey]attributePage{} // what is asked for often is soon here again
	}
	l.pages[key] = page
}
