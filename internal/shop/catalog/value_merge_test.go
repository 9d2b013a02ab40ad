package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// mergeFixture has the option color with the values red, crimson, scarlet and blue, and the feature material with wool,
// woolen and silk. They are pushed, and so are products that have the values.
type mergeFixture struct {
	*catalogFixture
}

func eachMergeFixture(t *testing.T, fn func(s *mergeFixture)) {
	t.Helper()
	for _, direct := range []int{0, -1} {
		t.Run(fmt.Sprintf("direct links %d", direct), func(t *testing.T) {
			storetest.Each(t, func(f *storetest.Fixture) {
				s := &mergeFixture{fixtureOf(f, Deps{Now: f.Clock.Now, MaxDirectLinks: direct})}
				s.pushAttributes()
				s.pushProducts()
				fn(s)
			})
		})
	}
}

func valuesNamed(names ...string) (list []ValuePush) {
	for _, name := range names {
		list = append(list, ValuePush{name, strings.ToUpper(name)})
	}
	return list
}

func (s *mergeFixture) pushAttributes() {
	s.Helper()
	s.pushAttribute(Option, AttributePush{ID: "color", Name: new("Color"),
		Values: valuesNamed("red", "crimson", "scarlet", "blue")})
	s.pushAttribute(Feature, AttributePush{ID: "material", Name: new("Material"),
		Values: valuesNamed("wool", "woolen", "silk")})
}

func (s *mergeFixture) pushAttribute(kind Kind, items ...AttributePush) string {
	s.Helper()
	var out []push.Pushed
	for i := range items {
		items[i].Digest = digestOf(fmt.Sprint(items[i].ID, items[i].Values, items[i].Removed))
	}
	s.Write(func(tx store.Tx) (err error) {
		if out, err = s.Pushes.ApplyAttributes(s.Context(), tx, kind, items); err != nil {
			return err
		}
		return s.endPush(tx, out)
	})
	return strings.Join(outcomes(out), "; ")
}

func colored(id, color string) VariantPush {
	return VariantPush{ID: id, Price: new(money.NewPrice(1)), Options: &[]ReferencePush{{"color", color}}}
}

func (s *mergeFixture) items() []ProductPush {
	return []ProductPush{
		{ID: "1", Name: new("One"), Variants: &[]VariantPush{colored("a", "red"), colored("b", "crimson"),
			colored("c", "blue")},
			Features: &[]ReferencePush{{"material", "wool"}, {"material", "woolen"}}},
		{ID: "2", Name: new("Two"), Variants: &[]VariantPush{colored("a", "scarlet")},
			Features: &[]ReferencePush{{"material", "woolen"}}},
		{ID: "3", Name: new("Three"), Variants: &[]VariantPush{colored("a", "blue")},
			Features: &[]ReferencePush{{"material", "silk"}}},
	}
}

func (s *mergeFixture) pushProducts() {
	s.Helper()
	s.wantOutcomes("created; created; created", s.items()...)
}

// attribute returns an attribute and its values by name.
func (s *mergeFixture) attribute(kind Kind) (a Attribute, values map[string]ValueID) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, _, err := s.Attributes.List(s.Context(), tx, kind, "", 1, 0)
		if err != nil {
			return err
		}
		a = list[0]
		values = map[string]ValueID{}
		return s.Attributes.EachValue(s.Context(), tx, a, func(v Value) error {
			values[strings.ToLower(v.Name)] = v.ID
			return nil
		})
	})
	return a, values
}

// merge merges values by name, and completes the merge.
func (s *mergeFixture) merge(kind Kind, into string, from ...string) {
	s.Helper()
	a, values := s.attribute(kind)
	m := ValueMerge{Into: values[into]}
	for _, name := range from {
		m.From = append(m.From, values[name])
	}
	s.Write(func(tx store.Tx) error {
		_, err := s.Attributes.Merge(s.Context(), tx, kind, a.ID, m, nil)
		return err
	})
	s.complete()
}

func (s *mergeFixture) complete() {
	s.Helper()
	if err := s.Merges.Complete(s.Context(), s.DB); err != nil {
		s.Fatal(err)
	}
	if n := s.Count("value_merges"); n != 0 {
		s.Errorf("%d merges are left", n)
	}
}

