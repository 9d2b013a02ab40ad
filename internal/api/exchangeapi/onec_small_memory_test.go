package exchangeapi_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// With the least memory that the server starts with, an import from an archive was repeated for ever.
func TestCommerceML_importsFromAnArchiveWithTheLeastMemory(t *testing.T) {
	t.Parallel()
	c := newOneC(t, apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.Memory = 128 << 20 })))
	c.Clock.FollowRealTime() // an import waits two seconds for what the images of the file before it hold
	var goods, offers strings.Builder
	var files []string
	for i := range 500 {
		picture := fmt.Sprintf("import_files/%d.jpg", i)
		files = append(files, picture, fmt.Sprint("picture ", i))
		goods.WriteString(good(fmt.Sprint("p", i), fmt.Sprint("Стол ", i), "<Описание>"+strings.Repeat("Текст. ", 1000)+
			"</Описание><Картинка>"+picture+"</Картинка>"))
		fmt.Fprintf(&offers, "<Предложение><Ид>p%d</Ид><Наименование>Стол %d</Наименование><Количество>7</Количество>"+
			"</Предложение>", i, i)
	}

	files = append(files, "import.xml", oneCDocument(`<Классификатор><Ид>k</Ид><Свойства>`+dictionaryOf(1, 5000)+
		`</Свойства></Классификатор><Каталог СодержитТолькоИзменения="true"><Товары>`+goods.String()+
		"</Товары></Каталог>"))
	files = append(files, "offers.xml",
		oneCDocument("<ПакетПредложений><Предложения>"+offers.String()+"</Предложения></ПакетПредложений>"))

	c.begin()
	c.send("v8.zip", string(zipped(t, files...)))
	c.apply("import.xml")
	c.apply("offers.xml")

	if n := c.Get("/v2/products").Text("meta.total"); n != "500" {
		t.Errorf("%s products were imported, want 500", n)
	}
}
