package commerceml

import (
	"strings"

	"vitrine/internal/kit/fault"
)

// classifier reads Классификатор: groups, properties, and in newer versions price types and warehouses.
func (c *converter) classifier(r *reader, start startTag) error {
	partial := isTrue(attrOf(start.attrs, "СодержитТолькоИзменения"))

	_, err := r.each(func(start startTag) error {
		switch start.name {
		case "Группы":
			return c.groups(r, "", partial)
		case "Свойства":
			_, err := r.each(func(start startTag) error { return c.property(r, start) })
			return err
		case "ТипыЦен":
			return c.priceTypes(r)
		case "Склады":
			return c.warehouses(r)
		case "Каталог":
			return c.catalog(r, start) // some programs write it here
		case "ПакетПредложений":
			return c.offers(r, start)
		}

		return r.skip()
	})

	return err
}

// groups reads the groups below a parent. Groups at the top of a partial classifier stay where they are: their parents
// may not be in it.
func (c *converter) groups(r *reader, parent string, partial bool) error {
	_, err := r.each(func(start startTag) error {
		if start.name != "Группа" {
			return r.skip()
		}
		return c.groupOf(r, start, parent, partial)
	})
	return err
}

func (c *converter) groupOf(r *reader, start startTag, parent string, partial bool) error {
	var id, name string
	var warnings []fault.Field
	emitted := false
	if isDeletedStatus(attrOf(start.attrs, "Статус")) {
		warnDeletion(&warnings, "group")
	}

	emit := func() error {
		if emitted || id == "" {
			return nil
		}

		emitted = true
		c.line = quote(append(c.line[:0], `{"id":`...), id)
		if name = shorten(name); name != "" {
			c.line = quote(append(c.line, `,"name":`...), name)
		}

		switch {
		case parent != "":
			c.line = quote(append(c.line, `,"parent_id":`...), parent)
		case !partial:
			c.line = append(c.line, `,"parent_id":null`...)
		}

		c.line = append(c.line, '}')
		return c.emit(Item{Entity: Categories, Warnings: warnings})
	}

	_, err := r.each(func(start startTag) (err error) {
		switch start.name {
		case "Ид":
			id, err = r.text()
			id = cutID(id)
		case "Наименование":
			name, err = r.text()
			name = foldSpaces(name)
		case "ПометкаУдаления":
			var mark string
			if mark, err = r.text(); isTrue(mark) {
				warnDeletion(&warnings, "group")
				emitted = false // the group comes again with the warning, if it was passed on
			}

		case "Статус":
			var status string
			if status, err = r.text(); isDeletedStatus(status) {
				warnDeletion(&warnings, "group")
				emitted = false
			}

		case "Группы":
			if name != "" { // otherwise the group is passed on at its end, after those below it
				if err := emit(); err != nil {
					return err
				}
			}
			return c.groups(r, id, partial)
		default:
			return r.skip()
		}

		return err
	})
	if err != nil {
		return err
	}

	return emit()
}

// warnDeletion adds the warning that a deletion mark was ignored.
func warnDeletion(warnings *[]fault.Field, what string) {
	warn(warnings, "", "deletion_ignored", "The deletion mark of 1C on this %s was ignored.", what)
}

// property reads Свойство, whose dictionary may be long. The values of a dictionary may stand before the type, so they
// are collected, and the type is decided at the end.
func (c *converter) property(r *reader, start startTag) error {
	if start.name != "Свойство" && start.name != "СвойствоНоменклатуры" {
		return r.skip()
	}
	if c.properties++; c.properties > maxProperties {
		c.warnOnce("too_many_properties", "The file has more than %d properties; the others were left out.",
			maxProperties)
		return r.skip()
	}
	p := propertyReader{c: c, r: r}
	err := p.read()
	if err == nil {
		err = p.end()
	}
	c.room.Free(p.bytes)
	return err
}

type propertyReader struct {
	c        *converter
	r        *reader
	id, name string
	of       string // ТипЗначений
	warnings []fault.Field
	values   []attributeValue // those that were read before the id
	bytes    int64            // of memory of values
	hasIDs   bool
}

// read reads the children of Свойство, and the children of elements that only group others.
func (p *propertyReader) read() error {
	_, err := p.r.each(func(start startTag) (err error) {
		switch start.name {
		case "Ид":
			p.id, err = p.r.text()
		case "Наименование":
			p.name, err = p.r.text()
		case "ПометкаУдаления":
			var mark string
			if mark, err = p.r.text(); isTrue(mark) {
				warnDeletion(&p.warnings, "property")
			}
		case "ТипЗначений":
			return p.readType()
		case "Тип":
			p.of, err = p.r.text()
		case "ТипыЗначений", "ВариантыЗначений":
			return p.read()
		case "Справочник", "ВариантЗначения":
			return p.r.element(start, func(e *element) error {
				return p.value(firstOf(e.textOf("ИдЗначения"), e.textOf("Ид")), e.textOf("Значение"))
			})
		case "Значение":
			text, err := p.r.text()
			if err != nil {
				return err
			}
			return p.value("", text)
		default:
			return p.r.skip()
		}

		return err
	})

	return err
}

// readType reads ТипЗначений: a text, or in older versions an element with Тип and ВариантыЗначений.
func (p *propertyReader) readType() error {
	text, err := p.r.each(func(start startTag) (err error) {
		switch start.name {
		case "Тип":
			p.of, err = p.r.text()
			return err
		case "ВариантыЗначений":
			return p.read()
		}
		return p.r.skip()
	})
	if text != "" {
		p.of = text
	}
	return err
}

