package commerceml

import (
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

// collectedBytes limits the texts that a collector holds before it passes them on.
const collectedBytes = 8 << 20

// collector collects features or variant options with their values, which stand all over a file, so that each of them
// is one item. Past collectedBytes it passes on what it has, and the item of a feature comes again with further values.
type collector struct {
	entity string
	emit   func(Item) error
	list   []*attribute
	byID   map[string]*attribute
	bytes  int
}

// attribute is a feature or a variant option.
type attribute struct {
	id, name string // name is empty if it is not known
	isRange  bool
	warnings []fault.Field
	values   []attributeValue
	known    map[string]bool // ids of values
}

type attributeValue struct{ id, name string }

func newCollector(entity string, emit func(Item) error) collector {
	return collector{entity: entity, emit: emit, byID: map[string]*attribute{}}
}

// attribute returns the attribute with this id. The first name that is not empty stays.
func (c *collector) attribute(id, name string) *attribute {
	a := c.byID[id]
	if a == nil {
		a = &attribute{id: id, known: map[string]bool{}}
		c.list, c.byID[id] = append(c.list, a), a
		c.bytes += len(id) + len(name) + 200
	}
	if a.name == "" {
		a.name = shorten(name)
	}
	return a
}

// addValue adds a value, unless the attribute has one with this id.
func (c *collector) addValue(a *attribute, id, name string) error {
	if a.known[id] {
		return nil
	}
	a.known[id] = true
	a.values = append(a.values, attributeValue{id, name})
	if c.bytes += 2*len(id) + len(name) + 100; c.bytes > collectedBytes {
		return c.flush()
	}
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
		if err := c.emit(Item{Entity: c.entity, JSON: line, Warnings: a.warnings}); err != nil {
			return err
		}
	}
	*c = newCollector(c.entity, c.emit)
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
