package commerceml_test

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/testkit/promise"
)

// shareBytes is the share of the tests. A file may take half of it, as much as with 512 MiB of memory.
const shareBytes = 32 << 20

// measuredFile is a file of any length that is made while it is read. It measures what its reader holds.
type measuredFile struct {
	next      func() (string, bool)
	rest      string
	share     *memory.Share
	sinceHeap int
	// counted is the most that was counted in the share, and heap the largest heap. Elements are read while others are
	// mapped, so mu guards counted.
	mu            sync.Mutex
	counted, heap int64
}

// count notes what is counted in the share now.
func (f *measuredFile) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counted = max(f.counted, f.share.Used())
}

func (f *measuredFile) Read(b []byte) (int, error) {
	f.count()

	for f.rest == "" {
		var ok bool
		if f.rest, ok = f.next(); !ok {
			return 0, io.EOF
		}
	}

	n := copy(b, f.rest)
	f.rest = f.rest[n:]

	const interval = 4 << 20
	if f.sinceHeap += n; f.sinceHeap > interval {
		f.sinceHeap = 0
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		f.heap = max(f.heap, int64(m.HeapAlloc))
	}

	return n, nil
}

// convertMeasured converts the parts of a file within shareBytes, and returns its items and the error. It requires that
// little is held, and that all of it was counted.
func convertMeasured(
	t *testing.T, told *commerceml.Memory, options commerceml.Options, parts iter.Seq[string],
) (lines []string, err error) {
	t.Helper()
	next, stop := iter.Pull(parts)
	defer stop()

	share := memory.NewShare("imports", "files", shareBytes)
	grant := share.Open(memory.Owner{Store: "s"})
	file := &measuredFile{next: next, share: share}
	options.Room = commerceml.NewRoom(grant, share.StoreLimit())
	to := target(&lines)
	item := to.Item

	to.Item = func(it commerceml.Item) error {
		file.count()
		if len(it.JSON) > 200 {
			it.JSON = fmt.Appendf(nil, "%.60s… %d bytes", it.JSON, len(it.JSON))
		}
		if len(lines) > 10_000 {
			return nil
		}
		return item(it)
	}

	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err = commerceml.Convert(file, options, told, to)

	if held := file.heap - int64(before.HeapAlloc); held > 2*shareBytes {
		t.Errorf("the heap grew by %d MiB, and %d KiB were counted", held>>20, file.counted>>10)
	}

	t.Logf("counted %d KiB, heap %d MiB", file.counted>>10, (file.heap-int64(before.HeapAlloc))>>20)
	if file.counted == 0 || file.counted > share.StoreLimit()+1<<16 {
		t.Errorf("%d KiB were counted; a file may take %d", file.counted>>10, share.StoreLimit()>>10)
	}
	if grant.Release(); share.Used() != 0 {
		t.Errorf("%d bytes of the share are still held", share.Used())
	}

	return lines, err
}

// xmlFile yields the parts of a document.
func xmlFile(inside iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(`<?xml version="1.0" encoding="UTF-8"?><КоммерческаяИнформация>`) {
			return
		}
		for part := range inside {
			if !yield(part) {
				return
			}
		}
		yield(`</КоммерческаяИнформация>`)
	}
}

// long is a text of 8 MiB less a few bytes.
func long(b byte) string { return strings.Repeat(string(b), 8<<20-100) }

// repeat yields a beginning, what part returns for 0 to n-1, and an end.
func repeat(begin string, n int, part func(i int) string, end string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(begin) {
			return
		}
		for i := range n {
			if !yield(part(i)) {
				return
			}
		}
		yield(end)
	}
}

