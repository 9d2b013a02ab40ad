package commerceml_test

import (
	"strings"
	"testing"

	"vitrine/internal/shop/exchange/commerceml"
)

func unit(code, full, text string) string {
	return `<БазоваяЕдиница Код="` + code + `" НаименованиеПолное="` + full + `">` + text + `</БазоваяЕдиница>`
}

func vat(name, rate string) string {
	return `<СтавкиНалогов><СтавкаНалога><Наименование>` + name + `</Наименование><Ставка>` + rate +
		`</Ставка></СтавкаНалога></СтавкиНалогов>`
}

// 1C pads the codes of units with spaces, writes VAT rates with words, and weights with a comma or as a requisite.
func TestConvert_readsUnitVATAndWeightAs1CWritesThem(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		unit("796 ", "Штука", "шт"):              `"unit":{"code":"796","name":"шт"}`,
		unit("006", "Метр", ""):                  `"unit":{"code":"006","name":"Метр"}`,
		unit("", "", "пара"):                     `"unit":{"code":null,"name":"пара"}`,
		unit("778", "", ""):                      `"unit":{"code":"778","name":"778"}`,
		unit("", "", ""):                         `"unit":null`,
		unit("шт", "", "шт"):                     `!invalid_unit_code`,
		unit("796", "", strings.Repeat("ш", 65)): `!too_long`,
		vat("НДС", "20"):                         `"vat_rate":20`,
		vat("НДС", "20%"):                        `"vat_rate":20`,
		vat("НДС", "НДС10"):                      `"vat_rate":10`,
		vat("НДС", "10/110"):                     `"vat_rate":10`,
		vat("НДС", "Без НДС"):                    `"vat_rate":null`,
		vat("НДС", ""):                           `"vat_rate":null`,
		vat("", "0"):                             `"vat_rate":0`,
		vat("НДС", "200"):                        `!invalid_vat_rate`,
		vat("НДС", "много"):                      `!invalid_vat_rate`,
		vat("Акциз", "5"):                        ``,
		`<Вес>1,2345</Вес>`:                      `"weight":1.235`,
		`<Вес>0</Вес>`:                           `"weight":null`,
		`<Вес/>`:                                 ``,
		`<Вес>-1</Вес>`:                          `!invalid_weight`,
		`<Вес>тяжёлый</Вес>`:                     `!invalid_weight`,
		requisites("Вес", "0.5"):                 `"weight":0.5`,
		requisites("Вес", "350 г."):              `"weight":0.35`,
		requisites("Вес", "2 кг"):                `"weight":2`,
	} {
		name := `<Наименование>Стол</Наименование>`
		lines, summary := convert(t, commerceml.Options{}, nil, goodOf(name+more))
		line := `products goods {"id":"p","name":"Стол"`
		switch {
		case strings.HasPrefix(want, "!"):
			line += "} " + want
		case want != "":
			line += "," + want + "}"
		default:
			line += "}"
		}

		wantLines(t, lines, line)
		if len(summary.NotKept) > 0 {
			t.Errorf("%s counts as not kept: %v", more, summary.NotKept)
		}
	}
}

func TestConvert_readsBarcodes(t *testing.T) {
	t.Parallel()
	const code = `<Штрихкод>4600000000017</Штрихкод>`
	lines, _ := convert(t, commerceml.Options{}, nil, goodOf(code))
	wantLines(t, lines, `products goods {"id":"p"} barcodes=4600000000017`)
	lines, _ = convert(t, commerceml.Options{}, nil, goodOf(`<Штрихкод/>`))
	wantLines(t, lines, `products goods {"id":"p"} barcodes=`)
	lines, _ = convert(t, commerceml.Options{}, nil, goodOf(code+`<Штрихкод>a|b</Штрихкод><Штрихкод>`+
		strings.Repeat("1", 10_000)+`</Штрихкод>`+code))
	wantLines(t, lines, `products goods {"id":"p"} barcodes=4600000000017 !invalid_characters !too_long`)

	lines, _ = convert(t, commerceml.Options{}, nil, `<ПакетПредложений><Предложения><Предложение><Ид>p#1</Ид>`+
		`<Наименование>Стол</Наименование><Штрихкоды>`+code+`<Штрихкод>2</Штрихкод></Штрихкоды></Предложение>`+
		`<Предложение><Ид>p#2</Ид><Штрихкод>3</Штрихкод></Предложение></Предложения></ПакетПредложений>`)
	wantLines(t, lines, `products offers {"id":"p","name":"Стол","variants":[{"id":"p#1","name":"Стол",`+
		`"barcodes":["4600000000017","2"]},{"id":"p#2","barcodes":["3"]}]}`)

	// A good with a characteristic is a variant, and so are its barcodes the variant's.
	lines, _ = convert(t, commerceml.Options{}, nil, `<Каталог><Товары><Товар><Ид>p#1</Ид>`+code+
		`<Наименование>Стол (белый)</Наименование></Товар></Товары></Каталог>`)
	wantLines(t, lines, `products goods {"id":"p","name":"Стол"}`,
		`products offers {"id":"p","name":"Стол","variants":[{"id":"p#1","name":"Стол (белый)",`+
			`"barcodes":["4600000000017"]}]}`)
}
