package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// stocked returns what can be sold of each variant of a product, in their order: the external id and the availability.
func (c *oneC) stocked(externalID string) string {
	c.t.Helper()
	p := c.product(externalID)
	var words []string
	for i := 0; p.Has(fmt.Sprintf("data.variants.%d", i)); i++ {
		at := fmt.Sprintf("data.variants.%d.", i)
		words = append(words, p.Text(at+"external_id")+"="+p.Text(at+"available"))
	}
	return strings.Join(words, " ")
}

func (c *oneC) wantStock(externalID, want, when string) {
	c.t.Helper()
	if got := c.stocked(externalID); got != want {
		c.t.Errorf("%s: the variants of %s have %q, want %q", when, externalID, got, want)
	}
}

// inWarehouses returns the elements of УТ 11: the total, and a line for each warehouse that has some: ids and
// quantities.
func inWarehouses(total string, lines ...string) string {
	text := `<Количество>` + total + `</Количество>`
	for i := 0; i < len(lines); i += 2 {
		text += `<Склад ИдСклада="` + lines[i] + `" КоличествоНаСкладе="` + lines[i+1] + `"/>`
	}
	return text
}

// УТ 11 with the scheme 2.07: Количество is the sum of the warehouses, and one that has run out is not listed.
func TestCommerceMLStock_warehousesThatAreNotListedHaveRunOut(t *testing.T) {
	t.Parallel()

	eachOneC(t, func(c *oneC) {
		offers := func(a, b string) string {
			return offersFile(offer("p#a", "Туфли 43", "1990", a, "Размер", "43"),
				offer("p#b", "Туфли 44", "1990", b, "Размер", "44"))
		}
		c.exchange("import.xml", goodsFile("true", good("p", "Туфли", "")),
			"offers.xml", offers(inWarehouses("8", "w1", "5", "w2", "3"), inWarehouses("91", "w1", "91")))
		c.wantStock("p", "p#a=8 p#b=91", "at first")
		c.exchange("offers.xml", offers(inWarehouses("3", "w2", "3"), inWarehouses("0")))
		c.wantStock("p", "p#a=3 p#b=0", "w1 is not listed, and a total of 0 has no warehouses")
		c.exchange("offers.xml", offers(inWarehouses("9", "w2", "4"), inWarehouses("7", "w2", "7")))
		c.wantStock("p", "p#a=4 p#b=7", "a sum below the total")
		c.exchange("offers.xml", offers(inWarehouses("9", "w1", "4"), inWarehouses("1", "w1", "2")))
		c.wantStock("p", "p#a=8 p#b=2", "w2 is not sent for a, and the sum for b is above its total")
	})
}

// Schemes 2.04 and 2.05: an offer that has run out has no Количество at all, or an empty one.
func TestCommerceMLStock_offersWithoutAQuantityBesideOthersHaveRunOut(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Стол", ""), good("q", "Стул", ""), good("r", "Шкаф", "")),
			"offers.xml", offersFile(offer("p", "Стол", "100", `<Количество>8</Количество>`),
				offer("q", "Стул", "50", ""), offer("r", "Шкаф", "70", `<Количество/>`)))

		c.wantStock("p", "p=8", "at first")
		c.wantStock("q", "q=0", "a new one without Количество")
		c.wantStock("r", "r=0", "a new one with an empty Количество")
		c.exchange("offers.xml", offersFile(offer("p", "Стол", "100", ""),
			offer("q", "Стул", "50", `<Количество>2</Количество>`)))
		c.wantStock("p", "p=0", "sold out")
		c.wantStock("q", "q=2", "came in")
		c.exchange("offers.xml", offersFile(offer("q", "Стул", "51", "")))
		c.wantStock("q", "q=2", "a file without any quantity")
		c.exchange("offers.xml", offersFile(offer("p", "Стол", "101", `<Количество>3</Количество>`)))
		c.wantStock("p", "p=3", "a portion with one of them")
		c.wantStock("q", "q=2", "a portion without it")
	})
}