// The file of a security review: 60 price types with names of 8 MiB took 2.9 GB.
func TestConvert_boundsPriceTypes(t *testing.T) {
	name := long('x')
	told := &commerceml.Memory{}
	_, err := convertMeasured(t, told, commerceml.Options{},
		xmlFile(repeat("<ПакетПредложений><ТипыЦен>", 60, func(i int) string {
			return fmt.Sprintf("<ТипЦены><Ид>t%d</Ид><Наименование>%s</Наименование></ТипЦены>", i, name)
		}, "</ТипыЦен></ПакетПредложений>")))
	if err != nil {
		t.Fatal(err)
	}

	if n := len(told.PriceTypes); n != 60 {
		t.Errorf("%d price types are remembered, want 60", n)
	}

	stored, err := json.Marshal(told)
	if err != nil || len(stored) > 60*600 {
		t.Errorf("%d bytes are remembered (%v)", len(stored), err)
	}
}

func TestConvert_leavesOutPriceTypesWithLongIDs(t *testing.T) {
	id := strings.Repeat("x", 256)
	told := &commerceml.Memory{}
	lines, _ := convert(t, commerceml.Options{}, told, "<ПакетПредложений><ТипыЦен>"+
		"<ТипЦены><Ид>"+id+"</Ид><Наименование>A</Наименование></ТипЦены><ТипЦены><Ид>b</Ид>"+
		"<Наименование>B</Наименование></ТипЦены></ТипыЦен>"+
		"<Предложения><Предложение><Ид>p</Ид><Наименование>P</Наименование></Предложение></Предложения>"+
		"</ПакетПредложений>")
	wantLines(t, lines, `products offers {"id":"p","name":"P","variants":[{"id":"p"}]} !too_long`)
	if len(told.PriceTypes) != 1 || told.PriceTypes[0].ID != "b" {
		t.Errorf("the price types are %v, want only b", told.PriceTypes)
	}
}

// The other file of the review: 8 properties with 100,000 values each took 465 MB.
func TestConvert_boundsDictionaries(t *testing.T) {
	promise.OnlyThorough(t)
	const properties, values = 8, 100_000
	told := &commerceml.Memory{}

	lines, err := convertMeasured(t, told, commerceml.Options{}, xmlFile(func(yield func(string) bool) {
		for p := range properties {
			head := fmt.Sprintf("<Классификатор><Свойства><Свойство><Ид>p%d</Ид><Наименование>P</Наименование>"+
				"<ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений>", p)
			for part := range repeat(head, values, func(i int) string {
				return fmt.Sprintf("<Справочник><ИдЗначения>%08d-5f0b-11ee-8c4b-0050569ebc3a</ИдЗначения>"+
					"<Значение>Значение номер %d</Значение></Справочник>", i, i)
			}, "</ВариантыЗначений></Свойство></Свойства></Классификатор>") {
				if !yield(part) {
					return
				}
			}
		}

		yield("<Каталог><Товары><Товар><Ид>g</Ид><ЗначенияСвойств><ЗначенияСвойства><Ид>p7</Ид>" +
			"<Значение>00000005-5f0b-11ee-8c4b-0050569ebc3a</Значение></ЗначенияСвойства></ЗначенияСвойств></Товар>" +
			"</Товары></Каталог>")
	}))
	if err != nil {
		t.Fatal(err)
	}

	all := strings.Join(lines, "\n")
	if !strings.Contains(all, "!index_too_large") {
		t.Error("no warning says that values cannot be named by their text")
	}
	want := `products goods {"id":"g","features":[{"id":"p7","value_id":"00000005-5f0b-11ee-8c4b-0050569ebc3a"}]}`
	if !strings.Contains(all, want) {
		t.Errorf("the good does not have its value: %.500s", all)
	}

	for p := range properties {
		if told.Properties[fmt.Sprintf("p%d", p)] != commerceml.DictionaryProperty {
			t.Errorf("the property %d is not remembered", p)
		}
	}
}

