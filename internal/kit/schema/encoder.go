package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"vitrine/internal/kit/wire"
)

// Encoder encodes a T as JSON. T is a struct of values of this package, strings, int64s, slices, structs and pointers
// to them. The output
// is the same as the output of wire.AppendJSON, but Encoder is several times faster: it parses the struct tags once and
// does not validate the JSON of the values again. It is safe for concurrent use.
type Encoder[T any] struct{ encode encodeFunc }

// encodeFunc appends the JSON of an addressable value.
type encodeFunc func(b []byte, v reflect.Value) []byte

// appender is implemented by pointers to the values of this package.
type appender interface{ appendJSON(b []byte) []byte }

// NewEncoder returns an encoder for T. It panics if T contains a value of an unsupported type.
func NewEncoder[T any]() Encoder[T] { return Encoder[T]{encoderOf(reflect.TypeFor[T]())} }

// Append appends the JSON of v to b and returns the extended slice.
func (e Encoder[T]) Append(b []byte, v *T) []byte { return e.encode(b, reflect.ValueOf(v).Elem()) }

func encoderOf(t reflect.Type) encodeFunc {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[appender]()):
		return func(b []byte, v reflect.Value) []byte { return v.Addr().Interface().(appender).appendJSON(b) }
	case t.Kind() == reflect.String:
		return func(b []byte, v reflect.Value) []byte { return wire.AppendString(b, v.String()) }
	case t.Kind() == reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }

	case t.Kind() == reflect.Slice:
		element := encoderOf(t.Elem())
		return func(b []byte, v reflect.Value) []byte {
			b = append(b, '[')
			for i := range v.Len() {
				if i > 0 {
					b = append(b, ',')
				}
				b = element(b, v.Index(i))
			}
			return append(b, ']')
		}

	case t.Kind() == reflect.Pointer:
		element := encoderOf(t.Elem())
		return func(b []byte, v reflect.Value) []byte { return element(b, v.Elem()) }

	case t.Kind() == reflect.Struct:
		return structEncoder(t)
	}

	panic(fmt.Sprintf("schema: no encoder for %s", t))
}

// structEncoder returns a function that encodes the fields with a json tag. A field with the option omitempty must be a
// string, and one with omitzero is left out if it is the zero value. Neither may be the first field, whose prefix
// contains the opening brace.
func structEncoder(t reflect.Type) encodeFunc {
	type member struct {
		index     int
		prefix    string
		omitEmpty bool
		omitZero  bool
		encode    encodeFunc
	}
	var members []member
	for f := range t.Fields() {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			prefix := `,"` + name + `":`
			if members == nil {
				prefix = "{" + prefix[1:]
			}
			members = append(members, member{f.Index[0], prefix, options == "omitempty",
				options == "omitzero", encoderOf(f.Type)})
		}
	}

	return func(b []byte, v reflect.Value) []byte {
		for i := range members {
			m := &members[i]
			f := v.Field(m.index)
			if m.omitEmpty && f.Len() == 0 || m.omitZero && f.IsZero() {
				continue
			}
			b = m.encode(append(b, m.prefix...), f)
		}
		return append(b, '}')
	}
}
