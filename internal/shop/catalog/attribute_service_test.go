package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// withValues returns e with this list of values.
func withValues(e AttributeEdit, values ...ValueEdit) AttributeEdit {
	e.Values = ListOf(values...)
	for _, v := range values {
		e.ExternalValues = e.ExternalValues || v.ExternalID != nil
	}
	return e
}

// withRemoved returns e with this list of removed values.
func withRemoved(e AttributeEdit, ids ...ValueID) AttributeEdit {
	e.Removed = ListOf(ids...)
	return e
}

func newValueEdits(names ...string) []ValueEdit {
	edits := make([]ValueEdit, len(names))
	for i, name := range names {
		edits[i].Name = name
	}
	return edits
}

func (s *catalogFixture) tryCreateAttribute(kind Kind, e AttributeEdit) (a Attribute, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		a, err = s.Attributes.Create(s.Context(), tx, kind, e)
		return err
	})
	return a, err
}

func (s *catalogFixture) editAttribute(
	a Attribute, e AttributeEdit, pre fault.Precondition,
) (edited Attribute, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		edited, err = s.Attributes.Edit(s.Context(), tx, a.Kind, a.ID, e, pre)
		return err
	})
	return edited, err
}

func (s *catalogFixture) deleteAttribute(a Attribute, pre fault.Precondition) error {
	return s.TryWrite(func(tx store.Tx) error {
		return s.Attributes.Delete(s.Context(), tx, a.Kind, a.ID, pre)
	})
}

// loadAttribute reads an attribute with its values in order, and checks its ValueCount.
func (s *catalogFixture) loadAttribute(a Attribute) (now Attribute, values []Value) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		if now, err = s.Attributes.Find(s.Context(), tx, a.Kind, a.ID); err != nil {
			return err
		}
		values = nil
		return s.Attributes.EachValue(s.Context(), tx, now, func(v Value) error {
			values = append(values, v)
			return nil
		})
	})
	if now.ValueCount != int64(len(values)) {
		s.Errorf("%s: ValueCount is %d, but there are %d values", now.Name, now.ValueCount, len(values))
	}
	return now, values
}

// wantValues expects values with these names in order. A value with an external id is written "name=external id".
func (s *catalogFixture) wantValues(a Attribute, want ...string) {
	s.Helper()
	_, values := s.loadAttribute(a)
	got := make([]string, len(values))
	for i, v := range values {
		if got[i] = v.Name; v.ExternalID != nil {
			got[i] += "=" + *v.ExternalID
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("the values are %q, want %q", got, want)
	}
}

func TestCreateAttribute_keepsOrderOfValues(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		values := newValueEdits("S", "XL", "M", "M")
		values[1].ID = ValueID{1} // ids are ignored: all values are new
		a, err := s.tryCreateAttribute(Option, withValues(AttributeEdit{Name: new("Size")}, values...))
		s.must(err)
		s.wantValues(a, "S", "XL", "M", "M")

		now, stored := s.loadAttribute(a)
		if now.Name != "Size" || now.Kind != Option || now.FieldType != Select || now.Filterable || now.Version != 1 ||
			now.ExternalID != nil {
			s.Errorf("the option is %+v", now)
		}

		if stored[1].ID == (ValueID{1}) || !stored[0].CreatedAt.Equal(now.CreatedAt) {
			s.Errorf("the values are %+v", stored)
		}

		if empty, err := s.tryCreateAttribute(Feature,
			AttributeEdit{Name: new("Fabric"), Filterable: new(true)}); err != nil {
			s.Error(err)
		} else if now, values := s.loadAttribute(empty); !now.Filterable || len(values) != 0 {
			s.Errorf("the feature is %+v with %d values", now, len(values))
		}
	})
}

