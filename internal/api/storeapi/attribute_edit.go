package storeapi

import (
	"bufio"
	"io"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// maxBufferedElements is the largest number of elements of a list that are kept in memory. A longer list is parsed
// again from the body when it is applied.
const maxBufferedElements = 2000

// readAttributeEdit validates the whole body of a create or an edit of an option or a feature. The lists of the
// returned edit may be parsed from the body again, one element at a time, when the catalogue applies them in its
// transaction. So the body must stay open until then.
func readAttributeEdit(body *httpapi.Body, kind catalog.Kind, creating bool) (catalog.AttributeEdit, error) {
	var e catalog.AttributeEdit
	r := wire.NewReader(body.Reader())
	hasName := false
	isObject := r.Object(func(name string) {
		switch name {
		case "name":
			hasName = true
			if s, ok := r.Name(); ok {
				e.Name = &s
			}
		case "external_id":
			e.ExternalID = readExternalID(r)
		case "values":
			list := &bodyList[catalog.ValueEdit]{body: body, read: readValueEdit}
			if creating {
				list.read = readNewValue
			}
			list.onScan = func(v catalog.ValueEdit) { e.ExternalValues = e.ExternalValues || v.ExternalID != nil }
			if list.scan(r) {
				e.Values, e.ValuesLen = list.each, list.n
			}
		case "removed_values":
			if creating {
				return // a new attribute has no values to remove
			}
			list := &bodyList[catalog.ValueID]{body: body, read: wire.ID[catalog.Value]}
			if list.scan(r) {
				e.Removed, e.RemovedLen = list.each, list.n
			}
		default:
			if kind == catalog.Feature {
				readFeatureMember(r, name, &e)
			}
		}
	})
	if isObject && creating && !hasName {
		r.FailAt("name", "required", "A %s needs a name of 1 to %d characters.", kind.Noun(), wire.MaxName)
	}
	return e, r.End()
}

func readFeatureMember(r *wire.Reader, name string, e *catalog.AttributeEdit) {
	switch name {
	case "filterable":
		if b, ok := r.Bool(); ok {
			e.Filterable = &b
		}
	case "field_type":
		if t, ok := catalog.ReadFieldType(r); ok {
			e.FieldType = &t
		}
	case "range_type":
		// A select feature is rendered with a null here, so a client may send null back.
		if r.Null() {
			return
		}
		if t, ok := catalog.ReadRangeType(r); ok {
			e.RangeType = &t
		}
	}
}

func readNewValue(r *wire.Reader) (catalog.ValueEdit, bool) { return readValue(r, true) }

func readValueEdit(r *wire.Reader) (catalog.ValueEdit, bool) { return readValue(r, false) }

// readValue reads one element of values. It ignores read-only members.
func readValue(r *wire.Reader, creating bool) (v catalog.ValueEdit, ok bool) {
	hasName, valid := false, true
	ok = r.Object(func(name string) {
		switch {
		case name == "name":
			hasName = true
			s, memberValid := r.Name()
			v.Name, valid = s, valid && memberValid
		case name == "external_id":
			v.ExternalID = readExternalID(r)
		case name == "id" && !creating:
			i, memberValid := wire.ID[catalog.Value](r)
			if memberValid && i.IsZero() {
				// The catalogue takes a zero id for a new value, so a zero id in the request must not reach it.
				memberValid = false
				r.Failf("unknown_value", "This is not the id of a value. Leave the id out to add a new value.")
			}
			v.ID, valid = i, valid && memberValid
		}
	})
	if ok && !hasName {
		r.FailAt("name", "required", "Each value needs a name of 1 to %d characters.", wire.MaxName)
	}
	return v, ok && hasName && valid
}

// bodyList is a list inside a body: its byte offsets, and its elements if there are at most maxBufferedElements.
type bodyList[T any] struct {
	body     *httpapi.Body
	read     func(*wire.Reader) (T, bool)
	onScan   func(T) // called by scan for each element; may be nil
	from, to int64
	n        int
	buffered []T
}

// scan parses the list for the first time, from r. It reports whether r is at a list.
func (l *bodyList[T]) scan(r *wire.Reader) bool {
	l.from = r.Offset()
	ok := r.Array(func(int) {
		v, good := l.read(r)
		if l.onScan != nil {
			l.onScan(v)
		}
		l.n++
		if good && l.n <= maxBufferedElements {
			l.buffered = append(l.buffered, v)
		}
	})
	l.to = r.Offset()
	if l.n > maxBufferedElements {
		l.buffered = nil
	}
	return ok
}

// each calls fn for each element, from memory or by parsing the body again. It stops at the first error.
func (l *bodyList[T]) each(fn func(i int, v T) error) error {
	if l.n <= maxBufferedElements {
		for i, v := range l.buffered {
			if err := fn(i, v); err != nil {
				return err
			}
		}
		return nil
	}
	// The section starts after the member's name, with optional white space and the colon.
	section := bufio.NewReaderSize(l.body.Section(l.from, l.to-l.from), 64<<10)
	if err := skipTo(section, '['); err != nil {
		return err
	}
	r := wire.NewReader(section)
	r.Array(func(i int) {
		if v, ok := l.read(r); ok {
			if err := fn(i, v); err != nil {
				r.Stop(err)
			}
		}
	})
	return r.Err()
}

func skipTo(r *bufio.Reader, want byte) error {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		if c == want {
			return r.UnreadByte()
		}
	}
}

// requireRemovals is the only rule that DELETE with a body adds to those of an edit.
func requireRemovals(e catalog.AttributeEdit) error {
	if e.RemovedLen == 0 {
		return fault.OneField("removed_values", "required",
			"removed_values must list the ids of the values to remove, at least one. To delete the option itself, use DELETE /v2/variant-options/{id}.")
	}
	return nil
}
