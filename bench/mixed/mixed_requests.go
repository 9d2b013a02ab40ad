package mixed

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"vitrine/bench/harness"
	"vitrine/bench/storefront"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
)

// requestKind is a kind of storefront request.
type requestKind int

const (
	categoryRequest requestKind = iota
	filterRequest
	productRequest
	searchRequest
	requestKinds // the number of kinds
)

func (k requestKind) String() string {
	return [...]string{"category", "filter", "product", "search"}[k]
}

const (
	// zipfExponent and zipfShift are the parameters of the Zipf distributions of categories, products, filters and
	// words. The most popular of a million products gets 1.5 % of the requests, the first hundred a third.
	zipfExponent, zipfShift = 1.1, 10
	// pageExponent is that of page numbers: three of four requests are for the first page.
	pageExponent = 2.5
	// maxPage is the last page that a visitor turns to.
	maxPage = 20
	// priceSteps is the number of upper bounds that a storefront offers to filter by price.
	priceSteps = 10
	// listParts are the parts of products that lists show.
	listParts = "variants,images,facets"
)

// choices is what a visitor can choose: categories with their filters, products and words, the most popular first.
type choices struct {
	categories []browsedCategory
	products   []string // ids
	words      []string
}

// browsedCategory is a category with the filters that its facets offer, as parameters of a URL.
type browsedCategory struct {
	id       string
	total    int
	features [][]string // by feature
	options  [][]string // by option
	prices   []string
}

// facetValues are the values of a feature or an option in the facets of a list.
type facetValues struct {
	ID     string       `json:"id"`
	Values []facetValue `json:"values"`
}

type facetValue struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// readStorefront reads the categories and their facets from the server. The ids of the products come from sqlitePath,
// the SQLite database of the same store.
func readStorefront(s *harness.Server, c *http.Client, n int, sqlitePath string) (*choices, error) {
	ids, err := storefront.ReadDemoIDs(s, c)
	if err != nil {
		return nil, err
	}

	front := &choices{}
	for _, category := range ids.Categories {
		browsed, err := readCategory(s, c, category)
		if err != nil {
			return nil, err
		}
		if browsed.total > 0 {
			front.categories = append(front.categories, browsed)
		}
	}

	// Large categories are popular.
	slices.SortFunc(front.categories, func(a, b browsedCategory) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.id, b.id))
	})
	if front.products, err = readProductIDs(sqlitePath); err != nil {
		return nil, err
	}

	r := rand.New(rand.NewPCG(harness.DemoSeed, uint64(n)))
	sample := storefront.NewWordSample(n, r)
	front.words = slices.Concat(sample.Common, sample.Pairs, sample.Rare)

	// Popular products and words are anywhere in the store.
	r.Shuffle(len(front.products), func(i, j int) {
		front.products[i], front.products[j] = front.products[j], front.products[i]
	})
	r.Shuffle(len(front.words), func(i, j int) { front.words[i], front.words[j] = front.words[j], front.words[i] })
	return front, nil
}

func readCategory(s *harness.Server, c *http.Client, category string) (browsedCategory, error) {
	var list struct {
		Meta struct {
			Total  int `json:"total"`
			Facets struct {
				Features []facetValues `json:"features"`
				Options  []facetValues `json:"options"`
				Price    *struct {
					Min float64 `json:"min"`
					Max float64 `json:"max"`
				} `json:"price"`
			} `json:"facets"`
		} `json:"meta"`
	}

	err := s.GetJSON(c, "/v2/products?with=facets&per_page=1&category="+category, &list)
	facets := list.Meta.Facets
	browsed := browsedCategory{
		id: category, total: list.Meta.Total, features: facetParams("features", facets.Features),
		options: facetParams("options", facets.Options),
	}
	for i := 1; i <= priceSteps && facets.Price != nil; i++ {
		bound := facets.Price.Min + (facets.Price.Max-facets.Price.Min)*float64(i)/priceSteps
		browsed.prices = append(browsed.prices, "&"+url.QueryEscape("price[to]")+fmt.Sprintf("=%.2f", bound))
	}

	return browsed, err
}

