package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"vitrine/internal/kit/picture"
)

func TestColor_isTheMostFrequentOne(t *testing.T) {
	mixed := image.NewNRGBA(image.Rect(0, 0, 300, 100))
	clear := image.NewNRGBA(mixed.Rect)
	for y := range 100 {
		for x := range 300 {
			c := color.NRGBA{58, 110, 165, 255}
			switch {
			case x < 60:
				c = color.NRGBA{uint8(x), uint8(4 * x), uint8(y), 255}
			case x < 150:
				c = color.NRGBA{255, 0, 0, 10} // hardly seen
			}
			mixed.SetNRGBA(x, y, c)
		}
	}

	for _, c := range []struct {
		file []byte
		want string
	}{{pngOf(mixed), "#3a6ea5"}, {pngOf(clear), "#ffffff"}, {blackPNG(1, 3000), "#000000"}} {
		got, err := picture.NewDecoder(picture.Options{}).Color(t.Context(), "", bytes.NewReader(c.file))
		if err != nil || got != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
}

func TestNarrower_hasTheWidth(t *testing.T) {
	for _, c := range []struct{ w, h, width, height int }{
		{1000, 500, 320, 160}, {500, 1000, 320, 640}, {333, 999, 160, 480}, {160, 7, 160, 7}, {1001, 3000, 640, 1918},
	} {
		p, err := picture.NewDecoder(picture.Options{}).Narrower(t.Context(), "",
			bytes.NewReader(blackPNG(uint32(c.w), uint32(c.h))), c.width)
		if err != nil || p.Width != c.width || p.Height != c.height {
			t.Errorf("%d × %d becomes %d × %d, want %d × %d: %v", c.w, c.h, p.Width, p.Height, c.width, c.height, err)
		}
	}
}
