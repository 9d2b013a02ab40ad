package demo_test

import (
	"bytes"
	"image/jpeg"
	"testing"

	"vitrine/internal/demo"
)

// Pictures are JPEG files, are the same for the same seed, and have the colour of the product.
func TestPictures_areJPEGsInProductColour(t *testing.T) {
	g := demo.NewGenerator(1)
	again := demo.NewGenerator(1)
	other := demo.NewGenerator(2)
	single, double, black := 0, 0, 0

	for i := 1; i <= 4; i++ {
		files := drawPictures(t, g, i)
		switch len(files) {
		case 1:
			single++
		case 2:
			double++
		default:
			t.Errorf("product %d has %d pictures", i, len(files))
		}

		if i == 1 { // only once, because drawing is slow
			if same := drawPictures(t, again, i); len(same) != len(files) || !bytes.Equal(same[0], files[0]) {
				t.Errorf("product %d has different pictures with the same seed", i)
			}
			if bytes.Equal(drawPictures(t, other, i)[0], files[0]) {
				t.Errorf("product %d has the same pictures with another seed", i)
			}
		}

		for _, file := range files {
			img, err := jpeg.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatalf("product %d: %v", i, err)
			}
			if size := img.Bounds().Size(); size.X != 800 || size.Y != 600 {
				t.Errorf("product %d has a picture of size %v", i, size)
			}
		}

		if productColour(g, g.Product(i)) != "Black" {
			continue
		}

		black++
		img, _ := jpeg.Decode(bytes.NewReader(files[0]))
		dark := 0
		for y := 0; y < 600; y += 10 {
			for x := 0; x < 800; x += 10 {
				if r, g, b, _ := img.At(x, y).RGBA(); max(r, g, b) < 0x4800 {
					dark++
				}
			}
		}

		if dark < 100 || dark > 3000 { // of 4,800 sampled pixels
			t.Errorf("product %d is black, but %d of 4800 sampled pixels are dark", i, dark)
		}
	}

	if single == 0 || double == 0 || black == 0 {
		t.Errorf("%d products have one picture, %d two; %d are black", single, double, black)
	}
}

func drawPictures(t *testing.T, g *demo.Generator, i int) [][]byte {
	t.Helper()
	files, err := g.Pictures(i)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// productColour returns the first colour of a product.
func productColour(g *demo.Generator, p demo.Product) string {
	for _, c := range p.Features {
		if a := g.Features()[c.Attribute]; a.Name == "Colour" {
			return a.Values[c.Value]
		}
	}
	return ""
}
