package commerceml_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/commerceml"
)

// convert maps a document and returns its items as lines: entity, part, JSON, article and codes of warnings.
func convert(t *testing.T, options commerceml.Options, memory *commerceml.Memory, body string) ([]string,
	commerceml.Summary) {
	t.Helper()
	if memory == nil {
		memory = &commerceml.Memory{}
	}
	options.HasQuantities = func() (bool, error) {
		return commerceml.HasQuantities(strings.NewReader(document(body)), nil)
	}
	m := recordMapping(t, options, memory, document(body))
	return m.lines, m.summary
}

func target(lines *[]string) commerceml.Target {
	return commerceml.Target{
		Item: func(it commerceml.Item) error {
			line := strings.TrimSpace(fmt.Sprintf("%s %s %s", it.Entity, it.Part, it.JSON))
			if it.Article != "" {
				line += " article=" + it.Article
			}

			if it.Barcodes != nil {
				line += " barcodes=" + string(*it.Barcodes)
			}

			if it.CompleteStock {
				line += strings.TrimSuffix(" complete="+strings.Join(it.ListedStocks, ","), "=")
			}

			if it.EmptyStock != "" && it.EmptyStock != commerceml.TotalStock {
				line += " empty=" + it.EmptyStock
			}

			for _, w := range it.Warnings {
				line += " !" + w.Code
			}

			*lines = append(*lines, strings.Join(strings.Fields(line), " "))
			return nil
		},
		Picture: func(path string) (string, error) {
			if strings.Contains(path, "missing") {
				return "", nil
			}
			return "picture:" + path, nil
		},
	}
}