// wantValues checks the names of an attribute's values, sorted, and that their number is stored.
func (s *mergeFixture) wantValues(kind Kind, want string) {
	s.Helper()
	a, values := s.attribute(kind)
	if got := strings.Join(write.SortedStrings(keySet(values)), " "); got != want ||
		a.ValueCount != int64(len(values)) {
		s.Errorf("the values are %q, want %q; the number stored is %d", got, want, a.ValueCount)
	}
}

func keySet[V any](m map[string]V) map[string]bool {
	set := map[string]bool{}
	for key := range m {
		set[key] = true
	}
	return set
}

// links returns the external ids of products and variants with the names of their values.
func (s *mergeFixture) links() string {
	s.Helper()
	var lines []string

	s.Read(func(tx store.Tx) error {
		lines = nil
		for _, sql := range []string{
			`SELECT p.external_id || w.external_id || '=' || v.name || CASE WHEN w.twin = 0 THEN '' ELSE '*' END
FROM variant_values x JOIN variants w ON w.key = x.variant_key JOIN products p ON p.key = w.product_key JOIN attribute_values v ON v.key = x.value_key
WHERE x.store_id = $1 ORDER BY p.key, w.key`,
			`SELECT p.external_id || '=' || v.name
FROM product_values x JOIN products p ON p.key = x.product_key JOIN attribute_values v ON v.key = x.value_key WHERE x.store_id = $1 ORDER BY p.key, v.name`,
		} {
			if err := database.QueryEach(s.Context(), tx.Unscoped(), sql, []any{s.Store.ID},
				database.AppendColumn(&lines)); err != nil {
				return err
			}
		}

		return nil
	})

	return strings.Join(lines, " ")
}

func (s *mergeFixture) wantLinks(want string) {
	s.Helper()
	if got := s.links(); got != want {
		s.Errorf("the links are\n%s, want\n%s", got, want)
	}
}

func TestMerge_movesVariantsAndProductsAndKeepsEqualCombinations(t *testing.T) {
	eachMergeFixture(t, func(s *mergeFixture) {
		s.merge(Option, "red", "crimson", "scarlet")
		s.wantValues(Option, "blue red")
		s.wantLinks("1a=RED 1b=RED* 1c=BLUE 2a=RED 3a=BLUE 1=WOOL 1=WOOLEN 2=WOOLEN 3=SILK")
		s.merge(Feature, "wool", "woolen")
		s.wantValues(Feature, "silk wool")
		s.wantLinks("1a=RED 1b=RED* 1c=BLUE 2a=RED 3a=BLUE 1=WOOL 2=WOOL 3=SILK")
	})
}

// The external ids of merged values mean the value that stays: in products, in values, which rename nothing, and in
// removed values, of which only the id is removed.
func TestMerge_externalIDsPointAtTheValueThatStays(t *testing.T) {
	eachMergeFixture(t, func(s *mergeFixture) {
		s.merge(Option, "red", "crimson")
		s.merge(Option, "blue", "red") // crimson is an alias of an alias now
		s.merge(Feature, "wool", "woolen")
		links := s.links()
		s.wantOutcomes("unchanged; unchanged; unchanged", s.items()...)

		changed := s.items()
		for i := range changed {
			changed[i].Description = new("changed")
		}

		s.wantOutcomes("updated; updated; updated", changed...)
		s.wantLinks(links)
		s.wantOutcomes("created", ProductPush{ID: "4", Name: new("Four"),
			Variants: &[]VariantPush{colored("a", "crimson")},
			Features: &[]ReferencePush{{"material", "woolen"}, {"material", "wool"}}})
		s.wantLinks(strings.Replace(links, "3a=BLUE", "3a=BLUE 4a=BLUE", 1) + " 4=WOOL")

		if got := s.pushAttribute(Option, AttributePush{ID: "color",
			Values: append(valuesNamed("green"), ValuePush{"crimson", "Again"})}); got != "updated" {
			s.Error(got)
		}

		s.wantValues(Option, "blue green scarlet")

		if got := s.pushAttribute(Option, AttributePush{ID: "color",
			Removed: []string{"crimson", "nothing"}}); got != "updated ~removed_values[1]:unknown_value" {
			s.Error(got)
		}

		s.wantValues(Option, "blue green scarlet")
		s.wantOutcomes("created ~variants[0].options[0].value_id:unknown_value",
			ProductPush{ID: "5", Name: new("Five"), Variants: &[]VariantPush{colored("a", "crimson")}})
	})
}

