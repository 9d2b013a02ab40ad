package commerceml

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
)

const (
	// maxPictures is the number of images of a product that the gate takes.
	maxPictures = 250
	// maxReferences is the number of categories and of features of a product, and of options of a variant, that the
	// gate takes.
	maxReferences = 1000
	// maxPicturePath is the number of bytes of the path or the address of an image. The gate takes no longer ones.
	maxPicturePath = 2048
	// maxDescription is the number of characters of a description.
	maxDescription = 65_536
)

// catalog reads Каталог.
func (c *converter) catalog(r *reader, start startTag) error {
	c.packet = newPacketReader(start, false)
	before := c.summary.Goods
	previous := ""

	_, err := r.each(func(start startTag) error {
		if isHead, err := c.packet.read(r, start); isHead || err != nil {
			return err
		}
		if start.name != "Товары" {
			c.notKept.addOfPacket(start.name)
			return r.skip()
		}
		c.packet.begin()
		return r.eachElement("Товар", func(e *element) error { return c.good(e, &previous) })
	})
	if err != nil {
		return err
	}

	c.packet.end(c, c.summary.Goods-before)
	return c.group.flush(c)
}

// good maps Товар to a product without its variants. Old versions have a good for each characteristic, with the id
// good#characteristic: the first of them is the product, and each is a variant.
func (c *converter) good(e *element, previous *string) error {
	c.summary.Goods++
	full := e.textOf("Ид")
	id, characteristic, _ := strings.Cut(full, "#")
	id = cutID(id)
	deleted := isDeleted(e)
	if characteristic != "" {
		if err := c.variant(e,
			func(*[]fault.Field) offerStock { return offerStock{} }); err != nil { // a good has no stock
			return err
		}
		if id == *previous || deleted {
			return nil
		}
	}

	*previous = id
	c.line = quote(append(c.line[:0], `{"id":`...), id)
	if deleted {
		c.line = append(c.line, '}')
		return c.emit(Item{Entity: Products, Part: Archive})
	}

	if err := c.listed(id, ""); err != nil {
		return err
	}

	var warnings []fault.Field
	c.countNotKeptOfGood(e)
	c.goodName(e, characteristic != "")
	c.goodWeight(e, &warnings)
	c.goodUnit(e, &warnings)
	c.goodTax(e, &warnings)
	c.goodGroups(e, &warnings)

	texts, err := c.goodFeatures(e, &warnings)
	if err != nil {
		return err
	}
	headings, err := c.goodDescription(e, texts, &warnings)
	if err != nil {
		return err
	}

	if c.line, err = c.appendPictures(c.line, e, &warnings); err != nil {
		return err
	}

	c.line = append(c.line, '}')
	item := Item{Entity: Products, Part: Goods, Article: foldSpaces(e.textOf("Артикул")),
		Headings: headings}
	if characteristic == "" { // otherwise the barcodes are those of the variant
		if barcodes, said := barcodesOf(e, &warnings); said {
			item.Barcodes = &barcodes
		}
	}

	item.Warnings = warnings
	return c.emit(item)
}

// isDeleted reports whether a good or an offer is marked for deletion.
func isDeleted(e *element) bool {
	return isDeletedStatus(e.attr("Статус")) || isDeletedStatus(e.textOf("Статус")) ||
		isTrue(e.textOf("ПометкаУдаления"))
}

// isDeletedStatus reports whether a text of Статус is a deletion mark.
func isDeletedStatus(text string) bool {
	return strings.ReplaceAll(normalize(text), "ё", "е") == "удален"
}

// goodName adds the name. The name of a good with a characteristic ends with the characteristic.
func (c *converter) goodName(e *element, withCharacteristic bool) {
	full := firstOf(e.textOf("ПолноеНаименование"), requisite(e, fullNameRequisite))
	name := firstOf(e.textOf("Наименование"), full)
	if c.options.UsesFullName {
		name = firstOf(full, name)
	}
	if withCharacteristic {
		name = cutNote(name)
	}
	if name = shorten(name); name != "" {
		c.line = quote(append(c.line, `,"name":`...), name)
	}
}

