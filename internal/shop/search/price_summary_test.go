package search

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPriceBucket_keepsTheOrderOfPrices(t *testing.T) {
	prices := []int64{-5, 0, noPrice - 1}
	for n := int64(1); n < noPrice; n *= 2 {
		prices = append(prices, n-1, n, n+1, n+n/2, n+n/1024, n+n/1023)
	}
	slices.Sort(prices)
	for i := 1; i < len(prices); i++ {
		if a, b := priceBucket(prices[i-1]), priceBucket(prices[i]); a > b || b >= noPriceBucket {
			t.Errorf("the buckets of %d and %d are %d and %d", prices[i-1], prices[i], a, b)
		}
	}
	if priceBucket(999_00) == priceBucket(1000_00) {
		t.Error("9.99 and 10.00 have the same bucket")
	}
}

// A test of buckets may leave open whether prices are inside a range, but what it says is true.
func TestPriceTest_isRightAboutPricesInOneBucket(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	price := func() int64 { return 1_000_000 + 100*r.Int64N(20) } // several prices in each of a few buckets
	sure := 0
	for range 20_000 {
		from, to := price(), price()
		test := newPriceTest(bounds[int64]{&from, &to})
		low := price()
		high := max(low, price())
		prices := priceRange{priceBucket(low), priceBucket(high)}
		inside, partly := test.testRows([]uint16{prices.lowest}, []uint16{prices.highest})
		if test.allInside(prices) != (inside == 1) || test.noneInside(prices) && inside|partly != 0 {
			t.Fatalf("[%d, %d] in [%d, %d]: the tests of a group and of a row differ", low, high, from, to)
		}

		if inside == 1 && (low < from || high > to) || test.noneInside(prices) && low <= to && high >= from {
			t.Fatalf("[%d, %d] in [%d, %d]: inside %d, partly %d", low, high, from, to, inside, partly)
		}

		if inside|partly == 0 || inside == 1 {
			sure++
		}
	}

	if sure == 0 {
		t.Error("the buckets never decided")
	}
}

func TestPriceSpan_isWidenedByPricesInTheBucketOfABound(t *testing.T) {
	span := newPriceSpan()
	for _, price := range []int64{2_000_100, 1_000_200, 1_000_100, 2_000_200} {
		if bucket := priceBucket(price); !span.mayWiden(priceRange{bucket, bucket}) {
			t.Errorf("%d is not tested", price)
		}
		span.add(price)
	}
	if span.least != 1_000_100 || span.most != 2_000_200 {
		t.Errorf("the span is [%d, %d]", span.least, span.most)
	}
	if inner := priceBucket(1_500_000); span.mayWiden(priceRange{inner, inner}) {
		t.Error("prices inside the span are tested")
	}
}
