package onec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/promise"
)

// eachRecording runs fn on each engine with a service whose jobs run.
func eachRecording(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	eachEngine(t, func(s *fixture) {
		s.setQueue(queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: s.Service.Log}))
		s.Queue.Register(s.Exchange.Pushes.Kind())
		s.Queue.Register(s.Kind())
		s.Start(s.Queue.Run)
		fn(s)
	})
}

// withoutRecordings returns the same service with a new store whose files are always mapped.
func (s *fixture) withoutRecordings() *fixture {
	other := *s
	other.createStore()
	other.forgets = true
	return &other
}

// importFiles sends files in a new session and imports them: names and contents. It returns what each file and its runs
// say.
func (s *fixture) importFiles(files ...string) (report []string) {
	s.Helper()
	if s.forgets {
		s.Exec("DELETE FROM commerceml_recordings WHERE store_id = $1", s.Store.ID)
	}

	by := s.login("one")
	session, err := s.BeginSession(s.Context(), by, "")
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		s.sendFile(files[i], files[i+1])
	}

	for i := 0; i < len(files); i += 2 {
		if !strings.HasSuffix(files[i], ".xml") {
			continue
		}
		var state ImportState
		s.Eventually(files[i]+" is imported", func() bool {
			state, err = s.Import(s.Context(), by, ImportFile{Name: files[i], Entities: exchange.Entities()})
			return err != nil || state.Done
		})
		if err != nil {
			s.Fatal(err)
		}
		report = append(report, fmt.Sprintf("%s: %s|%s|%s", files[i], state.Problem, state.Text, state.Warnings))

		s.Read(func(tx store.Tx) error {
			file, err := latestFile(s.Context(), tx, session.Key, files[i])
			if err != nil {
				return err
			}
			for _, entity := range exchange.Entities() {
				if key, found := file.runs[entity]; found {
					report = append(report, s.runReport(tx, key)...)
				}
			}
			return nil
		})
	}
	return report
}

// runReport returns what a run says.
func (s *fixture) runReport(tx store.Tx, key int64) []string {
	s.Helper()
	run, err := s.Exchange.Runs.FindByKey(s.Context(), tx, key)
	if err != nil {
		s.Fatal(err)
	}
	notes := s.Texts(`SELECT severity || ' ' || CAST(item AS TEXT) || ' ' || COALESCE(external_id, '-') || ' ' || field ||
		' ' || code || ' ' || message || ' ' || name FROM exchange_notes WHERE store_id = $1 AND run_key = $2
		ORDER BY severity, number`, s.Store.ID, key)
	return append([]string{fmt.Sprintf("%s %s %d: +%d ~%d =%d !%d ?%d %v", run.Entity, run.Status, run.Received,
		run.Created, run.Updated, run.Unchanged, run.Failed, run.Warnings, run.NotKept)}, notes...)
}

// oneCState returns all that an import may change in a store, but for keys and times.
func (s *fixture) oneCState() []string {
	s.Helper()
	lines := strings.Split(s.CatalogState(), "\n")

	lines = append(lines, s.Texts(`SELECT 'listed ' || good_id || '#' || offer_id || ' ' || catalog ||
		CASE WHEN package = 0 THEN '' ELSE ' packed' END FROM commerceml_goods WHERE store_id = $1
		ORDER BY good_id, offer_id`, s.Store.ID)...)
	lines = append(lines, s.Texts(`SELECT 'package ' || catalog || ' ' || problem || CASE WHEN file_key IS NULL THEN
		' open' ELSE '' END FROM commerceml_packages WHERE store_id = $1 ORDER BY catalog, package`, s.Store.ID)...)

	s.Read(func(tx store.Tx) error {
		state, err := selectStoreState(s.Context(), tx)
		if err != nil {
			return err
		}
		var memory commerceml.Memory
		r := state.report
		lines = append(lines, fmt.Sprint(r.PriceTypes, r.Requisites, r.Examples, r.NotKept))
		err = json.Unmarshal(state.memory, &memory)
		lines = append(lines, fmt.Sprint("memory ", memory.Properties, memory.PriceTypes, memory.TypeLists,
			memory.Quantities))
		return err
	})
	return lines
}

