package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"vitrine/internal/kit/picture"
)

func makeThumbnails(t *testing.T, file []byte, longest ...int) []picture.Picture {
	t.Helper()
	made, err := picture.NewDecoder(picture.Options{}).Thumbnails(t.Context(), "", bytes.NewReader(file), longest...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestThumbnails_fitTheGivenSideAndNeverEnlarge(t *testing.T) {
	for _, c := range []struct {
		w, h          int
		medium, small image.Point
	}{
		{1280, 640, image.Pt(640, 320), image.Pt(160, 80)},
		{500, 1000, image.Pt(320, 640), image.Pt(80, 160)},
		{640, 640, image.Pt(640, 640), image.Pt(160, 160)},
		{300, 200, image.Pt(300, 200), image.Pt(160, 107)},
		{16, 16, image.Pt(16, 16), image.Pt(16, 16)},
		{3000, 1, image.Pt(640, 1), image.Pt(160, 1)},
		{1, 3000, image.Pt(1, 640), image.Pt(1, 160)},
	} {
		for i, p := range makeThumbnails(t, blackPNG(uint32(c.w), uint32(c.h)), 640, 160) {
			want := []image.Point{c.medium, c.small}[i]

			if got := decode(t, p).Bounds().Size(); got != want || p.Width != want.X || p.Height != want.Y {
				t.Errorf("%d × %d becomes %v, want %v", c.w, c.h, got, want)
			}
		}
	}
}

func TestThumbnails_showThePicture(t *testing.T) {
	red := color.NRGBA{255, 0, 0, 255}
	green := color.NRGBA{0, 255, 0, 255}
	blue := color.NRGBA{0, 0, 255, 255}
	white := color.NRGBA{255, 255, 255, 255}

	hole := color.NRGBA{}
	for name, c := range map[string]struct {
		file    []byte
		format  picture.Format
		corners [4]color.NRGBA
	}{
		"a JPEG": {jpegOf(quadrants(200, 200)), picture.JPEG, [4]color.NRGBA{red, green, blue, white}},
		"a PNG":  {pngOf(quadrants(200, 200)), picture.JPEG, [4]color.NRGBA{red, green, blue, white}},
		"a PNG with a hole": {pngOf(quadrantsWithHole(200, 200)), picture.PNG,
			[4]color.NRGBA{red, green, blue, hole}},
		"a GIF":  {gifOf(200, 200, 3), picture.JPEG, [4]color.NRGBA{red, red, red, red}},
		"a WebP": {webpOf(200, 200, blue), picture.JPEG, [4]color.NRGBA{blue, blue, blue, blue}},
		"a translucent WebP": {webpOf(200, 200, color.NRGBA{0, 0, 255, 100}), picture.PNG,
			[4]color.NRGBA{{0, 0, 255, 100}, {0, 0, 255, 100}, {0, 0, 255, 100}, {0, 0, 255, 100}}},
		"an animated WebP":      {animatedWebP(200, 200), picture.PNG, [4]color.NRGBA{red, hole, hole, hole}},
		"an APNG, hidden cover": {animatedPNG(200, 200, true, nil), picture.JPEG, [4]color.NRGBA{red, red, red, red}},
	} {
		t.Run(name, func(t *testing.T) {
			p := makeThumbnails(t, c.file, 160)[0]
			if p.Format != c.format {
				t.Errorf("got a %s, want a %s", p.Format, c.format)
			}
			img := decode(t, p)
			for i, at := range []image.Point{{40, 40}, {120, 40}, {40, 120}, {120, 120}} {
				wantColour(t, img, at.X, at.Y, c.corners[i])
			}
		})
	}
}

// A checkerboard with squares of one pixel becomes grey when it is scaled from 640 pixels to 320 and 160. Taking only
// every second or every fourth pixel would give a black or a white image.
func TestThumbnails_averageAllPixels(t *testing.T) {
	board := image.NewGray(image.Rect(0, 0, 640, 640))
	for i := range board.Pix {
		if (i+i/640)%2 == 0 {
			board.Pix[i] = 255
		}
	}
	for _, p := range makeThumbnails(t, pngOf(board), 320, 160) {
		img := decode(t, p)
		for i := range 20 {
			wantColour(t, img, 5+i*3, 70+i, color.NRGBA{127, 127, 127, 255})
		}
	}
}

func TestThumbnails_keepTheColourProfile(t *testing.T) {
	rgb, grey := fakeProfile("RGB ", 600), fakeProfile("GRAY", 600)
	for name, c := range map[string]struct {
		file []byte
		want []byte
	}{
		"a JPEG": {insertAfterSOI(jpegOf(quadrants(40, 30)), iccSegments(rgb)), rgb},
		"a PNG with a hole": {insertAfterIHDR(pngOf(quadrantsWithHole(40, 30)),
			pngChunk("iCCP", append([]byte("x\x00\x00"), deflate(rgb)...))), rgb},
		// The thumbnail is RGB, so a greyscale profile does not fit.
		"a grey JPEG": {insertAfterSOI(jpegOf(image.NewGray(image.Rect(0, 0, 40, 30))), iccSegments(grey)), nil},
	} {
		p := makeThumbnails(t, c.file, 20)[0]
		if got := profileOf(p); !bytes.Equal(got, c.want) {
			t.Errorf("%s: the profile has %d bytes, want %d", name, len(got), len(c.want))
		}

		decode(t, p)
	}
}