// One element of a few MiB was hundreds of MiB of tree.
func TestConvert_boundsTrees(t *testing.T) {
	for name, c := range map[string]struct {
		n                      int
		begin, part, end, want string
	}{
		"empty elements":  {1_000_000, "", "<a/>", "", "more than 100000 elements"},
		"nested elements": {1_000_000, "", "<a><b/></a>", "", "more than 100000 elements"},
		"attributes":      {2000, "<a", ` b=""`, "/>", "more than 1000 attributes"},
		"long attributes": {2000, "<a", ` b="` + strings.Repeat("x", 1000) + `"`, "/>", "KiB"},
		"lists":           {1_000_000, "", "<Цены><Цена/></Цены>", "", "more than 100000 elements"},
	} {
		for _, around := range [][2]string{
			{"<ПакетПредложений><Предложения><Предложение>", "</Предложение></Предложения></ПакетПредложений>"},
			{"<Каталог><Товары><Товар>", "</Товар></Товары></Каталог>"},
			{"<ПакетПредложений><ТипыЦен><ТипЦены>", "</ТипЦены></ТипыЦен></ПакетПредложений>"},
		} {
			_, err := convertMeasured(t, &commerceml.Memory{}, commerceml.Options{},
				xmlFile(repeat(around[0]+c.begin, c.n,
					func(int) string { return c.part }, c.end+around[1])))

			if fault.KindOf(err) != fault.Malformed || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s in %s: %v", name, around[0], err)
			}
		}
	}
}

// The elements that are read ahead are bounded by their memory, not only by their bytes.
func TestConvert_boundsTreesThatAreReadAhead(t *testing.T) {
	promise.OnlyThorough(t)
	offer := "<Предложение>" + strings.Repeat("<a/>", 40_000) + "</Предложение>"
	if _, err := convertMeasured(t, &commerceml.Memory{}, commerceml.Options{},
		xmlFile(repeat("<ПакетПредложений><Предложения>", 200,
			func(int) string { return offer }, "</Предложения></ПакетПредложений>"))); err != nil {
		t.Error(err)
	}
}

