package onec_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/client/onec"
	"vitrine/internal/kit/fault"
)

// fakeSite is a site that takes everything. It records the requests.
type fakeSite struct {
	t        *testing.T
	init     string // the response to init
	answers  map[string][]string
	orders   string
	requests []string
	files    map[string][]byte
}

func newFakeSite(t *testing.T) (*fakeSite, onec.Site) {
	t.Helper()
	f := &fakeSite{t: t, init: "zip=no\nfile_limit=1500", answers: map[string][]string{}, files: map[string][]byte{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, onec.Site{URL: server.URL + "/exchange", Login: "anna", Password: "secret", Client: server.Client()}
}

func (f *fakeSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, name := r.URL.Query().Get("mode"), r.URL.Query().Get("filename")
	_, password, basic := r.BasicAuth()
	cookie, _ := r.Cookie("sid")
	f.requests = append(f.requests, strings.TrimSpace(mode+" "+name))

	switch {
	case basic && password != "secret":
		_, _ = charmap.Windows1251.NewEncoder().Writer(w).Write([]byte("failure\nНеверный пароль"))
	case mode == "checkauth":
		fmt.Fprint(w, "success\nsid\n42\nsessid=7\n2026-01-02_03:04:05")
	case cookie == nil || cookie.Value != "42" || r.URL.Query().Get("sessid") != "7":
		fmt.Fprint(w, "failure\nno session")
	case mode == "init":
		fmt.Fprint(w, f.init)
	case mode == "file":
		part, err := io.ReadAll(r.Body)
		if err != nil || len(part) > 1500 {
			f.t.Errorf("a part of %s has %d bytes, %v", name, len(part), err)
		}
		f.files[name] = append(f.files[name], part...)
		fmt.Fprint(w, "success\n")
	case mode == "query":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, f.orders)
	case mode == "deactivate" && r.URL.Query().Get("timestamp") != "2026-01-02_03:04:05":
		fmt.Fprint(w, "failure\nno time")
	default:
		answer := "success"
		if rest := f.answers[mode]; len(rest) > 0 {
			answer = rest[0]
			f.answers[mode] = rest[1:]
		}
		fmt.Fprint(w, answer)
	}
}

func TestExchange_uploadsInPartsAndRepeatsImport(t *testing.T) {
	f, site := newFakeSite(t)
	f.answers["import"] = []string{"progress\n1 of 2", "progress", "success"}
	dir := t.TempDir()
	large := bytes.Repeat([]byte("x"), 4000)
	write(t, dir, map[string][]byte{"offers.xml": []byte("offers"), "import.xml": large,
		"import_files/ab/1.png": {1, 2}})
	if err := site.Exchange(t.Context(), onec.Catalog{Directory: dir, Version: "2.09", Complete: true}); err != nil {
		t.Fatal(err)
	}

	want := []string{"checkauth", "init", "file import.xml", "file import.xml", "file import.xml", "file offers.xml",
		"file import_files/ab/1.png", "import import.xml", "import import.xml", "import import.xml",
		"import offers.xml"}
	if !slices.Equal(f.requests, want) {
		t.Errorf("got %q, want %q", f.requests, want)
	}
	if !bytes.Equal(f.files["import.xml"], large) {
		t.Error("the parts do not make the file")
	}
}

func TestExchange_sendsOneArchiveAndEndsTheSessionOfVersion3(t *testing.T) {
	f, site := newFakeSite(t)
	f.init = "zip=yes\nfile_limit=1500\nsessid=7\nversion=3.1"
	f.answers["deactivate"] = []string{"progress"}

	dir := t.TempDir()
	if err := onec.Generate(dir, onec.Generated{Goods: 30, Offers: 3, Version: "3.1", Pictures: 2}); err != nil {
		t.Fatal(err)
	}
	if err := site.Exchange(t.Context(), onec.Catalog{Directory: dir, Version: "3.1", Complete: true}); err != nil {
		t.Fatal(err)
	}

	archive, err := zip.NewReader(bytes.NewReader(f.files["import.zip"]), int64(len(f.files["import.zip"])))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 6 {
		t.Errorf("the archive has %d files, want 4 documents and 2 pictures", len(archive.File))
	}

	want := []string{"import import0_1.xml", "import offers0_1.xml", "import prices0_1.xml", "import rests0_1.xml",
		"deactivate", "deactivate", "complete"}
	if got := f.requests[len(f.requests)-len(want):]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExchange_saysWhyTheSiteRefused(t *testing.T) {
	f, site := newFakeSite(t)
	dir := t.TempDir()
	write(t, dir, map[string][]byte{"import.xml": nil})
	exchange := func() error { return site.Exchange(t.Context(), onec.Catalog{Directory: dir, Version: "2.09"}) }
	check := func(err error, want string) {
		t.Helper()
		var refused *fault.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}

	f.answers["import"] = []string{"failure\nNo such file."}
	check(exchange(), "No such file.")
	f.answers["import"] = []string{"<html>success"}
	check(exchange(), `begins with "<html>success"`)
	site.Password = "wrong"
	check(exchange(), "Неверный пароль")
	dir = t.TempDir()
	check(exchange(), "There are no XML files")
}

func TestOrders_areConfirmedAndSentBack(t *testing.T) {
	f, site := newFakeSite(t)
	f.orders = `<?xml version="1.0" encoding="windows-1251"?><КоммерческаяИнформация>
		<Документ><Ид>a1</Ид><Номер>15</Номер><Сумма>10.50</Сумма><Контрагенты><Контрагент><Наименование>Анна</Наименование>
		</Контрагент></Контрагенты><Товары><Товар><Ид>g#c</Ид></Товар><Товар/></Товары></Документ></КоммерческаяИнформация>`
	f.orders, _ = charmap.Windows1251.NewEncoder().String(f.orders)
	var orders []onec.Order
	collect := func(o onec.Order) error { orders = append(orders, o); return nil }
	if err := site.Orders(t.Context(), true, collect); err != nil {
		t.Fatal(err)
	}

	if len(orders) != 1 || orders[0].ID != "a1" || orders[0].Customer != "Анна" || len(orders[0].Lines) != 2 {
		t.Errorf("got %+v", orders)
	}
	if err := site.SendStates(t.Context(), []onec.State{{OrderID: "a1", Number: "15", Name: "Выполнен"}}); err != nil {
		t.Fatal(err)
	}

	want := []string{"checkauth", "init", "query", "success", "checkauth", "init", "file orders.xml"}
	if !slices.Equal(f.requests, want) {
		t.Errorf("got %q, want %q", f.requests, want)
	}

	if sent := string(f.files["orders.xml"]); !strings.Contains(sent, "<Ид>a1</Ид>") ||
		!strings.Contains(sent, "Выполнен") {
		t.Errorf("the states are %s", sent)
	}

	if err := site.Orders(t.Context(), false, func(onec.Order) error { return context.Canceled }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v, want the error of the function", err)
	}
}

// The generated files are XML in the declared encoding, with as many offers as were asked for.
func TestGenerate_writesDocuments(t *testing.T) {
	for _, version := range []string{"2.09", "3.1"} {
		for _, windows := range []bool{false, true} {
			dir := t.TempDir()
			g := onec.Generated{Goods: 11, Offers: 4, Version: version, Windows1251: windows}
			if err := onec.Generate(dir, g); err != nil {
				t.Fatal(err)
			}
			if n := count(t, filepath.Join(dir, "import0_1.xml"), "Товар"); n != 11 {
				t.Errorf("%+v: %d goods, want 11", g, n)
			}
			if n := count(t, filepath.Join(dir, "offers0_1.xml"), "Предложение"); n != 44 {
				t.Errorf("%+v: %d offers, want 44", g, n)
			}
		}
	}
}

// Each style writes what is sold out, units and barcodes as its configuration of 1C does.
func TestGenerate_writesInTheStyleOfAConfiguration(t *testing.T) {
	const zero = `КоличествоНаСкладе="0"`
	for _, c := range []struct {
		style     onec.Style
		has, omit []string
	}{
		{onec.UT11, []string{"<Количество>0</Количество>", "<Валюта>руб</Валюта>", "<Штрихкод>", `Код="715 "`,
			"<Ставка>Без НДС</Ставка>", `СодержитТолькоИзменения="true"`}, []string{zero}},
		{onec.UT10, []string{"<Количество>"},
			[]string{"<Количество>0</Количество>", "<Склад", "<Валюта>", "<Штрихкод>"}},
		{onec.Explicit, []string{zero}, []string{"<Валюта>", "<Штрихкод>", "<СтавкиНалогов>"}},
	} {
		dir := t.TempDir()
		g := onec.Generated{Style: c.style, First: 10, Goods: 40, Offers: 3, Version: "2.08"}
		if err := onec.Generate(dir, g); err != nil {
			t.Fatal(err)
		}

		text := ""
		for _, name := range []string{"import0_1.xml", "offers0_1.xml"} {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			text += string(content)
		}

		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the files lack %s", c.style, want)
			}
		}
		for _, other := range c.omit {
			if strings.Contains(text, other) {
				t.Errorf("%s: the files have %s", c.style, other)
			}
		}
	}
}