func document(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация ВерсияСхемы="2.05">` + body +
		`</КоммерческаяИнформация>`
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("items:\n%s\nwant:\n%s", g, w)
	}
}

func TestConvert_mapsNestedGroupsToCategories(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, `<Классификатор><Группы>
		<Группа><Ид>g1</Ид><Наименование>Обувь</Наименование><Группы><Группа><Ид>g2</Ид><Наименование>Туфли</Наименование>
		<ПометкаУдаления>true</ПометкаУдаления></Группа></Группы></Группа></Группы></Классификатор>`)
	wantLines(t, lines, `categories {"id":"g1","name":"Обувь","parent_id":null}`,
		`categories {"id":"g2","name":"Туфли","parent_id":"g1"} !deletion_ignored`)
}

func TestConvert_leavesGroupsOfAPartialClassifierWhereTheyAre(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, `<Классификатор СодержитТолькоИзменения="true"><Группы>
		<Группа><Ид>g1</Ид><Наименование>Обувь</Наименование></Группа></Группы></Классификатор>`)
	wantLines(t, lines, `categories {"id":"g1","name":"Обувь"}`)
}

const classifier = `<Классификатор><Ид>c</Ид><Свойства>
	<Свойство><Ид>color</Ид><Наименование>Цвет</Наименование><ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений>
		<Справочник><ИдЗначения>v1</ИдЗначения><Значение>Красный</Значение></Справочник></ВариантыЗначений></Свойство>
	<Свойство><Ид>len</Ид><Наименование>Длина</Наименование><ТипЗначений>Число</ТипЗначений></Свойство>
	<Свойство><Ид>note</Ид><Наименование>Примечание</Наименование><ТипЗначений>Строка</ТипЗначений></Свойство>
	</Свойства></Классификатор>`

func TestConvert_mapsPropertiesOfAllTypes(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, classifier+`<Каталог СодержитТолькоИзменения="false"><Товары>
		<Товар><Ид>p</Ид><Артикул>A-1</Артикул><Наименование>Стол</Наименование><Описание>Дуб</Описание><Группы><Ид>g1</Ид></Группы>
		<ЗначенияСвойств>
		<ЗначенияСвойства><Ид>color</Ид><Значение>v1</Значение></ЗначенияСвойства>
		<ЗначениеСвойства><Ид>color</Ид><Значение>красный</Значение></ЗначениеСвойства>
		<ЗначенияСвойства><Ид>color</Ид><Значение>Синий</Значение></ЗначенияСвойства>
		<ЗначенияСвойства><Ид>len</Ид><Значение>1 200,50</Значение></ЗначенияСвойства>
		<ЗначенияСвойства><Ид>len</Ид><Значение>много</Значение></ЗначенияСвойства>
		<ЗначенияСвойства><Ид>note</Ид><Значение> Очень  Прочный </Значение><Значение/></ЗначенияСвойства>
		</ЗначенияСвойств></Товар></Товары></Каталог>`)

	wantLines(t, lines,
		`products goods {"id":"p","name":"Стол","categories":["g1"],"features":[{"id":"color",`+
			`"value_id":"v1"},{"id":"color","value_id":"v1"},{"id":"color","value_id":"синий"},{"id":"len",`+
			`"value_id":"1200.5"},{"id":"note","value_id":"очень прочный"}],"description":"Дуб"} `+
			`article=A-1 !not_a_number`,
		`features {"id":"color","name":"Цвет","values":[{"id":"v1","name":"Красный"},{"id":"синий","name":"Синий"}]}`,
		`features {"id":"len","name":"Длина","field_type":"range","range_type":"float","values":[{"id":"1200.5",`+
			`"name":"1200.5"}]}`,
		`features {"id":"note","name":"Примечание","values":[{"id":"очень прочный","name":"Очень Прочный"}]}`)
}

func TestConvert_remembersTheClassifierOfAnEarlierFile(t *testing.T) {
	memory := &commerceml.Memory{}
	convert(t, commerceml.Options{}, memory, classifier)
	lines, _ := convert(t, commerceml.Options{}, memory, `<Каталог><ИдКлассификатора>c</ИдКлассификатора><Товары>
		<Товар><Ид>p</Ид><Наименование>Стол</Наименование><ЗначенияСвойств>
		<ЗначенияСвойства><Ид>color</Ид><Значение>v1</Значение></ЗначенияСвойства>
		<ЗначенияСвойства><Ид>note</Ид><Значение>Новый</Значение></ЗначенияСвойства>
		</ЗначенияСвойств></Товар></Товары></Каталог>`)
	wantLines(t, lines,
		`products goods {"id":"p","name":"Стол","features":[{"id":"color","value_id":"v1"},{"id":"note",`+
			`"value_id":"новый"}]}`,
		`features {"id":"note","values":[{"id":"новый","name":"Новый"}]}`)
}

func TestConvert_archivesGoodsWithADeletionMark(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, `<Каталог><Товары>
		<Товар Статус="Удален"><Ид>p1</Ид></Товар>
		<Товар><Ид>p2</Ид><ПометкаУдаления>true</ПометкаУдаления></Товар>
		<Товар><Ид>p3</Ид><Статус>Удален</Статус></Товар></Товары></Каталог>`)
	wantLines(t, lines, `products archive {"id":"p1"}`, `products archive {"id":"p2"}`, `products archive {"id":"p3"}`)
}

func TestConvert_makesFeaturesOfTheChosenRequisitesOnly(t *testing.T) {
	body := `<Каталог><Товары><Товар><Ид>p</Ид><Наименование>Стол</Наименование>
		<Изготовитель><Ид>m1</Ид><Наименование>Мебель</Наименование></Изготовитель><ЗначенияРеквизитов>
		<ЗначениеРеквизита><Наименование>Вес</Наименование><Значение>12</Значение></ЗначениеРеквизита>
		<ЗначениеРеквизита><Наименование>ВидНоменклатуры</Наименование><Значение>Товар</Значение></ЗначениеРеквизита>
		</ЗначенияРеквизитов></Товар></Товары></Каталог>`
	lines, summary := convert(t, commerceml.Options{}, nil, body)
	wantLines(t, lines, `products goods {"id":"p","name":"Стол","weight":12}`)
	wantLines(t, summary.Requisites, "Вес", "ВидНоменклатуры", "Изготовитель")
	lines, _ = convert(t, commerceml.Options{Requisites: []string{"вес", "Изготовитель"}}, nil, body)
	wantLines(t, lines,
		`products goods {"id":"p","name":"Стол","weight":12,"features":[{"id":"вес","value_id":"12"},`+
			`{"id":"изготовитель","value_id":"m1"}]}`,
		`features {"id":"вес","name":"Вес","values":[{"id":"12","name":"12"}]}`,
		`features {"id":"изготовитель","name":"Изготовитель","values":[{"id":"m1","name":"Мебель"}]}`)
}

func TestConvert_replacesPicturesByThoseOfThePackage(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil,
		`<Каталог><Товары><Товар><Ид>p</Ид><Наименование>Стол</Наименование>
		<Картинка>import_files/ab/1.jpg</Картинка><Картинка>missing.jpg</Картинка></Товар></Товары></Каталог>`)
	wantLines(t, lines, `products goods {"id":"p","name":"Стол","images_mode":"replace",`+
		`"images":["picture:import_files/ab/1.jpg"]} !unknown_picture`)
}

func offersDocument(offers string) string {
	return `<ПакетПредложений СодержитТолькоИзменения="false"><ТипыЦен>
		<ТипЦены><Ид>t1</Ид><Наименование>Розничная</Наименование><Валюта>RUB</Валюта></ТипЦены>
		<ТипЦены><Ид>t2</Ид><Наименование>Оптовая</Наименование></ТипЦены></ТипыЦен><Предложения>` + offers +
		`</Предложения></ПакетПредложений>`
}

func TestConvert_groupsTheOffersOfAGood(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{PriceType: "t1"}, nil, offersDocument(`
		<Предложение><Ид>p#c1</Ид><Наименование>Туфли (43)</Наименование><Артикул>S1</Артикул><ХарактеристикиТовара>
		<ХарактеристикаТовара><Наименование>Размер (обувь)</Наименование><Значение>43</Значение></ХарактеристикаТовара>
		<ХарактеристикаТовара><Наименование> ЦВЕТ </Наименование><Значение>Бежевый</Значение></ХарактеристикаТовара>
		</ХарактеристикиТовара><Цены><Цена><ИдТипаЦены>t2</ИдТипаЦены><ЦенаЗаЕдиницу>1</ЦенаЗаЕдиницу></Цена>
		<Цена><ИдТипаЦены>t1</ИдТипаЦены><ЦенаЗаЕдиницу>1 990,50</ЦенаЗаЕдиницу><Коэффициент>1</Коэффициент></Цена></Цены>
		<Количество>10</Количество></Предложение>
		<Предложение><Ид>p#c2</Ид><Наименование>Туфли (44)</Наименование><ХарактеристикиТовара>
		<ХарактеристикаТовара><Наименование>размер</Наименование><Значение>44</Значение></ХарактеристикаТовара>
		</ХарактеристикиТовара></Предложение>
		<Предложение><Ид>q</Ид><Наименование>Стол</Наименование><Количество/></Предложение>`))

	wantLines(t, lines,
		`products offers {"id":"p","name":"Туфли","variants":[{"id":"p#c1","name":"Туфли (43)","sku":"S1",`+
			`"price":1990.5,"options":[{"id":"размер","value_id":"43"},{"id":"цвет","value_id":"бежевый"}],`+
			`"remainders":[{"stock_id":"Основной склад","quantity":10}]},{"id":"p#c2","name":"Туфли (44)",`+
			`"options":[{"id":"размер","value_id":"44"}],"remainders":[{"stock_id":"Основной склад",`+
			`"quantity":0}]}]} complete`,
		`products offers {"id":"q","name":"Стол","variants":[{"id":"q","remainders":[{"stock_id":"Основной склад",`+
			`"quantity":0}]}]} complete`,
		`variant-options {"id":"размер","name":"Размер","values":[{"id":"43","name":"43"},{"id":"44","name":"44"}]}`,
		`variant-options {"id":"цвет","name":"ЦВЕТ","values":[{"id":"бежевый","name":"Бежевый"}]}`)
}

func TestConvert_keepsTheBracketsIfOneOptionWouldBeTwiceOnAVariant(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil,
		offersDocument(`<Предложение><Ид>p#c</Ид><Наименование>П</Наименование><ХарактеристикиТовара>
		<ХарактеристикаТовара><Наименование>Размер (верх)</Наименование><Значение>1</Значение></ХарактеристикаТовара>
		<ХарактеристикаТовара><Наименование>Размер (низ)</Наименование><Значение>2</Значение></ХарактеристикаТовара>
		</ХарактеристикиТовара></Предложение>`))
	if !strings.Contains(lines[0],
		`"options":[{"id":"размер (верх)","value_id":"1"},{"id":"размер (низ)","value_id":"2"}]`) {
		t.Errorf("the options are %s", lines[0])
	}
}

func TestConvert_takesThePriceTypeOfTheSettings(t *testing.T) {
	offer := offersDocument(`<Предложение><Ид>p</Ид><Цены>
		<Цена><ИдТипаЦены>t1</ИдТипаЦены><ЦенаЗаЕдиницу>100</ЦенаЗаЕдиницу></Цена>
		<Цена><ИдТипаЦены>t2</ИдТипаЦены><ЦенаЗаЕдиницу>80</ЦенаЗаЕдиницу></Цена></Цены></Предложение>`)
	for setting, price := range map[string]string{"t1": "100", "t2": "80", "оптовая": "80"} {
		lines, _ := convert(t, commerceml.Options{PriceType: setting}, nil, offer)
		wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":`+price+`}`)
	}
}

