package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"vitrine/internal/kit/wire"
)

// Encoder encodes a struct of values of this package as JSON. It writes the bytes that wire.AppendJSON writes, several
// times faster: it parses the tags once, and it does not validate again what the values write. It is safe for
// concurrent use.
type Encoder[T any] struct{ encode encodeFunc }

// encodeFunc appends an addressable value as JSON.
type encodeFunc func(b []byte, v reflect.Value) []byte

// appender is implemented by pointers to the values of this package.
type appender interface{ appendJSON(b []byte) []byte }

// NewEncoder returns an encoder. It panics if T has a member of a type that it does not know.
func NewEncoder[T any]() Encoder[T] { return Encoder[T]{encoderOf(reflect.TypeFor[T]())} }

// Append appends v as JSON.
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
	case t.Kind() == reflect.Struct:
		return structEncoder(t)
	}
	panic(fmt.Sprintf("schema: no encoder for %s", t))
}

// structEncoder encodes the members that have a json tag. A member with the option omitempty must be a string, and must
// not be the first.
func structEncoder(t reflect.Type) encodeFunc {
	type member struct {
		index     int
		prefix    string
		omitEmpty bool
		encode    encodeFunc
	}
	var members []member
	for f := range t.Fields() {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			prefix := `,"` + name + `":`
			if members == nil {
				prefix = "{" + prefix[1:]
			}
			members = append(members, member{f.Index[0], prefix, options == "omitempty", encoderOf(f.Type)})
		}
	}
	return func(b []byte, v reflect.Value) []byte {
		for i := range members {
			m := &members[i]
			if f := v.Field(m.index); !m.omitEmpty || f.Len() > 0 {
				b = m.encode(append(b, m.prefix...), f)
			}
		}
		return append(b, '}')
	}
}
