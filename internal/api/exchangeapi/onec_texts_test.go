package exchangeapi_test

import (
	"slices"
	"strings"
	"testing"
)

// Real files have properties of offers in a packet without a classifier, which came with the goods.
func TestCommerceML_propertiesOfOffersAreOptions(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", oneCDocument(`<Классификатор><Свойства><Свойство><Ид>color</Ид>`+
			`<Наименование>Цвет</Наименование><ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений><Справочник>`+
			`<ИдЗначения>v1</ИдЗначения><Значение>Красный</Значение></Справочник></ВариантыЗначений></Свойство>`+
			`</Свойства></Классификатор><Каталог><Ид>cat</Ид><Товары>`+good("p1", "Стол", "")+`</Товары></Каталог>`),
			"offers.xml", offersFile(offer("p1#a", "Стол", "100", `<ХарактеристикиТовара/><ЗначенияСвойств>`+
				`<ЗначенияСвойства><Ид>color</Ид><Значение>v1</Значение></ЗначенияСвойства></ЗначенияСвойств>`)))
		r := c.product("p1")
		if name, value := r.Text("data.variants.0.options.0.name"),
			r.Text("data.variants.0.options.0.value.name"); name != "Цвет" || value != "Красный" {
			c.t.Errorf("the option is %q: %q", name, value)
		}
	})
}

// A long text is under the heading of its property, also if the classifier came in an earlier exchange, and the same
// exchange again does not double it.
func TestCommerceML_longTextsOfPropertiesAreInTheDescription(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", oneCDocument(`<Классификатор><Свойства><Свойство><Ид>made</Ид>`+
			`<Наименование>Состав</Наименование><ТипЗначений>Строка</ТипЗначений></Свойство></Свойства>`+
			`</Классификатор>`))
		long := strings.TrimSpace(strings.Repeat("вода ", 60))
		file := goodsFile("false", good("p1", "Крем", `<Описание>Для рук</Описание><ЗначенияСвойств>`+
			`<ЗначенияСвойства><Ид>made</Ид><Значение>`+long+`</Значение></ЗначенияСвойства></ЗначенияСвойств>`))
		for range 2 {
			c.exchange("import.xml", file)
			if got := c.product("p1").Text("data.description"); got != "Для рук\n\nСостав\n\n"+long {
				c.t.Errorf("the description is %q", got)
			}
		}
	})
}

func TestCommerceML_nameFromAndManufacturer(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		file := goodsFile("false", good("p1", "Стол", `<Изготовитель><Ид>m1</Ид><Наименование>Мебель</Наименование>`+
			`</Изготовитель><ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>Полное наименование</Наименование>`+
			`<Значение>Стол дубовый</Значение></ЗначениеРеквизита></ЗначенияРеквизитов>`))
		c.exchange("import.xml", file)
		r := c.product("p1")
		if r.Text("data.name") != "Стол" || r.Text("data.features.0.name") != "Изготовитель" ||
			r.Text("data.features.0.value.name") != "Мебель" {
			c.t.Errorf("by default the product is %s", r.Body)
		}

		c.settings(`{"name_from": "full_name"}`)
		c.exchange("import.xml", file)
		if got := c.product("p1").Text("data.name"); got != "Стол дубовый" {
			c.t.Errorf("the name is %q", got)
		}

		r = c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": {"name_from": "id"}}`)
		if r.Status != 422 || !strings.Contains(string(r.Body), "commerceml.name_from") {
			c.t.Errorf("an unknown source of names: %d %s", r.Status, r.Body)
		}
	})
}

// Every import makes the texts in a description again: one that has become short, or was emptied, is not there any
// more. A description that people have written stays, since 1C has none.
func TestCommerceML_longTextsThatAreGoneLeaveTheDescription(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		long := strings.TrimSpace(strings.Repeat("вода ", 60))
		file := func(text string) string {
			return oneCDocument(`<Классификатор><Свойства><Свойство><Ид>made</Ид><Наименование>Состав</Наименование>` +
				`<ТипЗначений>Строка</ТипЗначений></Свойство></Свойства></Классификатор><Каталог><Ид>cat</Ид><Товары>` +
				good("p1", "Крем", `<ЗначенияСвойств><ЗначенияСвойства><Ид>made</Ид><Значение>`+text+
					`</Значение></ЗначенияСвойства></ЗначенияСвойств>`) + `</Товары></Каталог>`)
		}
		for _, text := range []string{"вода", "", "соль"} {
			c.exchange("import.xml", file(long))
			if got := c.product("p1").Text("data.description"); got != "Состав\n\n"+long {
				c.t.Errorf("the description is %q", got)
			}
			c.exchange("import.xml", file(text))
			if got := c.product("p1").Text("data.description"); got != "" {
				c.t.Errorf("after %q the description is %q", text, got)
			}
		}

		path := "/v2/products/" + c.product("p1").Text("data.id")
		written := "Состав подобран для сухой кожи. " + long
		if r := c.Do("PUT", path, `{"description": "`+written+`"}`); r.Status != 200 {
			c.t.Fatalf("the edit is %d %s", r.Status, r.Body)
		}
		c.exchange("import.xml", file("перец"))
		if got := c.product("p1").Text("data.description"); got != written {
			c.t.Errorf("what people have written becomes %q", got)
		}
	})
}

// A property of texts that becomes a dictionary in 1C keeps its values: the text of a good that is not sent again, and
// the value of the dictionary, are one.
func TestCommerceML_textsThatBecomeADictionaryDoNotStandTwice(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		property := func(of, values string) string {
			return `<Классификатор><Свойства><Свойство><Ид>color</Ид><Наименование>Цвет</Наименование><ТипЗначений>` +
				of + `</ТипЗначений>` + values + `</Свойство></Свойства></Классификатор>`
		}
		colored := func(id, value string) string {
			return good(id, "Лампа "+id, `<ЗначенияСвойств><ЗначенияСвойства><Ид>color</Ид><Значение>`+value+
				`</Значение></ЗначенияСвойства></ЗначенияСвойств>`)
		}
		c.exchange("import.xml", oneCDocument(property("Строка", "")+`<Каталог><Ид>cat</Ид><Товары>`+
			colored("p1", "Красный")+colored("p2", "Синий")+`</Товары></Каталог>`))

		dictionary := `<ВариантыЗначений>` +
			`<Справочник><ИдЗначения>v1</ИдЗначения><Значение>Красный</Значение></Справочник>` +
			`<Справочник><ИдЗначения>v2</ИдЗначения><Значение>Белый</Значение></Справочник></ВариантыЗначений>`
		for _, value := range []string{"v1", "v2", "Красный", "v1"} {
			c.exchange("import.xml", oneCDocument(property("Справочник", dictionary)+`<Каталог><Ид>cat</Ид><Товары>`+
				colored("p2", value)+`</Товары></Каталог>`))
			want := map[string]string{"v1": "Красный", "v2": "Белый", "Красный": "Красный"}[value]
			if got := c.product("p2").Text("data.features.0.value.name"); got != want {
				c.t.Errorf("after %s the value is %q", value, got)
			}
		}

		feature := c.product("p1").Text("data.features.0.id")
		names := c.OK(200, "GET", "/v2/features/"+feature+"?with=values", nil).Texts("data.values", "name")
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "Белый Красный Синий" {
			c.t.Errorf("the values are %q", got)
		}

		red := c.product("p1").Text("data.features.0.value.id")
		if got := c.product("p2").Text("data.features.0.value.id"); got != red {
			c.t.Errorf("the products have the values %s and %s, want one", red, got)
		}
	})
}