// What becomes no item still has its warnings.
func TestConvert_warnsOfOffersThatChangeNothing(t *testing.T) {
	for inside, code := range map[string]string{
		`<Цены><Цена><ИдТипаЦены>t1</ИдТипаЦены><ЦенаЗаЕдиницу>abc</ЦенаЗаЕдиницу></Цена></Цены>`: "invalid_price",
		`<Количество>много</Количество>`: "invalid_quantity",
	} {
		lines, _ := convert(t, commerceml.Options{PriceType: "t1"}, nil,
			offersDocument(`<Предложение><Ид>p#c</Ид>`+inside+`</Предложение>`))
		wantLines(t, lines, `products seen {"id":"p"} !`+code)
	}
}

// A file that lists only one of the price types changes neither the others nor the default.
func TestConvert_keepsTheFirstPriceType(t *testing.T) {
	memory := &commerceml.Memory{}
	convert(t, commerceml.Options{}, memory, offersDocument(``))
	convert(t, commerceml.Options{}, memory,
		`<ПакетПредложений><ТипыЦен><ТипЦены><Ид>t2</Ид><Наименование>Опт</Наименование></ТипЦены></ТипыЦен>`+
			`</ПакетПредложений>`)
	if first, found := memory.BasePriceType("", ""); !found || first.ID != "t1" || len(memory.PriceTypes) != 2 ||
		memory.PriceTypes[1].Name != "Опт" {
		t.Errorf("the price types are %+v", memory.PriceTypes)
	}
}

