package drawing

import (
	"math"
	"math/rand/v2"
	"sync"
)

// textureSide is the side of a tile. Tiles repeat, so it is a power of two.
const textureSide = 512

// texture is a tile of brightness deviations, from -127 to 127. At the usual size of a drawing each pixel is two steps
// in the tile, so that a close-up has finer details.
type texture [textureSide * textureSide]int8

func tile(fn func(x, y int) float64) func() *texture {
	return sync.OnceValue(func() *texture {
		t := new(texture)
		for y := range textureSide {
			for x := range textureSide {
				t[y*textureSide+x] = int8(max(-127, min(127, 127*fn(x, y))))
			}
		}
		return t
	})
}

// noiseField returns smooth noise from -1 to 1 that repeats. stepX and stepY are the sizes of its cells.
func noiseField(seed uint64, stepX, stepY int) func(x, y int) float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	nx, ny := textureSide/stepX, textureSide/stepY
	values := make([]float64, nx*ny)
	for i := range values {
		values[i] = rng.Float64()*2 - 1
	}
	ease := func(t float64) float64 { return t * t * (3 - 2*t) }

	return func(x, y int) float64 {
		x, y = x&(textureSide-1), y&(textureSide-1)
		cx, cy := x/stepX, y/stepY
		tx, ty := ease(float64(x%stepX)/float64(stepX)), ease(float64(y%stepY)/float64(stepY))
		at := func(i, k int) float64 { return values[(k%ny)*nx+i%nx] }
		upper := at(cx, cy)*(1-tx) + at(cx+1, cy)*tx
		bottom := at(cx, cy+1)*(1-tx) + at(cx+1, cy+1)*tx
		return upper*(1-ty) + bottom*ty
	}
}

func wave(x float64) float64 { return math.Sin(2 * math.Pi * x) }

var (
	weave = tile(func(x, y int) float64 {
		over := wave(float64(x)/8)*0.5 + wave(float64(y)/8)*0.5
		return 0.75*over + 0.16*slub(x, y)
	})
	slub  = noiseField(3, 32, 4)
	twill = tile(func(x, y int) float64 { return 0.6*wave(float64(x+y)/8) + 0.4*slub(x, y) })
	knit  = tile(func(x, y int) float64 {
		// Columns of V stitches.
		column := x % 16
		slope := column
		if column >= 8 {
			slope = 15 - column
		}
		v := wave(float64(y+slope) / 16)
		edge := 1.0
		if column == 0 || column == 15 {
			edge = -0.9
		}
		return 0.6*v + 0.4*edge - 0.2
	})
	furFine, furCoarse = noiseField(5, 4, 8), noiseField(6, 16, 16)
	fur                = tile(func(x, y int) float64 { return 0.7*furFine(x+y/3, y) + 0.45*furCoarse(x, y) })
	grainA, grainB     = noiseField(8, 8, 8), noiseField(9, 16, 16)
	leatherGrain       = tile(func(x, y int) float64 { return math.Abs(grainA(x, y))*1.5 - 0.6 + 0.4*grainB(x, y) })
	ringsA, ringsB     = noiseField(11, 128, 16), noiseField(12, 256, 64)
	pores              = noiseField(13, 64, 2)
	woodGrain          = tile(func(x, y int) float64 {
		return 0.5*wave(float64(y)/64+1.3*ringsB(x, y)) + 0.35*ringsA(x, y) + 0.3*pores(x, y)
	})
	streaks = noiseField(15, 128, 2)
	brushed = tile(func(x, y int) float64 { return streaks(x, y) })
	dotsA   = noiseField(17, 4, 4)
	speckle = tile(func(x, y int) float64 { return dotsA(x, y)*0.6 + 0.4*furCoarse(x, y) })
	basket  = tile(func(x, y int) float64 {
		// Bands that go over and under each other.
		bx, by := x/16, y/16
		if (bx+by)%2 == 0 {
			return math.Abs(wave(float64(y%16)/32))*1.4 - 0.75
		}
		return math.Abs(wave(float64(x%16)/32))*1.4 - 0.75
	})
)