// recordings returns the number of the complete recordings of the store, and the key of the last one.
func (s *fixture) recordings() (n, last int64) {
	s.Helper()
	const of = "FROM commerceml_recordings WHERE store_id = $1 AND digest IS NOT NULL"
	return s.queryInt("SELECT COUNT(*) "+of, s.Store.ID), s.queryInt("SELECT COALESCE(MAX(key), 0) "+of, s.Store.ID)
}

// wantReplayed imports files again, and requires that they are replayed, or mapped, and do the same as in a store
// without recordings. That store has been through the same.
func wantReplayed(s, plain *fixture, replayed bool, files ...string) {
	s.Helper()
	_, before := s.recordings()
	got := s.importFiles(files...)
	if _, after := s.recordings(); (after == before) != replayed {
		s.Errorf("replayed: %t, want %t", after == before, replayed)
	}
	wantSame(s, plain, got, files...)
}

// wantSame imports files into a store without recordings, and compares what they say, and the state of both stores.
func wantSame(s, plain *fixture, got []string, files ...string) {
	s.Helper()
	if diff := cmp.Diff(plain.importFiles(files...), got); diff != "" {
		s.Errorf("the report differs (-mapped +replayed):\n%s", diff)
	}
	if diff := cmp.Diff(plain.oneCState(), s.oneCState()); diff != "" {
		s.Errorf("the store differs (-mapped +replayed):\n%s", diff)
	}
}

// recordedGoods and recordedOffers have a bit of everything that a mapping depends on.
const recordedGoods = `<?xml version="1.0" encoding="UTF-8"?>
<КоммерческаяИнформация ВерсияСхемы="2.08" ДатаФормирования="2026-01-01T00:00:00"><Классификатор><Ид>k</Ид>
<Группы><Группа><Ид>g</Ид><Наименование>Tops</Наименование></Группа></Группы><Свойства>
<Свойство><Ид>text</Ид><Наименование>Ткань</Наименование></Свойство>
<Свойство><Ид>size</Ид><Наименование>Длина</Наименование><ТипЗначений>Число</ТипЗначений></Свойство>
<Свойство><Ид>color</Ид><Наименование>Цвет</Наименование><ТипЗначений>Справочник</ТипЗначений><ВариантыЗначений>
<Справочник><ИдЗначения>c1</ИдЗначения><Значение>Синий</Значение></Справочник></ВариантыЗначений></Свойство>
</Свойства></Классификатор>` + recordedPortion

// recordedPortion is the rest of a file, or begins a portion without a classifier.
const recordedPortion = `<Каталог СодержитТолькоИзменения="false"><Ид>cat</Ид><Неизвестное>1</Неизвестное><Товары>
<Товар><Ид>p0</Ид><Артикул>A-0</Артикул><Штрихкод>4601234567893</Штрихкод><Наименование>Shirt</Наименование>
<ПолноеНаименование>Shirt of wool</ПолноеНаименование><Группы><Ид>g</Ид></Группы><Вес>0.5</Вес>
<ЗначенияСвойств><ЗначенияСвойства><Ид>text</Ид><Значение>Wool "1"</Значение></ЗначенияСвойства>
<ЗначенияСвойства><Ид>size</Ид><Значение>12,5</Значение></ЗначенияСвойства>
<ЗначенияСвойства><Ид>color</Ид><Значение>c1</Значение></ЗначенияСвойства></ЗначенияСвойств>
<ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>Сезон</Наименование><Значение>Лето</Значение>
</ЗначениеРеквизита></ЗначенияРеквизитов></Товар>
<Товар><Ид>p1</Ид><Наименование>Hat</Наименование><Описание>A \ hat	with a tab</Описание>
<Группы><Ид>later</Ид></Группы>
<ЗначенияСвойств><ЗначенияСвойства><Ид>size</Ид><Значение>long</Значение></ЗначенияСвойства></ЗначенияСвойств>
<Изготовитель><Ид>m1</Ид><Наименование>Mill</Наименование></Изготовитель></Товар>
</Товары></Каталог></КоммерческаяИнформация>`

