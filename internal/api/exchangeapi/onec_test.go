package exchangeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/storetest"
)

// eachOneC runs a test on each database.
func eachOneC(t *testing.T, fn func(c *oneC), options ...apitest.Option) {
	t.Helper()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) { fn(newOneC(t, s)) }, options...)
}

// eachOneCOnSQLite is like eachOneC, on SQLite only.
func eachOneCOnSQLite(t *testing.T, fn func(c *oneC), options ...apitest.Option) {
	t.Helper()
	apitest.EachSQLite(t, func(t *testing.T, s *apitest.Server) { fn(newOneC(t, s)) }, options...)
}

func TestCommerceML_bringsGoodsAndOffers(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.settings(`{"price_type": "retail"}`)

		c.exchange("import.xml",
			oneCDocument(
				`<Классификатор><Ид>k</Ид><Группы><Группа><Ид>g</Ид><Наименование>Обувь</Наименование></Группа></Группы>
			<Свойства><Свойство><Ид>mat</Ид><Наименование>Материал</Наименование><ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений>
			<Справочник><ИдЗначения>m1</ИдЗначения><Значение>Кожа</Значение></Справочник></ВариантыЗначений></Свойство></Свойства></Классификатор>
			<Каталог СодержитТолькоИзменения="false"><Товары>`+
					good("p1", "Туфли", `<Артикул>T-1</Артикул><Группы><Ид>g</Ид></Группы>
			<ЗначенияСвойств><ЗначенияСвойства><Ид>mat</Ид><Значение>m1</Значение></ЗначенияСвойства></ЗначенияСвойств>`)+good("p2", "Стол", "")+`</Товары></Каталог>`),
			"offers.xml", offersFile(
				offer("p1#a", "Туфли (43)", "1 990,50", `<Количество>3</Количество>`, "Размер", "43", "Цвет",
					"Бежевый"),
				offer("p1#b", "Туфли (44)", "2000", `<Склад ИдСклада="w1" КоличествоНаСкладе="7"/>`, "Размер", "44"),
				offer("p2", "Стол", "50", "")))

		p := c.product("p1")
		for path, want := range map[string]string{
			"data.name": "Туфли", "data.categories.0.name": "Обувь", "data.features.0.value.name": "Кожа",
			"data.price.from": "1990.5", "data.price.to": "2000", "data.available": "10",
			"data.variants.0.external_id": "p1#a", "data.variants.0.sku": "T-1",
			"data.variants.0.options.0.name": "Размер", "data.variants.0.options.1.value.name": "Бежевый",
		} {
			if got := p.Text(path); got != want {
				c.t.Errorf("%s of p1 is %q, want %q", path, got, want)
			}
		}

		if got := c.product("p2").Text("data.variants.0.external_id"); got != "p2" {
			c.t.Errorf("the single variant has the external id %q, want that of the good", got)
		}

		for _, run := range c.runs(5) {
			if !strings.HasSuffix(run, " 0 0") {
				c.t.Errorf("the run %q has failures or warnings", run)
			}
		}
	})
}

func TestCommerceML_repeatedExchangeChangesNothing(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		files := []string{"import.xml", goodsFile("false", good("p1", "Туфли", `<Артикул>T</Артикул>`)),
			"offers.xml", offersFile(offer("p1#a", "Туфли 43", "", "", "Размер", "43")),
			"prices.xml", offersFile(offer("p1#a", "", "10", "")),
			"rests.xml", offersFile(offer("p1#a", "", "",
				`<Остатки><Остаток><Склад><Ид>w</Ид><Количество>7</Количество></Склад></Остаток></Остатки>`))}
		c.exchange(files...)
		updated := c.product("p1").Text("data.updated_at.iso_utc")
		c.exchange(files...)
		c.want("success", "import", nil, "filename", "offers.xml")
		if now := c.product("p1").Text("data.updated_at.iso_utc"); now != updated {
			c.t.Errorf("updated_at is %s, want %s", now, updated)
		}

		for _, run := range c.runs(5) {
			if words := strings.Fields(run); words[1] != "0" || words[2] != "0" || words[4] != "0" {
				c.t.Errorf("the run %q of the second exchange changed something", run)
			}
		}
	})
}

