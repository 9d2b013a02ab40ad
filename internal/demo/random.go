package demo

import (
	"math"
	"math/rand/v2"
)

// productRand is the random generator of one product. It depends only on the seed and the number of the product.
type productRand struct{ *rand.Rand }

func newProductRand(seed, number uint64) productRand {
	return productRand{rand.New(rand.NewPCG(seed, number))}
}

// chance returns true with the probability share.
func (d productRand) chance(share float64) bool { return d.Float64() < share }

// skewed returns a random number below n. The weight of k is about 1/(k+flat): the larger flat is, the
// more uniform is the distribution.
func (d productRand) skewed(n int, flat float64) int { return skewedAt(d.Float64(), n, flat) }

// skewedAt returns the number below n that skewed draws with a random number from 0 to 1.
func skewedAt(point float64, n int, flat float64) int {
	return min(n-1, int(flat*(math.Pow((float64(n)+flat)/flat, point)-1)))
}

// logNormal returns a random number with a log-normal distribution around the median.
func (d productRand) logNormal(median, spread float64) float64 {
	return median * math.Exp(spread*d.NormFloat64())
}

// pickPopular returns a random element of a list in order of popularity. The first elements are more frequent.
func (d productRand) pickPopular(list []string) string { return list[d.skewed(len(list), 2)] }

// pickUniform returns a random element of a list. All are equally frequent.
func (d productRand) pickUniform(list []string) string { return list[d.IntN(len(list))] }

// pickWeighted returns a random index with the given probabilities, which sum up to one.
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
