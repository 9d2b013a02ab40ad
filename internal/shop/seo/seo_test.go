package seo

import (
	"strings"
	"testing"
)

func TestText_isReadBack(t *testing.T) {
	for _, m := range []Meta{
		{}, {Title: "T"}, {Description: "D"}, {NoIndex: true}, {"T", "D\nE", true}, {"", "D", true}, {Title: "noindex"},
		{Title: "index", Description: "index"}, {Title: "noindex", NoIndex: true},
	} {
		if got, broken := Parse(m.Text()); got != m || broken != nil {
			t.Errorf("%+v is %q, which reads as %+v", m, m.Text(), got)
		}

		var scanned Meta
		if err := scanned.Scan(m.OrNull()); err != nil || scanned != m {
			t.Errorf("%+v is stored as %v, which reads as %+v: %v", m, m.OrNull(), scanned, err)
		}
	}
}

func TestNormalized_boundsTexts(t *testing.T) {
	for _, m := range []Meta{
		{Title: strings.Repeat("я", MaxTitle+1)}, {Description: strings.Repeat("я", MaxDescription+1)},
		{Title: "two\nlines"},
	} {
		if _, broken := m.Normalized(); broken == nil {
			t.Errorf("%.20q, %.20q breaks no rule", m.Title, m.Description)
		}
	}
	if got, broken := (Meta{" T ", " D ", true}).Normalized(); broken != nil || got != (Meta{"T", "D", true}) {
		t.Errorf("stored as %+v", got)
	}
}
