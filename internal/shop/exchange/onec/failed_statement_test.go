package onec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

const (
	goodsXML = `<?xml version="1.0" encoding="UTF-8"?>
<КоммерческаяИнформация ВерсияСхемы="2.08"><Классификатор><Ид>k</Ид><Группы><Группа><Ид>g</Ид>
<Наименование>Tops</Наименование></Группа></Группы></Классификатор>
<Каталог СодержитТолькоИзменения="false"><Ид>cat</Ид><Товары>%s</Товары></Каталог></КоммерческаяИнформация>`
	goodXML   = `<Товар><Ид>p%d</Ид><Наименование>Shirt %[1]d</Наименование><Группы><Ид>g</Ид></Группы></Товар>`
	offersXML = `<?xml version="1.0" encoding="UTF-8"?>
<КоммерческаяИнформация ВерсияСхемы="2.08"><ПакетПредложений СодержитТолькоИзменения="false">
<ТипыЦен><ТипЦены><Ид>r</Ид><Наименование>Retail</Наименование></ТипЦены></ТипыЦен>
<Предложения>%s</Предложения></ПакетПредложений></КоммерческаяИнформация>`
	offerXML = `<Предложение><Ид>p%d#%d</Ид><Наименование>Shirt</Наименование><ХарактеристикиТовара>
<ХарактеристикаТовара><Наименование>Size</Наименование><Значение>%[2]d</Значение></ХарактеристикаТовара>
</ХарактеристикиТовара><Цены><Цена><ИдТипаЦены>r</ИдТипаЦены><ЦенаЗаЕдиницу>1%[2]d</ЦенаЗаЕдиницу></Цена></Цены>
<Количество>%[2]d</Количество></Предложение>`
)

// exchangeRequests returns the requests of an exchange: goods, offers, the archiving of missing goods.
func (s *fixture) exchangeRequests() []func(ctx context.Context) error {
	var goods, offers strings.Builder
	for i := range 5 {
		fmt.Fprintf(&goods, goodXML, i)
		for size := range 2 {
			fmt.Fprintf(&offers, offerXML, i, size)
		}
	}

	by := Login{Store: s.Store.ID, Credential: s.credential, Login: []byte("login"), Kind: "catalog"}
	receive := func(name, content string) func(ctx context.Context) error {
		return func(ctx context.Context) error { return s.ReceivePart(ctx, by, name, strings.NewReader(content)) }
	}

	wait := func(ask func(ctx context.Context) (ImportState, error)) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			for {
				state, err := ask(ctx)
				if err == nil && state.Problem != "" {
					s.Errorf("the import failed: %s", state.Problem)
				}
				if err != nil || state.Done {
					return err
				}
			}
		}
	}

	importFile := func(name string) func(ctx context.Context) error {
		return wait(func(ctx context.Context) (ImportState, error) {
			return s.Import(ctx, by, ImportFile{Name: name, Entities: exchange.Entities()})
		})
	}
	return []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := s.BeginSession(ctx, by, "")
			return err
		},
		receive("import.xml", fmt.Sprintf(goodsXML, &goods)), receive("offers.xml", fmt.Sprintf(offersXML, &offers)),
		importFile("import.xml"), importFile("offers.xml"),
		wait(func(ctx context.Context) (ImportState, error) { return s.Deactivate(ctx, by) }),
		func(ctx context.Context) error { return s.CompleteSession(ctx, by) },
	}
}

// beginExchange creates a store with a product of 1C that the exchange lacks.
func (s *fixture) beginExchange() {
	s.Helper()
	s.createStore()
	s.Write(func(tx store.Tx) error {
		_, _, err := s.Edit(s.Context(), tx, Edit{Missing: new(MissingArchive)})
		return err
	})
	var items []string
	listed := database.NewBatch(database.Text, database.Text, database.Text, database.BigInt)
	for i := range 6 {
		items = append(items, fmt.Sprintf(`{"id": "p%d", "name": "Old"}`, i))
		listed.Add(fmt.Sprintf("p%d", i), "", "cat", int64(0))
	}
	s.push(exchange.Products, payload(items...))
	s.Write(func(tx store.Tx) error { return upsertListed(s.Context(), tx, listed, s.Clock.Now()) })
}

// runsText returns the runs of the store, the first one first, and checks their records.
func (s *fixture) runsText(when string) (list []string) {
	s.Helper()
	var runs []exchange.Run
	s.Read(func(tx store.Tx) (err error) {
		runs, _, err = s.Exchange.Runs.ListAll(s.Context(), tx, 0, 100)
		return err
	})
	for _, run := range runs {
		s.checkRecord(when, run)
		list = append(list,
			fmt.Sprintf("%s %s %s archived %d", run.Entity, run.Status, s.countsText(run), run.Archived))
	}
	slices.Reverse(list)
	return list
}

// An exchange with 1C, in which a statement of a request or of the import behind it fails, ends as one clean exchange:
// 1C repeats the request that it was told about, and the import is tried again.
func TestImport_isAppliedOnceIfAnyStatementFails(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		setFault := s.failJobs()
		s.beginExchange()

		for _, request := range s.exchangeRequests() {
			if err := request(s.Context()); err != nil {
				s.Fatal(err)
			}
		}

		whole := s.CatalogState()
		runs := s.runsText("clean")
		if !strings.Contains(whole, "product p5 Old  [] archived") || !strings.Contains(whole, "in p4 g") {
			s.Fatalf("the exchange gives %s", whole)
		}

		databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
			when := fmt.Sprintf("failure %d", n)
			s.beginExchange()
			fault := databasetest.FailStatement(n)
			setFault(fault)

			for _, request := range s.exchangeRequests() {
				err := request(fault.In(s.Context()))
				if err == nil {
					continue
				}
				s.wantDiskFull(when, err)
				if err := request(s.Context()); err != nil {
					s.Errorf("%s: the repeated request returns %v", when, err)
				}
			}

			s.wantCatalog(whole, when+": after the exchange")
			if diff := cmp.Diff(runs, s.runsText(when)); diff != "" {
				s.Errorf("%s: the runs differ (-want +got):\n%s", when, diff)
			}

			return fault
		})
	})
}
