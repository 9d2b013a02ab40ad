package harness

import (
	"encoding/xml"
	"slices"
	"testing"
	"time"
)

func TestPlot_drawsLabelsWithoutOverlap(t *testing.T) {
	p := newFacetsPlot()
	at := func(ms ...float64) (list []time.Duration) {
		for _, m := range ms {
			list = append(list, time.Duration(m*float64(time.Millisecond)))
		}
		return list
	}
	p.AddFacets("sqlite", 1000, at(1, 1.25, 4), at(0.012), at(250))
	p.AddFacets("sqlite", 100_000, at(1, 1.5, 4.5), at(0.5), at(12_345))
	p.AddFacets("postgres", 1000, at(1, 1.26, 4.1), at(9), at(251))

	type text struct {
		X     string `xml:"x,attr"`
		Y     string `xml:"y,attr"`
		Class string `xml:"class,attr"`
		Text  string `xml:",chardata"`
	}

	var document struct {
		Texts []text `xml:"text"`
		Lines []struct {
			Points string `xml:"points,attr"`
		} `xml:"polyline"`
	}
	if err := xml.Unmarshal(p.SVG(), &document); err != nil {
		t.Fatalf("the drawing is not XML: %v", err)
	}

	if len(document.Lines) != 7 {
		t.Errorf("%d curves are drawn, want 3 per engine and the bare scan", len(document.Lines))
	}

	var shown []string
	places := map[string]string{}
	for _, x := range document.Texts {
		shown = append(shown, x.Text)
		if other, taken := places[x.X+" "+x.Y]; taken {
			t.Errorf("the label %q overlaps %q", x.Text, other)
		}
		places[x.X+" "+x.Y] = x.Text
	}

	for _, want := range []string{
		"1.25", "1.26", "1.50", "4.00", "4.10", "0.012", "250", "251", "4.50", "0.50", "12,345", "1,000", "100,000",
		"SQLite", "PostgreSQL", "products in the shop",
	} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not in the drawing: %q", want, shown)
		}
	}

	if slices.Contains(shown, "9.00") {
		t.Error("the bare scan, which does not depend on the engine, is drawn twice")
	}
}
