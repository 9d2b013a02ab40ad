package searchrule

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

func (s *fixture) replacePins(pre fault.Precondition, pins ...PinEdit) (list PinList, err error) {
	s.Helper()
	err = s.TryWrite(func(tx store.Tx) (err error) {
		list, err = ReplacePins(s.Context(), tx, pins, pre)
		return err
	})
	return list, err
}

func (s *fixture) pins() (list PinList) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		list, err = FindPins(s.Context(), tx)
		return err
	})
	return list
}

func pinned(p catalog.Product) PinnedProduct {
	return PinnedProduct{Key: p.Key, ID: p.ID, Name: p.Name}
}

func TestReplacePins_storesWhatIndexLoads(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		if diff := cmp.Diff(PinList{Pins: []Pin{}, Version: 1}, s.pins()); diff != "" {
			s.Errorf("a store without pins:\n%s", diff)
		}
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		torch := s.CreateProduct("Torch", 1, catalog.ProductEdit{})

		list, err := s.replacePins(nil, PinEdit{" Лампы ", []catalog.ProductID{torch.ID, lamp.ID}},
			PinEdit{"iPhone15", []catalog.ProductID{lamp.ID}})
		want := PinList{Version: 2, Pins: []Pin{{"Лампы", []PinnedProduct{pinned(torch), pinned(lamp)}},
			{"iPhone15", []PinnedProduct{pinned(lamp)}}}}
		if diff := cmp.Diff(want, list); err != nil || diff != "" {
			s.Errorf("replace: %v\n%s", err, diff)
		}
		if diff := cmp.Diff(want, s.pins()); diff != "" {
			s.Errorf("stored:\n%s", diff)
		}

		rules, version := s.load()
		keys := map[string][]int64{"лампы": {torch.Key, lamp.Key}, "iphone 15": {lamp.Key}}
		if diff := cmp.Diff(keys, rules.Pins); diff != "" || version != 1 {
			s.Errorf("loaded at version %d:\n%s", version, diff)
		}

		if _, err := s.replacePins(nil, PinEdit{"lamp", []catalog.ProductID{lamp.ID}}); err != nil {
			s.Fatal(err)
		}
		rules, version = s.load()
		keys = map[string][]int64{"lamp": {lamp.Key}}
		if diff := cmp.Diff(keys, rules.Pins); diff != "" || version != 2 {
			s.Errorf("loaded at version %d after the second replacement:\n%s", version, diff)
		}
	})
}

func TestReplacePins_refusesWhatStoreDoesNotHave(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		foreign := catalogtest.New(s.WithStore(s.NewStore(store.Edit{}))).
			CreateProduct("Foreign", 1, catalog.ProductEdit{})
		_, err := s.replacePins(nil, PinEdit{"a", []catalog.ProductID{lamp.ID}},
			PinEdit{"b", []catalog.ProductID{lamp.ID, foreign.ID}})
		if diff := cmp.Diff([]string{"[1].products[1] unknown_product"}, brokenRules(err)); diff != "" {
			s.Error(diff)
		}
		if pins := s.pins().Pins; len(pins) > 0 {
			s.Errorf("the refused pins are stored: %v", pins)
		}
	})
}

func TestCheckPins_namesEachBrokenRule(t *testing.T) {
	t.Parallel()
	one := []catalog.ProductID{id.New[catalog.Product]()}
	many := make([]catalog.ProductID, MaxPinned+1)
	_, err := checkPins([]PinEdit{
		{"iPhone15", one}, {" iphone 15", one}, {"", one}, {"?!", one}, {strings.Repeat("я", MaxPinQuery+1), one},
		{"c", nil}, {"d", many}, {"e", slices.Concat(one, one)},
	})
	want := []string{"[1].query duplicate", "[2].query required", "[3].query required", "[4].query too_long",
		"[5].products required", "[6].products too_many", "[7].products[1] duplicate"}
	if diff := cmp.Diff(want, brokenRules(err)); diff != "" {
		t.Error(diff)
	}

	_, err = checkPins(make([]PinEdit, MaxPins+1))
	if diff := cmp.Diff([]string{" too_many"}, brokenRules(err)); diff != "" {
		t.Error(diff)
	}
}

// A deleted product is in no pin. The versions of the pins and of the search grow, since SQLite may use the row key of
// the product again.
func TestDeletion_removesProductFromPins(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		torch := s.CreateProduct("Torch", 1, catalog.ProductEdit{})
		other := s.CreateProduct("Other", 1, catalog.ProductEdit{})
		_, err := s.replacePins(nil, PinEdit{"light", []catalog.ProductID{lamp.ID, torch.ID}},
			PinEdit{"torch", []catalog.ProductID{torch.ID}})
		if err != nil {
			s.Fatal(err)
		}

		s.deleteProduct(other)
		if _, version := s.load(); version != 1 {
			s.Errorf("the deletion of a product without pins raised the version to %d", version)
		}
		s.deleteProduct(torch)
		want := PinList{Version: 3, Pins: []Pin{{"light", []PinnedProduct{pinned(lamp)}}}}
		if diff := cmp.Diff(want, s.pins()); diff != "" {
			s.Error(diff)
		}
		rules, version := s.load()
		if diff := cmp.Diff(map[string][]int64{"light": {lamp.Key}}, rules.Pins); diff != "" || version != 2 {
			s.Errorf("loaded at version %d:\n%s", version, diff)
		}
	})
}

func (s *fixture) deleteProduct(p catalog.Product) {
	s.Helper()
	s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, p.ID, nil) })
}

func TestReplacePins_refusesOtherVersion(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		if _, err := s.replacePins(nil, PinEdit{"a", []catalog.ProductID{lamp.ID}}); err != nil {
			s.Fatal(err)
		}
		_, err := s.replacePins(func(version int64) bool { return version == 1 })
		if fault.KindOf(err) != fault.Stale || len(s.pins().Pins) != 1 {
			s.Errorf("the error is %v and the pins are %v, want a stale fault and the pin", err, s.pins().Pins)
		}
	})
}