// 1C:УТ 11 sends its own id, the number of the site, the lines and no name of a state.
func TestSendStates_asUT11Does(t *testing.T) {
	f, site := newFakeSite(t)
	order := onec.Order{ID: "a1", Number: "15", Lines: []onec.OrderLine{{ID: "g#c", Quantity: "2"}}}
	state, err := onec.PostedState(order, "shipped")
	if err != nil {
		t.Fatal(err)
	}
	if err := site.SendStates(t.Context(), []onec.State{state}); err != nil {
		t.Fatal(err)
	}

	sent := string(f.files["orders.xml"])
	for _, want := range []string{"<Номер>15</Номер>", "Номер отгрузки по 1С", "<Ид>g#c</Ид>"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the document lacks %s: %s", want, sent)
		}
	}
	if strings.Contains(sent, "<Ид>a1</Ид>") || strings.Contains(sent, "Статус заказа") {
		t.Errorf("the document has the site's id or a state: %s", sent)
	}

	if _, err := onec.PostedState(order, "Выполнен"); err == nil {
		t.Error("an unknown step is accepted")
	}
}

// count returns the number of elements with a name.
func count(t *testing.T, path, name string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()

	d := xml.NewDecoder(f)
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) {
		return charmap.Windows1251.NewDecoder().Reader(r), nil
	}
	n := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(path, err)
		}

		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			n++
		}
	}
}

func write(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
