package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/store"
)

// applyAttributes returns a function that calls ApplyAttributes with this kind.
func (s *catalogFixture) applyAttributes(
	kind Kind,
) func(context.Context, store.Tx, []AttributePush) ([]push.Pushed, error) {
	return func(ctx context.Context, tx store.Tx, items []AttributePush) ([]push.Pushed, error) {
		return s.Pushes.ApplyAttributes(ctx, tx, kind, items)
	}
}

// attributePush returns an item whose name is its id. Its values are written "id name".
func attributePush(externalID string, values ...string) AttributePush {
	p := AttributePush{ID: externalID, Name: &externalID}
	for _, v := range values {
		id, name, _ := strings.Cut(v, " ")
		p.Values = append(p.Values, ValuePush{id, name})
	}
	return p
}

// withDigests sets the digests of items to hashes of their content.
func withDigests(items ...AttributePush) []AttributePush {
	for i := range items {
		items[i].Digest = Digest{}
		items[i].Digest = digestOf(fmt.Sprintf("%+v", items[i]), textOrDash(items[i].Name),
			textOrDash(items[i].Filterable), textOrDash(items[i].FieldType), textOrDash(items[i].RangeType))
	}
	return items
}

func textOrDash[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

func (s *catalogFixture) pushAttributes(kind Kind, items []AttributePush, want ...string) []push.Pushed {
	s.Helper()
	return expectPush(s, s.applyAttributes(kind), withDigests(items...), want...)
}

// wantAttributes checks the store's attributes of a kind, written "name vVersion: id name number, …" in the order of
// their creation.
func (s *catalogFixture) wantAttributes(kind Kind, want ...string) {
	s.Helper()
	var got []string

	s.Read(func(tx store.Tx) error {
		got = nil
		list, _, err := s.Attributes.List(s.Context(), tx, kind, "", 100, 0)
		if err != nil {
			return err
		}

		for _, a := range list {
			numbers := s.valueNumbers(tx.Unscoped(), a.Key)
			var values []string
			err := s.Attributes.EachValue(s.Context(), tx, a, func(v Value) error {
				values = append(values, strings.TrimSpace(textOrDash(v.ExternalID)+" "+v.Name+" "+numbers[len(values)]))
				return nil
			})
			if err != nil {
				return err
			}

			if int64(len(values)) != a.ValueCount {
				s.Errorf("%s has ValueCount %d, but %d values", a.Name, a.ValueCount, len(values))
			}

			got = append(got, fmt.Sprintf("%s v%d: %s", a.Name, a.Version, strings.Join(values, ", ")))
		}

		return nil
	})
	if !slices.Equal(got, want) {
		s.Errorf("attributes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (s *catalogFixture) valueNumbers(q database.Querier, attributeKey int64) (list []string) {
	s.Helper()
	err := database.QueryEach(s.Context(), q,
		"SELECT number FROM attribute_values WHERE attribute_key = $1 ORDER BY key", []any{attributeKey},
		func(rows database.Rows) error {
			var n *float64
			err := rows.Scan(&n)
			if list = append(list, ""); n != nil {
				list[len(list)-1] = fmt.Sprint(*n)
			}
			return err
		})
	if err != nil {
		s.Fatal(err)
	}
	return list
}

func TestPushAttributes_mergesValuesByTheirIDs(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.otherStore().pushAttributes(Option, []AttributePush{attributePush("colour", "g grey")}, "created")

		// A feature may have the same id as an option.
		s.pushAttributes(Feature, []AttributePush{attributePush("colour", "g grey")}, "created")
		first := []AttributePush{attributePush("colour", "r red", "b blue"), {ID: "nameless"}, attributePush("size")}
		s.pushAttributes(Option, first, "created", "failed name:required", "created")
		s.wantAttributes(Option, "colour v1: r red, b blue", "size v1: ")
		ids := s.Texts("SELECT CAST(updated_at AS TEXT) FROM attributes WHERE store_id = $1 ORDER BY key", s.Store.ID)
		s.pushAttributes(Option, first, "unchanged", "failed name:required", "unchanged")
		if got := s.Texts("SELECT CAST(updated_at AS TEXT) FROM attributes WHERE store_id = $1 ORDER BY key",
			s.Store.ID); !slices.Equal(got, ids) {
			s.Errorf("an unchanged push changed the update times from %q to %q", ids, got)
		}

		colour := s.attributeNamed(Option, "colour")
		p := s.mustCreate(withVariants(newVariant("a", 1, colour.ref("red")), newVariant("b", 1, colour.ref("blue"))))
		second := attributePush("colour", "b navy", "g green", "r red")
		second.Name = nil
		s.pushAttributes(Option, []AttributePush{second}, "updated")
		s.wantAttributes(Option, "colour v2: r red, b navy, g green", "size v1: ")
		s.wantVariants(s.load(p.ID), "a: colour red", "b: colour navy")

		third := AttributePush{ID: "colour", Removed: []string{"r", "gone"}, Values: []ValuePush{{"y", "yellow"}}}
		both := AttributePush{ID: "size", Removed: []string{"x"}, Values: []ValuePush{{"x", "XL"}}}
		newer := attributePush("shape", "r round")
		newer.Removed = []string{"o"}
		s.pushAttributes(Option, []AttributePush{third, both, newer},
			"updated ~removed_values[1]:unknown_value", "failed values[0].id:removed_too",
			"created ~removed_values[0]:unknown_value")
		s.wantAttributes(Option, "colour v3: b navy, g green, y yellow", "size v1: ", "shape v1: r round")
		s.wantVariants(s.load(p.ID), "a: ", "b: colour navy")
		s.pushAttributes(Option, []AttributePush{third}, "unchanged")
		s.wantAttributes(Feature, "colour v1: g grey")
	})
}

// attributeNamed returns the attribute with this name and its values.
func (s *catalogFixture) attributeNamed(kind Kind, name string) testAttribute {
	s.Helper()
	a := testAttribute{values: map[string]ValueID{}}
	s.Read(func(tx store.Tx) error {
		list, _, err := s.Attributes.List(s.Context(), tx, kind, name, 1, 0)
		if err != nil {
			return err
		}
		a.Attribute = list[0]
		return s.Attributes.EachValue(s.Context(), tx, a.Attribute, func(v Value) error {
			a.values[v.Name] = v.ID
			return nil
		})
	})
	return a
}

func TestPushAttributes_checksValuesAgainstTheFeatureType(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		weight := attributePush("weight", "1 1,5", "2 heavy")
		ranged := attributePush("size", "1 1,5", "2 XL", "3 2")
		ranged.FieldType, ranged.RangeType = new(Range), new(Integer)
		misused := attributePush("m")
		misused.RangeType = new(Float)
		s.pushAttributes(Feature, []AttributePush{weight, ranged, misused},
			"created", "failed values[0].name:not_a_number values[1].name:not_a_number",
			"failed range_type:not_allowed")
		s.wantAttributes(Feature, "weight v1: 1 1,5, 2 heavy")

		change := AttributePush{ID: "weight", FieldType: new(Range)}
		s.pushAttributes(Feature, []AttributePush{change}, "failed field_type:values_do_not_fit")
		change.Values = []ValuePush{{"2", "100"}, {"3", "7"}, {"1", "1,5"}}
		s.pushAttributes(Feature, []AttributePush{change}, "updated")
		s.wantAttributes(Feature, "weight v2: 1 1,5 1.5, 2 100 100, 3 7 7")

		change = AttributePush{ID: "weight", RangeType: new(Integer)}
		s.pushAttributes(Feature, []AttributePush{change}, "failed range_type:values_do_not_fit")
		change.Removed = []string{"1"}
		s.pushAttributes(Feature, []AttributePush{change}, "updated")
		s.pushAttributes(Feature,
			[]AttributePush{{ID: "weight", FieldType: new(Select), Values: []ValuePush{{"4", "light"}}}}, "updated")
		s.wantAttributes(Feature, "weight v4: 2 100, 3 7, 4 light")
	})
}

