package exchangeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// warnings returns the messages of the warnings with a code, of the newest run of an entity.
func (c *oneC) warnings(entity, code string) (messages []string) {
	c.t.Helper()
	runs := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
	newest := slices.Index(runs.Texts("data", "entity"), entity)
	report := c.Get("/v2/sync-gate/runs/"+runs.Texts("data", "id")[newest]+"/warnings", apitest.As(c.Exchange))
	for i := range report.Len("data") {
		if at := fmt.Sprintf("data.%d.", i); report.Text(at+"code") == code {
			messages = append(messages, report.Text(at+"message"))
		}
	}
	return messages
}

// A good of five offers, of which two have the same characteristics, is sold with all five.
func TestCommerceMLVariants_equalCharacteristicsDoNotLoseTheGood(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		file := offersFile(
			offer("p#1", "Футболка белая", "1", inWarehouses("1"), "Цвет", "Белый"),
			offer("p#2", "Футболка белая 2", "2", inWarehouses("2"), "Цвет", "БЕЛЫЙ"),
			offer("p#3", "Футболка RU", "3", inWarehouses("3"), "Размер (RU)", "42"),
			offer("p#4", "Футболка EU", "4", inWarehouses("4"), "Размер (EU)", "42"),
			offer("p#5", "Футболка красная", "5", inWarehouses("5"), "Цвет", "Красный"))
		c.exchange("import.xml", goodsFile("true", good("p", "Футболка", "")), "offers.xml", file)
		c.wantStock("p", "p#1=1 p#2=2 p#3=3 p#4=4 p#5=5", "all offers")

		p := c.product("p")
		if p.Text("data.variants.1.name") != "Футболка белая 2" || p.Has("data.variants.1.options.0") ||
			!p.Has("data.variants.0.options.0") {
			c.t.Errorf("the variants are %s", p.Body)
		}

		messages := c.warnings("products", "same_characteristics")
		if len(messages) != 2 || !strings.Contains(messages[0], "Футболка белая 2 (p#2)") ||
			!strings.Contains(messages[0], "Футболка белая (p#1)") {
			c.t.Errorf("the warnings are %q", messages)
		}

		c.exchange("offers.xml",
			offersFile(offer("p#6", "Футболка красная 6", "6", inWarehouses("6"), "Цвет", "красный")))
		c.wantStock("p", "p#1=1 p#2=2 p#3=3 p#4=4 p#5=5 p#6=6", "an equal offer of a later file")
		c.exchange("offers.xml", offersFile(`<Предложение Статус="Удален"><Ид>p#1</Ид></Предложение>`))
		c.exchange("offers.xml", file)
		c.wantStock("p", "p#1=1 p#2=2 p#3=3 p#4=4 p#5=5 p#6=6", "the first came back after the second took its options")
	})
}

func TestCommerceMLVariants_deletedOffersAreArchivedAndComeBack(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		a := offer("p#a", "Туфли 43", "1", inWarehouses("5"), "Размер", "43")
		b := offer("p#b", "Туфли 44", "1", inWarehouses("7"), "Размер", "44")
		file := offersFile(a, b)
		c.exchange("import.xml", goodsFile("true", good("p", "Туфли", "")), "offers.xml", file)

		for _, deleted := range []string{`<Предложение Статус="Удален"><Ид>p#b</Ид>` +
			`<Наименование>Туфли 44</Наименование></Предложение>`,
			`<Предложение><Ид>p#b</Ид><Статус>Удален</Статус></Предложение>`,
			`<Предложение><Ид>p#b</Ид><Наименование>Туфли 44</Наименование><ПометкаУдаления>true</ПометкаУдаления>` +
				`</Предложение>`} {
			c.exchange("offers.xml", offersFile(a, deleted))
			c.wantStock("p", "p#a=5", deleted)
			c.exchange("offers.xml", offersFile(deleted, `<Предложение Статус="Удален"><Ид>none#b</Ид></Предложение>`))
			if run := strings.Fields(c.runs(1)[0]); run[0] != "products" || run[3] != "2" {
				c.t.Errorf("the run of offers that are deleted already is %q, want 2 unchanged", run)
			}
			c.exchange("offers.xml", file)
			c.wantStock("p", "p#a=5 p#b=7", "the same file as at first")
		}
	})
}

// A good that gets characteristics is not sold without one any more, and one that loses them is sold as itself again.
func TestCommerceMLVariants_theGoodItselfIsNotSoldBesideItsCharacteristics(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		plain := offer("p", "Туфли", "1", inWarehouses("9"))
		c.exchange("import.xml", goodsFile("true", good("p", "Туфли", "")), "offers.xml", offersFile(plain))

		c.wantStock("p", "p=9", "without characteristics")
		sized := offersFile(offer("p#a", "Туфли 43", "1", inWarehouses("5"), "Размер", "43"),
			offer("p#b", "Туфли 44", "1", inWarehouses("7"), "Размер", "44"))
		c.exchange("offers.xml", sized)
		c.wantStock("p", "p#a=5 p#b=7", "with characteristics")
		c.exchange("offers.xml", offersFile(plain), "rests.xml", offersFile(offer("p", "", "", inWarehouses("3"))),
			"prices.xml", offersFile(offer("p", "", "2", "")))
		c.wantStock("p", "p#a=5 p#b=7", "the good itself came again")
		c.exchange("offers.xml", offersFile(`<Предложение Статус="Удален"><Ид>p#a</Ид></Предложение>`,
			`<Предложение Статус="Удален"><Ид>p#b</Ид></Предложение>`))
		c.exchange("offers.xml", offersFile(plain))
		c.wantStock("p", "p=9", "its characteristics were deleted")
	})
}

// Prices and quantities of an offer that is not sold beside others of its good are left alone, without failures.
func TestCommerceMLVariants_quantitiesOfAGoodWithCharacteristicsDoNotFail(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Туфли", "")),
			"offers.xml", offersFile(offer("p#a", "Туфли 43", "1", inWarehouses("5"), "Размер", "43")),
			"rests.xml", offersFile(offer("p", "", "", inWarehouses("3"))))
		c.wantStock("p", "p#a=5", "the good itself has a quantity")
		if run := c.runs(1)[0]; run != "remainders 0 0 1 0 1" {
			c.t.Errorf("the run is %q, want one unchanged item with a warning", run)
		}
	})
}

func TestCommerceMLVariants_deletedGoodsWithTheStatusAsAnElement(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Стол", "<Статус>Удален</Статус>"),
			good("q", "Стул", "<Статус>Новый</Статус>")))
		if n := c.Get("/v2/products").Text("meta.total"); n != "1" {
			c.t.Errorf("%s products are live, want 1", n)
		}
	})
}
