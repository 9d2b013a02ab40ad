package commerceml_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop/exchange/commerceml"
)

func requisites(pairs ...string) string {
	text := "<ЗначенияРеквизитов>"
	for i := 0; i < len(pairs); i += 2 {
		text += "<ЗначениеРеквизита><Наименование>" + pairs[i] + "</Наименование><Значение>" + pairs[i+1] +
			"</Значение></ЗначениеРеквизита>"
	}
	return text + "</ЗначенияРеквизитов>"
}

func properties(pairs ...string) string {
	text := "<ЗначенияСвойств>"
	for i := 0; i < len(pairs); i += 2 {
		text += "<ЗначенияСвойства><Ид>" + pairs[i] + "</Ид><Значение>" + pairs[i+1] + "</Значение></ЗначенияСвойства>"
	}
	return text + "</ЗначенияСвойств>"
}

func goodOf(more string) string {
	return `<Каталог><Товары><Товар><Ид>p</Ид>` + more + `</Товар></Товары></Каталог>`
}

func TestConvert_takesTheFullNameIfTheStoreWantsIt(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		`<Наименование>Стол</Наименование>` + requisites("Полное наименование", "Стол дубовый"):  "Стол дубовый",
		`<Наименование>Стол</Наименование><ПолноеНаименование>Стол из дуба</ПолноеНаименование>`: "Стол из дуба",
		`<Наименование>Стол</Наименование>`:                                                      "Стол",
	} {
		lines, _ := convert(t, commerceml.Options{UsesFullName: true}, nil, goodOf(more))
		wantLines(t, lines, `products goods {"id":"p","name":"`+want+`"}`)
		lines, _ = convert(t, commerceml.Options{}, nil, goodOf(more))
		wantLines(t, lines, `products goods {"id":"p","name":"Стол"}`)
	}
}

func TestConvert_takesTheHTMLDescriptionIfThereIsNoOther(t *testing.T) {
	t.Parallel()
	html := requisites("ОписаниеВФорматеHTML", "&lt;p&gt;Дуб&lt;/p&gt;")
	lines, _ := convert(t, commerceml.Options{}, nil, goodOf(html))
	wantLines(t, lines, `products goods {"id":"p","description":"<p>Дуб</p>"}`)
	lines, _ = convert(t, commerceml.Options{}, nil, goodOf("<Описание>Бук</Описание>"+html))
	wantLines(t, lines, `products goods {"id":"p","description":"Бук"}`)
	lines, _ = convert(t, commerceml.Options{}, nil, goodOf("<Описание/>"))
	wantLines(t, lines, `products goods {"id":"p","description":""}`)
}

// Texts of properties that are too long for a value were lost, or failed the good if the property was not known.
func TestConvert_appendsLongTextsOfPropertiesToTheDescription(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Вода ", 60) + "&lt;b&gt;"
	plain := strings.ReplaceAll(strings.ReplaceAll(long, "&lt;", "<"), "&gt;", ">")
	features := properties("note", long, "other", long, "color", "v1")

	lines, _ := convert(t, commerceml.Options{}, nil, classifier+goodOf("<Описание>Крем</Описание>"+features))
	wantLines(t, lines[:1], `products goods {"id":"p","features":[{"id":"color","value_id":"v1"}],"description":`+
		`"Крем\n\nПримечание\n\n`+plain+`\n\n`+plain+`"}`)

	lines, _ = convert(t, commerceml.Options{}, nil, classifier+
		goodOf("<Описание>&lt;p&gt;Крем&lt;/p&gt;</Описание>"+properties("note", strings.Repeat("5 &lt; 6 ", 60))))
	if want := `"<p>Крем</p>\n<h3>Примечание</h3>\n<p>5 &lt; 6 `; !strings.Contains(lines[0], want) {
		t.Errorf("a description in HTML becomes %.200s, want %s", lines[0], want)
	}
}

