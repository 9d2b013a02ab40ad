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
	// pagesMost is how many bytes the pages that are kept may have together, pageMost one of them, pageQueryMost its query.
	pagesMost     = 64 << 20
	pageMost      = 1 << 20
	pageQueryMost = 4 << 10
)

// pageKey names a list of products as it was at a state of the store. Every change gives the store another state in the same transaction,
// so a page of the present one is right on whichever node, and nothing needs to be invalidated.
type pageKey struct {
	storeID  store.ID
	settings int64 // the version of the store's own settings: names in facets are in its language
	state    search.State
	base     string // of the addresses of images
	query    string
}

// productPage is a rendered list without its dates, which tell the time since then.
type productPage struct {
	text  []byte
	dates []dateAt
}

// dateAt is where in the text a date belongs.
type dateAt struct {
	at   int
	date time.Time
}

// dateMark is where in an answer a date stands.
type dateMark struct {
	from, to int
	date     time.Time
}

// newProductPage keeps an answer with the dates taken out of it.
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

// write writes the answer with its dates as of now.
func (p *productPage) write(out *httpapi.Response, dates *locale.Dates) {
	from := 0
	for _, d := range p.dates {
		out.B = append(out.B, p.text[from:d.at]...)
		out.B = dates.AppendJSON(out.B, d.date)
		from = d.at
	}
	out.B = append(out.B, p.text[from:]...)
}

func (p *productPage) bytes() int { return len(p.text) + 32*len(p.dates) + pageQueryMost/8 }

// productPages keeps the lists that were asked for last.
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
		l.pages, l.bytes = map[pageKey]*productPage{}, 0 // what is asked for often is soon here again
	}
	if l.pages[key] == nil {
		l.pages[key] = page
		l.bytes += page.bytes()
	}
}
