package catalog

import (
	"sync"

	"vitrine/internal/shop/store"
)

// maxCachedPages is the maximum number of cached pages. A page has at most 250 attributes, without their values.
const maxCachedPages = 256

// attributePageKey identifies a page of a store's attributes.
type attributePageKey struct {
	storeID       store.ID
	kind          Kind
	search        string
	limit, offset int64
}

// attributePage is a page as of a version of the store's attributes. Every change of an attribute raises that version
// in the same transaction. So a cached page of the current version is valid on every node.
type attributePage struct {
	version int64
	list    []Attribute
	total   int64
}

// attributePageCache caches pages of attributes. It is safe for concurrent use.
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
		l.pages = map[attributePageKey]attributePage{} // clear all: pages in frequent use are soon cached again
	}
	l.pages[key] = page
}