// Only a packet that says so, before its goods, is full.
func TestConvert_packetIsFullIfItSaysSo(t *testing.T) {
	const some = `<Товары><Товар><Ид>p</Ид></Товар></Товары>`

	for body, want := range map[string]string{
		`<Каталог СодержитТолькоИзменения="false"/>`: "[{ true false}]",
		`<Каталог СодержитТолькоИзменения="false"><Ид>c</Ид>` + some +
			`</Каталог>`: "[{c true false}]",
		`<Каталог СодержитТолькоИзменения="true"><Ид>c</Ид>` + some +
			`</Каталог>`: "[{c false false}]",
		`<Каталог><Ид>c</Ид>` + some +
			`</Каталог>`: "[{c false false}]",
		`<Каталог СодержитТолькоИзменения="true"><Ид>c</Ид></Каталог>`: "[]",
		`<Каталог><СодержитТолькоИзменения>false</СодержитТолькоИзменения>` + some +
			`</Каталог>`: "[{ true false}]",
		`<Каталог>` + some + `<СодержитТолькоИзменения>false</СодержитТолькоИзменения>` +
			`</Каталог>`: "[{ false false}]",
		`<ПакетПредложений СодержитТолькоИзменения="false"><Ид>c#</Ид></ПакетПредложений>`: "[{c true true}]",
		`<ПакетПредложений СодержитТолькоИзменения="false"><Ид>x</Ид><ИдКаталога>c</ИдКаталога>` +
			`</ПакетПредложений>`: "[{c true true}]",
		`<ИзмененияПакетаПредложений><Предложения><Предложение><Ид>p</Ид></Предложение></Предложения>` +
			`</ИзмененияПакетаПредложений>`: "[{ false true}]",
		`<Каталог СодержитТолькоИзменения="false"><Ид>c</Ид></Каталог><Каталог СодержитТолькоИзменения="false">` +
			`<Ид>d</Ид></Каталог>` +
			`<Каталог СодержитТолькоИзменения="true"><Ид>c</Ид>` + some +
			`</Каталог>`: "[{c false false} {d true false}]",
	} {
		if _, summary := convert(t, commerceml.Options{}, nil, body); fmt.Sprint(summary.Packets) != want {
			t.Errorf("%s: %v, want %s", body, summary.Packets, want)
		}
	}
}

