package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// valueID returns an id as 1C writes it.
func valueID(n int) string { return fmt.Sprintf("%08x-5f0b-11ee-8c4b-0050569ebc3a", n) }

// valueName returns a name of a value, as long as the full names of 1C are.
func valueName(n int) string {
	return fmt.Sprintf("Значение номер %d, с полным наименованием из справочника номенклатуры", n)
}

// dictionaryOf returns a property with a dictionary of so many values.
func dictionaryOf(property, values int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<Свойство><Ид>%s</Ид><Наименование>Свойство %d</Наименование><ТипЗначений>Справочник</ТипЗначений>"+
		"<ВариантыЗначений>", valueID(property), property)
	for i := range values {
		fmt.Fprintf(&b, "<Справочник><ИдЗначения>%s</ИдЗначения><Значение>%s</Значение></Справочник>",
			valueID(1000+i), valueName(i))
	}
	b.WriteString("</ВариантыЗначений></Свойство>")
	return b.String()
}

func TestCommerceML_importsADictionaryOf60000Values(t *testing.T) {
	eachOneC(t, func(c *oneC) {
		const values = 60_000
		c.exchange("import.xml", oneCDocument("<Классификатор><Ид>k</Ид><Свойства>"+dictionaryOf(1, values)+
			"</Свойства></Классификатор>"+`<Каталог СодержитТолькоИзменения="true"><Товары>`+
			good("p", "Стол", "<ЗначенияСвойств><ЗначенияСвойства><Ид>"+valueID(1)+"</Ид><Значение>"+valueID(1000+values-1)+
				"</Значение></ЗначенияСвойства></ЗначенияСвойств>")+"</Товары></Каталог>"))

		feature := c.Get("/v2/features").Text("data.0.id")
		if n := c.Get("/v2/features/" + feature + "/values").Text("meta.total"); n != fmt.Sprint(values) {
			c.t.Errorf("the feature has %s values, want %d", n, values)
		}
		want := valueName(values - 1)
		if name := c.product("p").Text("data.features.0.value.name"); name != want {
			c.t.Errorf("the product has the value %q, want %q", name, want)
		}
	})
}