// requisite returns the first value of a requisite.
func requisite(e *element, name string) string {
	list := e.child("ЗначенияРеквизитов")
	if list == nil {
		return ""
	}
	for _, r := range list.children {
		if normalize(r.textOf("Наименование")) == normalize(name) {
			return r.textOf("Значение")
		}
	}
	return ""
}

func (c *converter) goodGroups(e *element, warnings *[]fault.Field) {
	groups := e.child("Группы")
	if groups == nil {
		return
	}

	c.line = append(c.line, `,"categories":[`...)
	n := 0
	for _, g := range groups.children {
		if g.name != "Ид" || g.text == "" {
			continue
		}

		if n++; n > maxReferences {
			warn(warnings, "categories", "too_many", "A good is in at most %d groups; the others were left out.",
				maxReferences)
			break
		}

		if n > 1 {
			c.line = append(c.line, ',')
		}

		c.line = quote(c.line, cutID(g.text))
	}

	c.line = append(c.line, ']')
}

// goodFeatures adds the values of properties, and those requisites that the store has chosen. It returns the texts that
// are too long for a value.
func (c *converter) goodFeatures(e *element, warnings *[]fault.Field) (texts []propertyText, err error) {
	var list []attributeValue // feature and value

	add := func(feature, value string) {
		if len(list) >= maxReferences {
			warn(warnings, "features", "too_many",
				"A good has at most %d values of properties; the others were left out.",
				maxReferences)
			return
		}
		list = append(list, attributeValue{feature, value})
	}

	present := false
	for _, values := range e.children {
		if values.name != "ЗначенияСвойств" {
			continue
		}

		present = true

		for _, v := range values.children {
			if v.name != "ЗначенияСвойства" && v.name != "ЗначениеСвойства" {
				continue
			}

			property := v.textOf("Ид")
			if utf8.RuneCountInString(property) > maxText {
				warn(warnings, "features", "too_long",
					"A property whose id has more than %d characters was left out: %.60s.",
					maxText, property)
				continue
			}

			for _, value := range v.children {
				if (value.name != "Значение" && value.name != "ИдЗначения") || value.text == "" || property == "" {
					continue
				}

				sent := firstOf(c.dictionary.long[dictionaryKey{property, value.text}], value.text)
				if isLong(sent) {
					text, err := c.longText(property, sent)
					if err != nil {
						return nil, err
					}
					texts = append(texts, text)
					continue
				}

				id, err := c.propertyValue(property, value.text, warnings)
				if err != nil {
					return nil, err
				}

				if id != "" {
					add(property, id)
				}
			}
		}
	}

	more, found, err := c.requisiteFeatures(e, warnings, add)
	texts = append(texts, more...)
	if err != nil || !present && !found {
		return texts, err
	}

	c.line = append(c.line, `,"features":[`...)
	for i, v := range list {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		c.line = quote(append(c.line, `{"id":`...), v.id)
		c.line = append(quote(append(c.line, `,"value_id":`...), v.name), '}')
	}

	c.line = append(c.line, ']')
	return texts, nil
}

// propertyValue returns the id of a value of a property, or "" if it is left out. A value that has no id of its own is
// added to the feature.
func (c *converter) propertyValue(property, text string, warnings *[]fault.Field) (string, error) {
	of := c.memory.property(property)
	id := cutID(text)
	name := foldSpaces(text)
	switch {
	case of == "":
		return id, nil // of a classifier that has not come yet: values of dictionaries are linked when they arrive
	case of == DictionaryProperty:
		var isText bool
		if id, isText = c.dictionary.idOf(property, id); !isText {
			return id, nil
		}

	case of == NumberProperty:
		n, ok := parseDecimal(text)
		if !ok {
			warn(warnings, "features", "not_a_number",
				"The property %s has numbers; the value %.60s was left out.", property, name)
			return "", nil
		}
		name = formatDecimal(n, 6)
		id = name

	default:
		id = normalize(text)
	}

	return c.textValue(&c.features, property, "", id, name, warnings)
}