// Scheme 3.1 sends rests in a file of their own: those of an offer are complete.
func TestCommerceMLStock_restsAreCompleteForTheirOffer(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		rest := func(id string, lines ...string) string {
			text := `<Остатки>`
			for i := 0; i < len(lines); i += 2 {
				text += `<Остаток><Склад><Ид>` + lines[i] + `</Ид><Количество>` + lines[i+1] +
					`</Количество></Склад></Остаток>`
			}

			return offer(id, "", "", text+`</Остатки>`)
		}

		c.exchange("import0_1.xml", goodsFile("true", good("p", "Туфли", "")),
			"offers0_1.xml", offersFile(offer("p#a", "Туфли 43", "", "", "Размер", "43"),
				offer("p#b", "Туфли 44", "", "", "Размер", "44")),
			"prices0_1.xml", offersFile(offer("p#a", "", "10", ""), offer("p#b", "", "11", "")),
			"rests0_1.xml", offersFile(rest("p#a", "w1", "5", "w2", "3"), rest("p#b", "w1", "2")))
		c.wantStock("p", "p#a=8 p#b=2", "at first")
		c.exchange("prices0_1.xml", offersFile(offer("p#a", "", "12", "")))
		c.wantStock("p", "p#a=8 p#b=2", "prices alone")
		c.exchange("rests0_1.xml", offersFile(rest("p#a", "w2", "4")))
		c.wantStock("p", "p#a=4 p#b=2", "w1 has run out")
		c.exchange("rests0_1.xml", offersFile(rest("p#a"), rest("p#b", "w2", "1", "w3", "1")))
		c.wantStock("p", "p#a=0 p#b=2", "no rest, and other warehouses")
	})
}

func TestCommerceMLStock_fromATotalToWarehousesAndBack(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		sent := func(stock string) { c.exchange("offers.xml", offersFile(offer("p", "Стол", "1", stock))) }

		c.exchange("import.xml", goodsFile("true", good("p", "Стол", "")))
		sent(inWarehouses("1"))
		c.wantStock("p", "p=1", "a total")
		sent(inWarehouses("3", "w1", "3"))
		c.wantStock("p", "p=3", "a warehouse instead of the total")
		sent(inWarehouses("2"))
		c.wantStock("p", "p=2", "a total again")
		c.exchange("rests.xml",
			offersFile(offer("p", "", "",
				`<Остатки><Остаток><Склад><Ид>w2</Ид><Количество>6</Количество></Склад></Остаток></Остатки>`)))
		c.wantStock("p", "p=6", "rests in a warehouse")
		c.exchange("rests.xml", offersFile(offer("p", "", "", `<Количество>5</Количество>`)))
		c.wantStock("p", "p=5", "a total in a packet of quantities")
	})
}

// Once 1C has sent quantities, nothing new is sold without limit: neither goods with characteristics in the catalogue,
// nor offers or prices that come before their quantities.
func TestCommerceMLStock_newVariantsHaveNoneUntilTheirQuantityComes(t *testing.T) {
	t.Parallel()

	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Стол", "")), "offers.xml",
			offersFile(offer("p", "Стол", "1", `<Количество>1</Количество>`)))
		c.exchange("import.xml", goodsFile("true", good("q", "Стул", ""), good("r", "Шкаф", ""),
			good("s#1", "Туфли (43)", "")),
			"offers.xml", offersFile(offer("q", "Стул", "5", "")), "prices.xml",
			offersFile(offer("r", "", "5", ""), offer("s#1", "", "7", "")))
		for id, want := range map[string]string{"p": "p=1", "q": "q=0", "r": "r=0", "s": "s#1=0"} {
			c.wantStock(id, want, "without a quantity")
		}
		c.exchange("rests.xml", offersFile(offer("q", "", "", `<Количество>4</Количество>`),
			offer("r", "", "", `<Количество>2</Количество>`)))
		c.wantStock("q", "q=4", "its quantity came")
		c.wantStock("r", "r=2", "its quantity came")
	})
}

// A 1C that never sends quantities keeps no stock.
func TestCommerceMLStock_isNotKeptWithoutAnyQuantity(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Доставка", "")), "offers.xml",
			offersFile(offer("p", "Доставка", "300", "")))
		c.wantStock("p", "p=null", "a service")
	})
}

// The first exchange of version 3 brings prices before quantities.
func TestCommerceMLStock_pricesOfVersion3ComeBeforeQuantities(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.begin()
		c.want("zip=yes", "init", nil, "version", "3.1")
		for _, f := range [][2]string{{"import0_1.xml", goodsFile("true", good("p", "Стол", ""))},
			{"offers0_1.xml", offersFile(offer("p", "Стол", "", ""))},
			{"prices0_1.xml", offersFile(offer("p", "", "5", ""))}} {
			c.send(f[0], f[1])
			c.apply(f[0])
		}
		c.wantStock("p", "p=0", "before its rests")
	})
}

func TestCommerceMLStock_repeatedFilesChangeNothing(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		files := []string{"import.xml", goodsFile("true", good("p", "Стол", ""), good("q", "Стул", "")),
			"offers.xml", offersFile(offer("p", "Стол", "1", inWarehouses("3", "w1", "3")),
				offer("q", "Стул", "1", "")),
			"rests.xml", offersFile(offer("p", "", "", inWarehouses("4", "w2", "4")), offer("q", "", "", ""))}
		c.exchange(files...)
		c.exchange(files[4:]...)
		if run := strings.Fields(c.runs(1)[0]); run[0] != "remainders" || run[3] != "2" {
			c.t.Errorf("the run of the same quantities is %q, want 2 unchanged", run)
		}
	})
}
