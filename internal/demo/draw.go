package demo

import (
	"math"
	"math/rand/v2"
)

// draw is the chance behind one product: it depends on the seed and the product's number only.
type draw struct{ *rand.Rand }

func newDraw(seed, number uint64) draw {
	return draw{rand.New(rand.NewPCG(seed, number))}
}

// chance is true in that part of all cases.
func (d draw) chance(part float64) bool { return d.Float64() < part }

// skewed picks a number below n, small ones more often: number k with a weight of about 1/(k+flat). The larger flat is, the less the first
// stand out.
func (d draw) skewed(n int, flat float64) int {
	return min(n-1, int(flat*(math.Pow((float64(n)+flat)/flat, d.Float64())-1)))
}

// around gives a number that is log-normally spread about a median.
func (d draw) around(median, spread float64) float64 {
	return median * math.Exp(spread*d.NormFloat64())
}

// one picks an element of a list that stands in the order of popularity.
func (d draw) one(list []string) string { return list[d.skewed(len(list), 2)] }

// any picks an element of a list, each as often as the others.
func (d draw) any(list []string) string { return list[d.IntN(len(list))] }

// weighted picks an index of parts, which sum up to one.
func (d draw) weighted(parts []float64) int {
	at := d.Float64()
	for i, p := range parts {
		if at < p {
			return i
		}
		at -= p
	}
	return len(parts) - 1
}