// Goods and offers are listed with the packet that has them, those that are marked for deletion are not.
func TestConvert_listsGoodsAndOffers(t *testing.T) {
	var listed []string
	to := target(new([]string))
	to.Listed = func(l commerceml.Listed) error {
		listed = append(listed, strings.TrimSpace(fmt.Sprint(l.Catalog, " ", l.IsFull, " ", l.Good, " ", l.Offer)))
		return nil
	}

	body := document(
		`<Каталог СодержитТолькоИзменения="false"><Ид>c</Ид><Товары><Товар><Ид>p</Ид></Товар><Товар><Ид>q#1</Ид></Товар><Товар><Ид>q#2</Ид></Товар>
		<Товар Статус="Удален"><Ид>r</Ид></Товар></Товары></Каталог><ПакетПредложений><Ид>c#</Ид><Предложения><Предложение><Ид>p</Ид></Предложение>
		<Предложение><Ид>s#a</Ид></Предложение><Предложение><Ид>s#b</Ид><Статус>Удален</Статус></Предложение></Предложения></ПакетПредложений>`)
	if _, err := commerceml.Convert(strings.NewReader(body), commerceml.Options{}, &commerceml.Memory{},
		to); err != nil {
		t.Fatal(err)
	}

	if got, want := strings.Join(listed, ", "),
		"c true p, c true q q#1, c true q, c true q q#2, c false p p, c false s s#a"; got != want {
		t.Errorf("listed: %s, want %s", got, want)
	}
}

// A mark that is true stays, whatever the document repeats of ours.
func TestReadDocuments_aTrueMarkStays(t *testing.T) {
	const cancelled = `<ЗначениеРеквизита><Наименование>Отменен</Наименование><Значение>false</Значение>` +
		`</ЗначениеРеквизита>`
	for _, inside := range []string{`<ПометкаУдаления>true</ПометкаУдаления><ЗначенияРеквизитов>` + cancelled +
		`</ЗначенияРеквизитов>`,
		`<ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>ПометкаУдаления</Наименование><Значение>true</Значение>` +
			`</ЗначениеРеквизита>` + cancelled + `</ЗначенияРеквизитов>`} {
		n := 0
		err := commerceml.ReadDocuments(strings.NewReader(document(`<Документ><Ид>o</Ид>`+inside+`</Документ>`)), nil,
			func(d commerceml.Document) error {
				if n++; d.Deleted == nil || !*d.Deleted {
					t.Errorf("%s is not deleted", inside)
				}

				return nil
			})
		if err != nil || n != 1 {
			t.Errorf("%d documents: %v", n, err)
		}
	}
}

