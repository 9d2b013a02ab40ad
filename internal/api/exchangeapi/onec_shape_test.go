package exchangeapi_test

import (
	"encoding/xml"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/client/onec"
)

// shapeOffers is what the test reads of a file with offers: the parser of the program is not asked.
type shapeOffers struct {
	Offers []struct {
		ID       string   `xml:"Ид"`
		Barcode  string   `xml:"Штрихкод"`
		Quantity string   `xml:"Количество"`
		Rests    []string `xml:"Остатки>Остаток>Склад>Количество"`
	} `xml:"ПакетПредложений>Предложения>Предложение"`
}

// readShape returns what the offers of a directory have in stock, and their barcodes.
func readShape(t *testing.T, dir string) (stock map[string]*big.Rat, barcodes map[string]string) {
	t.Helper()
	stock, barcodes = map[string]*big.Rat{}, map[string]string{}
	for _, name := range []string{"offers0_1.xml", "rests0_1.xml"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			continue
		}
		var file shapeOffers
		if err == nil {
			err = xml.Unmarshal(content, &file)
		}
		if err != nil {
			t.Fatal(err)
		}

		for _, o := range file.Offers {
			sum := new(big.Rat)
			for _, text := range append(o.Rests, o.Quantity) {
				if n, ok := new(big.Rat).SetString(text); ok {
					sum.Add(sum, n)
				}
			}
			stock[o.ID] = sum
			if o.Barcode != "" {
				barcodes[o.ID] = o.Barcode
			}
		}
	}
	return stock, barcodes
}

// The shop has what the files of each configuration say, also after an exchange in which other things are sold out.
func TestCommerceML_hasTheStockOfEachStyle(t *testing.T) {
	t.Parallel()
	for _, style := range onec.Styles() {
		for _, version := range []string{"2.08", "3.1"} {
			t.Run(fmt.Sprintf("%s %s", style, version), func(t *testing.T) {
				t.Parallel()
				eachOneC(t, func(c *oneC) { c.wantStockOfStyle(style, version) })
			})
		}
	}
}

func (c *oneC) wantStockOfStyle(style onec.Style, version string) {
	c.t.Helper()
	site := onec.Site{URL: c.URL + "/v2/sync-gate/commerceml", Login: "1c", Password: c.Exchange,
		Client: http.DefaultClient}

	for round := range 2 {
		dir := c.t.TempDir()
		g := onec.Generated{Style: style, Goods: 6, Offers: 2, Version: version, Round: round}
		if err := onec.Generate(dir, g); err != nil {
			c.t.Fatal(err)
		}
		files := onec.Catalog{Directory: dir, Version: version, Complete: true}
		if err := site.Exchange(c.t.Context(), files); err != nil {
			c.t.Fatal(err)
		}

		seen, soldOut := 0, 0
		stock, barcodes := readShape(c.t, dir)
		for _, product := range c.Get("/v2/products").Texts("data", "id") {
			r := c.Get("/v2/products/" + product)
			for i := range r.Len("data.variants") {
				at := fmt.Sprintf("data.variants.%d.", i)
				id := r.Text(at + "external_id")
				want := stock[id]
				if want == nil {
					c.t.Fatalf("no file has the offer %s", id)
				}

				seen++
				if want.Sign() == 0 {
					soldOut++
				}
				if got := r.Text(at + "available"); got != want.RatString() {
					c.t.Errorf("round %d: %s has %s pieces, want %s", round, id, got, want.RatString())
				}
				if barcode := barcodes[id]; barcode != "" && r.Text(at+"barcodes") != `["`+barcode+`"]` {
					c.t.Errorf("round %d: %s has the barcodes %s", round, id, r.Text(at+"barcodes"))
				}
			}
		}
		if seen != 12 || soldOut == 0 {
			c.t.Errorf("round %d: the test saw %d offers, %d of them sold out", round, seen, soldOut)
		}
	}
}

// An order travels to 1C:УТ 11 and back: it is posted, paid and shipped under an id of 1C.
func TestCommerceML_anOrderTravelsToUT11AndBack(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		id := c.submit()
		site := onec.Site{URL: c.URL + "/v2/sync-gate/commerceml", Login: "1c", Password: c.Exchange,
			Client: http.DefaultClient}
		var orders []onec.Order
		err := site.Orders(c.t.Context(), true, func(o onec.Order) error { orders = append(orders, o); return nil })
		if err != nil || len(orders) != 1 {
			c.t.Fatalf("1C gets %d orders: %v", len(orders), err)
		}

		for _, step := range [][2]string{{"posted", "confirmed"}, {"paid", "confirmed"}, {"shipped", "completed"}} {
			state, err := onec.PostedState(orders[0], step[0])
			if err != nil {
				c.t.Fatal(err)
			}
			if err := site.SendStates(c.t.Context(), []onec.State{state}); err != nil {
				c.t.Fatal(err)
			}
			if got := c.state(id); got != step[1] {
				c.t.Errorf("after %s the order is %s, want %s", step[0], got, step[1])
			}
		}

		if got := c.Get("/v2/orders/" + id).Text("data.payment_number"); got != "ПП-1" {
			c.t.Errorf("the payment number is %q", got)
		}
	})
}
