package productcache

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

const (
	// These are limits in bytes: maxPageBytes for a cached page, and maxPageQueryBytes for the query string of a
	// request whose page is cached.
	maxPageBytes      = 1 << 20
	maxPageQueryBytes = 4 << 10
)

// pageKey identifies a list of products at a state of the store's catalogue. Every change of the catalogue changes its
// state in the same transaction. So a page with the current state in its key is never stale, on any node, and nothing
// needs to be invalidated. The key leaves out the parts of the state that the list does not depend on.
type pageKey struct {
	storeID      store.ID
	storeVersion int64 // changes with the language, which facet names depend on, and with PublicRemainders
	remainders   bool  // the page shows remainders
	locks        bool  // the page shows locks
	prices       priceKey
	state        search.State
	imageBaseURL string
	query        string
}

// cachedPage is a rendered list without its dates. A rendered date says how long ago it was, so it changes with time
// and cannot be cached.
type cachedPage struct {
	text  []byte
	dates []dateSlot
	total int64 // of the list
	tags  string
	// digest is the digest of a response with dates=iso, which does not age; empty for other responses.
	digest string
}

// dateSlot is an offset in the text where a date is inserted.
type dateSlot struct {
	offset int
	date   time.Time
}

// dateSpan is the range of bytes of a date in a response.
type dateSpan struct {
	from, to int
	date     time.Time
}

// pageKey returns the cache key of a list at a state of the catalogue, or the zero key if the list is not cached.
func (c *Cache) pageKey(r *httpapi.Request, query search.Query, state search.State) pageKey {
	if query.Archived != catalog.Live || len(r.URL.RawQuery) > maxPageQueryBytes {
		return pageKey{}
	}
	shop := r.Principal.Store
	return pageKey{shop.ID, shop.Version, ShowsRemainders(r), showsLocks(r), newPriceKey(PriceReader(r, false)),
		query.ListState(state), r.BaseURL(c.publicURL), r.URL.RawQuery}
}

// respond writes a list, and reports whether the tier has it.
func (t pageTier) respond(r *httpapi.Request, out *httpapi.Response, key pageKey, list *List) bool {
	page, ok := t.pages.Get(key)
	if !ok {
		return false
	}
	list.report(page.total)
	out.CacheTag = page.tags
	if page.digest == "" || !out.NotModified(page.digest) {
		page.write(out, r.Dates())
	}
	return true
}

// put caches a response, unless a part of it was spilled to a file, it has more than maxPageBytes bytes, or the
// key is zero.
func (t pageTier) put(out *httpapi.Response, key pageKey, spans []dateSpan, total int64) {
	if int64(len(out.B)) != out.Len() || len(out.B) > maxPageBytes || key == (pageKey{}) {
		return
	}
	page := newCachedPage(out.B, spans)
	page.total = total
	page.tags = out.CacheTag
	page.digest = out.SetDigest()
	t.pages.Put(key, page)
}

// newCachedPage copies a response without its dates.
func newCachedPage(response []byte, spans []dateSpan) *cachedPage {
	length := len(response)
	for _, m := range spans {
		length -= m.to - m.from
	}
	p := &cachedPage{text: make([]byte, 0, length), dates: make([]dateSlot, len(spans))}
	from := 0
	for i, m := range spans {
		p.text = append(p.text, response[from:m.from]...)
		p.dates[i] = dateSlot{len(p.text), m.date}
		from = m.to
	}
	p.text = append(p.text, response[from:]...)
	return p
}

// write writes the page to the response and renders its dates for the current time.
func (p *cachedPage) write(out *httpapi.Response, dates *locale.Dates) {
	from := 0
	for _, d := range p.dates {
		out.B = append(out.B, p.text[from:d.offset]...)
		out.B = dates.AppendJSON(out.B, d.date)
		from = d.offset
	}
	out.B = append(out.B, p.text[from:]...)
}

// pageSize estimates the memory of a page and its key, in bytes. The fixed part of the key has 116 bytes, a digest
// has 22, the header of the tags 16, and a dateSlot has 32. Clients choose the query, and the host name in
// imageBaseURL.
func pageSize(key pageKey, p *cachedPage) int {
	return 170 + len(p.tags) + len(key.prices) + len(key.imageBaseURL) + len(key.query) + cap(p.text) + 32*len(p.dates)
}

// pageTier caches rendered lists of products.
type pageTier struct {
	pages *cache.Cache[pageKey, *cachedPage]
}

func newPageTier(share *memory.Share) pageTier {
	return pageTier{cache.NewShared(share, pageSize, func(key pageKey) cache.Owner { return key.storeID.Bytes() })}
}
