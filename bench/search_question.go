package main

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"

	"vitrine/internal/demo"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
)

// question is one and the same question to the three who are compared.
type question struct {
	name  string
	path  string
	query search.Query
	bare  func() int // returns how many products match; nil where there is no such scan
}

// vocabulary finds the ids of what the demo names.
type vocabulary struct {
	categories map[string]string // by external id
	features   map[string]feature
}

type feature struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Values []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"values"`
}

func (s *shop) vocabulary(c *http.Client) (vocabulary, error) {
	v := vocabulary{map[string]string{}, map[string]feature{}}
	var categories struct {
		Data []struct {
			ID         string `json:"id"`
			ExternalID string `json:"external_id"`
		} `json:"data"`
	}
	if err := s.readJSON(c, "/v2/categories?per_page=250", &categories); err != nil {
		return v, err
	}
	for _, one := range categories.Data {
		v.categories[one.ExternalID] = one.ID
	}
	var features struct {
		Data []feature `json:"data"`
	}
	if err := s.readJSON(c, "/v2/features?per_page=250&with=values", &features); err != nil {
		return v, err
	}
	for _, one := range features.Data {
		v.features[one.Name] = one
	}
	return v, nil
}

func (f feature) value(name string) string {
	for _, v := range f.Values {
		if v.Name == name {
			return v.ID
		}
	}
	return ""
}

// shelf is the category that is asked about, about a hundredth of the products, and what is chosen inside it.
type shelf struct {
	category int
	in       [codeCount]bool // the categories in its subtree
	brands   []int           // the two that most of its products have
	from, to int64           // the middle half of its prices
}

// hundredth finds the category whose part of the products is nearest to one in a hundred.
func (a *arrays) hundredth(g *demo.Generator) shelf {
	tree := g.Categories()
	counts := make([]int, len(tree))
	for _, leaf := range a.category {
		for c := int(leaf); c >= 0; c = tree[c].Parent {
			counts[c]++
		}
	}
	var sh shelf
	for c, n := range counts {
		if math.Abs(float64(n*100-len(a.category))) < math.Abs(float64(counts[sh.category]*100-len(a.category))) {
			sh.category = c
		}
	}
	for c := range tree {
		for up := c; up >= 0; up = tree[up].Parent {
			sh.in[c] = sh.in[c] || up == sh.category
		}
	}
	a.choose(&sh)
	return sh
}

// choose picks filters that leave a part of the category.
func (a *arrays) choose(sh *shelf) {
	a.inside(&sh.in)
	prices := make([]int64, len(a.matched))
	for i, row := range a.matched {
		prices[i] = a.price[row]
	}
	slices.Sort(prices)
	sh.from, sh.to = prices[len(prices)/4], prices[len(prices)*3/4]
	brands := &a.counts[0]
	for v := 1; v < codeCount; v++ {
		sh.brands = append(sh.brands, v)
	}
	slices.SortStableFunc(sh.brands, func(x, y int) int { return int(brands[y] - brands[x]) })
	sh.brands = sh.brands[:2]
}

// ask makes the questions: those about a page of the category, and the others.
func ask(v vocabulary, a *arrays) (page, others []question, err error) {
	g := demo.NewGenerator(shopSeed)
	sh := a.hundredth(g)
	brand := g.Features()[0]
	category, err := id.Parse[catalog.Category](v.categories[g.Categories()[sh.category].ExternalID])
	if err != nil {
		return nil, nil, err
	}
	choice, pass := search.Choice{}, &[codeCount]bool{}
	if choice.ID, err = id.Parse[catalog.Attribute](v.features[brand.Name].ID); err != nil {
		return nil, nil, err
	}
	for _, b := range sh.brands {
		value, err := id.Parse[catalog.Value](v.features[brand.Name].value(brand.Values[b-1]))
		if err != nil {
			return nil, nil, err
		}
		choice.Values = append(choice.Values, value)
		pass[b] = true
	}
	from, to := catalog.Money(sh.from), catalog.Money(sh.to)
	inside := func() int { return a.inside(&sh.in) }
	page = []question{
		newQuestion("category", search.Query{Category: &category}, inside),
		newQuestion("category, two values of a feature", search.Query{Category: &category, Features: []search.Choice{choice}}, func() int { return a.withValues(&sh.in, 0, pass) }),
		newQuestion("category, price, in stock", search.Query{Category: &category, PriceFrom: &from, PriceTo: &to, InStock: true}, func() int { return a.inStock(&sh.in, sh.from, sh.to) }),
		newQuestion("category by price", search.Query{Category: &category, Sort: search.ByPrice}, inside),
		newQuestion("category by name", search.Query{Category: &category, Sort: search.ByName}, inside),
	}
	others = []question{
		newQuestion("front page", search.Query{}, a.all),
		newQuestion("a common word", search.Query{Text: a.word(len(a.category) / 20)}, nil),
		newQuestion("a rare word", search.Query{Text: a.word(len(a.category) / 10_000)}, nil),
	}
	return page, others, nil
}

// word is the one that stands in about so many names. Short ones begin too many others.
func (a *arrays) word(wanted int) string {
	best, off := "", math.MaxInt
	for w, n := range a.words {
		if d := max(n-wanted, wanted-n); len(w) >= 6 && (d < off || d == off && w < best) {
			best, off = w, d
		}
	}
	return best
}

// newQuestion makes a page of 50 with facets out of a query.
func newQuestion(name string, query search.Query, bare func() int) question {
	query.WithFacets, query.Limit = true, 50
	params := url.Values{"with": {"facets"}}
	if query.Category != nil {
		params.Set("category", query.Category.String())
	}
	if query.Text != "" {
		params.Set("q", query.Text)
	}
	if query.PriceFrom != nil {
		params.Set("price[from]", amount(*query.PriceFrom))
		params.Set("price[to]", amount(*query.PriceTo))
	}
	if query.InStock {
		params.Set("in_stock", "true")
	}
	for _, c := range query.Features {
		for _, v := range c.Values {
			params.Add("features["+c.ID.String()+"][]", v.String())
		}
	}
	if query.Sort != search.ByMaking {
		params.Set("sort", map[search.Sort]string{search.ByPrice: "price", search.ByName: "name"}[query.Sort])
	}
	return question{name, "/v2/products?" + params.Encode(), query, bare}
}

// amount writes a price of the demo, which is whole in hundredths.
func amount(m catalog.Money) string { return fmt.Sprintf("%d.%02d", m/10_000, m/100%100) }
