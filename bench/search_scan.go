package main

import (
	"math"
	"strings"
	"sync"

	"vitrine/internal/demo"
)

// commonFeatures is how many features most products of the demo have: the first ones.
const commonFeatures = 8

// codeCount is how many different values a column of the arrays can have.
const codeCount = 256

// arrays are the products of a shop in plain Go arrays, a byte for each category and value, as one would lay them out for one query and
// nothing else: a product lies in one category, has at most one value of a feature and one price. Its scans count what facets show, in
// the tightest loops that one would write by hand. They are not safe for concurrent use.
type arrays struct {
	category []uint8
	values   [commonFeatures][]uint8 // 0 where a product has none
	price    []int64
	stocked  []bool
	// words counts in how many names a word stands.
	words map[string]int

	// What a scan finds.
	matched     []uint32
	counts      [commonFeatures][codeCount]int32
	perCategory [codeCount]int32
	least, most int64
}

// arraysOf returns the arrays of a size, which are made once.
func (s *shops) arraysOf(n int) *arrays {
	if s.arrays[n] == nil {
		s.arrays[n] = newArrays(n)
	}
	return s.arrays[n]
}

// newArrays draws the products that a shop of this size has.
func newArrays(n int) *arrays {
	a := &arrays{category: make([]uint8, n), price: make([]int64, n), stocked: make([]bool, n), words: map[string]int{}, matched: make([]uint32, 0, n)}
	for f := range a.values {
		a.values[f] = make([]uint8, n)
	}
	g := demo.NewGenerator(shopSeed)
	const parts = 2
	var group sync.WaitGroup
	var mu sync.Mutex
	for part := range parts {
		group.Go(func() {
			words := map[string]int{}
			for row := n * part / parts; row < n*(part+1)/parts; row++ {
				p := g.Product(row + 1)
				a.put(row, p)
				for _, w := range strings.Fields(strings.ToLower(p.Name)) {
					words[w]++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for w, n := range words {
				a.words[w] += n
			}
		})
	}
	group.Wait()
	return a
}

func (a *arrays) put(row int, p demo.Product) {
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

// clear forgets what the last scan found.
func (a *arrays) clear() {
	a.matched = a.matched[:0]
	a.counts, a.perCategory = [commonFeatures][codeCount]int32{}, [codeCount]int32{}
	a.least, a.most = math.MaxInt64, math.MinInt64
}

// count counts the products that matched.
func (a *arrays) count() {
	for f := range a.values {
		column, counts := a.values[f], &a.counts[f]
		for _, row := range a.matched {
			counts[column[row]]++
		}
	}
	for _, row := range a.matched {
		a.least, a.most = min(a.least, a.price[row]), max(a.most, a.price[row])
	}
}

// inside finds the products of a category. The counts of the other categories are those of the whole shop, which one would keep.
func (a *arrays) inside(in *[codeCount]bool) int {
	a.clear()
	for i, c := range a.category {
		if in[c] {
			a.matched = append(a.matched, uint32(i))
		}
	}
	a.count()
	return len(a.matched)
}

// withValues finds the products of a category that have certain values of a feature. What fails only the one or only the other counts
// there.
func (a *arrays) withValues(in *[codeCount]bool, feature int, pass *[codeCount]bool) int {
	a.clear()
	column, counts := a.values[feature][:len(a.category)], &a.counts[feature]
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
	a.count()
	return len(a.matched)
}

// inStock finds the products of a category that are in stock and cost between two prices, both inclusive.
func (a *arrays) inStock(in *[codeCount]bool, from, to int64) int {
	a.clear()
	price, stocked, span := a.price[:len(a.category)], a.stocked[:len(a.category)], uint64(to-from)
	for i, c := range a.category {
		fits := int32(0)
		if stocked[i] && uint64(price[i]-from) <= span {
			fits = 1
		}
		a.perCategory[c] += fits
		if in[c] && stocked[i] {
			a.least, a.most = min(a.least, price[i]), max(a.most, price[i])
			if fits != 0 {
				a.matched = append(a.matched, uint32(i))
			}
		}
	}
	least, most := a.least, a.most // of all that is in stock, whatever it costs
	a.count()
	a.least, a.most = least, most
	return len(a.matched)
}

// all counts the whole shop.
func (a *arrays) all() int {
	a.clear()
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
		a.least, a.most = min(a.least, p), max(a.most, p)
	}
	return len(a.category)
}
