package exchange

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange/item"
)

const (
	// maxItemChanges is the number of changed members that are kept of an item.
	maxItemChanges = 1000
	// maxShownText is how many bytes of a changed text are kept.
	maxShownText = 2000
)

// MemberChange is a member of an item that would change.
type MemberChange struct {
	_ struct{} `doc:"A member that would change."`

	Field string         `json:"field" doc:"The member. What stands in a list is named by its id." example:"variants[7].price"`
	From  jsontext.Value `json:"from" doc:"What is stored; null if there is nothing."`
	To    jsontext.Value `json:"to" doc:"What would be stored; null if nothing would be left."`
}

// itemDiff collects the differences between two states of a thing, each in the form in which it is pushed.
type itemDiff struct{ changes []MemberChange }

// diffItems returns the members that differ. Each text describes an object, or is empty if there is none.
func diffItems(from, to []byte) []MemberChange {
	d := &itemDiff{changes: []MemberChange{}}
	d.members("", membersOf(from), membersOf(to))
	return d.changes
}

// membersOf returns the members of an object.
func membersOf(object jsontext.Value) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	if len(object) > 0 {
		_ = json.Unmarshal(object, &members) // it was written by this package
	}
	return members
}

// members compares the members of two objects. path precedes their names.
func (d *itemDiff) members(path string, from, to map[string]jsontext.Value) {
	names := maps.Clone(from)
	maps.Copy(names, to)

	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch was, is := from[name], to[name]; {
		case bytes.Equal(was, is):
		case name == "id", name == "images_mode", name == "variant_images_mode", name == "single_variant",
			name == "variant_id", name == "product_id", name == "stock_id", name == "price_list_id",
			name == "from_quantity":
		case name == "variants", name == "values":
			d.elements(path+name, was, is)
		case name == "features", name == "options", name == "variant_options":
			d.pairs(path+name, was, is, "id", "value_id")
		case name == "remainders", name == "variant_remainders":
			d.pairs(path+name, was, is, "stock_id", "quantity")
		case name == "prices", name == "variant_prices":
			d.pairs(path+name, was, is, "price_list_id", "price", "from_quantity")
		default:
			d.add(path+name, was, is)
		}
	}
}

// elements compares two lists of objects that are identified by their ids.
func (d *itemDiff) elements(path string, from, to jsontext.Value) {
	was, is := elementsByID(from), elementsByID(to)
	ids := maps.Clone(was)
	maps.Copy(ids, is)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		at := path + "[" + id + "]"
		if was[id] == nil || is[id] == nil {
			d.add(at, was[id], is[id])
			continue
		}
		d.members(at+".", membersOf(was[id]), membersOf(is[id]))
	}
}

func listOf(list jsontext.Value) (elements []jsontext.Value) {
	if len(list) > 0 {
		_ = json.Unmarshal(list, &elements)
	}
	return elements
}

func textOf(value jsontext.Value) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}

func elementsByID(list jsontext.Value) map[string]jsontext.Value {
	found := map[string]jsontext.Value{}
	for _, e := range listOf(list) {
		found[textOf(membersOf(e)["id"])] = e
	}
	return found
}

// pairs compares two lists of objects that have a key and a value. more are members that belong to the key. A key may
// have several values, which are then a list.
func (d *itemDiff) pairs(path string, from, to jsontext.Value, key, value string, more ...string) {
	was, is := pairsOf(from, key, value, more), pairsOf(to, key, value, more)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(was[k], is[k]) {
			d.add(path+"["+k+"]", was[k], is[k])
		}
	}
}

func pairsOf(list jsontext.Value, key, value string, more []string) map[string]jsontext.Value {
	values := map[string][]jsontext.Value{}
	for _, e := range listOf(list) {
		m := membersOf(e)
		name := textOf(m[key])
		for _, part := range more {
			name += "," + string(m[part])
		}
		values[name] = append(values[name], m[value])
	}

	found := make(map[string]jsontext.Value, len(values))
	for k, list := range values {
		if found[k] = list[0]; len(list) > 1 {
			found[k] = append(append(jsontext.Value("["), bytes.Join(asBytes(list), []byte(","))...), ']')
		}
	}
	return found
}

func asBytes(list []jsontext.Value) [][]byte {
	texts := make([][]byte, len(list))
	for i, v := range list {
		texts[i] = v
	}
	return texts
}

// add adds a change, unless both sides are empty or there are too many.
func (d *itemDiff) add(field string, from, to jsontext.Value) {
	if isEmpty(from) && isEmpty(to) || len(d.changes) == maxItemChanges {
		return
	}
	d.changes = append(d.changes, MemberChange{Field: field, From: shown(from), To: shown(to)})
}

// emptySEO is the member seo of what has no texts of its own for search engines.
const emptySEO = `{"title":"","description":"","noindex":false}`

// isEmpty reports whether a value says nothing: so a new thing does not list all members that it does not have.
func isEmpty(v jsontext.Value) bool {
	switch string(v) {
	case "", "null", `""`, "[]", emptySEO:
		return true
	}
	return false
}

// shown returns a value as it is kept: null for none, and without the end of a very long text.
func shown(v jsontext.Value) jsontext.Value {
	switch {
	case len(v) == 0:
		return jsontext.Value("null")
	case len(v) <= maxShownText:
		return v
	case v.Kind() == '"':
		return wire.AppendString(nil, item.Truncate(textOf(v), maxShownText))
	}
	return wire.AppendString(nil, item.Truncate(string(v), maxShownText))
}
