package picture

import (
	"context"
	"fmt"
	"image"
	"io"
)

const (
	// colorSamples is the number of pixels of a row, and of rows, that the dominant color is found in.
	colorSamples = 64
	// minColorAlpha is the opacity from which on a pixel counts.
	minColorAlpha = 0x8000
	// clearColor is the color of an image in which nothing is opaque.
	clearColor = "#ffffff"
)

// Color returns the dominant color of an image as #rrggbb: the mean of the most frequent range of similar colors. It
// returns the same errors as Clean.
func (d *Decoder) Color(ctx context.Context, owner string, content io.ReadSeeker) (color string, err error) {
	err = d.withDecoded(ctx, owner, content, 0, func(o decodedImage) error {
		color = DominantColor(o.image)
		return nil
	})
	return color, err
}

// DominantColor returns the color that Decoder.Color returns for the image as a file. It looks at no more than
// colorSamples² pixels.
func DominantColor(img image.Image) string {
	type sum struct{ n, r, g, b uint64 }
	var ranges [1 << 12]sum
	bounds := img.Bounds()
	columns, rows := min(bounds.Dx(), colorSamples), min(bounds.Dy(), colorSamples)

	for i := range rows {
		y := bounds.Min.Y + (2*i+1)*bounds.Dy()/(2*rows)
		for k := range columns {
			x := bounds.Min.X + (2*k+1)*bounds.Dx()/(2*columns)
			r, g, b, a := img.At(x, y).RGBA()
			if a < minColorAlpha {
				continue
			}
			r, g, b = r*0xff/a, g*0xff/a, b*0xff/a
			of := &ranges[r>>4<<8|g>>4<<4|b>>4]
			of.n, of.r, of.g, of.b = of.n+1, of.r+uint64(r), of.g+uint64(g), of.b+uint64(b)
		}
	}

	most := ranges[0]
	for _, of := range ranges {
		if of.n > most.n {
			most = of
		}
	}
	if most.n == 0 {
		return clearColor
	}
	return fmt.Sprintf("#%02x%02x%02x", most.r/most.n, most.g/most.n, most.b/most.n)
}
