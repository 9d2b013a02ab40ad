package commerceml

import (
	"math/big"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// Elements of goods that are members of a product or a variant. weightElement is also the name of a requisite.
const (
	weightElement  = "Вес"
	unitElement    = "БазоваяЕдиница"
	taxElement     = "СтавкиНалогов"
	barcodeElement = "Штрихкод"
	barcodesOfList = "Штрихкоды"
)

// goodWeight adds the weight in kilograms. 1C writes 0 if it is not known. Like the other members of this file, a value
// that breaks a rule is left out with a warning, and the stored one stays.
func (c *converter) goodWeight(e *element, warnings *[]fault.Field) {
	sent := firstOf(e.textOf(weightElement), requisite(e, weightElement))
	if sent == "" {
		return
	}

	n, ok := parseWeight(sent)
	text := ""
	if ok {
		text = formatDecimal(n, money.WeightDecimals)
		_, broken := money.ParseOptional[money.Grams](text)
		ok = broken == nil
	}

	if !ok {
		warn(warnings, "weight", "invalid_weight", "The weight %.40s was left out: it is not a number of kilograms "+
			"from 0 on.", sent)
		return
	}

	if text == "0" {
		text = "null"
	}

	c.line = append(append(c.line, `,"weight":`...), text...)
}

// parseWeight reads a weight in kilograms. People write units into requisites, as in 350 г.
func parseWeight(text string) (*big.Rat, bool) {
	text = strings.TrimSuffix(normalize(text), ".")
	if kilograms, ok := strings.CutSuffix(text, "кг"); ok {
		return parseDecimal(kilograms)
	}

	grams, ok := strings.CutSuffix(text, "г")
	if !ok {
		return parseDecimal(text)
	}

	const gramsInKilogram = 1000
	n, ok := parseDecimal(grams)
	if ok {
		n.Quo(n, big.NewRat(gramsInKilogram, 1))
	}
	return n, ok
}

// goodUnit adds the unit. 1C fills codes up with spaces.
func (c *converter) goodUnit(e *element, warnings *[]fault.Field) {
	sent := e.child(unitElement)
	if sent == nil {
		return
	}

	unit, broken := unitOf(sent)
	if broken != nil {
		warn(warnings, "unit", broken.Code, "The unit %.80s of the code %.20s was left out. %s",
			firstOf(sent.text, sent.attr("НаименованиеПолное")), sent.attr("Код"), broken.Message)
		return
	}

	c.line = unit.AppendJSON(append(c.line, `,"unit":`...))
}

// unitOf reads БазоваяЕдиница. The name of a unit is its text, as in шт, else its full name. Version 3 has a unit's own
// element inside it.
func unitOf(sent *element) (unit catalog.Unit, broken *fault.Field) {
	name := firstOf(sent.text, sent.textOf("НаименованиеКраткое"), sent.attr("НаименованиеПолное"),
		sent.textOf("НаименованиеПолное"))
	unit.Name = foldSpaces(name)
	if unit.Code, broken = catalog.CheckUnitCode(firstOf(sent.attr("Код"), sent.textOf("Код"))); broken != nil {
		return unit, broken
	}
	if unit.Name == "" {
		unit.Name = unit.Code
	}
	return unit.Normalized()
}

// goodTax adds the rate of the value-added tax, of which there is none if 1C says so.
func (c *converter) goodTax(e *element, warnings *[]fault.Field) {
	list := e.child(taxElement)
	if list == nil {
		return
	}

	for _, tax := range list.children {
		name := normalize(tax.textOf("Наименование"))
		if tax.name != "СтавкаНалога" || name != "" && !strings.Contains(name, "ндс") {
			continue
		}

		sent := tax.textOf("Ставка")
		rate, broken := taxRate(sent)
		if broken != nil {
			warn(warnings, "vat_rate", "invalid_vat_rate", "The VAT rate %.40s was left out. %s", sent, broken.Message)
			return
		}

		c.line = rate.AppendJSON(append(c.line, `,"vat_rate":`...))
		return
	}
}

// taxRate reads a rate such as 20, 20%, НДС20 or 20/120. No rate and «Без НДС» are none.
func taxRate(sent string) (money.VATRate, *fault.Field) {
	text := strings.Trim(strings.Replace(normalize(sent), "ндс", "", 1), " %")
	if text == "" || strings.HasPrefix(text, "без") {
		return money.VATRate{}, nil
	}

	text, _, _ = strings.Cut(text, "/")
	if n, ok := parseDecimal(strings.Trim(text, " %")); ok {
		text = formatDecimal(n, money.PercentDecimals+1) // one more, so that a further decimal is refused
	}
	return money.ParseOptional[money.Percent](text)
}

// barcodesOf returns the barcodes of a good or an offer. The result said is false if it says nothing about them. A
// barcode that breaks the rule is left out with a warning.
func barcodesOf(e *element, warnings *[]fault.Field) (barcodes catalog.Barcodes, said bool) {
	var list []string

	add := func(text string) {
		said = true
		if text == "" {
			return
		}

		barcode, broken := catalog.CheckBarcode(text)
		switch {
		case broken != nil:
			warn(warnings, "barcodes", broken.Code, "The barcode %.70s was left out. %s", text, broken.Message)
		case slices.Contains(list, barcode):
		case len(list) >= catalog.MaxBarcodes:
			warn(warnings, "barcodes", "too_many", "A good has at most %d barcodes; the others were left out.",
				catalog.MaxBarcodes)
		default:
			list = append(list, barcode)
		}
	}

	for _, child := range e.children {
		switch child.name {
		case barcodeElement:
			add(firstOf(child.text, child.textOf("Штрихкод")))
		case barcodesOfList:
			for _, inner := range child.children {
				add(firstOf(inner.text, inner.textOf("Штрихкод")))
			}
		}
	}

	return catalog.NewBarcodes(list...), said
}
