package catalog

import "vitrine/internal/kit/wire"

// ReadFieldType reads a field type: a string, or an object whose id is that string, as in responses.
func ReadFieldType(r *wire.Reader) (FieldType, bool) { return readChoice(r, Select, Range) }

// ReadRangeType reads a range type: a string, or an object whose id is that string, as in responses.
func ReadRangeType(r *wire.Reader) (RangeType, bool) { return readChoice(r, Float, Integer) }

// readChoice reads one of two enum values, as a string or as the id of an object.
func readChoice[T ~string](r *wire.Reader, a, b T) (choice T, ok bool) {
	word := func() {
		s, isString := r.String()
		if !isString {
			return
		}
		if choice, ok = T(s), T(s) == a || T(s) == b; !ok {
			r.Failf("unknown_choice", "This must be %s or %s.", a, b)
		}
	}
	if !r.IsObject() {
		word()
		return choice, ok
	}
	named := false
	r.Object(func(name string) {
		if name == "id" {
			named = true
			word()
		}
	})
	if !named {
		r.FailAt("id", "required", "This must be %s or %s.", a, b)
	}
	return choice, ok
}