func TestCommerceML_offersBeforeGoods(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("prices.xml", offersFile(offer("p1#a", "", "10", "")),
			"offers.xml", offersFile(offer("p1#a", "Туфли (43)", "", "", "Размер", "43")),
			"rests.xml", offersFile(offer("q", "", "", `<Количество>5</Количество>`)))
		if n := c.Get("/v2/products").Text("meta.total"); n != "0" {
			c.t.Errorf("%s products are sold before their goods came", n)
		}

		c.exchange("import.xml", goodsFile("true", good("p1", "Туфли", `<Артикул>T</Артикул>`), good("q", "Стол", "")))
		p := c.product("p1")
		if p.Text("data.archived_at") != "null" || p.Text("data.name") != "Туфли" ||
			p.Text("data.variants.0.price") != "10" ||
			p.Text("data.variants.0.options.0.value.name") != "43" || p.Text("data.variants.0.sku") != "T" {
			c.t.Errorf("the product is %s", p.Body)
		}

		if got := c.product("q").Text("data.available"); got != "5" {
			c.t.Errorf("%s of q are available, want 5", got)
		}
	})
}

func TestCommerceML_partialPacketsArchiveNothing(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("false", good("p1", "Туфли", ""), good("p2", "Стол", "")),
			"offers.xml", offersFile(offer("p1#a", "Т 43", "1",
				`<Склад ИдСклада="w1" КоличествоНаСкладе="1"/><Склад ИдСклада="w2" КоличествоНаСкладе="2"/>`, "Размер",
				"43"), offer("p1#b", "Т 44", "1", "", "Размер", "44")))
		c.exchange("import.xml", goodsFile("true", good("p1", "Туфли летние", "")),
			"offers.xml", offersFile(offer("p1#a", "Т 43", "2",
				`<Количество>6</Количество><Склад ИдСклада="w2" КоличествоНаСкладе="5"/>`, "Размер", "43")))
		p := c.product("p1")
		if p.Text("data.name") != "Туфли летние" || p.Text("data.variants.1.external_id") != "p1#b" ||
			p.Text("data.available") != "6" {
			c.t.Errorf("the product is %s", p.Body)
		}

		if n := c.Get("/v2/products").Text("meta.total"); n != "2" {
			c.t.Errorf("%s products are left, want 2", n)
		}
	})
}

func TestCommerceML_deletionMarksArchiveGoodsAndOffersDoNotBringThemBack(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p1", "Стол", "")), "offers.xml",
			offersFile(offer("p1", "Стол", "1", "")))
		c.exchange("import.xml", goodsFile("true", good("p1", "Стол", "<ПометкаУдаления>true</ПометкаУдаления>"),
			good("none", "Нет", "<ПометкаУдаления>true</ПометкаУдаления>")),
			"offers.xml", offersFile(offer("p1", "Стол", "2", "<ПометкаУдаления>true</ПометкаУдаления>")))

		if n := c.Get("/v2/products").Text("meta.total"); n != "0" {
			c.t.Errorf("%s products are live, want 0", n)
		}
		if p := c.product("p1"); p.Text("data.archived_at") == "null" || p.Has("data.variants.0") {
			c.t.Errorf("the product is %s", p.Body)
		}

		c.exchange("import.xml", goodsFile("true", good("p1", "Стол", "")))
		if got := c.product("p1").Text("data.archived_at"); got != "null" {
			c.t.Errorf("the good came again, but is archived at %s", got)
		}
	})
}

