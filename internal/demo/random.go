package demo

import (
	"math"
	"math/rand/v2"
)

// productRand is the chance behind one product: it depends on the seed and the product's number only.
type productRand struct{ *rand.Rand }

func newProductRand(seed, number uint64) productRand {
	return productRand{rand.New(rand.NewPCG(seed, number))}
}

// chance is true in that part of all cases.
func (d productRand) chance(share float64) bool { return d.Float64() < share }

// skewed picks a number below n, small ones more often: number k with a weight of about 1/(k+flat). The larger flat is, the less the first
// stand out.
func (d productRand) skewed(n int, flat float64) int {
	return min(n-1, int(flat*(math.Pow((float64(n)+flat)/flat, d.Float64())-1)))
}

// logNormal gives a number that is log-normally spread about a median.
func (d productRand) logNormal(median, spread float64) float64 {
	return median * math.Exp(spread*d.NormFloat64())
}

// pickPopular picks an element of a list that stands in the order of popularity.
func (d productRand) pickPopular(list []string) string { return list[d.skewed(len(list), 2)] }

// pickUniform picks an element of a list, each as often as the others.
func (d productRand) pickUniform(list []string) string { return list[d.IntN(len(list))] }

// pickWeighted picks an index of parts, which sum up to one.
func (d productRand) pickWeighted(shares []float64) int {
	point := d.Float64()
	for i, share := range shares {
		if point < share {
			return i
		}
		point -= share
	}
	return len(shares) - 1
}
