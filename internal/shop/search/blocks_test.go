package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The random catalogues of the model test fit into one block. This test fills several blocks, clusters them, changes
// rows and appends more.
func TestColumns_agreeWithNaiveScanAcrossBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	c := newColumns()
	const feature = 1
	c.attributes[feature] = &attribute{key: feature, kind: catalog.Feature, filterable: true, fieldType: catalog.Select}
	c.assignColumns(func(int64) bool { return true })

	for i := range int64(5) {
		c.values.assign(100 + i)
		c.values.byID = append(c.values.byID, valueInfo{attribute: feature, id: id.New[catalog.Value](),
			name: fmt.Sprint(i)})
	}

	for i := range int64(20) {
		c.tree.assign(i + 1)
		c.tree.nodes = append(c.tree.nodes, categoryNode{id: id.New[catalog.Category](), name: fmt.Sprint(i),
			parent: noIndex})
	}

	price := func(n int64) int64 { return 1_000_000 + 100*n } // several of them are in one bucket
	all := map[int64]productRow{}

	putRandom := func(key int64) {
		p := productRow{key: key, created: key, name: fmt.Sprint("name", key%7, " n", key),
			sortName: fmt.Sprint(" name", key%7, " n", key), externalID: fmt.Sprint("sku", key),
			features: []featureValue{{feature, 100 + r.Int64N(5)}}}
		for range r.IntN(3) {
			p.categories = append(p.categories, 1+r.Int64N(20))
		}

		for range r.IntN(4) {
			v := variantRow{price: price(r.Int64N(10)), inStock: r.IntN(2) == 0}
			if r.IntN(5) == 0 {
				v.price = noPrice
			}
			p.variants = append(p.variants, v)
		}

		all[key] = p
		c.put(&p)
	}

	const rows = 3*blockLen + 100
	for key := range int64(rows) {
		putRandom(key + 1)
		if len(all[key+1].variants) == 0 && key > blockLen { // give products after the first block a variant
			delete(all, key+1)
			p := productRow{key: key + 1, created: key, sortName: " x", name: "x",
				features: []featureValue{{feature, 100}}, variants: []variantRow{{price: price(3), inStock: true}}}
			all[key+1] = p
			c.put(&p)
		}
	}

	check := func(when string) {
		t.Helper()
		c.indexTexts(maxStaleRows)
		for i, f := range []*searchFilter{
			{}, {text: "name3"}, {text: "name3 name3"}, {category: &CategoryCount{key: 3}},
			{category: &CategoryCount{key: 3}, price: bounds[int64]{from: new(price(4))}},
			{inStock: true, price: bounds[int64]{to: new(price(2))}}, {inStock: true},
			{price: bounds[int64]{from: new(int64(0))}}, {inStock: true, price: bounds[int64]{from: new(int64(0))}},
			{category: &CategoryCount{key: 3}, inStock: true,
				features: []selection{{attribute: *c.attributes[feature], values: []namedValue{{key: 102}}}}},
			{category: &CategoryCount{key: 3}, text: "name5", inStock: true},
		} {
			var want []int64
			byCategory, byValue := map[int64]int64{}, map[int64]int64{}
			var prices *Span[money.Money]
			for key, p := range all {
				in := f.category == nil || slices.Contains(p.categories, f.category.key)
				fits := true
				has := true
				for _, w := range strings.Fields(f.text) {
					fits = fits && strings.Contains(p.sortName+" ", " "+w+" ")
				}

				for _, v := range p.variants {
					if in && fits && (len(f.features) == 0 || p.features[0].value == 102) &&
						(!f.inStock || v.inStock) && v.price != noPrice {
						prices = extendSpan(prices, money.Money(v.price))
					}
				}

				if f.filtersVariants() {
					fits = fits && slices.ContainsFunc(p.variants,
						func(v variantRow) bool {
							inRange := !f.price.isSet() || v.price != noPrice && f.price.contain(v.price)
							return inRange && (!f.inStock || v.inStock)
						})
				}

				if len(f.features) > 0 {
					has = p.features[0].value == 102
				}

				if in && fits && has {
					want = append(want, key)
				}

				if in && fits {
					byValue[p.features[0].value]++
				}

				if fits && has {
					for _, k := range slices.Compact(slices.Sorted(slices.Values(p.categories))) {
						byCategory[k]++
					}
				}
			}

			slices.Sort(want)

			for _, counting := range []bool{false, true} {
				found := c.find(f, &c.base, Query{Limit: 2 * rows, WithFacets: counting})
				if !slices.Equal(found.Keys, want) {
					t.Fatalf("%s, filter %d, counting %v: %d products, want %d", when, i, counting, len(found.Keys),
						len(want))
				}

				if !counting {
					continue
				}
				if diff := cmp.Diff(prices, found.Facets.Price); diff != "" {
					t.Errorf("%s, filter %d: the prices differ:\n%s", when, i, diff)
				}

				for _, got := range found.Facets.Categories {
					if got.Count != byCategory[got.key] {
						t.Errorf("%s, filter %d: category %d counts %d, want %d", when, i, got.key, got.Count,
							byCategory[got.key])
					}
				}

				for _, got := range found.Facets.Features[0].Values {
					if got.Count != byValue[got.key] {
						t.Errorf("%s, filter %d: value %d counts %d, want %d", when, i, got.key, got.Count,
							byValue[got.key])
					}
				}
			}
		}
	}

	check("before clustering")
	c.cluster()
	check("clustered")

	for range 200 {
		putRandom(1 + r.Int64N(rows))
	}

	for key := int64(rows + 1); key < rows+blockLen; key++ {
		putRandom(key)
	}

	for range 200 {
		key := 1 + r.Int64N(rows)
		c.remove(key)
		delete(all, key)
	}

	check("after changes")
	c.cluster()
	check("clustered again")
}