func TestConvert_readsAllEncodingsOfStock(t *testing.T) {
	const total = `"Основной склад","quantity":`
	for name, c := range map[string]struct{ xml, want string }{
		"total": {`<Количество>5</Количество>`, total + `5} complete=Основной склад`},
		"a sum above the total": {`<Количество>9</Количество><Склад ИдСклада="w" КоличествоНаСкладе="1 000,5"/>`,
			`"w","quantity":1000.5} complete=w`},
		"the sum is the total": {`<Количество>9.0</Количество><Склад ИдСклада="w" КоличествоНаСкладе="9"/>`,
			`"w","quantity":9} complete=w`},
		"some warehouses are unsent": {`<Количество>9</Количество><Склад ИдСклада="w" КоличествоНаСкладе="8"/>`,
			`"w","quantity":8}`},
		"no total": {`<Склады ИдСклада="w" КоличествоНаСкладе="3"/>`, `"w","quantity":3} complete=w`},
		"rests": {`<Остатки><Остаток><Склад><Ид>w</Ид><Количество>7</Количество></Склад></Остаток>` +
			`</Остатки>`, `"w","quantity":7} complete=w`},
		"rests as a total": {`<Остатки><Остаток><Количество>7</Количество></Остаток></Остатки>`,
			total + `7} complete=Основной склад`},
		"rests as a text":    {`<Остатки><Остаток>34</Остаток></Остатки>`, total + `34} complete=Основной склад`},
		"empty rests":        {`<Остатки/>`, total + `0} complete=Основной склад`},
		"a negative one":     {`<Количество>-5</Количество>`, total + `0} complete=Основной склад !negative_quantity`},
		"an empty one":       {`<Количество></Количество>`, ``},
		"an empty warehouse": {`<Склад ИдСклада="w" КоличествоНаСкладе=""/>`, ``},
		"a total beside it": {`<Склад ИдСклада="w" КоличествоНаСкладе=""/><Количество>5</Количество>`,
			total + `5} complete=Основной склад`},
		"an unreadable warehouse": {`<Количество>5</Количество><Склад ИдСклада="w" КоличествоНаСкладе="5"/>` +
			`<Склад ИдСклада="x" КоличествоНаСкладе="?"/>`,
			`"w","quantity":5} !invalid_quantity`},
	} {
		var want []string
		if c.want != "" {
			want = []string{`remainders {"variant_id":"p#c","product_id":"p","stock_id":` + c.want}
		}

		t.Run(name, func(t *testing.T) {
			lines, _ := convert(t, commerceml.Options{}, nil,
				offersDocument(`<Предложение><Ид>p#c</Ид>`+c.xml+`</Предложение>`))
			wantLines(t, lines, want...)
		})
	}
}

// 1C writes no zeros: an offer that has run out has no quantity, while others of the file have one.
func TestConvert_offersWithoutAQuantityBesideOthersHaveNone(t *testing.T) {
	const priced = `<Предложение><Ид>p</Ид><Цены><Цена><ИдТипаЦены>t1</ИдТипаЦены><ЦенаЗаЕдиницу>1</ЦенаЗаЕдиницу>` +
		`</Цена></Цены></Предложение>`
	lines, _ := convert(t, commerceml.Options{PriceType: "t1"}, nil, offersDocument(priced))
	wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":1}`)
	lines, _ = convert(t, commerceml.Options{PriceType: "t1"}, nil,
		offersDocument(priced+`<Предложение><Ид>q</Ид><Количество>1</Количество></Предложение>`))
	wantLines(t, lines, `prices {"variant_id":"p","product_id":"p","price":1}`,
		`remainders {"variant_id":"p","product_id":"p","stock_id":"Основной склад","quantity":0} complete=Основной `+
			`склад`,
		`remainders {"variant_id":"q","product_id":"q","stock_id":"Основной склад","quantity":1} complete=Основной `+
			`склад`)
}

// Offers whose lists are complete and others are different items.
func TestConvert_separatesCompleteListsOfWarehouses(t *testing.T) {
	offer := func(id, total string) string {
		return `<Предложение><Ид>p#` + id + `</Ид><Наименование>П</Наименование><Количество>` + total +
			`</Количество><Склад ИдСклада="w" КоличествоНаСкладе="1"/></Предложение>`
	}
	lines, _ := convert(t, commerceml.Options{}, nil, offersDocument(offer("a", "1")+offer("b", "2")))
	wantLines(t, lines,
		`products offers {"id":"p","name":"П","variants":[{"id":"p#a","name":"П","remainders":[{"stock_id":"w",`+
			`"quantity":1}]}]} complete`,
		`products offers {"id":"p","name":"П","variants":[{"id":"p#b","name":"П","remainders":[{"stock_id":"w",`+
			`"quantity":1}]}]}`)
}