// textValue adds a value that has no id in 1C, only a text, to an attribute. It returns the id that it gives the value,
// or "" if the text is too long.
func (c *converter) textValue(
	to *collector, attributeID, attributeName, id, name string, warnings *[]fault.Field,
) (string, error) {
	if !fits(id) || !fits(name) {
		warn(warnings, "features", "too_long", "A value with more than %d characters was left out: %.60s.", maxText,
			name)
		return "", nil
	}
	a, err := to.attribute(attributeID, attributeName)
	if err != nil {
		return "", err
	}
	return id, to.addValue(a, id, name)
}

// requisiteFeatures calls add for each requisite that becomes a feature, and reports whether the good has such ones. It
// returns the texts that are too long for a value.
func (c *converter) requisiteFeatures(
	e *element, warnings *[]fault.Field, add func(feature, value string),
) (texts []propertyText, found bool, err error) {
	if list := e.child("ЗначенияРеквизитов"); list != nil {
		for _, r := range list.children {
			name := foldSpaces(r.textOf("Наименование"))
			c.noteRequisite(name)
			chosen, ok := c.requisites[normalize(name)]
			if !ok || name == "" {
				continue
			}

			found = true
			for _, v := range r.children {
				if v.name != "Значение" || v.text == "" {
					continue
				}

				if isLong(v.text) {
					texts = append(texts, propertyText{chosen, v.text})
					continue
				}

				value, err := c.textValue(&c.features, normalize(chosen), name, normalize(v.text), foldSpaces(v.text),
					warnings)
				if err != nil {
					return texts, found, err
				}

				if value != "" {
					add(normalize(chosen), value)
				}
			}
		}
	}

	maker := e.child(Manufacturer)
	if maker == nil {
		return texts, found, nil
	}

	c.noteRequisite(Manufacturer)
	chosen, ok := c.requisites[normalize(Manufacturer)]
	name := foldSpaces(firstOf(maker.textOf("Наименование"), maker.textOf("ОфициальноеНаименование")))
	if !ok || name == "" {
		return texts, found || ok, nil
	}

	value, err := c.textValue(&c.features, normalize(chosen), chosen,
		firstOf(maker.textOf("Ид"), normalize(name)), name, warnings)
	if value != "" {
		add(normalize(chosen), value)
	}

	return texts, true, err
}

// appendPictures appends the images of a good or an offer, which replace those that are there. If it has only an empty
// Картинка, it has no image any more.
func (c *converter) appendPictures(b []byte, e *element, warnings *[]fault.Field) ([]byte, error) {
	var urls []string
	named, emptied := false, false
	for _, p := range e.children {
		if p.name == "Картинка" && p.text == "" {
			emptied = true
		}
		if p.name != "Картинка" || p.text == "" || len(urls) >= maxPictures {
			continue
		}

		if len(p.text) > maxPicturePath {
			warn(warnings, "images", "too_long", "An image whose path has more than %d bytes was left out: %.60s.",
				maxPicturePath, p.text)
			continue
		}

		named = true
		url := p.text
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			var err error
			if url, err = c.target.Picture(p.text); err != nil {
				return b, err
			}
		}

		if url == "" {
			warn(warnings, "images", "unknown_picture", "The package has no image %.200s; it was left out.", p.text)
			continue
		}

		urls = append(urls, url)
	}

	if len(urls) == 0 && (named || !emptied) {
		return b, nil // what is not there, or cannot be read, replaces nothing
	}

	b = append(b, `,"images_mode":"replace","images":[`...)
	for i, url := range urls {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, url)
	}

	return append(b, ']'), nil
}
