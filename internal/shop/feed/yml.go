package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The limits of YML, in characters, and of the number of a group.
const (
	ymlName        = 150
	ymlDescription = 3000
	ymlText        = 255
	ymlMaxGroup    = 999_999_999
)

// ymlCurrencies are the currencies that YML knows.
var ymlCurrencies = []string{"RUB", "RUR", "USD", "EUR", "UAH", "KZT", "BYN"}

// ymlVAT are the names of rates of the value-added tax, by percent.
var ymlVAT = map[money.Percent]string{
	0: "VAT_0", 5_00: "VAT_5", 7_00: "VAT_7", 10_00: "VAT_10", 20_00: "VAT_20", 22_00: "VAT_22",
}

// ymlWriter writes a feed in the format of Yandex Market.
type ymlWriter struct {
	in   *Reading
	plan *plan
	// hidden are the row keys of the features and options that have elements of their own, so that they are no params.
	hidden map[int64]bool
}

func newYML(in *Reading, p *plan) (*ymlWriter, error) {
	if !slices.Contains(ymlCurrencies, in.Shop.Currency) {
		return nil, fault.New(fault.Conflict, "unsupported_currency",
			"A feed in YML has prices in one of %s, and the store sells in %s.", strings.Join(ymlCurrencies, ", "),
			in.Shop.Currency)
	}

	w := &ymlWriter{in, p, map[int64]bool{}}
	for _, target := range []string{"brand", "gtin", "mpn", "country_of_origin"} {
		if key := p.mapping[target].key; key != 0 {
			w.hidden[key] = true
		}
	}
	return w, nil
}

func (w *ymlWriter) begin(b []byte) []byte {
	shop := &w.in.Shop
	b = append(b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<yml_catalog date="`...)
	b = w.in.At.In(shop.Zone()).AppendFormat(b, time.RFC3339)
	b = append(b, "\">\n<shop>\n"...)
	name := oneLine(shop.Name, ymlText)
	b = appendElement(b, "name", name)
	b = appendElement(b, "company", name)
	b = appendElement(b, "url", address.URL(*shop, "/"))
	b = append(b, `<currencies><currency id="`+shop.Currency+`" rate="1"/></currencies>`+"\n<categories>\n"...)

	w.plan.tree.Walk(func(n *catalog.CategoryNode) {
		b = strconv.AppendUint(append(b, `<category id="`...), categoryNumber(n), 10)
		if n.Parent != nil {
			b = strconv.AppendUint(append(b, `" parentId="`...), categoryNumber(n.Parent), 10)
		}
		b = appendXML(append(b, `">`...), oneLine(n.Name, ymlText))
		b = append(b, "</category>\n"...)
	})
	return append(b, "</categories>\n<offers>\n"...)
}

// categoryNumber returns the number of a category in YML: at most 18 digits, made of its id, so that it stays the same.
func categoryNumber(n *catalog.CategoryNode) uint64 {
	sum := sha256.Sum256(n.ID.Append(nil))
	return binary.BigEndian.Uint64(sum[:])%999_999_999_999_999_999 + 1
}

func (w *ymlWriter) offer(b []byte, o *offer) []byte {
	b = o.variant.ID.Append(append(b, `<offer id="`...))
	b = append(b, `" available="`...)
	b = strconv.AppendBool(b, o.isAvailable)
	if o.isGroup && o.product.Key <= ymlMaxGroup {
		b = strconv.AppendInt(append(b, `" group_id="`...), o.product.Key, 10)
	}
	b = append(b, "\">\n"...)

	b = appendElement(b, "url", o.url)
	b = appendCents(append(b, "<price>"...), o.cents)
	b = append(b, "</price>\n"...)
	if o.oldCents > 0 {
		b = appendCents(append(b, "<oldprice>"...), o.oldCents)
		b = append(b, "</oldprice>\n"...)
	}
	if rate, ok := o.product.VATRate.Amount(); ok {
		b = appendElement(b, "vat", ymlVAT[rate])
	}
	b = appendElement(b, "currencyId", w.in.Shop.Currency)
	b = strconv.AppendUint(append(b, "<categoryId>"...), categoryNumber(o.category), 10)
	b = append(b, "</categoryId>\n"...)
	for _, url := range o.pictures[:min(len(o.pictures), maxPictures)] {
		b = appendElement(b, "picture", url)
	}

	b = appendElement(b, "name", oneLine(o.name, ymlName))
	b = appendElement(b, "vendor", oneLine(o.mapped["brand"], ymlText))
	code := o.mapped["mpn"]
	if _, isMapped := w.plan.mapping["mpn"]; !isMapped {
		code = o.variant.SKU
	}
	b = appendElement(b, "vendorCode", oneLine(code, ymlText))
	b = appendElement(b, "description", prose(o.product.Description, ymlDescription))
	b = appendElement(b, "country_of_origin", oneLine(o.mapped["country_of_origin"], ymlText))
	for _, code := range o.gtins {
		b = appendElement(b, "barcode", code)
	}

	b = w.appendParams(b, o)
	if grams, ok := o.product.Weight.Amount(); ok && grams > 0 {
		b = wire.AppendFixed(append(b, "<weight>"...), int64(grams), money.WeightDecimals)
		b = append(b, "</weight>\n"...)
	}
	return append(b, "</offer>\n"...)
}

// appendParams appends the features and options of an offer. The unit of numbers is behind a comma in the name of the
// feature, as in "Width, cm".
func (w *ymlWriter) appendParams(b []byte, o *offer) []byte {
	for _, p := range o.params {
		if w.hidden[p.key] {
			continue
		}

		name, unit := p.name, ""
		if at := strings.LastIndex(p.name, ", "); p.isRange && at > 0 {
			name, unit = p.name[:at], p.name[at+2:]
		}
		value := oneLine(p.value, ymlText)
		name = oneLine(name, ymlText)
		if name == "" || value == "" {
			continue
		}
		b = appendXML(append(b, `<param name="`...), name)
		if unit != "" {
			b = appendXML(append(b, `" unit="`...), oneLine(unit, ymlText))
		}
		b = appendXML(append(b, `">`...), value)
		b = append(b, "</param>\n"...)
	}
	return b
}

func (w *ymlWriter) end(b []byte) []byte { return append(b, "</offers>\n</shop>\n</yml_catalog>\n"...) }