func TestCreateAttribute_refusesInvalidEdits(t *testing.T) {
	float := AttributeEdit{Name: new("Weight"), FieldType: new(Range)}
	integer := AttributeEdit{Name: new("Age"), FieldType: new(Range), RangeType: new(Integer)}

	cases := []struct {
		name string
		kind Kind
		edit AttributeEdit
		want []string
	}{
		{"no name", Option, AttributeEdit{}, []string{"name required"}},
		{"a range type without a range", Feature, AttributeEdit{Name: new("Fabric"), RangeType: new(Integer)},
			[]string{"range_type not_allowed"}},
		{"words on a range", Feature, withValues(float, newValueEdits("1.5", "heavy", "2,5", "1e3")...),
			[]string{"values[1].name not_a_number", "values[3].name not_a_number"}},
		{"fractions on integers", Feature, withValues(integer, newValueEdits("1", "1.5", "2.0")...),
			[]string{"values[1].name not_a_number"}},
	}

	eachEngine(t, func(s *catalogFixture) {
		for _, c := range cases {
			s.Log(c.name)
			_, err := s.tryCreateAttribute(c.kind, c.edit)
			s.wantInvalid(err, c.want...)
		}
		if n := s.Count("attributes") + s.Count("attribute_values"); n != 0 {
			s.Errorf("refused attributes left %d rows", n)
		}
	})
}

func TestEditAttribute_removesRenamesAndAddsInOneEdit(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.feature("Fabric", "wool", "silk", "linen", "jute")
		p := s.mustCreate(ProductEdit{Features: &[]ValueRef{a.ref("wool"), a.ref("silk"), a.ref("linen")}})
		e := withValues(AttributeEdit{Name: new("Cloth")},
			ValueEdit{Name: "hemp"}, ValueEdit{ID: a.values["linen"], Name: "fine linen"}, ValueEdit{Name: "felt"})
		edited, err := s.editAttribute(a.Attribute, withRemoved(e, a.values["silk"], a.values["jute"]), nil)
		s.must(err)
		s.wantValues(edited, "wool", "fine linen", "hemp", "felt")

		now, values := s.loadAttribute(edited)
		if now.Name != "Cloth" || now.Version != a.Version+1 || !now.UpdatedAt.After(a.UpdatedAt) ||
			!now.CreatedAt.Equal(a.CreatedAt) {
			s.Errorf("the feature is %+v, was %+v", now, a.Attribute)
		}

		if values[1].ID != a.values["linen"] || !values[1].UpdatedAt.Equal(now.UpdatedAt) ||
			!values[0].UpdatedAt.Equal(a.UpdatedAt) {
			s.Errorf("the values are %+v", values)
		}

		after := s.load(p.ID)
		if got := formatValues(after.Features); got != "Cloth wool, Cloth fine linen" || after.Version == p.Version {
			s.Errorf("the product has the features %q in version %d", got, after.Version)
		}
	})
}

func TestEditAttribute_leavesOmittedFieldsUnchanged(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, err := s.tryCreateAttribute(Feature, withValues(
			AttributeEdit{Name: new("Weight"), ExternalID: new("w"), Filterable: new(true), FieldType: new(Range),
				RangeType: new(Integer)},
			ValueEdit{Name: "1", ExternalID: new("one")}, ValueEdit{Name: "2"}))
		s.must(err)
		edited, err := s.editAttribute(a, AttributeEdit{}, nil)
		s.must(err)
		s.wantValues(edited, "1=one", "2")
		now, _ := s.loadAttribute(edited)
		if now.Name != "Weight" || now.ExternalID == nil || *now.ExternalID != "w" || !now.Filterable ||
			now.FieldType != Range || now.RangeType != Integer || now.Version != 2 {
			s.Errorf("the feature is %+v", now)
		}
	})
}

func TestEditAttribute_namesWrongValueIDs(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.option("Size", "S", "M")
		other := s.option("Colour", "red")
		S, M, red := a.values["S"], a.values["M"], other.values["red"]
		rename := func(id ValueID) ValueEdit { return ValueEdit{ID: id, Name: "new"} }

		cases := []struct {
			name string
			edit AttributeEdit
			want []string
		}{
			{"removes unknown value", withRemoved(AttributeEdit{}, S, ValueID{1}),
				[]string{"removed_values[1] unknown_value"}},
			{"removes value of another option", withRemoved(AttributeEdit{}, red),
				[]string{"removed_values[0] unknown_value"}},
			{"removes value twice", withRemoved(AttributeEdit{}, S, M, S), []string{"removed_values[2] duplicate_id"}},
			{"renames unknown value", withValues(AttributeEdit{}, rename(S), rename(red)),
				[]string{"values[1].id unknown_value"}},
			{"renames value twice", withValues(AttributeEdit{}, rename(S), rename(M), rename(S)),
				[]string{"values[2].id duplicate_id"}},
			{"removes and renames value", withRemoved(withValues(AttributeEdit{}, rename(M)), M),
				[]string{"values[0].id removed_too"}},
			{"several errors", withRemoved(AttributeEdit{}, ValueID{1}, ValueID{2}),
				[]string{"removed_values[0] unknown_value", "removed_values[1] unknown_value"}},
		}
		for _, c := range cases {
			s.Log(c.name)
			_, err := s.editAttribute(a.Attribute, c.edit, nil)
			s.wantInvalid(err, c.want...)
		}

		s.wantValues(a.Attribute, "S", "M")
	})
}

