package catalog

import "vitrine/internal/kit/wire"

// NoModifiers is what the modifiers of a product are that has none.
const NoModifiers = "[]"

// MaxModifiers is how many bytes the modifiers of a product may have, as they are sent.
const MaxModifiers = 256 << 10

// maxModifierDigits is how many digits a bound of a group may have.
const maxModifierDigits = 9

// ReadModifiers reads the modifiers of a product: groups {id, name, min, max, required, items: [{id, name, price}]}, of which only names
// are required; null is none. They are kept as the text that was sent, so that members which nobody here knows are given back.
func ReadModifiers(r *wire.Reader) (string, bool) {
	if r.Null() {
		return NoModifiers, true
	}
	raw, ok := r.Raw()
	if !ok {
		return "", false
	}
	if len(raw) > MaxModifiers {
		r.Failf("too_long", "The modifiers of a product may have at most %d bytes; these have %d.", MaxModifiers, len(raw))
		return "", false
	}
	r.ReadNested(raw, func(r *wire.Reader) { ok = r.SkipText() })
	if ok {
		r.ReadNested(raw, func(r *wire.Reader) { ok = r.Array(func(int) { readModifierGroup(r) }) })
	}
	return string(raw), ok
}

func readModifierGroup(r *wire.Reader) {
	var least, most *int64
	named := false
	ok := r.Object(func(name string) {
		switch name {
		case "id":
			readModifierID(r)
		case "name":
			named = true
			r.Name()
		case "min":
			least = readModifierBound(r)
		case "max":
			most = readModifierBound(r)
		case "required":
			if !r.Null() {
				r.Bool()
			}
		case "items":
			r.Array(func(int) { readModifierItem(r) })
		}
	})
	if ok && !named {
		r.FailAt("name", "required", "A group of modifiers needs a name of 1 to %d characters.", wire.MaxName)
	}
	if least != nil && most != nil && *least > *most {
		r.FailAt("min", "out_of_range", "min is %d and max is %d; min may not be more than max.", *least, *most)
	}
}

func readModifierItem(r *wire.Reader) {
	named := false
	ok := r.Object(func(name string) {
		switch name {
		case "id":
			readModifierID(r)
		case "name":
			named = true
			r.Name()
		case "price":
			if !r.Null() {
				ReadPrice(r)
			}
		}
	})
	if ok && !named {
		r.FailAt("name", "required", "A modifier needs a name of 1 to %d characters.", wire.MaxName)
	}
}

// readModifierID reads an id that is the sender's own.
func readModifierID(r *wire.Reader) {
	if !r.Null() {
		r.ExternalID()
	}
}

// readModifierBound reads how many items may be chosen: a whole number that is not negative, or null for no bound.
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
