package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"
)

const realUnit = `<БазоваяЕдиница Код="006 " НаименованиеПолное="Метр" МеждународноеСокращение="MTR">м</БазоваяЕдиница>`

func vatOf(rate string) string {
	return `<СтавкиНалогов><СтавкаНалога><Наименование>НДС</Наименование><Ставка>` + rate +
		`</Ставка></СтавкаНалога></СтавкиНалогов>`
}

func (c *oneC) wantBarcodes(when, product string, want ...string) {
	c.t.Helper()
	r := c.product(product)
	for i, list := range want {
		if got := r.Text(fmt.Sprintf("data.variants.%d.barcodes", i)); got != list {
			c.t.Errorf("%s: variant %d has the barcodes %s, want %s", when, i, got, list)
		}
	}
}

func TestCommerceML_unitVATAndWeightAreMembers(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("false", good("p1", "Ткань", realUnit+vatOf("20")+`<Вес>0,25</Вес>`)))
		r := c.product("p1")
		if r.Text("data.unit.code") != "006" || r.Text("data.unit.name") != "м" || r.Text("data.vat_rate") != "20" ||
			r.Text("data.weight") != "0.25" {
			c.t.Errorf("the product is %s", r.Body)
		}

		c.exchange("import.xml", goodsFile("false", good("p1", "Ткань", realUnit+vatOf("Без НДС")+`<Вес>0</Вес>`)))
		r = c.product("p1")
		if got := r.Text("data.vat_rate") + r.Text("data.weight"); got != "nullnull" {
			c.t.Errorf("without VAT and weight the product is %s", r.Body)
		}
	})
}

// Nonsense is left out with a warning, and the rest of the good arrives.
func TestCommerceML_invalidAccountingMembersAreWarnings(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("false", good("p1", "Ткань", `<БазоваяЕдиница Код="м">м</БазоваяЕдиница>`+
			vatOf("200")+`<Вес>много</Вес><Штрихкод>`+strings.Repeat("1", 10_000)+`</Штрихкод>`)))
		if got := c.runs(1)[0]; got != "products 1 0 0 0 4" {
			c.t.Errorf("the run is %s, want one product and 4 warnings", got)
		}
		if got := c.product("p1").Text("data.name"); got != "Ткань" {
			c.t.Errorf("the product is %q", got)
		}
	})
}

// The barcode of a good belongs to its only offer, in whatever order the files come; with several offers to none.
func TestCommerceML_aGoodsBarcodeGoesToItsOnlyOffer(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		goods := func(code string) string {
			return goodsFile("false", good("p1", "Стол", `<Штрихкод>`+code+`</Штрихкод>`))
		}
		c.exchange("import.xml", goods("46001"), "offers.xml", offersFile(offer("p1", "Стол", "100", "")))
		c.wantBarcodes("after goods and offers", "p1", `["46001"]`)
		c.exchange("import.xml", goods("46002"))
		c.wantBarcodes("after a new barcode", "p1", `["46002"]`)
		c.exchange("offers.xml", offersFile(offer("p1", "Стол", "100", `<Штрихкод>777</Штрихкод>`)))
		c.wantBarcodes("after a barcode of the offer", "p1", `["777"]`)
		c.exchange("import.xml", goods("46003"))
		c.wantBarcodes("the offer's own barcode stays", "p1", `["777"]`)

		second := func(code string) string {
			return goodsFile("false", good("p2", "Стул", `<Штрихкод>`+code+`</Штрихкод>`))
		}
		c.exchange("offers.xml", offersFile(offer("p2#a", "Стул (белый)", "100", "", "Цвет", "белый")),
			"import.xml", second("5"))
		c.wantBarcodes("offers before goods", "p2", `["5"]`)
		c.exchange("offers.xml", offersFile(offer("p2#b", "Стул (синий)", "100", "", "Цвет", "синий")))
		c.wantBarcodes("a second characteristic", "p2", `[]`, `[]`)
		c.exchange("import.xml", second("6"))
		c.wantBarcodes("several characteristics", "p2", `[]`, `[]`)
	})
}

func TestCommerceML_linesOfOrdersCarryUnitVATAndBarcode(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p1", "Ткань", realUnit+vatOf("20")+
			`<Штрихкод>46001</Штрихкод>`)), "offers.xml",
			offersFile(offer("p1", "Ткань", "120", `<Количество>100</Количество>`)))
		sale := (&oneC{Server: c.Server, t: c.t, password: c.Exchange, kind: "sale"}).begin()
		sale.submit()

		text := strings.Join(sale.call("GET", "query", nil), "\n")
		for _, want := range []string{"<Штрихкод>46001</Штрихкод>",
			`<БазоваяЕдиница Код="006" НаименованиеПолное="м">м</БазоваяЕдиница>`,
			"<Наименование>НДС</Наименование>\n<Ставка>20</Ставка>",
			"<УчтеноВСумме>true</УчтеноВСумме>\n<Сумма>40.00</Сумма>\n<Ставка>20</Ставка>"} {
			if !strings.Contains(text, want) {
				c.t.Errorf("the order lacks %s:\n%s", want, text)
			}
		}
	})
}