// The lists are written in chunks. An id that occurs twice is refused even if its occurrences are in different chunks.
func TestEditAttribute_handlesListsOfSeveralChunks(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		names := make([]string, 2*write.ChunkSize+3)
		for i := range names {
			names[i] = fmt.Sprint("v", i)
		}

		a := s.feature("Part", names...)
		var renamed []ValueEdit
		var removed []ValueID
		want := slices.Clone(names)

		for i, name := range names {
			if i%2 == 0 {
				removed = append(removed, a.values[name])
				want[i] = ""
			} else {
				renamed = append(renamed, ValueEdit{ID: a.values[name], Name: name + "'"})
				want[i] += "'"
			}
		}

		want = append(slices.DeleteFunc(want, func(name string) bool { return name == "" }), "last")
		e := withRemoved(withValues(AttributeEdit{}, append(renamed, ValueEdit{Name: "last"})...), removed...)
		twice := withValues(AttributeEdit{},
			append(slices.Clone(renamed), append(newValueEdits(names...), renamed[0])...)...)
		_, err := s.editAttribute(a.Attribute, twice, nil)
		s.wantInvalid(err, fmt.Sprintf("values[%d].id duplicate_id", len(renamed)+len(names)))
		s.must(errorOf(s.editAttribute(a.Attribute, e, nil)))
		s.wantValues(a.Attribute, want...)
	})
}

func TestEditAttribute_convertsValuesToNewType(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.feature("Weight", "1.5", "heavy", "2")
		numbers := func(want ...string) {
			s.Helper()
			got := s.Texts("SELECT CAST(COALESCE(number * 10, -1) AS INTEGER) || '' FROM attribute_values ORDER BY key")
			if !slices.Equal(got, want) {
				s.Errorf("the numbers are %q tenths, want %q", got, want)
			}
		}
		ranged := AttributeEdit{FieldType: new(Range)}
		_, err := s.editAttribute(a.Attribute, ranged, nil)
		s.wantInvalid(err, "field_type values_do_not_fit")
		if text := fieldMessages(err); !strings.Contains(text, `"heavy"`) || strings.Contains(text, `"1.5"`) {
			s.Errorf("%q must name only the value that does not fit", text)
		}

		numbers("-1", "-1", "-1")

		if _, err := s.editAttribute(a.Attribute, withValues(ranged, ValueEdit{ID: a.values["heavy"], Name: "100"}),
			nil); err != nil {
			s.Fatal(err)
		}

		numbers("15", "1000", "20")
		if now, _ := s.loadAttribute(a.Attribute); now.FieldType != Range || now.RangeType != Float {
			s.Errorf("the feature is %+v", now)
		}

		_, err = s.editAttribute(a.Attribute, AttributeEdit{RangeType: new(Integer)}, nil)
		s.wantInvalid(err, "range_type values_do_not_fit")
		if _, err := s.editAttribute(a.Attribute, withRemoved(AttributeEdit{RangeType: new(Integer)}, a.values["1.5"]),
			nil); err != nil {
			s.Fatal(err)
		}

		numbers("1000", "20")
		s.must(errorOf(s.editAttribute(a.Attribute, AttributeEdit{FieldType: new(Select)}, nil)))
		numbers("-1", "-1")

		if now, _ := s.loadAttribute(a.Attribute); now.FieldType != Select || now.RangeType != "" {
			s.Errorf("the feature is %+v", now)
		}
	})
}

// fieldMessages returns the messages of a fault's fields.
func fieldMessages(err error) (text string) {
	var f *fault.Error
	if errors.As(err, &f) {
		for _, field := range f.Fields {
			text += field.Message + "\n"
		}
	}
	return text
}