// A value of a dictionary may be a long text, too: goods name it by its id.
func TestConvert_appendsLongTextsOfDictionariesToTheDescription(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("Вода ", 60))
	lines, _ := convert(t, commerceml.Options{}, nil, `<Классификатор><Свойства><Свойство><Ид>made</Ид>`+
		`<Наименование>Состав</Наименование><ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений><Справочник>`+
		`<ИдЗначения>v1</ИдЗначения><Значение>`+long+`</Значение></Справочник></ВариантыЗначений></Свойство>`+
		`</Свойства></Классификатор>`+goodOf(properties("made", "v1")))
	wantLines(t, lines, `products goods {"id":"p","features":[],"description":"Состав\n\n`+long+`"}`,
		`features {"id":"made","name":"Состав"}`)
}

// A property whose type was changed in 1C takes texts from then on.
func TestConvert_makesAListOfAPropertyThatHadNumbers(t *testing.T) {
	t.Parallel()
	memory := &commerceml.Memory{}
	for _, step := range [][2]string{{"Число", `,"field_type":"range","range_type":"float"`},
		{"Строка", `,"field_type":"select"`}, {"Строка", ``}} {
		lines, _ := convert(t, commerceml.Options{}, memory, `<Классификатор><Свойства><Свойство><Ид>len</Ид>`+
			`<Наименование>Длина</Наименование><ТипЗначений>`+step[0]+`</ТипЗначений></Свойство></Свойства>`+
			`</Классификатор>`)
		wantLines(t, lines, `features {"id":"len","name":"Длина"`+step[1]+`}`)
	}
}

// target with the properties of earlier files.
func TestConvert_takesNamesOfPropertiesFromEarlierFiles(t *testing.T) {
	t.Parallel()
	var lines []string
	to := target(&lines)
	asked := 0
	to.Property = func(property, value string) (string, string, error) {
		asked++
		if property != "color" {
			return "", "", nil
		}
		return "Цвет", map[string]string{"v1": "Красный"}[value], nil
	}

	offers := `<ПакетПредложений><Предложения>`
	for i, value := range []string{"v1", "v1", "v2"} {
		offers += fmt.Sprintf(`<Предложение><Ид>p#%d</Ид><Наименование>Стол</Наименование><ХарактеристикиТовара/>%s`+
			`</Предложение>`, i, properties("color", value, "unknown", "x"))
	}

	memory := &commerceml.Memory{Properties: map[string]commerceml.PropertyType{"color": commerceml.DictionaryProperty}}
	file := document(offers + `</Предложения></ПакетПредложений>`)
	if _, err := commerceml.Convert(strings.NewReader(file), commerceml.Options{}, memory, to); err != nil {
		t.Fatal(err)
	}

	red := `,"options":[{"id":"цвет","value_id":"красный"}]}`
	wantLines(t, lines, `products offers {"id":"p","name":"Стол","variants":[{"id":"p#0","name":"Стол"`+red+
		`,{"id":"p#1","name":"Стол"`+red+`,{"id":"p#2","name":"Стол","options":[]}]} `+
		`!unknown_property !unknown_property !unknown_property !unknown_property`,
		`variant-options {"id":"цвет","name":"Цвет","values":[{"id":"красный","name":"Красный"}]}`)
	if asked != 3 {
		t.Errorf("properties were asked for %d times, want 3", asked)
	}
}

func TestConvert_takesPropertiesOfAnOfferOnlyWithoutCharacteristics(t *testing.T) {
	t.Parallel()
	lines, _ := convert(t, commerceml.Options{}, nil, classifier+
		`<ПакетПредложений><Предложения><Предложение><Ид>p#1</Ид><ХарактеристикиТовара><ХарактеристикаТовара>`+
		`<Наименование>Размер</Наименование><Значение>42</Значение></ХарактеристикаТовара></ХарактеристикиТовара>`+
		properties("color", "v1")+`</Предложение><Предложение><Ид>p#2</Ид>`+properties("color", "v1", "note", "Новый")+
		`</Предложение></Предложения></ПакетПредложений>`)
	wantLines(t, lines[:1], `products offers {"id":"p","variants":[{"id":"p#1","options":[{"id":"размер",`+
		`"value_id":"42"}]},{"id":"p#2","options":[{"id":"цвет","value_id":"красный"},{"id":"примечание",`+
		`"value_id":"новый"}]}]}`)
}