// A reference that waits for a value is linked to the value that stays, and deleting that value deletes its aliases.
func TestMerge_aliasesEndWithTheirValue(t *testing.T) {
	eachMergeFixture(t, func(s *mergeFixture) {
		s.merge(Option, "red", "crimson")
		s.pushAttribute(Option, AttributePush{ID: "color", Removed: []string{"red"}})
		if err := s.Deletions.Complete(s.Context(), s.DB); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("value_aliases"); n != 0 {
			s.Errorf("%d aliases are left after the value was removed", n)
		}
		s.wantOutcomes("created ~variants[0].options[0].value_id:unknown_value",
			ProductPush{ID: "5", Name: new("Five"), Variants: &[]VariantPush{colored("a", "crimson")}})
		s.pushAttribute(Option, AttributePush{ID: "color", Values: valuesNamed("crimson")})
		s.wantValues(Option, "blue crimson scarlet")
	})
}

func TestMerge_refusesWhatIsWrongAndAppliesNothing(t *testing.T) {
	eachMergeFixture(t, func(s *mergeFixture) {
		a, values := s.attribute(Option)
		_, others := s.attribute(Feature)
		for want, m := range map[string]ValueMerge{
			"from:required":              {Into: values["red"]},
			"from[1]:unknown_value":      {From: []ValueID{values["red"], others["wool"]}, Into: values["blue"]},
			"into:unknown_value":         {From: []ValueID{values["red"]}, Into: others["wool"]},
			"from[0]:merged_into_itself": {From: []ValueID{values["red"]}, Into: values["red"]},
		} {
			err := s.TryWrite(func(tx store.Tx) error {
				_, err := s.Attributes.Merge(s.Context(), tx, Option, a.ID, m, nil)
				return err
			})
			if got := firstField(err); got != want {
				s.Errorf("got %q, want %q: %v", got, want, err)
			}
		}

		err := s.TryWrite(func(tx store.Tx) error {
			m := ValueMerge{From: []ValueID{values["red"]}, Into: values["blue"]}
			_, err := s.Attributes.Merge(s.Context(), tx, Option, a.ID, m, func(int64) bool { return false })
			return err
		})
		if fault.KindOf(err) != fault.Stale {
			s.Errorf("a merge of another version returned %v", err)
		}

		s.wantValues(Option, "blue crimson red scarlet")
	})
}

func firstField(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Fields) == 0 {
		return ""
	}
	return f.Fields[0].Field + ":" + f.Fields[0].Code
}

func TestMergeImpact_isWhatTheMergeDoes(t *testing.T) {
	eachMergeFixture(t, func(s *mergeFixture) {
		a, values := s.attribute(Option)
		m := ValueMerge{From: []ValueID{values["crimson"], values["scarlet"]}, Into: values["red"]}
		before := s.links()

		impact, err := s.Attributes.MergeImpact(s.Context(), s.DB.Write, s.Store.ID, Option, a.ID, m)
		if err != nil {
			s.Fatal(err)
		}
		if impact.VariantsTotal != 2 || len(impact.Collisions) != 1 || len(impact.Collisions[0].VariantIDs) != 2 {
			s.Errorf("the impact is %+v", impact)
		}

		s.wantLinks(before)
		f, materials := s.attribute(Feature)
		impact, err = s.Attributes.MergeImpact(s.Context(), s.DB.Write, s.Store.ID, Feature, f.ID,
			ValueMerge{From: []ValueID{materials["wool"], materials["woolen"]}, Into: materials["silk"]})
		if err != nil || impact.ProductsTotal != 2 {
			s.Errorf("the impact is %+v, %v", impact, err)
		}
	})
}
