package storefront

import (
	"math"
	"net/http"
	"net/url"
	"slices"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/search"
)

// searchCase is a query in the forms that are compared: over HTTP, by SQL, and as a scan of arrays.
type searchCase struct {
	name  string
	path  string
	query search.Query
	scan  func() int // returns the number of matching products; nil if there is no such scan
}

// demoIDs has the ids of the demo categories and features in a store.
type demoIDs struct {
	Categories map[string]string // by external id
	features   map[string]demoFeature
}

type demoFeature struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Values []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"values"`
}

func ReadDemoIDs(s *harness.Server, c *http.Client) (demoIDs, error) {
	ids := demoIDs{map[string]string{}, map[string]demoFeature{}}
	var categories struct {
		Data []struct {
			ID         string `json:"id"`
			ExternalID string `json:"external_id"`
		} `json:"data"`
	}
	if err := s.GetJSON(c, "/v2/categories?per_page=250", &categories); err != nil {
		return ids, err
	}

	for _, one := range categories.Data {
		ids.Categories[one.ExternalID] = one.ID
	}

	var features struct {
		Data []demoFeature `json:"data"`
	}
	if err := s.GetJSON(c, "/v2/features?per_page=250&with=values", &features); err != nil {
		return ids, err
	}

	for _, one := range features.Data {
		ids.features[one.Name] = one
	}

	return ids, nil
}

func (f demoFeature) value(name string) string {
	for _, v := range f.Values {
		if v.Name == name {
			return v.ID
		}
	}
	return ""
}

// testCategory is the category of the queries, which has about 1 % of the products, with the filters used in it.
type testCategory struct {
	index              int
	subtree            [codeCount]bool // the categories in its subtree
	brands             []int           // the two most frequent brands
	priceFrom, priceTo int64           // the interquartile range of the prices
}

// onePercentCategory returns the category whose share of the products is closest to 1 %.
func (a *productArrays) onePercentCategory(g *demo.Generator) testCategory {
	tree := g.Categories()
	counts := make([]int, len(tree))
	for _, leaf := range a.category {
		for c := int(leaf); c >= 0; c = tree[c].Parent {
			counts[c]++
		}
	}

	var category testCategory
	for c, n := range counts {
		if math.Abs(float64(n*100-len(a.category))) < math.Abs(float64(counts[category.index]*100-len(a.category))) {
			category.index = c
		}
	}

	for c := range tree {
		for up := c; up >= 0; up = tree[up].Parent {
			category.subtree[c] = category.subtree[c] || up == category.index
		}
	}

	a.chooseFilters(&category)
	return category
}

// chooseFilters chooses filters that select a part of the category.
func (a *productArrays) chooseFilters(category *testCategory) {
	a.scanCategory(&category.subtree)
	prices := make([]int64, len(a.matched))
	for i, row := range a.matched {
		prices[i] = a.price[row]
	}
	slices.Sort(prices)
	category.priceFrom = prices[len(prices)/4]
	category.priceTo = prices[len(prices)*3/4]
	brands := &a.counts[0]
	for v := 1; v < codeCount; v++ {
		category.brands = append(category.brands, v)
	}
	slices.SortStableFunc(category.brands, func(x, y int) int { return int(brands[y] - brands[x]) })
	category.brands = category.brands[:2]
}

// newSearchCases returns two lists of queries: the first has the queries with the test category, the second all others.
func newSearchCases(ids demoIDs, a *productArrays) (page, others []searchCase, err error) {
	g := demo.NewGeneratorIn(demo.Mixed, harness.DemoSeed)
	target := a.onePercentCategory(g)
	brand := g.Features()[0]

	category, err := id.Parse[catalog.Category](ids.Categories[g.Categories()[target.index].ExternalID])
	if err != nil {
		return nil, nil, err
	}

	choice := search.Choice{}
	pass := &[codeCount]bool{}
	if choice.ID, err = id.Parse[catalog.Attribute](ids.features[brand.Name].ID); err != nil {
		return nil, nil, err
	}

	for _, b := range target.brands {
		value, err := id.Parse[catalog.Value](ids.features[brand.Name].value(brand.Values[b-1]))
		if err != nil {
			return nil, nil, err
		}
		choice.Values = append(choice.Values, value)
		pass[b] = true
	}

	from, to := money.Money(target.priceFrom), money.Money(target.priceTo)
	inside := func() int { return a.scanCategory(&target.subtree) }

	page = []searchCase{
		newSearchCase("category", search.Query{Category: &category}, inside),
		newSearchCase("category, two values of a feature",
			search.Query{Category: &category, Features: []search.Choice{choice}},
			func() int { return a.scanCategoryWithValues(&target.subtree, 0, pass) }),
		newSearchCase("category, price, in stock",
			search.Query{Category: &category, PriceFrom: &from, PriceTo: &to, InStock: true},
			func() int { return a.scanInStock(&target.subtree, target.priceFrom, target.priceTo) }),
		newSearchCase("category by price", search.Query{Category: &category, Sort: search.ByPrice}, inside),
		newSearchCase("category by name", search.Query{Category: &category, Sort: search.ByName}, inside),
	}

	others = []searchCase{
		newSearchCase("front page", search.Query{}, a.scanAll),
		newSearchCase("a common word", search.Query{Text: a.wordInNames(len(a.category) / 20)}, nil),
		newSearchCase("a rare word", search.Query{Text: a.wordInNames(len(a.category) / 10_000)}, nil),
	}
	return page, others, nil
}

// wordInNames returns a word that occurs in about as many product names as wanted. It skips short words, because they
// are prefixes of many others.
func (a *productArrays) wordInNames(wanted int) string {
	best := ""
	off := math.MaxInt
	for w, n := range a.wordCounts {
		if d := max(n-wanted, wanted-n); len(w) >= 6 && (d < off || d == off && w < best) {
			best, off = w, d
		}
	}
	return best
}

// newSearchCase returns a search case for a page of 50 products with facets.
func newSearchCase(name string, query search.Query, scan func() int) searchCase {
	query.WithFacets = true
	query.Limit = 50
	params := url.Values{"with": {"facets"}}
	if query.Category != nil {
		params.Set("category", query.Category.String())
	}

	if query.Text != "" {
		params.Set("q", query.Text)
	}

	if query.PriceFrom != nil {
		params.Set("price[from]", harness.FormatPrice(*query.PriceFrom))
		params.Set("price[to]", harness.FormatPrice(*query.PriceTo))
	}

	if query.InStock {
		params.Set("in_stock", "true")
	}

	for _, c := range query.Features {
		for _, v := range c.Values {
			params.Add("features["+c.ID.String()+"][]", v.String())
		}
	}

	if query.Sort != search.ByKey {
		params.Set("sort", map[search.Sort]string{search.ByPrice: "price", search.ByName: "name"}[query.Sort])
	}

	return searchCase{name, "/v2/products?" + params.Encode(), query, scan}
}