// facetParams returns the values of each facet as parameters, frequent values first. It omits facets without values.
func facetParams(name string, facets []facetValues) (params [][]string) {
	for _, f := range facets {
		slices.SortStableFunc(f.Values, func(a, b facetValue) int { return cmp.Compare(b.Count, a.Count) })
		var values []string
		for _, v := range f.Values {
			values = append(values, "&"+url.QueryEscape(name+"["+f.ID+"][]")+"="+v.ID)
		}
		if len(values) > 0 {
			params = append(params, values)
		}
	}
	return params
}

// readProductIDs reads the ids of all products.
func readProductIDs(path string) (ids []string, err error) {
	c, err := sqlite3.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	s, _, err := c.Prepare("SELECT id FROM products ORDER BY key")
	if err != nil {
		return nil, err
	}
	for s.Step() {
		ids = append(ids, id.Of[catalog.Product](s.ColumnRawBlob(0)).String())
	}
	return ids, s.Close()
}

// trafficSource generates the requests of all visitors from one random source. It is safe for concurrent use.
type trafficSource struct {
	front *choices
	key   string // the publishable key

	mu     sync.Mutex
	random *rand.Rand
	pages  *rand.Zipf
	ranks  map[int]*rand.Zipf // by the number of ranks
}

func newTrafficSource(front *choices, key string, seed uint64) *trafficSource {
	r := rand.New(rand.NewPCG(harness.DemoSeed, seed))
	return &trafficSource{
		front: front, key: key, random: r, pages: rand.NewZipf(r, pageExponent, 1, maxPage-1),
		ranks: map[int]*rand.Zipf{},
	}
}

// next returns the kind and the text of the next request.
func (t *trafficSource) next() (requestKind, string) {
	kind, path := t.nextPath()
	return kind, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + t.key + "\r\n\r\n"
}

// nextPath chooses a request: 40 % categories, 25 % categories with filters, 25 % products, 10 % searches.
func (t *trafficSource) nextPath() (requestKind, string) {
	t.mu.Lock()
	defer t.mu.Unlock()

	switch share := t.random.IntN(100); {
	case share < 40:
		c := &t.front.categories[t.rank(len(t.front.categories))]
		return categoryRequest, t.list(c.total) + "&category=" + c.id

	case share < 65:
		// How many products the filters leave is unknown, so these requests are for the first page.
		c := &t.front.categories[t.rank(len(t.front.categories))]
		first := t.filter(c)
		path := t.list(1) + "&category=" + c.id + first
		if second := t.filter(c); t.random.IntN(2) == 0 && paramName(second) != paramName(first) {
			path += second
		}
		return filterRequest, path

	case share < 90:
		return productRequest, "/v2/products/" + t.front.products[t.rank(len(t.front.products))]
	default:
		return searchRequest, t.list(1) + "&q=" + url.QueryEscape(t.front.words[t.rank(len(t.front.words))])
	}
}

// list returns the path of a list of 24 or 50 products. If it has further pages, the page may be one of them.
func (t *trafficSource) list(total int) string {
	size := 24
	if t.random.IntN(2) == 0 {
		size = 50
	}
	path := fmt.Sprintf("/v2/products?with=%s&per_page=%d", listParts, size)
	if page := min(int(t.pages.Uint64()), (total-1)/size); page > 0 {
		path += fmt.Sprintf("&page=%d", 1+page)
	}
	return path
}

// filter returns the parameter of a filter: in general a value of a feature, sometimes an option or a price.
func (t *trafficSource) filter(c *browsedCategory) string {
	kind := t.random.IntN(5)
	switch {
	case kind == 0 && len(c.prices) > 0:
		return c.prices[t.rank(len(c.prices))]
	case kind == 1 && len(c.options) > 0:
		return t.value(c.options)
	case len(c.features) > 0:
		return t.value(c.features)
	default:
		return "&in_stock=true"
	}
}

func (t *trafficSource) value(facets [][]string) string {
	values := facets[t.rank(len(facets))]
	return values[t.rank(len(values))]
}

func paramName(param string) string {
	name, _, _ := strings.Cut(param, "=")
	return name
}

// rank returns a random rank below n. Low ranks are more likely.
func (t *trafficSource) rank(n int) int {
	if t.ranks[n] == nil {
		t.ranks[n] = rand.NewZipf(t.random, zipfExponent, zipfShift, uint64(n-1))
	}
	return int(t.ranks[n].Uint64())
}
