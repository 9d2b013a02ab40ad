package demo

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/demo/drawing"
	"vitrine/internal/kit/picture"
)

// drawnPictures are the pictures of a product.
type drawnPictures struct {
	pictures []picture.Picture
	texts    []string // what the pictures show
	// variants are the pictures of the variants: indexes in pictures, by the external id of the variant.
	variants map[string]int
	err      error
}

// artists draw the pictures of several products at once.
type artists struct {
	generator *Generator
	studio    *drawing.Studio
	workers   errgroup.Group
}

func newArtists(g *Generator) *artists {
	a := &artists{generator: g, studio: drawing.NewStudio()}
	a.workers.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	return a
}

// draw returns a channel that gets the pictures of product i when they are drawn. It waits while all artists draw.
func (a *artists) draw(i int) <-chan drawnPictures {
	drawn := make(chan drawnPictures, 1)
	a.workers.Go(func() error {
		drawn <- a.drawProduct(i)
		return nil
	})
	return drawn
}

// wait waits until the artists have drawn everything.
func (a *artists) wait() { _ = a.workers.Wait() } // they return no errors

func (a *artists) drawProduct(i int) drawnPictures {
	planned := a.generator.Pictures(i)
	d := drawnPictures{variants: a.generator.picturesOfVariants(i, planned)}
	for _, spec := range planned {
		drawn, err := a.studio.Render(spec)
		if err != nil {
			return drawnPictures{err: err}
		}
		d.pictures = append(d.pictures, drawn)
		d.texts = append(d.texts, a.generator.pictureText(i, spec))
	}
	return d
}

// receivePictures waits for pictures.
func receivePictures(channels []<-chan drawnPictures) ([]drawnPictures, error) {
	all := make([]drawnPictures, len(channels))
	for i, channel := range channels {
		if all[i] = <-channel; all[i].err != nil {
			return nil, all[i].err
		}
	}
	return all, nil
}