func TestConvert_boundsWhatAFileRepeats(t *testing.T) {
	promise.OnlyThorough(t)
	id := strings.Repeat("p", 7<<20)
	values := strings.Repeat("<Значение>v</Значение>", 50_000)
	var deep, deepEnd strings.Builder
	for range 28 {
		deep.WriteString("<Группы><Группа><Ид>" + strings.Repeat("g", 1<<20) + "</Ид>")
		deepEnd.WriteString("</Группа></Группы>")
	}

	for name, inside := range map[string]iter.Seq[string]{
		"an id for each value of a property": repeat("<Каталог><Товары><Товар><Ид>g</Ид><ЗначенияСвойств>"+
			"<ЗначенияСвойства>", 1, func(int) string {
			return "<Ид>" + strings.Repeat("p", 4<<20) + "</Ид>" + values
		}, "</ЗначенияСвойства></ЗначенияСвойств></Товар></Товары></Каталог>"),
		"an id for each warehouse": repeat("<ПакетПредложений><Предложения><Предложение>", 1, func(int) string {
			return "<Ид>" + strings.Repeat("o", 4<<20) + "</Ид>" +
				strings.Repeat(`<Склад ИдСклада="w" Количество="1"/>`, 50_000)
		}, "</Предложение></Предложения></ПакетПредложений>"),
		"ids of groups": repeat("<Классификатор>"+deep.String(), 0, nil, deepEnd.String()+"</Классификатор>"),
		"names of spaces": repeat("<Каталог><Товары>", 3, func(int) string {
			return "<Товар><Ид>g</Ид><Наименование>" + strings.Repeat("a ", 4<<20-100) + "</Наименование></Товар>"
		}, "</Товары></Каталог>"),
		"long descriptions": repeat("<Каталог><Товары>", 20, func(int) string {
			return "<Товар><Ид>g</Ид><Описание>" + id + "</Описание></Товар>"
		}, "</Товары></Каталог>"),
		"long requisites": repeat("<Каталог><Товары>", 20, func(int) string {
			return "<Товар><Ид>g</Ид><ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>" + id +
				"</Наименование></ЗначениеРеквизита></ЗначенияРеквизитов></Товар>"
		}, "</Товары></Каталог>"),
		"long pictures": repeat("<Каталог><Товары>", 20, func(int) string {
			return "<Товар><Ид>g</Ид><Картинка>" + id + "</Картинка></Товар>"
		}, "</Товары></Каталог>"),
		"many properties": repeat("<Классификатор><Свойства>", 200_000, func(i int) string {
			return fmt.Sprintf("<Свойство><Ид>%0200d</Ид><Наименование>P</Наименование></Свойство>", i)
		}, "</Свойства></Классификатор>"),
		"many warehouses": repeat("<ПакетПредложений><Склады>", 200_000, func(i int) string {
			return fmt.Sprintf("<Склад><Ид>%0200d</Ид><Наименование>W</Наименование></Склад>", i)
		}, "</Склады></ПакетПредложений>"),
		"values before ids": repeat("<Классификатор><Свойства><Свойство><ВариантыЗначений>", 50_000,
			func(i int) string { return fmt.Sprintf("<Значение>v%d</Значение>", i) },
			"</ВариантыЗначений></Свойство></Свойства></Классификатор>"),
		"a property again": repeat("<Классификатор><Свойства>", 15_000, func(int) string {
			return "<Свойство><Ид>p</Ид><ВариантыЗначений>" +
				strings.Repeat("<Значение>"+strings.Repeat("v", 300)+"</Значение>", 20) +
				"</ВариантыЗначений></Свойство>"
		}, "</Свойства></Классификатор>"),
		"characteristics": repeat("<ПакетПредложений><Предложения>", 100, func(i int) string {
			return fmt.Sprintf("<Предложение><Ид>g#%d</Ид><ХарактеристикиТовара>", i) +
				strings.Repeat(fmt.Sprintf("<ХарактеристикаТовара><Наименование>n%d</Наименование>"+
					"<Значение>v</Значение></ХарактеристикаТовара>", i), 5000) + "</ХарактеристикиТовара></Предложение>"
		}, "</Предложения></ПакетПредложений>"),
		"prices": repeat("<ПакетПредложений><ТипыЦен>", 100_000, func(i int) string {
			return fmt.Sprintf("<ТипЦены><Ид>%d</Ид><Наименование>t</Наименование></ТипЦены>", i)
		}, "</ТипыЦен></ПакетПредложений>"),
	} {
		t.Run(name, func(t *testing.T) {
			told := &commerceml.Memory{}
			lines, err := convertMeasured(t, told, commerceml.Options{}, xmlFile(inside))
			if err != nil && fault.KindOf(err) != fault.Malformed && fault.KindOf(err) != fault.TooLarge {
				t.Errorf("the error is %v", err)
			}
			if stored, err := json.Marshal(told); err != nil || len(stored) > commerceml.MaxMemory {
				t.Errorf("%d bytes are remembered (%v)", len(stored), err)
			}

			t.Logf("%d items, %v", len(lines), err)
		})
	}
}

// Real files of 1C have thousands of properties, and ids of 36 characters.
func TestConvert_remembersManyProperties(t *testing.T) {
	told := &commerceml.Memory{}
	const properties = 12_000
	lines, err := convertMeasured(t, told, commerceml.Options{},
		xmlFile(repeat("<Классификатор><Свойства>", properties, func(i int) string {
			return fmt.Sprintf("<Свойство><Ид>%08d-5f0b-11ee-8c4b-0050569ebc3a</Ид>"+
				"<Наименование>Свойство %d</Наименование><ТипЗначений>Справочник</ТипЗначений></Свойство>", i, i)
		}, "</Свойства></Классификатор>")))
	if err != nil || len(told.Properties) != properties || strings.Contains(strings.Join(lines, "\n"), "!") {
		t.Errorf("%d properties are remembered (%v), want %d without a warning", len(told.Properties), err, properties)
	}
}
