package onec

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
)

// Generated describes a catalogue to generate. The same values give the same files.
type Generated struct {
	// Style is how the files are written.
	Style Style
	// First is the number of the first good. 1C:УТ 11 sends a large catalogue in portions, each in an exchange of its
	// own, and only the first portion says that it is the beginning of all goods.
	First int
	// Goods is the number of goods, and Offers the number of offers of each good: 1 to 20. With 1, goods have no
	// characteristics.
	Goods, Offers int
	// Version is the version of the schema. Before 3, goods and offers are two files. From 3 on, prices and rests have
	// files of their own.
	Version string
	// Windows1251 writes files in windows-1251, as old versions of 1C do. Otherwise they are UTF-8.
	Windows1251 bool
	// Round changes every price and some names, as if time had passed since the files of another round.
	Round int
	// Currency is the currency of the prices, as 1C names it. By default it is руб. in the style UT11; in others prices
	// have none, and are in the currency of the shop.
	Currency string
	// Pictures is the number of goods that have an image.
	Pictures int
	// PriceTypes is the number of price types, up to 5: by default 2, retail and wholesale. The first one is retail.
	PriceTypes int
}

// Generate writes the files of a catalogue to a directory, which must exist.
func Generate(dir string, g Generated) error {
	if g.Goods < 1 || g.Offers < 1 || g.Offers > len(sizes)*len(colours) || g.Pictures < 0 {
		return fault.New(fault.Invalid, "invalid_size",
			"A catalogue has at least one good, and 1 to %d offers of each.",
			len(sizes)*len(colours))
	}

	if g.PriceTypes < 0 || g.PriceTypes > len(priceTypes) {
		return fault.New(fault.Invalid, "invalid_price_types", "A catalogue has 1 to %d price types.", len(priceTypes))
	}

	g.PriceTypes = cmp.Or(g.PriceTypes, defaultPriceTypes)
	if g.Currency == "" && g.Style.isUT11() {
		g.Currency = "руб"
	}

	if err := g.writePictures(dir); err != nil {
		return err
	}

	type document struct {
		name  string
		write func(*xmlWriter)
	}
	documents := []document{{"import0_1.xml", g.writeImport}, {"offers0_1.xml", g.writeOffers}}
	if isVersion3(g.Version) {
		documents = append(documents, document{"prices0_1.xml", g.writePrices}, document{"rests0_1.xml", g.writeRests})
	}

	for _, d := range documents {
		if err := g.writeDocument(filepath.Join(dir, d.name), d.write); err != nil {
			return fmt.Errorf("write %s: %w", d.name, err)
		}
	}

	return nil
}

func (g Generated) writeDocument(path string, write func(*xmlWriter)) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	buffered := bufio.NewWriterSize(f, 1<<20)
	x := &xmlWriter{w: buffered}
	charset := "UTF-8"
	if g.Windows1251 {
		charset = "windows-1251"
		x.w = encoding.ReplaceUnsupported(charmap.Windows1251.NewEncoder()).Writer(buffered)
	}

	x.raw(`<?xml version="1.0" encoding="` + charset + `"?>` + "\n")
	x.element("КоммерческаяИнформация", func() { write(x) },
		"xmlns", "urn:1C.ru:commerceml_"+schemaFamily(g.Version), "ВерсияСхемы", g.Version,
		"ДатаФормирования", "2026-01-01T00:00:00")

	if x.err != nil {
		return x.err
	}

	return buffered.Flush()
}

// onlyChanges is the value of the mark that all portions but the first have.
func (g Generated) onlyChanges() string { return yesNo(g.First > 0) }

// schemaFamily returns the number at the end of the namespace.
func schemaFamily(version string) string {
	if isVersion3(version) {
		return "3"
	}
	return "2"
}

// xmlWriter writes elements. It keeps the first error.
type xmlWriter struct {
	w   io.Writer
	err error
}

func (x *xmlWriter) raw(s string) {
	if x.err == nil {
		_, x.err = io.WriteString(x.w, s)
	}
}

// element writes an element with attributes, given as names and values, around what inside writes.
func (x *xmlWriter) element(name string, inside func(), attributes ...string) {
	x.raw("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		x.raw(" " + attributes[i] + `="` + escape(attributes[i+1]) + `"`)
	}
	x.raw(">")
	inside()
	x.raw("</" + name + ">\n")
}

// text writes an element that has only text.
func (x *xmlWriter) text(name, value string) {
	x.raw("<" + name + ">" + escape(value) + "</" + name + ">")
}

func escape(s string) string {
	if !strings.ContainsAny(s, `<>&"'`+"\t\r\n") {
		return s
	}
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder returns no error
	return b.String()
}