const recordedOffers = `<?xml version="1.0" encoding="UTF-8"?>
<КоммерческаяИнформация ВерсияСхемы="2.08" ДатаФормирования="2026-01-01T00:00:00">
<ПакетПредложений СодержитТолькоИзменения="false"><Ид>cat#</Ид><ИдКаталога>cat</ИдКаталога>
<ТипыЦен><ТипЦены><Ид>r</Ид><Наименование>Розничная</Наименование></ТипЦены><ТипЦены><Ид>w</Ид>
<Наименование>Trade</Наименование><Валюта>USD</Валюта></ТипЦены></ТипыЦен>
<Склады><Склад><Ид>s1</Ид><Наименование>Shop</Наименование></Склад></Склады><Предложения>
<Предложение><Ид>p0#1</Ид><Наименование>Shirt (1)</Наименование><ХарактеристикиТовара><ХарактеристикаТовара>
<Наименование>Size</Наименование><Значение>M</Значение></ХарактеристикаТовара></ХарактеристикиТовара>
<Цены><Цена><ИдТипаЦены>r</ИдТипаЦены><ЦенаЗаЕдиницу>0</ЦенаЗаЕдиницу></Цена><Цена><ИдТипаЦены>w</ИдТипаЦены>
<ЦенаЗаЕдиницу>8</ЦенаЗаЕдиницу><МинКоличество>5</МинКоличество></Цена></Цены><Количество>3</Количество>
<Склад ИдСклада="s1" КоличествоНаСкладе="3"/></Предложение>
<Предложение><Ид>p0#2</Ид><Наименование>Shirt (2)</Наименование><ХарактеристикиТовара><ХарактеристикаТовара>
<Наименование>Size</Наименование><Значение>L</Значение></ХарактеристикаТовара></ХарактеристикиТовара>
<Цены><Цена><ИдТипаЦены>r</ИдТипаЦены><ЦенаЗаЕдиницу>11</ЦенаЗаЕдиницу><Валюта>XYZ</Валюта></Цена></Цены></Предложение>
<Предложение><Ид>p1</Ид><Цены><Цена><ИдТипаЦены>w</ИдТипаЦены><ЦенаЗаЕдиницу>7</ЦенаЗаЕдиницу></Цена></Цены>
<Количество>4</Количество></Предложение>
</Предложения></ПакетПредложений></КоммерческаяИнформация>`

// A file that comes again is replayed, also if 1C has written it at another time.
func TestImport_replaysARecordedFileThatComesAgain(t *testing.T) {
	eachRecording(t, func(s *fixture) {
		plain := s.withoutRecordings()
		files := []string{"import.xml", recordedGoods, "offers.xml", recordedOffers}
		wantReplayed(s, plain, false, files...)
		if n, _ := s.recordings(); n != 2 {
			s.Fatalf("there are %d recordings, want 2", n)
		}

		wantReplayed(s, plain, true, files...)
		for i := 1; i < len(files); i += 2 {
			files[i] = strings.ReplaceAll(files[i], "2026-01-01T00:00:00", "2026-02-03T04:05:06")
		}
		wantReplayed(s, plain, true, files...)
		wantReplayed(s, plain, true, "v8.zip", zipOf(s.Fixture, files...), "import.xml", files[1])

		wantReplayed(s, plain, false, "offers.xml", strings.ReplaceAll(recordedOffers, ">11<", ">12<"))
	})
}

// What a mapping depends on may have changed since the file was recorded.
func TestImport_mapsARecordedFileThatWouldBeMappedInAnotherWay(t *testing.T) {
	property := func(of string) string {
		return strings.Replace(recordedGoods, ">Число<", ">"+of+"<", 1)
	}
	portion := `<КоммерческаяИнформация>` + recordedPortion
	edit := func(e Edit) func(s *fixture) {
		return func(s *fixture) {
			s.Write(func(tx store.Tx) error {
				_, _, err := s.Edit(s.Context(), tx, e)
				return err
			})
		}
	}

	for name, c := range map[string]struct {
		file   string
		change func(s *fixture)
	}{
		"the price type":        {recordedOffers, edit(Edit{PriceType: new("w")})},
		"what a price of 0 is":  {recordedOffers, edit(Edit{ZeroPrice: new(ZeroPriceFree)})},
		"the source of names":   {recordedGoods, edit(Edit{NameFrom: new(NameFromFullName)})},
		"the chosen requisites": {recordedGoods, edit(Edit{Requisites: &[]string{"Сезон"}})},
		"the currency": {recordedOffers, func(s *fixture) {
			s.Exec("UPDATE stores SET currency = 'XYZ' WHERE id = $1", s.Store.ID)
		}},
		"the type of a property": {portion, func(s *fixture) { s.importFiles("other.xml", property("Строка")) }},
		"the name of a feature": {portion, func(s *fixture) {
			s.push(exchange.Features, payload(`{"id": "size", "name": "Length"}`))
		}},
		"the price types that have come": {recordedOffers, func(s *fixture) {
			s.importFiles("other.xml", strings.Replace(recordedOffers, `<Ид>r</Ид>`, `<Ид>розн</Ид>`, 1))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			eachRecording(t, func(s *fixture) {
				plain := s.withoutRecordings()
				for _, of := range []*fixture{s, plain} {
					of.importFiles("import.xml", recordedGoods)
					of.importFiles("file.xml", c.file)
					of.importFiles("file.xml", c.file)
				}

				wantReplayed(s, plain, true, "file.xml", c.file)
				c.change(s)
				c.change(plain)
				wantReplayed(s, plain, false, "file.xml", c.file)
				wantReplayed(s, plain, true, "file.xml", c.file)
			})
		})
	}
}

