package storeapi

import (
	"bufio"
	"io"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// maxBufferedElements is the length up to which a list is kept in memory. A longer list is parsed from the body again
// when it is applied.
const maxBufferedElements = 2000

// readAttributeEdit validates the whole body of a request that creates or edits an option or a feature. Long lists of
// the returned edit are parsed from the body again, one element at a time, when the catalogue applies them in its
// transaction. So the body must stay open until then.
func readAttributeEdit(body *httpapi.Body, kind catalog.Kind, creating bool) (catalog.AttributeEdit, error) {
	var e catalog.AttributeEdit
	r := body.JSON()
	hasName := false

	isObject := r.Object(func(name string) {
		switch name {
		case "name":
			hasName = true
			if s, ok := rule.ReadName(r); ok {
				e.Name = &s
			}
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "values":
			read := func(r *wire.Reader) (catalog.ValueEdit, bool) { return readValueEdit(r, creating) }
			e.Values = scanList(body, r, read,
				func(v catalog.ValueEdit) { e.ExternalValues = e.ExternalValues || v.ExternalID != nil })
		case "removed_values":
			if creating {
				return // a new attribute has no values to remove
			}
			e.Removed = scanList(body, r, wire.ID[catalog.Value], func(catalog.ValueID) {})
		default:
			if kind == catalog.Feature {
				readFeatureMember(r, name, &e)
			}
		}
	})
	if isObject && creating && !hasName {
		r.CheckAt("name", rule.NameRequired("A "+kind.Noun()))
	}

	return e, r.End()
}

// readValueMerge reads {from, into}. isMerge says whether the body has one of them; without both, it is a merge only if
// required is set.
func readValueMerge(body *httpapi.Body, required bool) (m catalog.ValueMerge, isMerge bool, err error) {
	r := body.JSON()
	var from, into bool

	isObject := r.Object(func(name string) {
		switch name {
		case "from":
			from = true
			if list := wire.List(r, func(r *wire.Reader) catalog.ValueID {
				valueID, _ := wire.ID[catalog.Value](r)
				return valueID
			}); list != nil {
				m.From = *list
			}
		case "into":
			into = true
			m.Into, _ = wire.ID[catalog.Value](r)
		}
	})

	isMerge = from || into || required
	if isObject && isMerge && !from {
		r.FailAt("from", "required", "The ids of the values that are merged are needed here.")
	}

	if isObject && isMerge && !into {
		r.FailAt("into", "required", "The id of the value that stays is needed here.")
	}

	return m, isMerge, r.End()
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

// readValueEdit reads one element of values. It ignores read-only members.
func readValueEdit(r *wire.Reader, creating bool) (v catalog.ValueEdit, ok bool) {
	hasName, valid := false, true

	ok = r.Object(func(name string) {
		switch {
		case name == "name":
			hasName = true
			s, memberValid := rule.ReadName(r)
			v.Name = s
			valid = valid && memberValid
		case name == "external_id":
			v.ExternalID = rule.ReadExternalIDOrNull(r)

		case name == "id" && !creating:
			i, memberValid := wire.ID[catalog.Value](r)
			if memberValid && i.IsZero() {
				// The catalogue takes a zero id for a new value, so a zero id in the request must not reach it.
				memberValid = false
				r.Failf("unknown_value", "This is not the id of a value. Leave the id out to add a new value.")
			}
			v.ID = i
			valid = valid && memberValid
		}
	})
	if ok && !hasName {
		r.CheckAt("name", rule.NameRequired("Each value"))
	}

	return v, ok && hasName && valid
}

// scanList parses a list from r and calls the function seen for each element. If there are more than
// maxBufferedElements elements, the returned list parses the body again each time that it is read.
func scanList[T any](
	body *httpapi.Body, r *wire.Reader, read func(*wire.Reader) (T, bool), seen func(T),
) catalog.List[T] {
	from := r.Offset()
	n := 0
	var buffered []T
	r.Array(func(int) {
		v, ok := read(r)
		seen(v)
		if n++; ok && n <= maxBufferedElements {
			buffered = append(buffered, v)
		}
	})
	if n <= maxBufferedElements {
		return catalog.ListOf(buffered...)
	}

	to := r.Offset()
	return catalog.List[T]{Len: n, All: func(yield func(T, error) bool) {
		if err := parseListSection(body.Section(from, to-from), read, yield); err != nil {
			yield(*new(T), err)
		}
	}}
}

// parseListSection yields the elements of a list in a section of a body. The section starts after the name of the
// member, so it begins with optional white space and a colon.
func parseListSection[T any](section io.Reader, read func(*wire.Reader) (T, bool), yield func(T, error) bool) error {
	in := bufio.NewReaderSize(section, 64<<10)
	if _, err := in.ReadString('['); err != nil {
		return io.ErrUnexpectedEOF
	}
	if err := in.UnreadByte(); err != nil {
		return err
	}

	r := wire.NewReader(in)
	stopped := false
	r.Array(func(int) {
		if v, ok := read(r); ok && !yield(v, nil) {
			stopped = true
			r.Stop(io.EOF)
		}
	})
	if stopped {
		return nil
	}

	return r.Err()
}

// requireRemovedValues returns fault.Invalid if an edit removes no value. This is the only rule of DELETE with a body
// that a PUT does not have.
func requireRemovedValues(e catalog.AttributeEdit) error {
	if e.Removed.Len == 0 {
		return fault.OneField("removed_values", "required",
			"removed_values must list the ids of the values to remove, at least one. To delete the option itself, "+
				"use DELETE /v2/variant-options/{id}.")
	}
	return nil
}
