package productcache

import (
	"context"
	"encoding/binary"
	"sync"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// nameTable has the rendered names of the categories, attributes and values that products refer to, by row key, as of
// one state of the catalogue.
type nameTable struct {
	// mu protects a table that requests share. The methods do not lock it.
	mu         sync.RWMutex
	state      search.State // only the versions of attributes and categories matter
	categories map[int64]categoryName
	attributes map[int64]attributeName
	// A value is found by both keys: SQLite may use the key of a deleted value for one of another attribute.
	values map[catalog.ValueKeys]valueName
	bytes  int64
}

// nameSize estimates the memory of an entry of a nameTable, in bytes.
func nameSize(json []byte) int64 { return int64(120 + len(json)) }

// nameStamp identifies an object. A row key does not: SQLite may use the key of a deleted row again.
type nameStamp uint64

// stampOf returns the random part of an id.
func stampOf(id [16]byte) nameStamp { return nameStamp(binary.LittleEndian.Uint64(id[8:])) }

type categoryName struct {
	json  []byte // empty if the category does not exist
	stamp nameStamp
	// crumbs are the categories from the root to this one, as the elements of a JSON array, and above are the ids of
	// those above it.
	crumbs []byte
	above  []catalog.CategoryID
}

// bytes estimates the memory of the entry.
func (c categoryName) bytes() int64 {
	return nameSize(c.json) + int64(len(c.crumbs)+len(c.above)*len(catalog.CategoryID{}))
}

// attributeName is an option or a feature.
type attributeName struct {
	// json is the attribute up to the id of its value; empty if the attribute does not exist.
	json    []byte
	stamp   nameStamp
	isRange bool
	version int64 // of the attribute
	// checked is the version of the store's attributes at which the attribute was read.
	checked search.PartVersion
}

// valueName is a value of an option or a feature.
type valueName struct {
	owner nameStamp // of the attribute
	// version is the version of the attribute at which the value was read. A change of the value increases it.
	version int64
	// json is the value from its id on, without the closing brace; empty if the value does not exist.
	json  []byte
	stamp nameStamp
	// rangeValue is the number of a range feature's value, or null.
	rangeValue string
}

func newCategoryName(c view.CategoryName) categoryName {
	name := categoryName{json: appendCategory(nil, c), stamp: stampOf(c.ID)}
	for _, above := range c.Above {
		name.crumbs = append(appendCategory(name.crumbs, above), ',')
		name.above = append(name.above, above.ID)
	}
	name.crumbs = append(name.crumbs, name.json...)
	return name
}

// appendCategory appends a category as products refer to it.
func appendCategory(b []byte, c view.CategoryName) []byte {
	b = append(b, `{"id":"`...)
	b = c.ID.Append(b)
	b = wire.AppendString(append(b, `","name":`...), c.Name)
	b = c.Slug.AppendJSON(append(b, `,"slug":`...))
	return append(b, '}')
}

func newNameTable(state search.State) *nameTable {
	t := &nameTable{state: state}
	t.clear()
	return t
}

func (t *nameTable) clear() {
	t.categories = map[int64]categoryName{}
	t.attributes = map[int64]attributeName{}
	t.values = map[catalog.ValueKeys]valueName{}
	t.bytes = 0
}

// category returns a category. The second result is false if the table does not have it.
func (t *nameTable) category(key int64) (categoryName, bool) {
	c, ok := t.categories[key]
	return c, ok
}

// attribute returns an attribute. The second result is false if the table does not have it.
func (t *nameTable) attribute(key int64) (attributeName, bool) {
	a, ok := t.attributes[key]
	return a, ok && a.checked == t.state.Attributes()
}

// value returns a value of the attribute a. The second result is false if the table does not have it.
func (t *nameTable) value(keys catalog.ValueKeys, a attributeName) (valueName, bool) {
	v, ok := t.values[keys]
	return v, ok && v.owner == a.stamp && v.version == a.version
}

// lookUp returns the value that a product refers to, and its attribute. The result exists is false if either of them
// does not exist, and known is false if the table does not have both.
func (t *nameTable) lookUp(keys catalog.ValueKeys) (a attributeName, v valueName, exists, known bool) {
	if a, known = t.attribute(keys.Attribute); !known {
		return a, v, false, false
	}
	v, known = t.value(keys, a)
	return a, v, len(a.json) > 0 && len(v.json) > 0, known
}

// nameRefs are the row keys of everything that products refer to.
type nameRefs struct {
	categories map[int64]bool
	values     map[catalog.ValueKeys]bool
}

// missing returns the names that the table does not have. A value whose attribute has to be read is missing only if the
// table does not have it at all: whether it has changed is known when the attribute has been read.
func (t *nameTable) missing(refs nameRefs) (missing view.NameKeys) {
	for key := range refs.categories {
		if _, ok := t.category(key); !ok {
			missing.Categories = append(missing.Categories, key)
		}
	}

	unread := map[int64]bool{}
	for keys := range refs.values {
		a, ok := t.attribute(keys.Attribute)
		if ok {
			_, ok = t.value(keys, a)
		} else {
			if !unread[keys.Attribute] {
				unread[keys.Attribute] = true
				missing.Attributes = append(missing.Attributes, keys.Attribute)
			}
			_, ok = t.values[keys]
		}

		if !ok {
			missing.Values = append(missing.Values, keys.Value)
		}
	}

	return missing
}

// put adds names that were read at the state of the table. Missing are the keys that were asked for; those that were
// not found do not exist.
func (t *nameTable) put(refs nameRefs, missing view.NameKeys, found view.Names) {
	for _, key := range missing.Categories {
		t.putCategory(key, categoryName{})
	}

	for _, c := range found.Categories {
		t.putCategory(c.Key, newCategoryName(c))
	}

	for _, key := range missing.Attributes {
		t.putAttribute(key, attributeName{checked: t.state.Attributes()})
	}

	for _, a := range found.Attributes {
		t.putAttribute(a.Key, attributeName{appendAttributeHead(nil, a.ID, a.Name), stampOf(a.ID),
			a.FieldType == catalog.Range, a.Version, t.state.Attributes()})
	}

	asked := make(map[int64]bool, len(missing.Values))
	for _, key := range missing.Values {
		asked[key] = true
	}

	for keys := range refs.values {
		if asked[keys.Value] {
			a := t.attributes[keys.Attribute]
			t.putValue(keys, valueName{owner: a.stamp, version: a.version})
		}
	}

	for _, v := range found.Values {
		keys := catalog.ValueKeys{Attribute: v.AttributeKey, Value: v.Key}
		if !refs.values[keys] { // the value that was asked for does not exist, and its key is used again
			continue
		}
		a := t.attributes[v.AttributeKey]
		t.putValue(keys, valueName{a.stamp, a.version, appendValue(nil, v.ID, v.Name), stampOf(v.ID),
			RangeValue(a.isRange, catalog.Value{Name: v.Name})})
	}
}

func (t *nameTable) putCategory(key int64, c categoryName) {
	if old, ok := t.categories[key]; ok {
		t.bytes -= old.bytes()
	}
	t.categories[key] = c
	t.bytes += c.bytes()
}

func (t *nameTable) putAttribute(key int64, a attributeName) {
	if old, ok := t.attributes[key]; ok {
		t.bytes -= nameSize(old.json)
	}
	t.attributes[key] = a
	t.bytes += nameSize(a.json)
}

func (t *nameTable) putValue(keys catalog.ValueKeys, v valueName) {
	if old, ok := t.values[keys]; ok {
		t.bytes -= nameSize(old.json)
	}
	t.values[keys] = v
	t.bytes += nameSize(v.json)
}

// copyFrom copies the names that refs need and the other table has. Both tables have the same state.
func (t *nameTable) copyFrom(other *nameTable, refs nameRefs) {
	for key := range refs.categories {
		if c, ok := other.category(key); ok {
			t.putCategory(key, c)
		}
	}
	for keys := range refs.values {
		if a, ok := other.attributes[keys.Attribute]; ok {
			t.putAttribute(keys.Attribute, a)
		}
		if v, ok := other.values[keys]; ok {
			t.putValue(keys, v)
		}
	}
}

// advance moves the table to a newer state. Attributes are read again when they are next needed, and their values if
// the attribute has changed.
func (t *nameTable) advance(state search.State) {
	if state.Categories() != t.state.Categories() {
		for key := range t.categories {
			t.bytes -= t.categories[key].bytes()
		}
		t.categories = map[int64]categoryName{}
	}
	t.state = state
}

// read reads the missing names of refs on a snapshot that has the state of the table. It needs a second round for the
// values of attributes that have changed.
func (t *nameTable) read(ctx context.Context, tx store.Tx, refs nameRefs) error {
	for range 2 {
		missing := t.missing(refs)
		if len(missing.Categories)+len(missing.Attributes)+len(missing.Values) == 0 {
			return nil
		}
		found, err := view.ReadNames(ctx, tx, missing)
		if err != nil {
			return err
		}
		t.put(refs, missing, found)
	}
	return nil
}

// appendAttributeHead appends an option or a feature up to the id of its value.
func appendAttributeHead(b []byte, id catalog.AttributeID, name string) []byte {
	b = append(b, `{"id":"`...)
	b = id.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, name)
	return append(b, `,"value":{"id":"`...)
}

// appendValue appends a value from its id on, without the closing brace.
func appendValue(b []byte, id catalog.ValueID, name string) []byte {
	b = id.Append(b)
	b = append(b, `","name":`...)
	return wire.AppendString(b, name)
}

// RangeValue returns the number that the name of a range feature's value stands for, in JSON syntax and without
// rounding, or null for other values.
func RangeValue(isRange bool, v catalog.Value) string {
	if isRange {
		if d, ok := money.ParseDecimal(v.Name); ok {
			return d.String()
		}
	}
	return "null"
}