// An image that comes again in another package is remembered with that package, since the first one is deleted soon.
// One that has changed changes the mapping.
func TestImport_asksForTheImagesOfARecordedFile(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.setQueue(queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: s.Service.Log}))
		s.Queue.Register(s.Kind())
		runs := s.Exchange.Pushes.Kind()
		runs.Run = func(ctx context.Context, _ *queue.TaskOf[exchange.RunRef, queue.NoOutput]) error {
			<-ctx.Done() // the images are not downloaded here
			return ctx.Err()
		}
		s.Queue.Register(runs)
		s.Start(s.Queue.Run)
		good := `<Товар><Ид>p</Ид><Наименование>Hat</Наименование><Картинка>a.jpg</Картинка></Товар>`

		for _, c := range []struct {
			image   string
			maps    bool
			problem string
		}{
			{"one", true, "the first file is not recorded"},
			{"one", false, "the file was mapped again"},
			{"two", true, "the file was replayed with an image that has changed"},
			{"two", false, "the file was mapped again after it was recorded for the second time"},
		} {
			_, before := s.recordings()
			session, err := s.BeginSession(s.Context(), s.login("one"), "")
			if err != nil {
				s.Fatal(err)
			}
			s.sendFile("import.xml", fmt.Sprintf(goodsXML, good))
			s.sendFile("a.jpg", c.image)
			s.Write(func(tx store.Tx) error {
				file, err := latestFile(s.Context(), tx, session.Key, "import.xml")
				if err != nil {
					return err
				}
				return s.queueFile(s.Context(), tx, &file, exchange.Entities())
			})
			s.Eventually("the file is mapped", func() bool {
				return s.Count("commerceml_files WHERE session_key = $1 AND state = 'pushed'", session.Key) == 1
			})

			if _, after := s.recordings(); (after != before) != c.maps {
				s.Error(c.problem)
			}
			if n := s.Count("commerceml_pictures WHERE session_key = $1", session.Key); n != 1 {
				s.Error("the image is not remembered with the last package")
			}
		}
	})
}

// A recording of which something is lost is not used, and files that cannot be read are not recorded.
func TestImport_usesNoBrokenRecording(t *testing.T) {
	eachRecording(t, func(s *fixture) {
		plain := s.withoutRecordings()
		wantReplayed(s, plain, false, "import.xml", recordedGoods)
		s.Exec("DELETE FROM commerceml_recording_chunks WHERE store_id = $1", s.Store.ID)
		wantReplayed(s, plain, false, "import.xml", recordedGoods)
		wantReplayed(s, plain, true, "import.xml", recordedGoods)

		n, _ := s.recordings()
		broken := strings.TrimSuffix(recordedGoods, "</КоммерческаяИнформация>")
		for range 2 {
			wantReplayed(s, plain, true, "import.xml", broken) // no new recording
		}
		if now, _ := s.recordings(); now != n {
			s.Errorf("there are %d recordings, want %d", now, n)
		}
	})
}