func TestCommerceML_fourCharacteristicsInDifferentSets(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p", "Ботинки", "")), "offers.xml", offersFile(
			offer("p#1", "Б", "1", "", "Размер", "43", "Полнота", "5", "Тип кожи", "натуральная кожа", "Цвет",
				"Бежевый"),
			offer("p#2", "Б", "1", "", "Размер", "42", "Цвет", "Бежевый")))
		p := c.product("p")
		if p.Text("data.variants.0.options.3.name") == "" ||
			p.Text("data.variants.1.options.1.value.name") != "Бежевый" {
			c.t.Errorf("the variants are %s", p.Body)
		}
	})
}

func TestCommerceML_takesZipInThreePartsAndWindows1251(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		encoded, err := charmap.Windows1251.NewEncoder().String(strings.Replace(goodsFile("true",
			good("p1", "Стол", "<Картинка>import_files/ab/1.png</Картинка>")), "UTF-8", "windows-1251", 1))
		if err != nil {
			c.t.Fatal(err)
		}

		archive := zipped(c.t, "import.xml", encoded, "webdata/offers.xml", offersFile(offer("p1", "Стол", "5", "")),
			"import_files/ab/1.png", string(blobtest.EncodePNG(20, 20, 7)))
		c.begin()
		for part := range slices.Chunk(archive, len(archive)/3+1) {
			c.want("success", "file", part, "filename", "v8.zip")
			c.want("success", "file", part, "filename", "v8.zip") // 1C repeats a part if the answer got lost
		}

		c.apply("import.xml")
		c.apply("offers.xml")
		p := c.product("p1")
		if p.Text("data.name") != "Стол" || p.Text("data.price.from") != "5" {
			c.t.Errorf("the product is %s", p.Body)
		}

		storetest.Eventually(c.t, "the picture is attached", func() bool {
			return strings.Contains(string(c.product("p1").Body), `"width":20`)
		})
	})
}

func TestCommerceML_changedPicturesReplaceAndUnchangedOnesStay(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		file := goodsFile("true", good("p1", "Стол", "<Картинка>a/1.png</Картинка>"))
		image := func() string {
			if p := c.product("p1"); strings.Contains(string(p.Body), `"thumbnails"`) {
				return p.Text("data.images.0.id")
			}
			return ""
		}
		c.exchange("a/1.png", string(blobtest.EncodePNG(20, 20, 7)), "import.xml", file)
		storetest.Eventually(c.t, "the picture is attached", func() bool { return image() != "" })
		first := image()
		c.exchange("import.xml", file) // without the picture, which 1C has sent before
		c.exchange("a/1.png", string(blobtest.EncodePNG(20, 20, 7)), "import.xml", file)
		if now := image(); now != first {
			c.t.Errorf("the unchanged picture has the id %s, want %s", now, first)
		}

		c.exchange("a/1.png", string(blobtest.EncodePNG(20, 20, 9)), "import.xml", file)
		storetest.Eventually(c.t, "the picture is replaced", func() bool {
			now := image()
			return now != "" && now != first && strings.Count(string(c.product("p1").Body), `"thumbnails"`) == 1
		})
	})
}

func TestCommerceML_priceTypeOfTheSettings(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		files := []string{"import.xml", goodsFile("true", good("p1", "Стол", "")), "offers.xml",
			offersFile(offer("p1", "Стол", "5", ""))}
		c.exchange(files...)
		c.settings(`{"price_type": "оптовая"}`)
		c.exchange(files...)
		if got := c.product("p1").Text("data.price.from"); got != "1" {
			c.t.Errorf("the price is %s, want that of the chosen type", got)
		}
	})
}