func TestConvert_countsWhatIsNotKept(t *testing.T) {
	t.Parallel()
	_, summary := convert(t, commerceml.Options{}, nil, goodOf(`<Наименование>Стол</Наименование>
		<Аналоги><Аналог>1</Аналог></Аналоги><Файлы/><Страна>Россия</Страна>`+
		requisites("Полное наименование", "Стол дубовый", "Сезон", "Лето", "ВидНоменклатуры", "Товар"))+
		`<ПакетПредложений><ТипыЦен><ТипЦены><Ид>r</Ид><Наименование>Розничная</Наименование></ТипЦены>
		<ТипЦены><Ид>o</Ид><Наименование>Оптовая</Наименование></ТипЦены></ТипыЦен><Предложения><Предложение><Ид>p</Ид>
		<Картинка>a.jpg</Картинка><Страна>Россия</Страна><Цены><Цена><ИдТипаЦены>r</ИдТипаЦены>
		<ЦенаЗаЕдиницу>1</ЦенаЗаЕдиницу></Цена><Цена><ИдТипаЦены>o</ИдТипаЦены><ЦенаЗаЕдиницу>1</ЦенаЗаЕдиницу></Цена>
		</Цены></Предложение></Предложения><Скидки>5</Скидки></ПакетПредложений><Документ/>`)
	var got []string
	for _, n := range summary.NotKept {
		got = append(got, fmt.Sprintf("%s %d", n.What, n.Count))
	}
	wantLines(t, got, "Страна 2", "Аналоги 1", "Документ 1", "Полное наименование 1",
		"Реквизит: Сезон 1", "Скидки 1", "Цена: Оптовая 1")
}

func TestConvert_readsACatalogInsideTheClassifier(t *testing.T) {
	t.Parallel()
	lines, _ := convert(t, commerceml.Options{}, nil, `<Классификатор>`+goodOf(`<Наименование>Стол</Наименование>`)+
		`</Классификатор>`)
	wantLines(t, lines, `products goods {"id":"p","name":"Стол"}`)
}

// The pictures of an offer are those of its variant. An offer that has only pictures is no price or quantity alone.
func TestConvert_takesPicturesOfOffers(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		`<Картинка>https://shop.example/a.jpg</Картинка><Картинка>https://shop.example/b.jpg</Картинка>`: `,` +
			`"images_mode":"replace","images":["https://shop.example/a.jpg","https://shop.example/b.jpg"]`,
		`<Наименование>Стол</Наименование><Картинка/>`: `,"name":"Стол","images_mode":"replace","images":[]`,
	} {
		lines, summary := convert(t, commerceml.Options{}, nil, `<ПакетПредложений><Предложения><Предложение>`+
			`<Ид>p#1</Ид>`+more+`</Предложение></Предложения></ПакетПредложений>`)
		if len(lines) != 1 || !strings.Contains(lines[0], `{"id":"p#1"`+want) || len(summary.NotKept) > 0 {
			t.Errorf("%s becomes %q, not kept %v", more, lines, summary.NotKept)
		}
	}
}

func TestConvert_anEmptyPictureRemovesTheImages(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		`<Картинка/>`: `{"id":"p","images_mode":"replace","images":[]}`,
		`<Картинка/><Картинка>missing.jpg</Картинка>`: `{"id":"p"} !unknown_picture`,
		``: `{"id":"p"}`,
	} {
		lines, _ := convert(t, commerceml.Options{}, nil, goodOf(more))
		wantLines(t, lines, `products goods `+want)
	}
}

// A description with long texts of properties may be longer than the gate takes.
func TestConvert_warnsOfADescriptionThatIsCut(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{60_000: 0, 70_000: 1} {
		file := classifier + goodOf("<Описание>Крем</Описание>"+properties("note", strings.Repeat("Ж", n)))
		got := warningsOf(t, commerceml.Options{}, &commerceml.Memory{}, file, "too_long")
		if len(got) != want {
			t.Errorf("%d characters: the warnings are %q, want %d", n, got, want)
		}
	}
}
