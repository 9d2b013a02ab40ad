package modifier

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/money"
)

// None is the stored form of the modifiers of a product that has none.
const None = "[]"

// Unlimited is the Max of a group without a maximum.
const Unlimited = -1

// Group is a group of modifiers of a product. Min and Max limit the sum of the chosen quantities: Min only once
// something of the group is chosen, or if the group is Required.
type Group struct {
	ID, Name string
	Min, Max int64
	Required bool
	Items    []Item
}

// Item is one modifier of a group. Without a price it costs nothing.
type Item struct {
	ID, Name string
	Price    money.Money
}

// Parse returns the groups of stored modifiers, each group and item with its id or a made one. What is not valid has no
// groups.
func Parse(stored string) []Group {
	if stored == "" || stored == None {
		return nil
	}

	objects := withIDs(stored)
	groups := make([]Group, len(objects))
	for i := range objects {
		o := &objects[i]
		g := Group{ID: o.id, Name: o.name, Min: boundOf(o.least, 0), Max: boundOf(o.most, Unlimited),
			Required: o.required, Items: make([]Item, len(o.items))}
		for n := range o.items {
			item := &o.items[n]
			g.Items[n] = Item{ID: item.id, Name: item.name, Price: priceOf(item.price)}
		}
		groups[i] = g
	}
	return groups
}

// boundOf returns min or max of a group, or missing if it has none.
func boundOf(text string, missing int64) int64 {
	if text == "" {
		return missing
	}
	n, broken := wire.ParseFixed(text, 0, boundDigits)
	if broken != nil {
		return missing // never: the rule of catalog was applied
	}
	return n
}

// boundDigits is the maximum number of digits in min and max of a group.
const boundDigits = 9

func priceOf(text string) money.Money {
	if text == "" {
		return 0
	}
	price, _ := money.ParsePrice(text) // valid: the rule of catalog was applied
	amount, _ := price.Amount()
	return amount
}

// object is a group or an item as it is stored. Numbers are texts, which are empty if they are null or missing.
type object struct {
	id, name           string
	least, most, price string
	required           bool
	made               bool // the id is made
	items              []object
	// idFrom and idTo are the offsets of an id that is null, or both that of the first member of an object without id.
	idFrom, idTo int
}

// parseObjects returns the objects of a list. offset is that of the list in the stored text. It returns what it has
// read before something that is not valid.
func parseObjects(list []byte, offset int) (objects []object) {
	d := jsontext.NewDecoder(bytes.NewBuffer(list))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}

	for d.PeekKind() == '{' {
		_, err := d.ReadToken()
		at := offset + int(d.InputOffset())
		o := object{idFrom: at, idTo: at}
		for err == nil && d.PeekKind() != '}' {
			err = o.readMember(d, offset)
		}

		if err != nil {
			return objects
		}
		if _, err := d.ReadToken(); err != nil {
			return objects
		}
		objects = append(objects, o)
	}

	return objects
}

// readMember reads a member of the object. offset is that of the decoder's text in the stored text.
func (o *object) readMember(d *jsontext.Decoder, offset int) error {
	name, err := d.ReadToken()
	if err != nil {
		return err
	}
	member := name.String()
	value, err := d.ReadValue()
	if err != nil {
		return err
	}

	end := offset + int(d.InputOffset())
	switch member {
	case "id":
		if o.id = textOf(value); o.id == "" {
			o.idFrom, o.idTo = end-len(value), end
		}
	case "name":
		o.name = textOf(value)
	case "min":
		o.least = textOf(value)
	case "max":
		o.most = textOf(value)
	case "price":
		o.price = textOf(value)
	case "required":
		o.required = value.Kind() == 't'
	case "items":
		o.items = parseObjects(bytes.Clone(value), end-len(value))
	}
	return nil
}

// textOf returns a string without white space around it, or a number as written; "" for null.
func textOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	case '0':
		return string(value)
	}
	return ""
}
