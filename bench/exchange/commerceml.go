package exchange

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/bench/harness"
)

const (
	// offersPerGood is the number of variants of each product.
	offersPerGood = 3
	// oneCPartBytes is the size of the parts in which the files are sent.
	oneCPartBytes = 4 << 20
	// storeCurrency is the currency of the stores. Prices in another one would be left out, each with a warning.
	storeCurrency = "USD"
)

// CommerceML measures an exchange with 1C: goods and three offers each, as one archive sent in parts, from init to
// the success of both imports. It is compared with a push of the same products as NDJSON. Then the same exchange comes
// again. The memory of the program is measured at its peak: the files are read as streams, so it does not depend on
// their size.
func CommerceML(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	var figures []harness.Figure
	for _, n := range e.Pushes.Sizes {
		more, err := exchangeWithOneC(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s goods: %w", harness.FormatThousands(n), err)
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

func exchangeWithOneC(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	fresh, drop, err := e.FreshEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()

	p, stores, err := fresh.StartGate(ctx, 3)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	if _, err := exchangeOneC(ctx, stores[0], harness.WarmUpProducts); err != nil {
		return nil, err
	}

	push, err := pushGoods(ctx, stores[1], n)
	if err != nil {
		return nil, err
	}
	first, err := exchangeOneC(ctx, stores[2], n)
	if err != nil {
		return nil, err
	}

	again, err := exchangeOneC(ctx, stores[2], n)
	if err != nil {
		return nil, err
	}
	peak, err := p.MemoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}

	line := func(what string, ours, raw time.Duration, rawName string, aim float64) harness.Figure {
		ratio := raw.Seconds() / ours.Seconds()
		return harness.Figure{Name: fmt.Sprintf("1C %s goods, %s", harness.FormatThousands(n), what), Engine: e.Engine,
			Ours: harness.FormatRate(n, ours) + " goods/s", Raw: harness.FormatRate(n, raw) + " goods/s" + rawName,
			Ratio: ratio,
			Aim:   fmt.Sprintf("≥ %g", aim), Met: ratio >= aim}
	}
	memory := harness.Figure{Name: fmt.Sprintf("1C %s goods, memory at its peak", harness.FormatThousands(n)),
		Engine: e.Engine,
		Ours:   fmt.Sprintf("%.0f MiB", peak), Aim: fmt.Sprintf("≤ %d MiB", pushMemoryAim), Met: peak <= pushMemoryAim}
	return []harness.Figure{line("create", first, push, " JSON", 0.6),
		line("the same again", again, first, " create", 5),
		memory}, nil
}

// pushGoods pushes the goods with their offers as NDJSON, after what they refer to.
func pushGoods(ctx context.Context, s *harness.Server, n int) (time.Duration, error) {
	var sizes []string
	for i := range offersPerGood {
		sizes = append(sizes, fmt.Sprintf(`{"id":"%d","name":"%d"}`, 40+i, 40+i))
	}

	for entity, line := range map[string]string{
		"categories": `{"id":"g1","name":"Обувь"}`, "stocks": `{"id":"w1","name":"Склад"}`,
		"features":        `{"id":"material","name":"Материал","values":[{"id":"m1","name":"Кожа"}]}`,
		"variant-options": `{"id":"размер","name":"Размер","values":[` + strings.Join(sizes, ",") + `]}`,
	} {
		if _, _, err := s.Push(ctx, entity, strings.NewReader(line)); err != nil {
			return 0, err
		}
	}

	r, w := io.Pipe()

	go func() {
		var b bytes.Buffer
		for i := range n {
			b.Reset()
			fmt.Fprintf(&b, `{"id":"good-%d","name":"Туфли %d","description":"Описание товара","categories":["g1"],`+
				`"features":[{"id":"material","value_id":"m1"}],"variants":[`, i, i)

			for v := range offersPerGood {
				if v > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b,
					`{"id":"good-%d#%d","name":"Туфли %d (%d)","sku":"A-%d","price":%d,"options":[{"id":"размер",`+
						`"value_id":"%d"}],"remainders":[{"stock_id":"w1","quantity":%d}]}`,
					i, v, i, 40+v, i, 100+v, 40+v, i%10)
			}

			b.WriteString("]}\n")
			if _, err := w.Write(b.Bytes()); err != nil {
				return
			}
		}

		_ = w.Close()
	}()

	_, took, err := s.Push(ctx, "products", r)
	return took, err
}

// oneCArchive returns the files of an exchange in an archive.
func oneCArchive(n int) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	const begin, end = `<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация ВерсияСхемы="2.08">`,
		`</КоммерческаяИнформация>`

	goods, err := z.Create("import.xml")
	if err != nil {
		return nil, err
	}

	fmt.Fprint(goods, begin+`<Классификатор><Ид>c</Ид><Группы><Группа><Ид>g1</Ид><Наименование>Обувь</Наименование>`+
		`</Группа></Группы><Свойства><Свойство><Ид>material</Ид><Наименование>Материал</Наименование>`+
		`<ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений><Справочник><ИдЗначения>m1</ИдЗначения>`+
		`<Значение>Кожа</Значение></Справочник></ВариантыЗначений></Свойство></Свойства></Классификатор>`+
		`<Каталог СодержитТолькоИзменения="false"><Ид>k</Ид><ИдКлассификатора>c</ИдКлассификатора>`+
		`<Наименование>Каталог</Наименование><Товары>`)

	for i := range n {
		fmt.Fprintf(goods, `<Товар><Ид>good-%d</Ид><Артикул>A-%d</Артикул><Наименование>Туфли %d</Наименование>`+
			`<БазоваяЕдиница Код="796">шт</БазоваяЕдиница><Описание>Описание товара</Описание><Группы><Ид>g1</Ид>`+
			`</Группы>`+
			`<ЗначенияСвойств><ЗначенияСвойства><Ид>material</Ид><Значение>m1</Значение></ЗначенияСвойства>`+
			`</ЗначенияСвойств></Товар>`, i, i, i)
	}

	fmt.Fprint(goods, `</Товары></Каталог>`+end)
	offers, err := z.Create("offers.xml")
	if err != nil {
		return nil, err
	}

	fmt.Fprint(offers, begin+`<ПакетПредложений СодержитТолькоИзменения="false"><Ид>k#</Ид><ТипыЦен><ТипЦены>`+
		`<Ид>t1</Ид><Наименование>Розничная</Наименование></ТипЦены></ТипыЦен>`+
		`<Склады><Склад><Ид>w1</Ид><Наименование>Склад</Наименование></Склад></Склады><Предложения>`)

	for i := range n {
		for v := range offersPerGood {
			fmt.Fprintf(offers,
				`<Предложение><Ид>good-%d#%d</Ид><Артикул>A-%d</Артикул><Наименование>Туфли %d (%d)</Наименование>`+
					`<БазоваяЕдиница Код="796">шт</БазоваяЕдиница>`+
					`<ХарактеристикиТовара><ХарактеристикаТовара><Наименование>Размер</Наименование>`+
					`<Значение>%d</Значение></ХарактеристикаТовара></ХарактеристикиТовара>`+
					`<Цены><Цена><Представление>%d</Представление><ИдТипаЦены>t1</ИдТипаЦены>`+
					`<ЦенаЗаЕдиницу>%d</ЦенаЗаЕдиницу><Валюта>`+storeCurrency+`</Валюта><Единица>шт</Единица>`+
					`<Коэффициент>1</Коэффициент></Цена></Цены>`+
					`<Склад ИдСклада="w1" КоличествоНаСкладе="%d"/></Предложение>`, i, v, i, i, 40+v, 40+v, 100+v,
				100+v, i%10)
		}
	}

	fmt.Fprint(offers, `</Предложения></ПакетПредложений>`+end)
	err = z.Close()
	return b.Bytes(), err
}

