package catalog

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// NoModifiers is the JSON of an empty list of modifiers.
const NoModifiers = modifier.None

// MaxModifiers is the maximum size in bytes of a product's modifiers, as sent.
const MaxModifiers = 256 << 10

// maxModifierDigits is the maximum number of digits in min and max of a group.
const maxModifierDigits = 9

// ReadModifiers reads the modifiers of a product: groups {id, name, min, max, required, items: [{id, name, price}]}.
// Only the names are required; null means no modifiers. No two groups may have the same id, nor may two items of a
// group. It returns the JSON as sent, with unknown members; modifier.Parse reads it.
func ReadModifiers(r *wire.Reader) (string, bool) {
	if r.Null() {
		return NoModifiers, true
	}

	raw, ok := r.Raw()
	if !ok {
		return "", false
	}

	if len(raw) > MaxModifiers {
		r.Failf("too_long", "The modifiers of a product may have at most %d bytes; these have %d.", MaxModifiers,
			len(raw))
		return "", false
	}

	r.ReadNested(raw, func(r *wire.Reader) { ok = r.SkipText() })
	if ok {
		ids := map[string]int{}
		r.ReadNested(raw, func(r *wire.Reader) { ok = r.Array(func(i int) { readModifierGroup(r, i, ids) }) })
	}

	return string(raw), ok
}

// readModifierGroup reads the group with an index. ids are the indexes of the groups by id.
func readModifierGroup(r *wire.Reader, index int, ids map[string]int) {
	var least, most *int64

	readNamed(r, "A group of modifiers", index, ids, func(name string) {
		switch name {
		case "min":
			least = readModifierBound(r)
		case "max":
			most = readModifierBound(r)
		case "required":
			if !r.Null() {
				r.Bool()
			}
		case "items":
			items := map[string]int{}
			r.Array(func(i int) { readModifierItem(r, i, items) })
		}
	})
	if least != nil && most != nil && *least > *most {
		r.FailAt("min", "out_of_range", "min is %d and max is %d; min may not be more than max.", *least, *most)
	}
}

func readModifierItem(r *wire.Reader, index int, ids map[string]int) {
	readNamed(r, "A modifier", index, ids, func(name string) {
		if name == "price" && !r.Null() {
			money.ReadMoney(r)
		}
	})
}

// readNamed reads the object with an index, which has a required name and an optional id, which is chosen by the
// client. ids are the indexes of the objects of the list by id. fn reads its other members.
func readNamed(r *wire.Reader, what string, index int, ids map[string]int, fn func(name string)) {
	named := false

	ok := r.Object(func(name string) {
		switch name {
		case "id":
			if r.Null() {
				return
			}
			id, ok := rule.ReadExternalID(r)
			if was, taken := ids[id]; ok && taken {
				r.Failf("duplicate_id", "[%d] of the list has the same id; orders name what is chosen by its id.", was)
			}
			ids[id] = index
		case "name":
			named = true
			rule.ReadName(r)
		default:
			fn(name)
		}
	})
	if ok && !named {
		r.CheckAt("name", rule.NameRequired(what))
	}
}

// readModifierBound reads min or max, which limit how many items may be chosen: a non-negative integer, or null for no
// limit.
func readModifierBound(r *wire.Reader) *int64 {
	if r.Null() {
		return nil
	}
	n, ok := r.Fixed(0, maxModifierDigits)
	if !ok {
		return nil
	}
	if n < 0 {
		r.Failf("out_of_range", "This may not be negative.")
		return nil
	}
	return &n
}
