package commerceml

import (
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

const (
	// A collector may hold one collectorPart-th of the room, and at most collectedBytes, before it passes on what it
	// has.
	collectorPart  = 8
	collectedBytes = 24 << 20
	// valueMemory is what a value takes besides its texts, in bytes, and attributeMemory what a feature or an option
	// takes.
	valueMemory, attributeItemMemory = 150, 400
	// textCopiesOfItem is how often the text of a value is held while its item is passed on: by the value, and by the
	// item before and after it is made a line.
	textCopiesOfItem = 3
	// warningMemory is about what a warning takes.
	warningMemory = 400
)

// collector collects features or variant options with their values, which stand all over a file, so that each of them
// is one item. Past its limit it passes on what it has, and the item of a feature comes again with further values.
type collector struct {
	entity string
	room   *Room
	emit   func(Item) error
	list   []*attribute
	byID   map[string]*attribute
	bytes  int64 // counted in room
}

// attribute is a feature or a variant option.
type attribute struct {
	id, name string // name is empty if it is not known
	isRange  bool
	// wasRange says that it had numbers in an earlier file, and has none now: its values may be texts.
	wasRange bool
	// takesTexts says that a value has an id. Such a value may have come as a text before.
	takesTexts bool
	warnings   []fault.Field
	values     []attributeValue
	known      map[string]bool // ids of values
}

type attributeValue struct{ id, name string }

func newCollector(entity string, room *Room, emit func(Item) error) collector {
	return collector{entity: entity, room: room, emit: emit, byID: map[string]*attribute{}}
}

// attribute returns the attribute with this id, which is valid until the next call of a method. The first name that is
// not empty stays.
func (c *collector) attribute(id, name string) (*attribute, error) {
	name = shorten(name)
	a := c.byID[id]
	if a == nil {
		if err := c.take(attributeItemMemory + textCopiesOfItem*(len(id)+len(name))); err != nil {
			return nil, err
		}
		a = &attribute{id: id, known: map[string]bool{}}
		c.list = append(c.list, a)
		c.byID[id] = a
	}
	if a.name == "" {
		a.name = name
	}
	return a, nil
}

// take counts memory before it is allocated. If there is too much, it first passes on what there is.
func (c *collector) take(n int) error {
	if c.bytes+int64(n) > c.room.part(collectorPart, collectedBytes) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if err := c.room.Take(int64(n)); err != nil {
		return err
	}
	c.bytes += int64(n)
	return nil
}

// addValue adds a value, unless the attribute has one with this id.
func (c *collector) addValue(a *attribute, id, name string) error {
	if a.known[id] {
		return nil
	}
	if err := c.take(valueMemory + textCopiesOfItem*(len(id)+len(name))); err != nil {
		return err
	}
	a, err := c.attribute(a.id, a.name) // it was passed on, perhaps
	if err != nil {
		return err
	}
	a.known[id] = true
	a.takesTexts = a.takesTexts || id != normalize(name)
	a.values = append(a.values, attributeValue{id, name})
	return nil
}

// addWarnings adds warnings to an attribute, which has at most maxWarnings.
func (c *collector) addWarnings(a *attribute, warnings []fault.Field) error {
	warnings = warnings[:min(len(warnings), maxWarnings-len(a.warnings))]
	if err := c.room.Take(int64(len(warnings)) * warningMemory); err != nil {
		return err
	}
	c.bytes += int64(len(warnings)) * warningMemory
	a.warnings = append(a.warnings, warnings...)
	return nil
}

// flush passes on the attributes and forgets them.
func (c *collector) flush() error {
	var line []byte
	for _, a := range c.list {
		line = append(line[:0], `{"id":`...)
		line = quote(line, a.id)
		if a.name != "" {
			line = quote(append(line, `,"name":`...), a.name)
		}

		if a.isRange {
			line = append(line, `,"field_type":"range","range_type":"float"`...)
		} else if a.wasRange {
			line = append(line, `,"field_type":"select"`...)
		}

		if len(a.values) > 0 {
			line = append(line, `,"values":[`...)
			for i, v := range a.values {
				if i > 0 {
					line = append(line, ',')
				}
				line = quote(append(line, `{"id":`...), v.id)
				line = append(quote(append(line, `,"name":`...), v.name), '}')
			}

			line = append(line, ']')
		}

		line = append(line, '}')
		item := Item{Entity: c.entity, JSON: line, TakesTexts: a.takesTexts, Warnings: a.warnings}
		if err := c.emit(item); err != nil {
			return err
		}
	}

	c.room.Free(c.bytes)
	*c = newCollector(c.entity, c.room, c.emit)
	return nil
}

// quote appends a JSON string.
func quote(b []byte, text string) []byte {
	b, err := jsontext.AppendQuote(b, text)
	if err != nil {
		// the scanner refuses invalid UTF-8
		panic("commerceml: quote a text: " + err.Error())
	}
	return b
}