// value adds a value of the property's dictionary.
func (p *propertyReader) value(id, name string) error {
	if isLong(name) && fits(id) && fits(p.id) {
		if held, err := p.c.dictionary.addLong(p.id, id, strings.TrimSpace(name)); held || err != nil {
			p.hasIDs = true
			return err
		}
	}

	name = foldSpaces(name)
	if id == "" {
		id = normalize(name)
	} else {
		p.hasIDs = true
	}

	if !fits(id) || !fits(name) {
		if name != "" {
			warn(&p.warnings, "values", "too_long",
				"A value with more than %d characters was left out: %.60s.", maxText, name)
		}
		return nil
	}

	v := attributeValue{id, name}
	if p.id == "" {
		size := int64(valueMemory + len(id) + len(name))
		if p.bytes+size > p.c.room.part(collectorPart, collectedBytes) {
			return malformed("A property has too many values before its id; write Ид first.")
		}
		if err := p.c.room.Take(size); err != nil {
			return err
		}

		p.bytes += size
		p.values = append(p.values, v)
		return nil
	}

	return p.add(v)
}

func (p *propertyReader) add(v attributeValue) error {
	if !fits(p.id) {
		return nil // end says so
	}

	held, err := p.c.dictionary.add(p.id, v)
	if err != nil {
		return err
	}

	if !held {
		warn(&p.warnings, "values", "index_too_large",
			"The file has more values of properties than the server can hold at once. Goods can name the values by "+
				"their id, "+
				"not by their text.")
	}

	a, err := p.c.features.attribute(p.id, p.name)
	if err != nil {
		return err
	}

	return p.c.features.addValue(a, v.id, v.name)
}

// end decides the type of the property.
func (p *propertyReader) end() error {
	if p.id == "" {
		return nil
	}

	if !fits(p.id) {
		p.c.warnNext("id", "too_long", "A property whose id has more than %d characters was left out: %.60s.", maxText,
			p.id)
		return nil
	}

	for _, v := range p.values {
		if err := p.add(v); err != nil {
			return err
		}
	}

	of := TextProperty
	switch strings.ToLower(p.of) {
	case "число":
		of = NumberProperty
	case "справочник":
		of = DictionaryProperty
	case "":
		if p.hasIDs {
			of = DictionaryProperty
		}
	}

	a, err := p.c.features.attribute(p.id, p.name)
	if err != nil {
		return err
	}

	if of == NumberProperty && p.hasIDs {
		of = DictionaryProperty // values with ids need not be numbers
	}

	a.isRange = of == NumberProperty
	a.wasRange = !a.isRange && p.c.memory.hadNumbers(p.id)

	if !p.c.memory.setProperty(p.id, of) {
		warn(&p.warnings, "", "not_remembered",
			"The store has too many properties to remember the type of this one. Send it in the same file as its "+
				"goods.")
	}

	return p.c.features.addWarnings(a, p.warnings)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// priceTypes reads ТипыЦен.
func (c *converter) priceTypes(r *reader) error {
	var list []PriceType

	_, err := r.each(func(start startTag) error {
		return r.element(start, func(e *element) error {
			t := PriceType{ID: e.textOf("Ид"), Name: e.textOf("Наименование"), Currency: e.textOf("Валюта")}
			switch {
			case e.name != "ТипЦены" || t.ID == "":
			case !fits(t.ID):
				c.warnNext("price", "too_long",
					"A price type whose id has more than %d characters was left out: %.60s.",
					maxText, t.ID)
			case len(list) >= maxListed:
				c.warnOnce("too_many_price_types", "The file has more than %d price types; the others were left out.",
					maxListed)
			default:
				list = append(list, t.shortened())
			}

			return nil
		})
	})

	if !c.memory.addPriceTypes(list) {
		c.warnOnce("too_many_price_types", "The store has more than %d price types; the others were left out.",
			maxListed)
	}

	c.base = nil
	if err != nil {
		return err
	}
	return c.emitPriceLists(list)
}

// maxWarehouses limits the warehouses of a file.
const maxWarehouses = 10_000

// warehouses reads Склады with names; they become stocks.
func (c *converter) warehouses(r *reader) error {
	_, err := r.each(func(start startTag) error {
		return r.element(start, c.warehouse)
	})
	return err
}

// warehouse maps Склад to a stock.
func (c *converter) warehouse(e *element) error {
	id := e.textOf("Ид")
	name := shorten(e.textOf("Наименование"))
	if e.name != "Склад" || id == "" || name == "" || c.stocks[id] {
		return nil
	}

	if !fits(id) || len(c.stocks) >= maxWarehouses {
		c.warnNext("id", "warehouse_left_out",
			"The warehouse %.60s was left out: a file has at most %d warehouses, and the id "+
				"of each at most %d characters.", name, maxWarehouses, maxText)
		return nil
	}

	if err := c.room.Take(valueMemory + int64(len(id))); err != nil {
		return err
	}

	c.stocks[id] = true
	c.line = quote(append(c.line[:0], `{"id":`...), id)
	c.line = append(quote(append(c.line, `,"name":`...), name), '}')
	var warnings []fault.Field

	if isTrue(e.textOf("ПометкаУдаления")) {
		warnDeletion(&warnings, "warehouse")
	}

	return c.emit(Item{Entity: Stocks, Warnings: warnings})
}
