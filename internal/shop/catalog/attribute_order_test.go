package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// valueNames returns the names of an attribute's values as all three ways of listing them do.
func (s *catalogFixture) valueNames(a testAttribute) string {
	s.Helper()
	var lists [3][]string

	s.Read(func(tx store.Tx) error {
		found, err := s.Attributes.Find(s.Context(), tx, a.Kind, a.ID)
		if err != nil {
			return err
		}

		appendTo := func(i int) func(Value) error {
			return func(v Value) error {
				lists[i] = append(lists[i], v.Name)
				return nil
			}
		}
		if err := s.Attributes.EachValue(s.Context(), tx, found, appendTo(0)); err != nil {
			return err
		}

		for offset := range found.ValueCount {
			if err := s.Attributes.Values(s.Context(), tx, found, 1, offset, appendTo(1)); err != nil {
				return err
			}
		}

		return s.Attributes.EachValueOf(s.Context(), tx, []int64{a.Key}, func(_ int64, v Value) error {
			lists[2] = append(lists[2], v.Name)
			return nil
		})
	})
	if !slices.Equal(lists[0], lists[1]) || !slices.Equal(lists[0], lists[2]) {
		s.Errorf("the values are %q, by pages %q, of several attributes %q", lists[0], lists[1], lists[2])
	}

	return strings.Join(lists[0], " ")
}

func (s *catalogFixture) placeValue(a testAttribute, value string, place int) (was int, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		_, was, err = s.Attributes.PlaceValue(s.Context(), tx, a.Kind, a.ID, a.values[value], place, nil)
		return err
	})
	return was, err
}

func (s *catalogFixture) wantOrder(a testAttribute, want string) {
	s.Helper()
	if got := s.valueNames(a); got != want {
		s.Errorf("the values are %q, want %q", got, want)
	}
}

func TestPlaceValue_movesOneValue(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "L", "S", "M", "XL")
		other := s.option("Other", "L", "S")
		for _, move := range []struct {
			value string
			place int
			was   int
			want  string
		}{
			{"S", 1, 2, "S L M XL"},
			{"M", 2, 3, "S M L XL"},
			{"S", 99, 1, "M L XL S"},
			{"S", 0, 4, "S M L XL"},
			{"L", 3, 3, "S M L XL"},
		} {
			was, err := s.placeValue(size, move.value, move.place)
			if s.must(err); was != move.was {
				s.Errorf("%s was at %d, want %d", move.value, was, move.was)
			}
			s.wantOrder(size, move.want)
		}

		s.wantOrder(other, "L S")
	})
}

func TestPlaceValue_leavesNewValuesAtTheEndAndRenamedOnesInPlace(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "L", "S")
		_, err := s.placeValue(size, "S", 1)
		s.must(err)
		s.Write(func(tx store.Tx) error {
			_, err := s.Attributes.Edit(s.Context(), tx, Option, size.ID, AttributeEdit{Values: ListOf(
				ValueEdit{Name: "new"}, ValueEdit{ID: size.values["S"], Name: "small"}, ValueEdit{Name: "newer"})}, nil)
			return err
		})
		s.wantOrder(size, "small L new newer")
		s.removeValues(size, "L")
		s.wantOrder(size, "small new newer")
	})
}

func TestPlaceValue_raisesTheVersion(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "L", "S")
		place := func(pre fault.Precondition) (a Attribute, err error) {
			err = s.TryWrite(func(tx store.Tx) (err error) {
				a, _, err = s.Attributes.PlaceValue(s.Context(), tx, Option, size.ID, size.values["S"], 1, pre)
				return err
			})
			return a, err
		}
		a, err := place(func(version int64) bool { return version == size.Version })
		if s.must(err); a.Version <= size.Version || !a.UpdatedAt.After(size.UpdatedAt) {
			s.Errorf("the version is %d at %s, was %d at %s", a.Version, a.UpdatedAt, size.Version, size.UpdatedAt)
		}

		_, err = place(func(version int64) bool { return version == size.Version })
		if fault.KindOf(err) != fault.Stale {
			s.Errorf("with an old version: %v, want Stale", err)
		}
	})
}

func TestPlaceValue_refuses(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size, colour := s.option("Size", "L"), s.option("Colour", "red")
		size.values["red"], size.values["unknown"] = colour.values["red"], id.New[Value]()
		for _, value := range []string{"red", "unknown"} {
			if _, err := s.placeValue(size, value, 1); fault.KindOf(err) != fault.NotFound {
				s.Errorf("%s: %v, want NotFound", value, err)
			}
		}
		s.Exec("UPDATE attributes SET value_count = $2 WHERE store_id = $1", s.Store.ID, MaxOrderedValues+1)
		if _, err := s.placeValue(size, "L", 1); fault.KindOf(err) != fault.Conflict {
			s.Errorf("with too many values: %v, want Conflict", err)
		}
	})
}

func TestSortValues_sortsByNameOrNumber(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		sort := func(a testAttribute) {
			s.Helper()
			s.Write(func(tx store.Tx) error {
				_, err := s.Attributes.SortValues(s.Context(), tx, a.Kind, a.ID, nil)
				return err
			})
		}

		colour := s.option("Colour", "red10", "Blue", "red9")
		sort(colour)
		s.wantOrder(colour, "Blue red9 red10")
		weight := s.feature("Weight", "10", "1,5", "-3")
		s.Write(func(tx store.Tx) error {
			_, err := s.Attributes.Edit(s.Context(), tx, Feature, weight.ID, AttributeEdit{FieldType: new(Range)}, nil)
			return err
		})
		sort(weight)
		s.wantOrder(weight, "-3 1,5 10")
	})
}