func TestConvert_readsChangesOfAPacketOfOffers(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, `<ИзмененияПакетаПредложений><Предложения><Предложение>
		<ИдентификаторТовара>p</ИдентификаторТовара><ИдХарактеристики>c</ИдХарактеристики>
		<Склады ИдСклада="w" КоличествоНаСкладе="3"/><Цены><Цена><ЦенаЗаЕдиницу>10</ЦенаЗаЕдиницу></Цена></Цены>
		</Предложение></Предложения></ИзмененияПакетаПредложений>`)
	wantLines(t, lines, `prices {"variant_id":"p#c","product_id":"p","price":10}`,
		`remainders {"variant_id":"p#c","product_id":"p","stock_id":"w","quantity":3} complete=w`)
}

func TestConvert_withdrawsOffersThatAreMarkedForDeletion(t *testing.T) {
	for _, mark := range []string{`><Ид>p#c</Ид><ПометкаУдаления>true</ПометкаУдаления>`,
		` Статус="Удален"><Ид>p#c</Ид>`,
		`><Ид>p#c</Ид><Статус>Удалён</Статус>`} {
		lines, _ := convert(t, commerceml.Options{}, nil, offersDocument(
			`<Предложение`+mark+`<Наименование>Стол</Наименование><Количество>5</Количество></Предложение>`))
		wantLines(t, lines, `products withdrawn {"id":"p","variants":[{"id":"p#c"}]}`)
	}
}

func TestConvert_makesVariantsOfGoodsWithCharacteristics(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, nil, `<Каталог><Товары>
		<Товар><Ид>p#1</Ид><Наименование>Туфли (43)</Наименование><ХарактеристикиТовара><ХарактеристикаТовара>
		<Наименование>Размер</Наименование><Значение>43</Значение></ХарактеристикаТовара></ХарактеристикиТовара></Товар>
		<Товар><Ид>p#2</Ид><Наименование>Туфли (44)</Наименование></Товар></Товары></Каталог>`)
	wantLines(t, lines, `products goods {"id":"p","name":"Туфли"}`,
		`products offers {"id":"p","name":"Туфли","variants":[{"id":"p#1","name":"Туфли (43)",`+
			`"options":[{"id":"размер","value_id":"43"}]},{"id":"p#2","name":"Туфли (44)"}]}`,
		`variant-options {"id":"размер","name":"Размер","values":[{"id":"43","name":"43"}]}`)
}

// Of an exchange in one file, a good that is not among the offers was sold out.
func TestConvert_aGoodWithACharacteristicIsNoOfferWithoutAQuantity(t *testing.T) {
	lines, _ := convert(t, commerceml.Options{}, &commerceml.Memory{Quantities: true},
		`<Каталог><Товары>
		<Товар><Ид>p#1</Ид><Наименование>Туфли (43)</Наименование></Товар>
		<Товар><Ид>p#2</Ид><Наименование>Туфли (44)</Наименование></Товар></Товары></Каталог>
		<ПакетПредложений СодержитТолькоИзменения="true"><Предложения>
		<Предложение><Ид>p#2</Ид><Количество>3</Количество></Предложение>
		<Предложение><Ид>p#3</Ид></Предложение></Предложения></ПакетПредложений>`)
	wantLines(t, lines, `products goods {"id":"p","name":"Туфли"}`,
		`products offers {"id":"p","name":"Туфли","variants":[{"id":"p#1","name":"Туфли (43)"},{"id":"p#2",`+
			`"name":"Туфли (44)"}]}`,
		`remainders {"variant_id":"p#2","product_id":"p","stock_id":"Основной склад","quantity":3} complete=Основной `+
			`склад`,
		`remainders {"variant_id":"p#3","product_id":"p","stock_id":"Основной склад","quantity":0} complete=Основной `+
			`склад`)
}

