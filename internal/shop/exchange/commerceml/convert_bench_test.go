package commerceml

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkConvert measures the mapping of a file with offers.
func BenchmarkConvert(b *testing.B) {
	var file strings.Builder
	file.WriteString(`<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация ВерсияСхемы="2.08">` +
		`<ПакетПредложений СодержитТолькоИзменения="false"><Ид>k#</Ид>` +
		`<ТипыЦен><ТипЦены><Ид>t1</Ид><Наименование>Розничная</Наименование></ТипЦены></ТипыЦен><Предложения>`)
	for i := range 3000 {
		fmt.Fprintf(&file, `<Предложение><Ид>good-%d#%d</Ид><Артикул>A-%d</Артикул>`+
			`<Наименование>Туфли %d (%d)</Наименование><БазоваяЕдиница Код="796">шт</БазоваяЕдиница>`+
			`<ХарактеристикиТовара><ХарактеристикаТовара><Наименование>Размер</Наименование><Значение>%d</Значение>`+
			`</ХарактеристикаТовара></ХарактеристикиТовара>`+
			`<Цены><Цена><Представление>%d руб.</Представление><ИдТипаЦены>t1</ИдТипаЦены>`+
			`<ЦенаЗаЕдиницу>%d</ЦенаЗаЕдиницу><Валюта>руб</Валюта><Единица>шт</Единица><Коэффициент>1</Коэффициент>`+
			`</Цена></Цены>`+
			`<Склад ИдСклада="w1" КоличествоНаСкладе="%d"/></Предложение>`, i/3, i%3, i, i, 40+i%3, 40+i%3, 100+i,
			100+i, i%10)
	}

	file.WriteString(`</Предложения></ПакетПредложений></КоммерческаяИнформация>`)
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()

	for b.Loop() {
		summary, err := Convert(strings.NewReader(file.String()), Options{}, &Memory{},
			Target{Item: func(Item) error { return nil }})
		if err != nil || summary.Offers != 3000 {
			b.Fatal(summary, err)
		}
	}
}