func TestAttributes_externalIDIsUniquePerKindAndStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size, err := s.tryCreateAttribute(Option, AttributeEdit{Name: new("Size"), ExternalID: new("1")})
		s.must(err)
		if _, err := s.tryCreateAttribute(Feature,
			AttributeEdit{Name: new("Fabric"), ExternalID: new("1")}); err != nil {
			s.Errorf("feature with the external id of an option: %v", err)
		}

		if _, err := s.otherStore().tryCreateAttribute(Option,
			AttributeEdit{Name: new("Size"), ExternalID: new("1")}); err != nil {
			s.Errorf("option of another store with the same external id: %v", err)
		}

		_, err = s.tryCreateAttribute(Option, AttributeEdit{Name: new("Colour"), ExternalID: new("1")})
		s.wantExternalIDTaken(err, "external_id")
		colour := s.option("Colour")
		_, err = s.editAttribute(colour.Attribute, AttributeEdit{ExternalID: new("1")}, nil)
		s.wantExternalIDTaken(err, "external_id")
		s.must(errorOf(s.editAttribute(size, AttributeEdit{ExternalID: new("")}, nil)))
		if _, err := s.editAttribute(colour.Attribute, AttributeEdit{ExternalID: new("1")}, nil); err != nil {
			s.Errorf("reusing a cleared external id: %v", err)
		}
	})
}

func TestValues_externalIDIsUniquePerAttribute(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, err := s.tryCreateAttribute(Option, withValues(AttributeEdit{Name: new("Size")},
			ValueEdit{Name: "S", ExternalID: new("1")}, ValueEdit{Name: "M", ExternalID: new("2")},
			ValueEdit{Name: "L"}))
		s.must(err)
		_, values := s.loadAttribute(a)
		S, M, L := values[0].ID, values[1].ID, values[2].ID
		edit := func(values ...ValueEdit) error {
			_, err := s.editAttribute(a, withValues(AttributeEdit{}, values...), nil)
			return err
		}
		s.wantExternalIDTaken(edit(ValueEdit{Name: "XL"}, ValueEdit{Name: "XXL", ExternalID: new("1")}),
			"values[1].external_id")
		s.wantExternalIDTaken(edit(ValueEdit{ID: L, Name: "L", ExternalID: new("2")}), "values[0].external_id")
		s.wantExternalIDTaken(edit(ValueEdit{Name: "XL", ExternalID: new("3")},
			ValueEdit{Name: "XXL", ExternalID: new("3")}),
			"values[1].external_id")
		s.wantValues(a, "S=1", "M=2", "L")

		// One edit swaps the external ids of two values; another one moves an external id from one value to another.
		if err := edit(ValueEdit{ID: S, Name: "S", ExternalID: new("2")},
			ValueEdit{ID: M, Name: "M", ExternalID: new("1")}); err != nil {
			s.Fatal(err)
		}

		s.wantValues(a, "S=2", "M=1", "L")

		if err := edit(ValueEdit{ID: S, Name: "S", ExternalID: new("")},
			ValueEdit{ID: L, Name: "L", ExternalID: new("2")}); err != nil {
			s.Fatal(err)
		}

		s.wantValues(a, "S", "M=1", "L=2")

		if _, err := s.tryCreateAttribute(Option,
			withValues(AttributeEdit{Name: new("Colour")}, ValueEdit{Name: "red", ExternalID: new("1")})); err != nil {
			s.Errorf("value of another option with the same external id: %v", err)
		}
	})
}

