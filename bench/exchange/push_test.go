package exchange

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
)

func TestProductStream_readsWholeProductsWithAnyBuffer(t *testing.T) {
	type reference struct {
		ID      int `json:"id"`
		ValueID int `json:"value_id"`
	}

	type product struct {
		ID         int         `json:"id"`
		Name       string      `json:"name"`
		Categories []int       `json:"categories"`
		Features   []reference `json:"features"`
		Variants   []struct {
			ID         int         `json:"id"`
			SKU        string      `json:"sku"`
			Price      float64     `json:"price"`
			Options    []reference `json:"options"`
			Remainders []struct {
				StockID  int `json:"stock_id"`
				Quantity int `json:"quantity"`
			} `json:"remainders"`
		} `json:"variants"`
	}

	var ids []int
	lines := bufio.NewScanner(iotest.OneByteReader(harness.NewProductStream(98, 101, harness.LaterPrice)))
	for lines.Scan() {
		var p product
		if err := json.Unmarshal(lines.Bytes(), &p, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}

		ids = append(ids, p.ID)
		if p.Name == "" || len(p.Categories) != 1 || len(p.Features) != 4 || len(p.Variants) != 3 {
			t.Errorf("the product has a wrong shape: %s", lines.Text())
		}

		combinations := map[[2]reference]bool{}
		for v, variant := range p.Variants {
			price := float64(harness.LaterPrice+v) + 0.9
			if len(variant.Options) != 2 || len(variant.Remainders) != 1 || variant.Price != price {
				t.Fatalf("variant %d has a wrong shape: %s", v, lines.Text())
			}
			combinations[[2]reference(variant.Options)] = true
		}

		if len(combinations) != len(p.Variants) {
			t.Errorf("two variants have the same options: %s", lines.Text())
		}
	}

	if err := lines.Err(); err != nil || !slices.Equal(ids, []int{98, 99, 100}) {
		t.Errorf("read products %v, error %v", ids, err)
	}
}

func TestWorstDrop_comparesWithBestBefore(t *testing.T) {
	for _, c := range []struct {
		rates []float64
		at    int
		best  float64
	}{
		{[]float64{10, 20}, 1, 10},
		{[]float64{10, 40, 30, 15, 16}, 3, 40},
		{[]float64{10, 4, 40, 30}, 1, 10},
	} {
		if at, best := worstDrop(c.rates); at != c.at || best != c.best {
			t.Errorf("worstDrop(%v) = %d, %v, want %d, %v", c.rates, at, best, c.at, c.best)
		}
	}
}

func TestPushPlot_drawsRates(t *testing.T) {
	p := harness.NewPushPlot()
	for curve := range p.CurveNames {
		p.AddPoint(curve, "sqlite", 1000, float64(1000*(curve+1)))
		p.AddPoint(curve, "sqlite", harness.Million, float64(900*(curve+1)))
	}
	svg := string(p.SVG())
	for _, want := range []string{
		"products a second", "bare insert", "the same again", ">1,000,000<", ">2,000<", ">3,600<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in the drawing", want)
		}
	}
}
