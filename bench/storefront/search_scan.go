package storefront

import (
	"math"
	"strings"
	"sync"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
)

// commonFeatures is the number of features that most products of the demo catalogue have. They are the first ones.
const commonFeatures = 8

// codeCount is the number of possible values in a column of the arrays.
const codeCount = 256

// productArrays has the products of a store in plain Go arrays, with one byte per category and value, as one would lay
// them out for a single query. A product has one category, at most one value per feature, and one price. The scans
// compute facet counts in the tightest loops one would write by hand. productArrays is not safe for concurrent use.
type productArrays struct {
	category []uint8
	values   [commonFeatures][]uint8 // 0 if the product has no value
	price    []int64
	stocked  []bool
	// wordCounts has the number of names that contain a word.
	wordCounts map[string]int

	// The results of a scan.
	matched            []uint32
	counts             [commonFeatures][codeCount]int32
	perCategory        [codeCount]int32
	minPrice, maxPrice int64
}

// newProductArrays generates the products of a store of this size.
func newProductArrays(n int) *productArrays {
	a := &productArrays{
		category: make([]uint8, n), price: make([]int64, n), stocked: make([]bool, n), wordCounts: map[string]int{},
		matched: make([]uint32, 0, n),
	}
	for f := range a.values {
		a.values[f] = make([]uint8, n)
	}

	g := demo.NewGeneratorIn(demo.Mixed, harness.DemoSeed)
	const parts = 2
	var group sync.WaitGroup
	var mu sync.Mutex
	for part := range parts {
		group.Go(func() {
			words := map[string]int{}
			for row := n * part / parts; row < n*(part+1)/parts; row++ {
				p := g.Product(row + 1)
				a.set(row, p)
				for _, w := range strings.Fields(strings.ToLower(p.Name)) {
					words[w]++
				}
			}

			mu.Lock()
			defer mu.Unlock()

			for w, n := range words {
				a.wordCounts[w] += n
			}
		})
	}

	group.Wait()
	return a
}

func (a *productArrays) set(row int, p demo.Product) {
	a.category[row] = uint8(p.Categories[0])
	for _, f := range p.Features {
		if f.Attribute < commonFeatures && a.values[f.Attribute][row] == 0 {
			a.values[f.Attribute][row] = uint8(f.Value + 1)
		}
	}
	first := p.Variants[0]
	a.price[row] = int64(first.Price)
	a.stocked[row] = len(first.Remainders) == 0
	for _, r := range first.Remainders {
		a.stocked[row] = a.stocked[row] || r.Quantity > 0
	}
}

// reset clears the results of the last scan.
func (a *productArrays) reset() {
	a.matched = a.matched[:0]
	a.counts = [commonFeatures][codeCount]int32{}
	a.perCategory = [codeCount]int32{}
	a.minPrice, a.maxPrice = math.MaxInt64, math.MinInt64
}

// countMatched counts the values and the price range of the matching products.
func (a *productArrays) countMatched() {
	for f := range a.values {
		column := a.values[f]
		counts := &a.counts[f]
		for _, row := range a.matched {
			counts[column[row]]++
		}
	}
	for _, row := range a.matched {
		a.minPrice = min(a.minPrice, a.price[row])
		a.maxPrice = max(a.maxPrice, a.price[row])
	}
}

// scanCategory finds the products of a category. It does not count the other categories, because their counts do not
// depend on the query if there are no further filters.
func (a *productArrays) scanCategory(in *[codeCount]bool) int {
	a.reset()
	for i, c := range a.category {
		if in[c] {
			a.matched = append(a.matched, uint32(i))
		}
	}
	a.countMatched()
	return len(a.matched)
}

// scanCategoryWithValues finds the products of a category with certain values of a feature. A product that fails only
// one of the two conditions is counted for the facet of that condition.
func (a *productArrays) scanCategoryWithValues(in *[codeCount]bool, feature int, pass *[codeCount]bool) int {
	a.reset()
	column := a.values[feature][:len(a.category)]
	counts := &a.counts[feature]
	for i, c := range a.category {
		v := column[i]
		switch {
		case !in[c]:
			if pass[v] {
				a.perCategory[c]++
			}
		case pass[v]:
			a.matched = append(a.matched, uint32(i))
		default:
			counts[v]++
		}
	}

	a.countMatched()
	return len(a.matched)
}

// scanInStock finds the products of a category that are in stock and whose price is at least the
// parameter from and at most the parameter to.
func (a *productArrays) scanInStock(in *[codeCount]bool, from, to int64) int {
	a.reset()
	price := a.price[:len(a.category)]
	stocked := a.stocked[:len(a.category)]
	span := uint64(to - from)

	for i, c := range a.category {
		fits := int32(0)
		if stocked[i] && uint64(price[i]-from) <= span {
			fits = 1
		}

		a.perCategory[c] += fits

		if in[c] && stocked[i] {
			a.minPrice = min(a.minPrice, price[i])
			a.maxPrice = max(a.maxPrice, price[i])
			if fits != 0 {
				a.matched = append(a.matched, uint32(i))
			}
		}
	}

	least, most := a.minPrice, a.maxPrice // of all products in stock, at any price
	a.countMatched()
	a.minPrice, a.maxPrice = least, most

	return len(a.matched)
}

// scanAll counts all products of the store.
func (a *productArrays) scanAll() int {
	a.reset()
	for f := range a.values {
		counts := &a.counts[f]
		for _, v := range a.values[f] {
			counts[v]++
		}
	}
	for _, c := range a.category {
		a.perCategory[c]++
	}
	for _, p := range a.price {
		a.minPrice = min(a.minPrice, p)
		a.maxPrice = max(a.maxPrice, p)
	}
	return len(a.category)
}
