package exchangeapi_test

import (
	"encoding/base64"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// A trailing slash, and the address that 1C uses if it is given only the domain, are the same endpoint.
func TestCommerceML_hasTheAddressesThat1CUses(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		basic := apitest.Header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("1c:"+c.Exchange)))
		none := apitest.Header("Authorization", "")
		for path, option := range map[string]apitest.RequestOption{
			"/v2/sync-gate/commerceml/":                    basic,
			"/v2/sync-gate/" + c.Exchange + "/commerceml/": none,
			"/bitrix/admin/1c_exchange.php":                basic,
		} {
			if r := c.Get(path+"?type=catalog&mode=init", option); !strings.HasPrefix(string(r.Body), "zip=yes\n") {
				c.t.Errorf("%s answers %d %q", path, r.Status, r.Body)
			}
		}

		r := c.Get("/bitrix/admin/1c_exchange.php?type=catalog&mode=init", none)
		if !strings.HasPrefix(string(r.Body), "failure\n") {
			c.t.Errorf("without a password the answer is %d %q", r.Status, r.Body)
		}
	})
}

// Names of files in windows-1251, and folders with backslashes inside archives, failed the exchange.
func TestCommerceML_readsNamesOfOldWindows(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.begin()
		const name = "\xf2\xee\xe2\xe0\xf0\xfb.xml" // товары.xml
		c.send(name, goodsFile("true", good("p1", "Стол", "")))
		c.apply(name)
		c.apply("товары.xml")
		if got := c.product("p1").Text("data.name"); got != "Стол" {
			c.t.Errorf("the name is %q", got)
		}

		c.begin()
		c.want("success", "file", zipped(c.t, `import_files\a.txt`, "x", "import.xml",
			goodsFile("true", good("p2", "Стул", ""))), "filename", "v8.zip")
		c.apply("import.xml")
		if got := c.product("p2").Text("data.name"); got != "Стул" {
			c.t.Errorf("the name is %q", got)
		}
	})
}

// The schema of CommerceML 2 prescribes the order of elements.
func TestCommerceML_ordersAreValidByTheSchema(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = saleOneC(c)
		c.submit()
		text := strings.Join(c.call("GET", "query", nil), "\n")
		for parent, want := range map[string]string{
			"Документ": "Ид Номер Дата ХозОперация Роль Валюта Курс Сумма Контрагенты Время Комментарий Товары " +
				"ЗначенияРеквизитов",
			"Контрагент": "Ид Наименование ПолноеНаименование Адрес Контакты Роль",
			"Товар": "Ид Штрихкод Артикул Наименование БазоваяЕдиница СтавкиНалогов ЗначенияРеквизитов " +
				"ЦенаЗаЕдиницу Количество Сумма Налоги",
		} {
			at := 0
			order := strings.Fields(want)
			for _, name := range childrenOf(c.t, text, parent) {
				for at < len(order) && order[at] != name {
					at++
				}
				if at == len(order) {
					c.t.Errorf("%s of %s is unknown or too late; the order is %s", name, parent, want)
					break
				}
			}
		}

		if !strings.Contains(text, "<Тип>Телефон рабочий</Тип>") {
			c.t.Errorf("the type of the phone is not one of the schema: %s", text)
		}
	})
}

// childrenOf returns the names of the children of the first element with a name.
func childrenOf(t *testing.T, text, parent string) (names []string) {
	t.Helper()
	depth, inside := 0, 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			t.Fatalf("there is no %s", parent)
		}
		if err != nil {
			t.Fatal(err)
		}

		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if inside > 0 && depth == inside+1 {
				names = append(names, token.Name.Local)
			}
			if inside == 0 && token.Name.Local == parent {
				inside = depth
			}

		case xml.EndElement:
			if depth == inside {
				return names
			}
			depth--
		}
	}
}
