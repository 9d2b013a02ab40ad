package drawing

import (
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	xdraw "golang.org/x/image/draw"
)

var (
	sheetFile   = flag.String("sheet", "", "write a contact sheet of drawings to this PNG file")
	sheetKinds  = flag.String("kinds", "", "the kinds of the sheet, separated by commas; all if empty")
	sheetColour = flag.String("colour", "", "the colour of the sheet")
	sheetSize   = flag.Int("cell", 200, "the side of a picture of the sheet, in pixels")
	sheetAll    = flag.Bool("styles", false, "a row per kind, with its styles and views")
)

// TestSheet draws a contact sheet if the flag says so: go test ./internal/demo/drawing -run TestSheet -sheet /tmp/a.png
func TestSheet(t *testing.T) {
	if *sheetFile == "" {
		return
	}
	names := Kinds()
	slices.Sort(names)
	if *sheetKinds != "" {
		names = strings.Split(*sheetKinds, ",")
	}
	var specs []Spec
	columns := 8
	for i, name := range names {
		if !*sheetAll {
			specs = append(specs, Spec{Kind: name, Colour: *sheetColour, Style: i % Styles, Label: "COFFEE"})
			continue
		}
		columns = 6
		palette := []string{"", "Red", "Navy", "White"}
		for style := range Styles {
			specs = append(specs, Spec{Kind: name, Colour: palette[style], Style: style, Label: "COFFEE"})
		}
		specs = append(specs, Spec{Kind: name, View: Detail, Label: "COFFEE"}, Spec{Kind: name, View: Scene,
			Label: "COFFEE"})
	}

	n := *sheetSize
	studio := NewStudio()
	sheet := image.NewRGBA(image.Rect(0, 0, columns*n, (len(specs)+columns-1)/columns*n))
	for i, s := range specs {
		at := image.Rect(0, 0, n-4, n-4).Add(image.Pt(i%columns*n, i/columns*n))
		picture := studio.Draw(s, max(n/4*4, 400))
		xdraw.ApproxBiLinear.Scale(sheet, at, picture, picture.Rect, draw.Src, nil)
	}
	file, err := os.Create(*sheetFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, sheet); err != nil {
		t.Fatal(err)
	}
}