// Recordings that are not used are deleted, and those that take the room of others.
func TestRecordings_areDeleted(t *testing.T) {
	eachRecording(t, func(s *fixture) {
		s.importFiles("import.xml", recordedGoods)
		s.importFiles("offers.xml", recordedOffers)
		wantCount := func(when string, want int64) {
			s.Helper()
			if n, _ := s.recordings(); n != want {
				s.Errorf("%s: there are %d recordings, want %d", when, n, want)
			}
			chunks := s.queryInt(
				"SELECT COUNT(DISTINCT recording_key) FROM commerceml_recording_chunks WHERE store_id = $1", s.Store.ID)
			if chunks != want {
				s.Errorf("%s: there are chunks of %d recordings, want %d", when, chunks, want)
			}
		}

		s.Clock.Advance(recordingRetention - time.Hour)
		s.importFiles("offers.xml", recordedOffers)
		s.Clock.Advance(2 * time.Hour)
		if err := s.deleteOldRecordings(s.Context()); err != nil {
			s.Fatal(err)
		}
		wantCount("after the retention of one", 1)

		s.Exec("UPDATE commerceml_recordings SET packed_bytes = $2 WHERE store_id = $1", s.Store.ID,
			int64(maxRecordingBytes/2+1))
		s.importFiles("import.xml", recordedGoods)
		wantCount("without room for both", 1)
		if problem := fault.KindOf(s.Exchange.Bodies.CheckRoom(s.Context(), nil, s.Store.ID, 0, 0)); problem != 0 {
			s.Error("recordings take the room of bodies")
		}
	})
}

// Small files are mapped faster than a recording is stored.
func TestImport_doesNotRecordSmallFiles(t *testing.T) {
	eachRecording(t, func(s *fixture) {
		s.leastRecorded = math.MaxInt64
		s.importFiles("import.xml", recordedGoods)
		if n := s.Count("commerceml_recordings WHERE store_id = $1", s.Store.ID); n != 0 {
			s.Errorf("there are %d recordings, want none", n)
		}
	})
}

// A store that replays its files always has the state of one that maps them, whatever happens between two imports.
func TestImport_replayingHasTheEffectOfMapping(t *testing.T) {
	eachRecording(t, func(s *fixture) {
		random := rand.New(rand.NewPCG(1, 2))
		plain := s.withoutRecordings()
		rounds := promise.Sample(promise.Repeat(4, 12), 100)
		replayed := 0

		for range rounds {
			var done []string
			for range random.IntN(3) {
				c := recordingChanges[random.IntN(len(recordingChanges))]
				done = append(done, c.name)
				c.do(s)
				c.do(plain)
			}

			files := []string{"import.xml", recordedGoods, "offers.xml", recordedOffers}
			if random.IntN(4) == 0 {
				files = append([]string{"import0_2.xml", `<КоммерческаяИнформация>` + recordedPortion}, files[2:]...)
			}
			_, before := s.recordings()
			wantSame(s, plain, s.importFiles(files...), files...)
			if _, after := s.recordings(); after == before {
				replayed++
			}
			if s.Failed() {
				s.Fatalf("after %v", done)
			}
		}

		s.Logf("%d of %d exchanges were replayed", replayed, rounds)
		if replayed < rounds/4 {
			s.Errorf("only %d of %d exchanges were replayed", replayed, rounds)
		}
	})
}

