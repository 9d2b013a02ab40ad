package storeapi

import (
	"sync"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

const (
	// pagesMost limits the memory of the cache, pageMost the size of one page and pageQueryMost the length of its
	// query, in bytes.
	pagesMost     = 64 << 20
	pageMost      = 1 << 20
	pageQueryMost = 4 << 10
)

// pageKey identifies a list of products at a state of the store's catalogue. Every change of the catalogue changes its
// state in the same transaction. So a page with the current state in its key is never stale, on any node, and nothing
// needs to be invalidated.
type pageKey struct {
	storeID  store.ID
	settings int64 // version of the store: names in facets are in the store's language
	state    search.State
	base     string // base URL of image files
	query    string
}

// productPage is a rendered list without its dates. A date is rendered with the time that has passed since, so it
// cannot be cached.
type productPage struct {
	text  []byte
	dates []dateAt
}

// dateAt is an offset in the text where a date is inserted.
type dateAt struct {
	at   int
	date time.Time
}

// dateMark is the span of a date in a response.
type dateMark struct {
	from, to int
	date     time.Time
}

// newProductPage copies a response without its dates.
func newProductPage(answer []byte, marks []dateMark) *productPage {
	p := &productPage{text: make([]byte, 0, len(answer)), dates: make([]dateAt, len(marks))}
	from := 0
	for i, m := range marks {
		p.text = append(p.text, answer[from:m.from]...)
		p.dates[i] = dateAt{len(p.text), m.date}
		from = m.to
	}
	p.text = append(p.text, answer[from:]...)
	return p
}

// write writes the page with its dates as of now to the response.
func (p *productPage) write(out *httpapi.Response, dates *locale.Dates) {
	from := 0
	for _, d := range p.dates {
		out.B = append(out.B, p.text[from:d.at]...)
		out.B = dates.AppendJSON(out.B, d.date)
		from = d.at
	}
	out.B = append(out.B, p.text[from:]...)
}

// bytes estimates the memory of the page and its key.
func (p *productPage) bytes() int { return len(p.text) + 32*len(p.dates) + pageQueryMost/8 }

// productPages caches rendered lists of products. When it is full, it is emptied: pages in frequent use soon return.
type productPages struct {
	mu    sync.Mutex
	pages map[pageKey]*productPage
	bytes int
}

func (l *productPages) get(key pageKey) *productPage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pages[key]
}

func (l *productPages) put(key pageKey, page *productPage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages == nil || l.bytes+page.bytes() > pagesMost {
		l.pages, l.bytes = map[pageKey]*productPage{}, 0
	}
	if l.pages[key] == nil {
		l.pages[key] = page
		l.bytes += page.bytes()
	}
}
