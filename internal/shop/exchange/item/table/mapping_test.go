package table

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A mapped table is read by what its columns are; messages are about the headings of the file.
func TestMapping_readsForeignColumns(t *testing.T) {
	text := "line;error;Артикул;Наименование;Цена, руб.;Примечание;Остаток\n" +
		"2;x;A-1;Стол;«bad»;new;5\n3;y;A-2;Стул;1\u00a0234,50 ₽;;7\n"
	m := &Mapping{Columns: []string{"sku", "name", "price", "", "remainder:main"},
		Added: []AddedColumn{{Column: "id", From: 1}, {Column: "description", Value: "from a file"}}}
	rows, err := Open(bufio.NewReaderSize(strings.NewReader(text), 64<<10),
		Source{Entity: "products", MaxItemBytes: 1 << 20, Mapping: m})
	if err != nil || len(rows.Ignored()) != 0 {
		t.Fatal(err, rows.Ignored())
	}

	bad, err := rows.Next()
	if err != nil || bad.Issue == nil || bad.Issue.Field != "Цена, руб." || bad.Issue.ID != "A-1" {
		t.Errorf("the wrong line is %+v, %v", bad.Issue, err)
	}
	good, err := rows.Next()
	want := `{"id":"A-2","name":"Стул","description":"from a file","single_variant":true,"variant_sku":"A-2",` +
		`"variant_price":1234.50,"variant_remainders":[{"stock_id":"main","quantity":7}]}`
	if err != nil || good.Issue != nil {
		t.Fatal(err, good.Issue)
	}
	if len(string(good.Body)) != len(want) {
		t.Errorf("the item is %s, want %s", good.Body, want)
	}
	if column, _ := good.Place.Locate(good.Body, "variant_price"); column != "Цена, руб." {
		t.Errorf("the price is in the column %s", column)
	}
	if diff := cmp.Diff([]Line{{3, "A-2;Стул;1\u00a0234,50 ₽;;7"}}, good.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestMapping_refusesWrongColumns(t *testing.T) {
	columns := []string{"A", "B"}
	for name, m := range map[string]Mapping{
		"no id":        {Columns: []string{"name", ""}},
		"twice":        {Columns: []string{"id", "id"}},
		"fewer":        {Columns: []string{"id"}},
		"no such copy": {Columns: []string{"", "name"}, Added: []AddedColumn{{Column: "id", From: 3}}},
	} {
		if m.Check("products", columns) == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	m := Mapping{Columns: []string{"id", "nonsense"}}
	if err := m.Check("products", columns); err == nil {
		t.Error("an unknown column is taken")
	}
}

func TestParseWrittenNumber_isExact(t *testing.T) {
	for cell, want := range map[string]string{
		"1 234,50 ₽": "1234.50", "1\u202f234\u00a0567.8": "1234567.8", "$1,234.50": "1234.50", "1.234,50 €": "1234.50",
		"12,5": "12.5", "1234": "1234", "-5": "-5", "−5,00": "-5.00", "100 руб.": "100", "100р.": "100",
		"1'000.00":  "1000.00",
		"1,234,567": "1234567", "0,125": "0.125", "99.999": "99.999", "RUB 10": "10", "0012,10": "12.10", "$-5": "-5",
		"-$5": "-5", "12345,678": "12345.678", "100,-": "100",
		"1,234": "", "12,34,56": "", "1.2.3": "", "ten": "", "": "", "1-2": "", ">10": "", "10 шт 5": "", "5,": "",
		"1.23,456.7": "",
	} {
		if got, ok := parseWrittenNumber(cell); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t; want %q", cell, got, ok, want)
		}
	}
}

func TestGuess(t *testing.T) {
	for heading, want := range map[string]string{
		"Артикул": "sku", "Код": "id", "Наименование": "name", "Цена, руб.": "price", "Остаток": "remainder",
		"Кол-во": "remainder", "Штрих-код": "barcodes", "Ед. изм.": "unit_name", "Категория": "categories",
		"Группа": "categories", "Описание": "description", "SKU": "sku", "Title": "name", "Ыыы": "", "": "",
		"variant id": "variant_id", "Pirce": "price",
	} {
		if got := Guess("products", heading); got != want {
			t.Errorf("%s is %q, want %q", heading, got, want)
		}
	}
	if got := Guess("remainders", "Склад"); got != "stock_id" {
		t.Errorf("the warehouse is %q", got)
	}
}

// The first values of the columns are those that are not empty.
func TestSample(t *testing.T) {
	got, err := Sample(bufio.NewReaderSize(strings.NewReader("a;b\n1;\n;x\n3;y\n4;z"), 64<<10), false, 2,
		DetectHeader)
	want := []SampleColumn{{"a", []string{"1", "3"}}, {"b", []string{"x", "y"}}}
	if diff := cmp.Diff(want, got.Columns); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
