package commerceml

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
)

// fullNameRequisite is the requisite in which 1C:УТ writes the full name of a good.
const fullNameRequisite = "Полное наименование"

// htmlDescription is the element, and in 1C:УТ the requisite, with a description in HTML.
const htmlDescription = "ОписаниеВФорматеHTML"

// propertyText is a text of a good that is too long for the value of a feature. name is the name of its property, or
// empty if the name is not known.
type propertyText struct{ name, text string }

// isLong reports whether a text is too long for the value of a feature.
func isLong(text string) bool {
	return len(text) > maxText && utf8.RuneCountInString(strings.TrimSpace(text)) > maxText
}

// longText returns a text of a property with the name of the property.
func (c *converter) longText(property, text string) (propertyText, error) {
	known, err := c.propertyOf(property, "")
	return propertyText{known.name, text}, err
}

// knownProperty is the name of a property, and the text of one of its values.
type knownProperty struct{ name, text string }

// maxKnown limits the properties and values of earlier files that are held.
const maxKnown = 10_000

// propertyOf returns the name of a property and the text of its value with an id, of this file or of an earlier one.
// Both are empty if they are not known. value may be empty.
func (c *converter) propertyOf(property, value string) (known knownProperty, err error) {
	if a := c.features.byID[property]; a != nil {
		known.name = a.name
	}
	if value != "" {
		known.text = c.dictionary.textOf(property, value)
	}
	if c.target.Property == nil || known.name != "" && (value == "" || known.text != "") {
		return known, nil
	}

	key := property + "\x00" + value
	earlier, held := c.known[key]
	if !held {
		if earlier.name, earlier.text, err = c.target.Property(property, value); err != nil {
			return known, err
		}
		if len(c.known) < maxKnown {
			c.known[key] = earlier
		}
	}

	return knownProperty{firstOf(known.name, earlier.name), firstOf(known.text, earlier.text)}, nil
}

// offerProperties returns the values of the properties of an offer as characteristics: the first value of each.
func (c *converter) offerProperties(e *element, warnings *[]fault.Field) (all []offerOption, err error) {
	list := e.child("ЗначенияСвойств")
	if list == nil {
		return nil, nil
	}

	for _, v := range list.children {
		property := v.textOf("Ид")
		value := firstOf(v.textOf("Значение"), v.textOf("ИдЗначения"))
		if v.name != "ЗначенияСвойства" && v.name != "ЗначениеСвойства" || !fits(property) || value == "" {
			continue
		}

		known, err := c.propertyOf(property, cutID(value))
		if err != nil {
			return nil, err
		}

		text := known.text
		if text == "" && c.memory.property(property) != DictionaryProperty {
			text = value
		}

		if known.name == "" || text == "" {
			warn(warnings, "options", "unknown_property",
				"The property %.60s of the offer %s, or its value %.60s, has not come from 1C; it was left out.",
				firstOf(known.name, property), offerLabel(e), value)
			continue
		}

		all = append(all, offerOption{known.name, cutNote(known.name), foldSpaces(text)})
	}

	return all, nil
}

// htmlTag matches a tag of HTML.
var htmlTag = regexp.MustCompile(`<(?:/?[a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>`)

// goodDescription adds the description: the text of 1C, followed by the long texts of properties, each under the name
// of its property. An empty Описание removes the description. For a good that has neither, it returns the headings
// under which the description may have texts of an earlier import: they are not long any more.
func (c *converter) goodDescription(
	e *element, texts []propertyText, warnings *[]fault.Field,
) (headings []string, err error) {
	description := firstOf(e.textOf("Описание"), e.textOf(htmlDescription), requisite(e, htmlDescription))
	if description == "" && len(texts) == 0 && e.child("Описание") == nil {
		return c.headings(e)
	}

	isHTML := htmlTag.MatchString(description)
	var b strings.Builder
	b.WriteString(description)
	for _, t := range texts {
		appendText(&b, t, isHTML)
	}

	all := b.String()
	kept := cutText(all, maxDescription)
	if len(kept) < len(all) {
		warn(warnings, "description", "too_long", "The description was cut: with the long texts of properties it has "+
			"more than %d characters.", maxDescription)
	}

	c.line = quote(append(c.line, `,"description":`...), kept)
	return nil, nil
}

// headings returns the names of the properties and of the requisites of a good that may have long texts.
func (c *converter) headings(e *element) (names []string, err error) {
	add := func(name string) {
		if name = shorten(name); name != "" && len(names) < maxListed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	for _, list := range e.children {
		if list.name != "ЗначенияСвойств" {
			continue
		}
		for _, v := range list.children {
			property := v.textOf("Ид")
			if !fits(property) {
				continue
			}
			known, err := c.propertyOf(property, "")
			if err != nil {
				return nil, err
			}
			add(known.name)
		}
	}

	if list := e.child("ЗначенияРеквизитов"); list != nil {
		for _, r := range list.children {
			add(c.requisites[normalize(r.textOf("Наименование"))])
		}
	}
	return names, nil
}

// appendText appends a heading and a paragraph, in HTML if the description is HTML.
func appendText(b *strings.Builder, t propertyText, isHTML bool) {
	name := shorten(t.name)
	if !isHTML {
		for _, part := range []string{name, t.text} {
			if b.Len() > 0 && part != "" {
				b.WriteString("\n\n")
			}
			b.WriteString(part)
		}
		return
	}

	if name != "" {
		b.WriteString("\n<h3>" + html.EscapeString(name) + "</h3>")
	}

	text := t.text
	if !htmlTag.MatchString(text) {
		text = html.EscapeString(text)
	}
	b.WriteString("\n<p>" + text + "</p>")
}
