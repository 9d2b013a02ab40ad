package push_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/xlsx"
)

// An XLSX file is converted to items like a CSV; issues have the numbers of its rows.
func TestXLSX_convertsRowsToItems(t *testing.T) {
	var b bytes.Buffer
	w, err := xlsx.NewWriter(&b, "Prices")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{{"id", "name", "price"}, {"007", "Tee", "10.5"}, nil, {"8", "Cap", "ten"}} {
		cells := make([]xlsx.Cell, len(row))
		for i, cell := range row {
			cells[i] = xlsx.Auto(cell)
		}
		if err := w.Row(cells...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	g := &fakeGate{}
	p := newTestJob(t, g, "products.xlsx", b.String())
	r := p.mustPush(t)
	if r.Failed != 1 || len(r.Errors) != 1 || r.Errors[0].Line != 4 {
		t.Errorf("the report is %+v", r)
	}
	want := []string{`{"id":"007","name":"Tee","single_variant":true,"variant_price":10.5}`}
	if diff := cmp.Diff(parseItems(t, want), parseItems(t, g.applied)); diff != "" {
		t.Error(diff)
	}
}