// exchangeOneC sends an archive in parts and imports its files. It returns the time from init on.
func exchangeOneC(ctx context.Context, s *harness.Server, n int) (time.Duration, error) {
	archive, err := oneCArchive(n)
	if err != nil {
		return 0, err
	}

	start := time.Now()
	if _, err := callOneC(ctx, s, "init", "", nil); err != nil {
		return 0, err
	}

	for part := range slices.Chunk(archive, oneCPartBytes) {
		if err := wantOneC(ctx, s, "file", "v8.zip", part); err != nil {
			return 0, err
		}
	}

	for _, name := range []string{"import.xml", "offers.xml"} {
		if err := wantOneC(ctx, s, "import", name, nil); err != nil {
			return 0, err
		}
	}

	return time.Since(start), nil
}

// wantOneC repeats a request while it is in progress, and returns an error unless it succeeds.
func wantOneC(ctx context.Context, s *harness.Server, mode, name string, body []byte) error {
	for {
		answer, err := callOneC(ctx, s, mode, name, body)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(answer, "success"):
			return nil
		case !strings.HasPrefix(answer, "progress"):
			return fmt.Errorf("mode=%s of %s was answered %.300q", mode, name, answer)
		}
	}
}

func callOneC(ctx context.Context, s *harness.Server, mode, name string, body []byte) (string, error) {
	query := url.Values{"type": {"catalog"}, "mode": {mode}, "filename": {name}}
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}

	req, err := http.NewRequestWithContext(ctx, method, s.URL+"/v2/sync-gate/commerceml?"+query.Encode(),
		bytes.NewReader(body))
	if err != nil {
		return "", err
	}

	req.SetBasicAuth("1c", s.Keys.ExchangeToken)
	c := harness.NewClient()
	defer c.CloseIdleConnections()

	res, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()

	text, err := io.ReadAll(res.Body)
	return string(text), err
}
