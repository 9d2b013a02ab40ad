package demo_test

import (
	"bytes"
	"image/jpeg"
	"testing"

	"vitrine/internal/demo"
	"vitrine/internal/demo/drawing"
)

// A product has a picture in each colour of its variants, and some have one of a part of it or in a room. The same seed
// gives the same pictures.
func TestPictures_showTheColoursOfTheProduct(t *testing.T) {
	g, again := demo.NewGenerator(1), demo.NewGenerator(1)
	several, details, scenes := 0, 0, 0

	for i := 1; i <= 300; i++ {
		pictures := g.Pictures(i)
		for k, p := range again.Pictures(i) {
			if pictures[k] != p {
				t.Fatalf("product %d has other pictures with the same seed", i)
			}
		}

		colours := map[string]bool{}
		for _, v := range g.Product(i).Variants {
			for _, o := range v.Options {
				if a := g.Options()[o.Attribute]; a.Name == "Colour" {
					colours[a.Values[o.Value]] = true
				}
			}
		}
		shown := map[string]bool{}
		for _, p := range pictures {
			if p.View == drawing.Front {
				shown[p.Colour] = true
			}
			switch p.View {
			case drawing.Detail:
				details++
			case drawing.Scene:
				scenes++
			}
			if p.Kind == "" {
				t.Errorf("product %d has no kind", i)
			}
		}
		if len(colours) > 1 {
			several++
		}
		if len(colours) > 0 && len(shown) != min(len(colours), 5) {
			t.Errorf("product %d has the colours %v and pictures of %v", i, colours, shown)
		}
		if pictures[0].View != drawing.Front {
			t.Errorf("product %d has the pictures %v", i, pictures)
		}
	}

	if several < 20 || details < 100 || scenes < 50 {
		t.Errorf("%d products have several colours, %d a picture of a part, %d one in a room", several, details, scenes)
	}
}

// drawPictures returns the files of the pictures of product i.
func drawPictures(t *testing.T, g *demo.Generator, i int) [][]byte {
	t.Helper()
	var files [][]byte
	studio := drawing.NewStudio()
	for _, p := range g.Pictures(i) {
		file, err := studio.Render(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file.Bytes)
	}
	return files
}

// Pictures are JPEG files that can be drawn again, byte for byte.
func TestPictures_areJPEGs(t *testing.T) {
	g := demo.NewGenerator(1)
	files := drawPictures(t, g, 2)
	for _, file := range files {
		img, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size.X != drawing.Side || size.Y != drawing.Side {
			t.Errorf("a picture has the size %v", size)
		}
	}

	if same := drawPictures(t, g, 2); !bytes.Equal(same[0], files[0]) {
		t.Error("the second drawing of a picture differs")
	}
}