func TestAddValues_skipsExistingAndRepeatedNames(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.option("Colour", "Red", "Dark  blue")
		var added AddedValues
		s.Write(func(tx store.Tx) (err error) {
			added, err = s.Attributes.AddValues(s.Context(), tx, Option, colour.ID,
				[]string{"green", "red", "Green", "dark blue", "white", "RED"}, nil)
			return err
		})
		if added.Added != 2 || fmt.Sprint(added.Existing, added.ExistingTotal) != "[red dark blue] 2" ||
			added.Attribute.ValueCount != 4 {
			s.Errorf("added %+v", added)
		}

		s.wantOrder(colour, "Red Dark  blue green white")
		s.Write(func(tx store.Tx) (err error) {
			added, err = s.Attributes.AddValues(s.Context(), tx, Option, colour.ID, []string{"red"}, nil)
			return err
		})

		if added.Added != 0 || added.Attribute.Version != 2 {
			s.Errorf("with nothing new: %+v, want the version unchanged", added)
		}
	})
}

func TestFindValues_findsWordsAndPlaces(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.option("Colour", "dark blue", "red", "Light Blue", "blue")
		_, err := s.placeValue(colour, "blue", 1)
		s.must(err)
		for _, search := range []struct {
			text          string
			limit, offset int64
			want          string
		}{
			{"", 2, 1, "2 dark blue, 3 red of 4"},
			{"BLU", 10, 0, "1 blue, 2 dark blue, 4 Light Blue of 3"},
			{"blue", 1, 1, "2 dark blue of 3"},
			{"blue dark", 10, 0, "2 dark blue of 1"},
			{"ark", 10, 0, " of 0"},
			{"-", 10, 0, " of 0"},
		} {
			var names []string
			var total int64

			s.Read(func(tx store.Tx) error {
				a, err := s.Attributes.Find(s.Context(), tx, Option, colour.ID)
				if err != nil {
					return err
				}

				list, n, err := s.Attributes.FindValues(s.Context(), tx, a, search.text, search.limit, search.offset)
				for _, v := range list {
					names = append(names, fmt.Sprint(v.Place, " ", v.Name))
				}

				total = n
				return err
			})
			if got := fmt.Sprintf("%s of %d", strings.Join(names, ", "), total); got != search.want {
				s.Errorf("%q: %s, want %s", search.text, got, search.want)
			}
		}
	})
}

func TestUsageOf_countsProducts(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.feature("Colour", "red", "blue")
		unused := s.option("Unused", "x")
		for range 2 {
			s.mustCreate(ProductEdit{Features: &[]ValueRef{colour.ref("red"), colour.ref("blue")},
				Variants: &[]VariantEdit{
					newVariant("a", 100, size.ref("S")), newVariant("b", 100, size.ref("L"))}})
		}

		s.Read(func(tx store.Tx) error {
			options, err := view.AttributeUsage(s.Context(), tx, Option, []int64{size.Key, unused.Key}, 100)
			if got := fmt.Sprint(options[size.Key], options[unused.Key]); err != nil || got != "{2 false} {0 false}" {
				s.Errorf("options: %s, %v", got, err)
			}

			features, err := view.AttributeUsage(s.Context(), tx, Feature, []int64{colour.Key}, 3)
			if got := features[colour.Key]; err != nil || !got.More || got.Products < 1 || got.Products > 2 {
				s.Errorf("features, with three links at most: %v, %v", got, err)
			}

			values, err := view.ValueUsage(s.Context(), tx, size.Attribute, []ValueID{size.values["S"]}, 100)
			if got := values[size.values["S"]]; err != nil || got != (view.Usage{Products: 2}) {
				s.Errorf("a value of an option: %v, %v", got, err)
			}

			values, err = view.ValueUsage(s.Context(), tx, colour.Attribute, []ValueID{colour.values["red"]}, 100)
			if got := values[colour.values["red"]]; err != nil || got != (view.Usage{Products: 2}) {
				s.Errorf("a value of a feature: %v, %v", got, err)
			}

			return nil
		})
	})
}

func TestRenameValue_refusesAValueThatWasRenamedMeanwhile(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.option("Colour", "red", "blue")
		rename := func(was, name string) (present Value, err error) {
			err = s.TryWrite(func(tx store.Tx) (err error) {
				present, err = s.Attributes.RenameValue(s.Context(), tx, Option, colour.ID, colour.values["red"], was,
					name)
				return err
			})
			return present, err
		}
		_, err := rename("red", "crimson")
		s.must(err)
		s.wantOrder(colour, "crimson blue")

		present, err := rename("red", "scarlet")
		if fault.KindOf(err) != fault.Stale || present.Name != "crimson" {
			s.Errorf("with an old name: %q, %v; want Stale with crimson", present.Name, err)
		}
		if _, err := rename("red", "crimson"); err != nil {
			s.Errorf("to the name that it has: %v", err)
		}

		s.wantOrder(colour, "crimson blue")
	})
}