// After an edit through the API, the same push is applied again. A push that does not set filterable keeps the value of
// the edit.
func TestPushAttributes_appliesAgainAfterAnEdit(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		pushed := []AttributePush{attributePush("weight", "1 heavy")}
		s.pushAttributes(Feature, pushed, "created")
		s.Write(func(tx store.Tx) error {
			_, err := s.Attributes.Edit(s.Context(), tx, Feature,
				s.attributeNamed(Feature, "weight").ID, AttributeEdit{Name: new("weight, kg"), Filterable: new(true)},
				nil)
			return err
		})
		s.pushAttributes(Feature, pushed, "updated")
		s.wantAttributes(Feature, "weight v3: 1 heavy")
		if !s.attributeNamed(Feature, "weight").Filterable {
			s.Error("a push without filterable made the feature not filterable")
		}
	})
}

func TestPushAttributes_numberOfStatementsIsConstant(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		var first, again []AttributePush
		for i := range 40 {
			p := attributePush(fmt.Sprint("a", i), "1 one", "2 two")
			first = append(first, p)
			p.Values = []ValuePush{{"1", "uno"}, {"3", "tres"}}
			p.Removed = []string{"2"}
			again = append(again, p)
		}

		for _, items := range [][]AttributePush{withDigests(first...), withDigests(again...)} {
			one := statementsOf(s, s.applyAttributes(Option), items[:1])
			many := statementsOf(s, s.applyAttributes(Option), items[1:])
			if len(one) == 0 || len(many) != len(one) {
				s.Errorf("%d statements for one item, %d for many:\n%s", len(one), len(many), strings.Join(many, "\n"))
			}
		}
	})
}

// A list of values is written in chunks. The second push renames, adds and removes values of a list that fills more
// than one chunk.
func TestPushAttributes_writesManyValuesInChunks(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := attributePush("colour")
		for i := range write.ChunkSize + 10 {
			p.Values = append(p.Values, ValuePush{fmt.Sprint(i), fmt.Sprint("n", i)})
		}

		s.pushAttributes(Option, []AttributePush{p}, "created")
		p.Values[write.ChunkSize+5].Name = "other"
		p.Values = append(p.Values[5:], ValuePush{"new", "new"})
		p.Removed = []string{"0", "1"}
		s.pushAttributes(Option, []AttributePush{p}, "updated")

		got := s.Texts("SELECT name FROM attribute_values WHERE store_id = $1 ORDER BY key", s.Store.ID)
		if want := write.ChunkSize + 9; len(got) != want || int64(want) != s.attributeNamed(Option,
			"colour").ValueCount ||
			got[0] != "n2" || got[write.ChunkSize+3] != "other" || got[want-1] != "new" {
			s.Errorf("got %d values, from %s to %s", len(got), got[0], got[len(got)-1])
		}
	})
}