func TestConvert_readsWindows1251AndAByteOrderMark(t *testing.T) {
	body := `<КоммерческаяИнформация xmlns="urn:1C.ru:commerceml_2"><Каталог><Товары><Товар><Ид>p</Ид>` +
		`<Наименование>Стол</Наименование></Товар></Товары></Каталог></КоммерческаяИнформация>`
	encoded, err := charmap.Windows1251.NewEncoder().String(`<?xml version="1.0" encoding="windows-1251"?>` + body)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"windows-1251": encoded,
		"a byte order mark": "\ufeff<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + body} {
		var lines []string
		if _, err := commerceml.Convert(strings.NewReader(text), commerceml.Options{}, &commerceml.Memory{},
			target(&lines)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantLines(t, lines, `products goods {"id":"p","name":"Стол"}`)
	}
}

func TestConvert_refusesWhatIsNoCommerceML(t *testing.T) {
	for name, text := range map[string]string{
		"an empty file":       "",
		"UTF-16":              "\xff\xfe<\x00?\x00",
		"another document":    "<html></html>",
		"half a file":         document("")[:120],
		"a second document":   document("") + document("")[len(`<?xml version="1.0" encoding="UTF-8"?>`):],
		"an unknown encoding": `<?xml version="1.0" encoding="big5"?><a/>`,
		"an entity":           `<!DOCTYPE a [<!ENTITY x "y">]><КоммерческаяИнформация>&x;</КоммерческаяИнформация>`,
		"deep nesting":        document(strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100)),
	} {
		var lines []string

		_, err := commerceml.Convert(strings.NewReader(text), commerceml.Options{}, &commerceml.Memory{},
			target(&lines))
		if fault.KindOf(err) != fault.Malformed {
			t.Errorf("%s: the error is %v, want a fault of the kind Malformed", name, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(document(classifier)))
	f.Add([]byte(document(offersDocument(`<Предложение><Ид>p#c</Ид><Количество>1,5</Количество></Предложение>`))))
	f.Fuzz(func(t *testing.T, file []byte) {
		var lines []string
		_, err := commerceml.Convert(strings.NewReader(string(file)), commerceml.Options{Requisites: []string{"Вес"}},
			&commerceml.Memory{}, target(&lines))
		if err != nil && fault.KindOf(err) != fault.Malformed {
			t.Errorf("the error is %v", err)
		}
	})
}

// The catalogues of a file are held in memory, so only so many are listed.
func TestConvert_listsTheFirstCatalogues(t *testing.T) {
	catalogs := map[string]int{}
	warnings := 0
	to := target(new([]string))
	to.Item = func(it commerceml.Item) error {
		for _, w := range it.Warnings {
			if w.Code == "too_many_catalogs" {
				warnings++
			}
		}
		return nil
	}
	to.Listed = func(l commerceml.Listed) error {
		catalogs[l.Catalog]++
		return nil
	}

	for _, c := range []struct {
		catalogs, warnings int
	}{{commerceml.MaxCatalogs, 0}, {commerceml.MaxCatalogs + 100, 1}} {
		var body strings.Builder
		for i := range 2 * c.catalogs { // each twice
			fmt.Fprintf(&body, `<Каталог><Ид>c%d</Ид><Товары><Товар><Ид>p%[1]d</Ид></Товар></Товары></Каталог>`,
				i%c.catalogs)
		}

		clear(catalogs)
		warnings = 0
		summary, err := commerceml.Convert(strings.NewReader(document(body.String())), commerceml.Options{},
			&commerceml.Memory{}, to)
		if err != nil {
			t.Fatal(err)
		}

		if len(catalogs) != commerceml.MaxCatalogs || catalogs["c0"] != 2 || warnings != c.warnings ||
			summary.TooManyCatalogs != (c.warnings > 0) {
			t.Errorf("of %d catalogues %d are listed, with %d warnings, %v", c.catalogs, len(catalogs), warnings,
				summary.TooManyCatalogs)
		}
	}
}