func TestEditAttribute_refusesStaleVersionOrOtherStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.option("Size", "S")
		stale := func(version int64) bool { return version != a.Version }
		other := s.otherStore()
		for name, c := range map[string]struct {
			err  error
			want fault.Kind
		}{
			"edit with a stale version": {errorOf(s.editAttribute(a.Attribute, AttributeEdit{Name: new("Length")},
				stale)), fault.Stale},
			"deletion with a stale version": {s.deleteAttribute(a.Attribute, stale), fault.Stale},
			"edit from another store": {errorOf(other.editAttribute(a.Attribute,
				AttributeEdit{Name: new("Length")}, nil)), fault.NotFound},
			"deletion from another store": {other.deleteAttribute(a.Attribute, nil), fault.NotFound},
			"edit as a feature": {errorOf(s.editAttribute(Attribute{Kind: Feature, ID: a.ID},
				AttributeEdit{Name: new("Length")}, nil)), fault.NotFound},
			"deletion as a feature": {s.deleteAttribute(Attribute{Kind: Feature, ID: a.ID}, nil), fault.NotFound},
		} {
			if fault.KindOf(c.err) != c.want {
				s.Errorf("%s: got %v", name, c.err)
			}
		}

		if now, _ := s.loadAttribute(a.Attribute); now.Name != "Size" || now.Version != a.Version {
			s.Errorf("the option is %+v", now)
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

func TestDeleteAttribute_removesItFromProductsAndVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M")
		colour := s.option("Colour", "red")
		fabric := s.feature("Fabric", "wool", "silk")
		use := s.feature("Use", "sport")
		e := withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")), newVariant("b", 2, size.ref("M")))
		e.Features = &[]ValueRef{fabric.ref("wool"), fabric.ref("silk"), use.ref("sport")}
		p := s.mustCreate(e)

		for _, a := range []testAttribute{size, fabric} {
			s.must(s.deleteAttribute(a.Attribute, nil))
			if fault.KindOf(s.deleteAttribute(a.Attribute, nil)) != fault.NotFound {
				s.Errorf("%s can be deleted twice", a.Name)
			}
		}

		after := s.load(p.ID)
		s.wantVariants(after, "a: Colour red", "b: ")
		if got := formatValues(after.Features); got != "Use sport" || after.Version == p.Version ||
			!after.UpdatedAt.Equal(p.UpdatedAt) {
			s.Errorf("the product has the features %q, version %d, updated at %s", got, after.Version, after.UpdatedAt)
		}

		if attributes, values := s.Count("attributes"), s.Count("attribute_values"); attributes != 2 || values != 2 {
			s.Errorf("%d attributes and %d values are left", attributes, values)
		}
	})
}

func TestListAttributes_returnsPages(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for i := range 5 {
			s.option(fmt.Sprint("Size ", i), "S")
		}

		s.option("Colour")
		s.feature("Size of the box")

		list := func(search string, limit, offset int64) string {
			s.Helper()
			var names []string
			var total int64

			s.Read(func(tx store.Tx) error {
				list, n, err := s.Attributes.List(s.Context(), tx, Option, search, limit, offset)
				names = nil
				total = n
				for _, a := range list {
					names = append(names, a.Name)
				}
				return err
			})

			return fmt.Sprint(strings.Join(names, ", "), " of ", total)
		}

		check := func(search string, limit, offset int64, want string) {
			s.Helper()
			for range 2 { // the second call reads from the cache
				if got := list(search, limit, offset); got != want {
					s.Errorf("%q %d+%d: got %q, want %q", search, offset, limit, got, want)
				}
			}
		}
		check("", 2, 0, "Size 0, Size 1 of 6")
		check("", 2, 5, "Colour of 6")
		check("", 2, 6, " of 6")
		check("size", 10, 0, "Size 0, Size 1, Size 2, Size 3, Size 4 of 5")
		check("colo", 10, 0, "Colour of 1")
		s.option("Colour of the sole")
		check("colo", 10, 0, "Colour, Colour of the sole of 2")
	})
}

func TestValues_returnsPagesAndValuesOfSeveralAttributes(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.option("Size", "S", "M", "L")
		b := s.option("Colour", "red", "blue")

		s.Read(func(tx store.Tx) error {
			for _, c := range []struct {
				limit, offset int64
				want          string
			}{{2, 0, "S M"}, {2, 2, "L"}, {2, 3, ""}} {
				var names []string
				err := s.Attributes.Values(s.Context(), tx, a.Attribute, c.limit, c.offset,
					func(v Value) error {
						names = append(names, v.Name)
						return nil
					})
				if got := strings.Join(names, " "); err != nil || got != c.want {
					s.Errorf("%d+%d: %q, %v, want %q", c.offset, c.limit, got, err, c.want)
				}
			}

			var names []string
			err := s.Attributes.EachValueOf(s.Context(), tx, []int64{a.Key, b.Key},
				func(key int64, v Value) error {
					names = append(names, fmt.Sprint(key == b.Key, v.Name))
					return nil
				})
			if got := strings.Join(names, " "); got != "falseS falseM falseL truered trueblue" {
				s.Errorf("values of both attributes: %q, %v", got, err)
			}

			return err
		})
	})
}