// recordingChanges are changes of a store that may happen between two imports.
var recordingChanges = []struct {
	name string
	do   func(s *fixture)
}{
	{"push of a price", func(s *fixture) {
		s.push(exchange.Prices, payload(`{"variant_id": "p0#2", "product_id": "p0", "price": 5}`))
	}},
	{"push of a price in a list", func(s *fixture) {
		s.push(exchange.Prices, payload(`{"variant_id": "p1", "product_id": "p1", "price": 6, "price_list_id": "w"}`))
	}},
	{"push of a remainder", func(s *fixture) {
		s.push(exchange.Remainders,
			payload(`{"variant_id": "p0#1", "product_id": "p0", "stock_id": "s1", "quantity": 9}`))
	}},
	{"push of a name", func(s *fixture) { s.push(exchange.Products, payload(`{"id": "p0", "name": "Coat"}`)) }},
	{"deletion of a product", func(s *fixture) { s.push(exchange.Products, payload(`{"id": "p1", "deleted": true}`)) }},
	{"archiving of a product", func(s *fixture) {
		s.push(exchange.Products, payload(`{"id": "p0", "archived": true}`))
	}},
	{"deletion of a feature", func(s *fixture) {
		s.push(exchange.Features, payload(`{"id": "size", "deleted": true}`))
	}},
	{"deletion of a price list", func(s *fixture) {
		s.push(exchange.PriceLists, payload(`{"id": "w", "deleted": true}`))
	}},
	{"deletion of a stock", func(s *fixture) { s.push(exchange.Stocks, payload(`{"id": "s1", "deleted": true}`)) }},
	{"a pending category comes", func(s *fixture) {
		s.push(exchange.Categories, payload(`{"id": "later", "name": "Later"}`))
	}},
	{"the category goes", func(s *fixture) {
		s.push(exchange.Categories, payload(`{"id": "later", "deleted": true}`))
	}},
	{"edit of a name", func(s *fixture) { s.editProduct("p0", catalog.ProductEdit{Name: new("Edited")}) }},
	{"a lock", func(s *fixture) { s.editProduct("p0", catalog.ProductEdit{Locks: new(productfield.Name)}) }},
	{"no lock", func(s *fixture) { s.editProduct("p0", catalog.ProductEdit{Locks: new(productfield.Set(0))}) }},
	{"another price type", func(s *fixture) { s.setOneC(Edit{PriceType: new("w")}) }},
	{"the default price type", func(s *fixture) { s.setOneC(Edit{PriceType: new("")}) }},
	{"free goods", func(s *fixture) { s.setOneC(Edit{ZeroPrice: new(ZeroPriceFree)}) }},
	{"full names", func(s *fixture) { s.setOneC(Edit{NameFrom: new(NameFromFullName)}) }},
	{"short names", func(s *fixture) { s.setOneC(Edit{NameFrom: new(NameFromName)}) }},
	{"requisites", func(s *fixture) { s.setOneC(Edit{Requisites: &[]string{"Сезон"}}) }},
	{"stock with orders", func(s *fixture) { s.setOneC(Edit{StockIsFree: new(false)}) }},
	{"missing goods are archived", func(s *fixture) { s.setOneC(Edit{Missing: new(MissingArchive)}) }},
	{"taken orders", func(s *fixture) {
		s.Exec("UPDATE commerceml_stores SET sales_cursor = sales_cursor + 1 WHERE store_id = $1", s.Store.ID)
	}},
	{"another catalogue", func(s *fixture) {
		s.importFiles("import.xml", fmt.Sprintf(goodsXML, fmt.Sprintf(goodXML, 7)))
	}},
	{"changed offers", func(s *fixture) {
		s.importFiles("offers.xml", strings.Replace(recordedOffers, ">8<", ">9<", 1))
	}},
	{"a property with texts", func(s *fixture) {
		s.importFiles("import.xml", strings.Replace(recordedGoods, "<ТипЗначений>Число</ТипЗначений>", "", 1))
	}},
	{"another price type comes", func(s *fixture) {
		s.importFiles("offers.xml", strings.Replace(recordedOffers, `<Ид>w</Ид>`, `<Ид>x</Ид>`, 1))
	}},
	{"the end of the package", func(s *fixture) {
		if err := s.CompleteSession(s.Context(), s.login("one")); err != nil && fault.KindOf(err) != fault.NotFound {
			s.Fatal(err)
		}
		s.Eventually("all is done", func() bool {
			return s.Count("commerceml_files WHERE store_id = $1 AND state = 'queued'", s.Store.ID) == 0 &&
				s.Count("exchange_runs WHERE store_id = $1 AND finished_at IS NULL", s.Store.ID) == 0
		})
	}},
}

func (s *fixture) setOneC(e Edit) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, _, err := s.Edit(s.Context(), tx, e)
		if fault.KindOf(err) == fault.Invalid { // the price type has not come yet
			return nil
		}
		return err
	})
}

// editProduct edits a product as an operator does, if it exists.
func (s *fixture) editProduct(externalID string, e catalog.ProductEdit) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		var productID catalog.ProductID
		err := database.QueryRow(s.Context(), tx.Unscoped(),
			"SELECT id FROM products WHERE store_id = $1 AND external_id = $2",
			[]any{s.Store.ID, externalID}, &productID)
		if errors.Is(err, database.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = s.Exchange.Catalog.Products.Edit(s.Context(), tx, productID, e, nil)
		}
		return err
	})
}