func TestCommerceML_missingGoodsAreArchivedOnlyIfTheStoreWantsIt(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		all := []string{good("p1", "1", ""), good("p2", "2", ""), good("p3", "3", ""), good("p4", "4", ""),
			good("p5", "5", ""), good("p6", "6", "")}
		total := func() string { return c.Get("/v2/products").Text("meta.total") }
		c.exchange("import.xml", goodsFile("false", all...))
		c.exchange("import.xml", goodsFile("false", all[1:]...))
		c.want("success", "deactivate", nil)

		if total() != "6" {
			c.t.Errorf("%s products are left with missing=keep, want 6", total())
		}

		c.settings(`{"missing": "archive"}`)
		c.want("success", "deactivate", nil) // the files came when missing goods were kept

		if total() != "6" {
			c.t.Errorf("%s products are left after the setting has changed, want 6", total())
		}

		c.Clock.Advance(time.Minute)
		c.exchange("import.xml", goodsFile("true", all[1:]...))
		c.want("success", "deactivate", nil)

		if total() != "6" {
			c.t.Errorf("%s products are left after a catalogue of changes, want 6", total())
		}

		c.exchange("import0_1.xml", goodsFile("false", all[1:3]...), "import0_2.xml", goodsFile("false", all[3:]...))
		c.want("success", "deactivate", nil)

		if total() != "5" {
			c.t.Errorf("%s products are left after a full catalogue in two packets, want 5", total())
		}

		c.exchange("import.xml", goodsFile("false", all[4:]...))

		if lines := c.want("failure", "deactivate",
			nil); lines[1] != "3 of the 5 goods of the catalogue are missing from the full package of 1C, "+
			"more than a fifth. None of them was archived." {
			c.t.Errorf("deactivate answers %q", lines)
		}

		if total() != "5" {
			c.t.Errorf("%s products are left, want 5: more than the share were missing", total())
		}
	}, apitest.Alone())
}

// Nothing is missing until all packets of an archive are imported, whether or not they are in a folder. A second
// archive with the same name is another one.
func TestCommerceML_packetsInAnArchive(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		var all []string
		for i := range 10 {
			all = append(all, good(fmt.Sprintf("p%d", i), "Товар", ""))
		}

		total := func() string { return c.Get("/v2/products").Text("meta.total") }
		c.exchange("import.xml", goodsFile("false", all...))
		c.settings(`{"missing": "archive"}`)
		for i, folder := range []string{"", "webdata/"} {
			c.Clock.Advance(time.Minute)
			left := all[:9-i]
			c.begin()
			c.send("V8.Zip", string(zipped(c.t, folder+"import0_1.xml", goodsFile("false", left[:5]...),
				folder+"import0_2.xml", goodsFile("false", left[5:]...),
				folder+"offers0_1.xml", offersFile(""))))
			c.apply("import0_1.xml")

			if want := fmt.Sprint(10 - i); total() != want {
				c.t.Errorf("%s products are left after the first packet, want %s", total(), want)
			}

			c.apply("import0_2.xml")
			c.want("success", "deactivate", nil)

			if want := fmt.Sprint(9 - i); total() != want {
				c.t.Errorf("%s products are left after the second packet, want %s", total(), want)
			}
		}

		c.settings(`{"missing": "keep"}`)
		c.begin()

		for _, name := range []string{"Стол", "Стул"} {
			c.send("v8.zip", string(zipped(c.t, "import.xml", goodsFile("true", good("p1", name, "")))))
			c.apply("import.xml")
			if got := c.product("p1").Text("data.name"); got != name {
				c.t.Errorf("the product is %q after an archive with %s", got, name)
			}
		}
	}, apitest.Alone())
}

func TestCommerceML_theClassifierComesOnce(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml",
			oneCDocument(`<Классификатор><Ид>k</Ид><Свойства><Свойство><Ид>note</Ид>`+
				`<Наименование>Примечание</Наименование><ТипЗначений>Строка</ТипЗначений></Свойство></Свойства>`+
				`</Классификатор>`))
		c.exchange("import.xml",
			goodsFile("true", good("p1", "Стол",
				`<ЗначенияСвойств><ЗначенияСвойства><Ид>note</Ид><Значение>Новый</Значение></ЗначенияСвойства>`+
					`</ЗначенияСвойств>`)))
		if got := c.product("p1").Text("data.features.0.value.name"); got != "Новый" {
			c.t.Errorf("the value is %q", got)
		}
	})
}
