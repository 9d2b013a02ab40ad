package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

func (s *catalogFixture) linkAttributes(kind Kind, externalIDs ...string) int64 {
	s.Helper()
	n, err := s.Links.LinkAttributes(s.Context(), s.DB, s.Store.ID, kind, externalIDs)
	if err != nil {
		s.Fatal(err)
	}
	return n
}

func (s *catalogFixture) linkCategories(externalIDs ...string) int64 {
	s.Helper()
	n, err := s.Links.LinkCategories(s.Context(), s.DB, s.Store.ID, externalIDs)
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// pendingReferences returns the pending references of the store as "kind external_id value_id".
func (s *catalogFixture) pendingReferences() []string {
	s.Helper()
	return s.Texts("SELECT kind || ' ' || external_id || ' ' || value_id FROM pending_references WHERE store_id = $1 "+
		"ORDER BY kind, external_id, value_id, key", s.Store.ID)
}

func (s *catalogFixture) wantPending(want ...string) {
	s.Helper()
	if got := s.pendingReferences(); !slices.Equal(got, want) {
		s.Errorf("pending references are %q, want %q", got, want)
	}
}

// shirtPushes returns two products. The first refers to all categories, features and options of the test; two of its
// variants differ only by their options. The second refers to some of them.
func shirtPushes() []ProductPush {
	refs := func(list ...string) *[]ReferencePush {
		var refs []ReferencePush
		for _, l := range list {
			a, v, _ := strings.Cut(l, " ")
			refs = append(refs, ReferencePush{a, v})
		}

		return &refs
	}

	return []ProductPush{
		{
			ID: "1", Name: new("Shirt"), Categories: &[]string{"summer", "all"},
			Features: refs("fabric wool", "fabric silk", "weight 2"),
			Variants: &[]VariantPush{
				{ID: "a", Price: new(money.NewPrice(10000)), Options: refs("size s", "colour red")},
				{ID: "b", Price: new(money.NewPrice(10000)), Options: refs("size s", "colour blue")},
				{ID: "c", Price: new(money.NewPrice(10000)), Options: refs("colour red")},
			},
		},
		{ID: "2", Name: new("Tie"), Categories: &[]string{"all"}, Features: refs("fabric silk"),
			Variants: &[]VariantPush{{ID: "a", Price: new(money.NewPrice(10000)), Options: refs("colour red")}}},
	}
}

// The result does not depend on the order in which the parts of a catalogue are created, through the gate or through
// the API.
func TestLink_resultDoesNotDependOnTheOrder(t *testing.T) {
	byGate := map[string]func(s *catalogFixture){
		"products": func(s *catalogFixture) { s.push(shirtPushes()...) },
		"options": func(s *catalogFixture) {
			s.pushAndLinkAttributes(Option, attributePush("size", "s S", "m M"),
				attributePush("colour", "red Red", "blue Blue"))
		},
		"features": func(s *catalogFixture) {
			s.pushAndLinkAttributes(Feature, attributePush("fabric", "wool Wool"), attributePush("weight", "2 2"))
			s.pushAndLinkAttributes(Feature, attributePush("fabric", "silk Silk"))
		},
		"categories": func(s *catalogFixture) {
			s.pushAndLinkCategories(categoryPush("summer", "season"))
			s.pushAndLinkCategories(categoryPush("season", "all"), categoryPush("all", "/"))
		},
	}

	byAPI := map[string]func(s *catalogFixture){
		"products": byGate["products"],
		"options": func(s *catalogFixture) {
			s.createAttribute(Option, "size", "s S", "m M")
			s.createAttribute(Option, "colour", "red Red", "blue Blue")
		},
		"features": func(s *catalogFixture) {
			s.setExternalIDs(s.feature("fabric", "Wool"), "fabric", "wool Wool")
			s.setExternalIDs(s.attributeNamed(Feature, "fabric"), "", "silk Silk")
			s.createAttribute(Feature, "weight", "2 2")
		},
		"categories": func(s *catalogFixture) {
			all := s.createCategory("all", nil)
			season := s.category("season")
			s.must(s.editCategory(season, CategoryEdit{ExternalID: new("season"), ParentID: &all.ID}))
			s.createCategory("summer", &season.ID)
		},
	}

	eachEngine(t, func(s *catalogFixture) {
		want := []string{
			"Shirt | a  1 size=S colour=Red | b  1 size=S colour=Blue | c  1 colour=Red #fabric=Wool #fabric=Silk " +
				"#weight=2 /all /summer",
			"Tie | a  1 colour=Red #fabric=Silk /all", "all", "season < all", "summer < season",
		}
		for way, steps := range map[string]map[string]func(*catalogFixture){"gate": byGate, "API": byAPI} {
			for _, order := range []string{
				"products options features categories", "categories features options products",
				"options products categories features",
				"features products options categories", "categories products features options",
			} {
				shop := s.otherStore()
				for step := range strings.FieldsSeq(order) {
					steps[step](shop)
				}

				if got := shop.describeCatalog(); !slices.Equal(got, want) {
					s.Errorf("order %q through the %s: got\n%s\nwant\n%s", order, way, strings.Join(got, "\n"),
						strings.Join(want, "\n"))
				}

				shop.wantPending()

				// Linking completed the last push, so the same push changes nothing.
				shop.wantOutcomes("unchanged; unchanged", shirtPushes()...)
			}
		}
	})
}

// pushAndLinkAttributes pushes attributes and links the pending references to them, as the gate does.
func (s *catalogFixture) pushAndLinkAttributes(kind Kind, items ...AttributePush) {
	s.Helper()
	var ids []string
	for _, item := range withDigests(items...) {
		ids = append(ids, item.ID)
	}
	if _, err := tryPush(s, s.applyAttributes(kind), items...); err != nil {
		s.Fatal(err)
	}
	s.linkAttributes(kind, ids...)
}

func (s *catalogFixture) pushAndLinkCategories(items ...CategoryPush) {
	s.Helper()
	var ids []string
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	if _, err := tryPush(s, s.Pushes.ApplyCategories, items...); err != nil {
		s.Fatal(err)
	}
	s.linkCategories(ids...)
}

// externalEdit returns an edit that sets the external id of an attribute, unless externalID is empty, and the external
// ids of values, each written "id name".
func externalEdit(a testAttribute, externalID string, values ...string) AttributeEdit {
	edits := make([]ValueEdit, len(values))
	for i, v := range values {
		id, name, _ := strings.Cut(v, " ")
		edits[i] = ValueEdit{ID: a.values[name], Name: name, ExternalID: &id}
	}
	e := withValues(AttributeEdit{}, edits...)
	if externalID != "" {
		e.ExternalID = &externalID
	}
	return e
}

// createAttribute creates an attribute whose external id is its name.
func (s *catalogFixture) createAttribute(kind Kind, name string, values ...string) {
	s.Helper()
	e := externalEdit(testAttribute{}, name, values...)
	e.Name = &name
	s.Write(func(tx store.Tx) error {
		_, err := s.Attributes.Create(s.Context(), tx, kind, e)
		return err
	})
}

// setExternalIDs sets the external ids of an attribute and of its values.
func (s *catalogFixture) setExternalIDs(a testAttribute, externalID string, values ...string) {
	s.Helper()
	s.must(s.trySetExternalIDs(a, externalID, values...))
}

func (s *catalogFixture) trySetExternalIDs(a testAttribute, externalID string, values ...string) error {
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.Attributes.Edit(s.Context(), tx, a.Kind, a.ID,
			externalEdit(a, externalID, values...), nil)
		return err
	})
}

func (s *catalogFixture) createCategory(name string, parent *CategoryID) (c Category) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		c, err = s.Categories.Create(s.Context(), tx,
			CategoryEdit{Name: &name, ExternalID: &name, ParentID: parent})
		return err
	})
	return c
}

// describeCatalog describes the products and the category tree by names. The result does not depend on the order of
// creation.
func (s *catalogFixture) describeCatalog() []string {
	s.Helper()
	list := []string{s.describeSorted("1"), s.describeSorted("2")}
	tree := s.Texts(
		`SELECT c.name || COALESCE(' < ' || (SELECT p.name FROM categories p WHERE p.store_id = c.store_id AND p.key = c.parent_key), '')
		FROM categories c WHERE c.store_id = $1 ORDER BY c.name`, s.Store.ID)
	return append(list, tree...)
}

// describeSorted describes a product, with its options, features and categories in a fixed order.
func (s *catalogFixture) describeSorted(externalID string) string {
	s.Helper()
	p := s.productByExternalID(externalID)
	b := p.Name
	for _, v := range p.Variants {
		amount, _ := v.Price.Amount()
		b += " | " + *v.ExternalID + "  " + fmt.Sprint(amount/10000) +
			describeValues(" ", v.Options, []string{"size", "colour"})
	}
	b += describeValues(" #", p.Features, []string{"fabric", "weight"})
	var names []string
	for _, c := range p.Categories {
		names = append(names, " /"+c.Name)
	}
	slices.Sort(names)
	return b + strings.Join(names, "")
}

func describeValues(mark string, list []AttributeValue, order []string) string {
	b := ""
	for _, name := range order {
		for _, value := range []string{"S", "Red", "Blue", "Wool", "Silk", "2"} {
			for _, c := range list {
				if c.Name == name && c.Value.Name == value {
					b += mark + name + "=" + value
				}
			}
		}
	}
	return b
}

// There are more pending references than one transaction links. Those whose values exist are linked; the others stay
// pending.
func TestLink_linksManyReferencesInChunks(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const all, there = MaxLinksPerTx + 500, MaxLinksPerTx + 100
		s.push(ProductPush{ID: "1", Name: new("Shirt")}, ProductPush{ID: "2", Name: new("Tie")})
		first := s.productByExternalID("1")
		second := s.productByExternalID("2")
		var list []PendingReference
		p := attributePush("codes")

		for i := range all {
			// The attribute gets only the last values; the first ones never exist.
			id := fmt.Sprintf("%06d", i)
			if i >= all-there {
				p.Values = append(p.Values, ValuePush{id, id})
			}
			list = append(list,
				PendingReference{Kind: PendingFeature, Ref: ReferencePush{"codes", id}, Owner: first.Key})
		}

		for range MaxLinksPerTx + 10 { // equal references, more than one transaction handles
			list = append(list,
				PendingReference{Kind: PendingCategory, Ref: ReferencePush{Attribute: "c"}, Owner: second.Key})
		}

		list = append(list, PendingReference{Kind: PendingFeature, Ref: ReferencePush{"never", "1"}, Owner: second.Key})
		s.Write(func(tx store.Tx) error { return SavePending(s.Context(), tx, list, nil, s.Clock.Now()) })

		if n := s.linkAttributes(Feature, "codes", "never"); n != 0 {
			s.Errorf("%d references were linked to values that do not exist", n)
		}

		s.pushAttributes(Feature, []AttributePush{p}, "created")
		if n := s.linkAttributes(Feature, "codes", "never", "nobody"); n != there {
			s.Errorf("%d references were linked, want %d", n, there)
		}

		s.pushCategories([]CategoryPush{categoryPush("c", "/")}, "created")
		n, err := s.Links.LinkAll(s.Context(), s.DB)
		if err != nil || n != 1 {
			s.Errorf("%d references to the category were linked (%v), want 1", n, err)
		}
		if got := len(s.pendingReferences()); got != all-there+1 {
			s.Errorf("%d references are pending, want %d", got, all-there+1)
		}

		if p := s.load(first.ID); len(p.Features) != there || p.Version == first.Version ||
			!p.UpdatedAt.Equal(first.UpdatedAt) {
			s.Errorf("the product has %d features and version %d, was version %d", len(p.Features), p.Version,
				first.Version)
		}

		if got := categoryNames(s.load(second.ID)); got != "c" {
			s.Errorf("the product is in the categories %q, want c", got)
		}
	})
}

func TestLink_createsNoCycleOfCategories(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.pushAndLinkCategories(categoryPush("a", "b"))
		s.pushAndLinkCategories(categoryPush("c", "a"))
		s.pushCategories([]CategoryPush{categoryPush("b", "c")}, "created")
		s.wantPending("parent b ")

		if n := s.linkCategories("a", "b", "c"); n != 0 {
			s.Errorf("%d categories were linked to their own descendants", n)
		}

		s.wantPending()
		s.wantTree("a v1", "c < a v1", "b < c v1")

		// A category whose parent is set through the API has no pending reference any more.
		s.pushAndLinkCategories(categoryPush("d", "e"))
		s.must(s.editCategory(s.createCategory("f", nil), CategoryEdit{ExternalID: new("g")}))
		s.wantPending("parent e ")
		s.Read(func(tx store.Tx) error {
			list, _, err := s.Categories.List(s.Context(), tx, CategoryFilter{Search: "d"}, 1, 0)
			if err == nil {
				s.must(s.editCategory(list[0], CategoryEdit{Root: true}))
			}
			return err
		})
		s.wantPending()
	})
}

// A variant that has a value of the option already keeps it, and its pending reference is deleted. If linking gives two
// variants the same combination, both are kept.
func TestLink_keepsOptionsThatVariantsHave(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.option("Colour", "red", "blue")
		size := s.option("Size", "S")
		p := s.mustCreate(withVariants(newVariant("a", 1, colour.ref("red")), newVariant("b", 1),
			newVariant("c", 1, colour.ref("blue"), size.ref("S"))))

		s.Write(func(tx store.Tx) error {
			err := SavePending(s.Context(), tx, []PendingReference{
				{Kind: PendingOption, Ref: ReferencePush{"colour", "red"}, Owner: p.Variants[1].Key},
				{Kind: PendingOption, Ref: ReferencePush{"colour", "red"}, Owner: p.Variants[2].Key},
			}, nil, s.Clock.Now())
			if err != nil {
				return err
			}

			return UpdateCombinations(s.Context(), tx,
				[]int64{p.Variants[1].Key, p.Variants[2].Key})
		})

		s.checkInvariants()
		s.removeValues(size, "S") // the combination is recomputed while the reference is pending
		s.checkInvariants()
		s.setExternalIDs(colour, "colour", "red red")
		s.wantPending()
		s.wantVariants(s.load(p.ID), "a: Colour red", "b: Colour red", "c: Colour blue")

		if n := s.Count("variants WHERE twin <> 0"); n != 1 {
			s.Errorf("%d variants are duplicates, want 1", n)
		}
	})
}

// Linking does not deadlock with edits of the same products, and no link is lost.
func TestLink_doesNotDeadlockWithEdits(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const products = 8
		var items []ProductPush
		for i := range products {
			items = append(items, ProductPush{ID: fmt.Sprint(i), Name: new("Shirt"), Categories: &[]string{"c"}})
		}

		s.push(items...)

		for _, err := range concurrently(4, func(i int) error {
			switch i {
			case 0:
				return s.TryWrite(func(tx store.Tx) error {
					_, err := s.Categories.Create(s.Context(), tx,
						CategoryEdit{Name: new("c"), ExternalID: new("c")})
					return err
				})
			case 1:
				_, err := s.Links.LinkAll(s.Context(), s.DB)
				return err
			default:
				for n := i % 2; n < products; n += 2 {
					if err := s.edit(s.productByExternalID(fmt.Sprint(n)).ID,
						ProductEdit{Description: new("soft")}); err != nil {
						return err
					}
				}
				return nil
			}
		}) {
			if err != nil {
				s.Error(err)
			}
		}

		if n := s.Count("product_categories"); n != products {
			s.Errorf("%d of %d products are in the category", n, products)
		}

		s.wantPending()
	})
}

func TestEditAttribute_setsExternalIDs(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.option("colour", "red", "blue")

		size := s.option("size", "S")
		s.setExternalIDs(colour, "7", "r red", "b blue")
		s.setExternalIDs(size, "8", "r S") // a value of another option may have the external id r, too
		s.setExternalIDs(s.feature("weight"), "7")
		s.setExternalIDs(colour, "", "b red", "r blue") // the values swap their ids
		s.wantAttributes(Option, "colour v3: b red, r blue", "size v2: r S")
		s.wantExternalIDTaken(s.trySetExternalIDs(size, "7"), "external_id")
		s.wantExternalIDTaken(s.trySetExternalIDs(colour, "", "r red"), "values[0].external_id")
		s.wantExternalIDTaken(s.trySetExternalIDs(colour, "", "x red", "g green", "g grey"), "values[2].external_id")
		s.setExternalIDs(colour, "", " red", "b blue", "r rose")
		s.wantAttributes(Option, "colour v4: - red, b blue, r rose", "size v2: r S")
		s.removeValues(s.attributeNamed(Option, "colour"), "rose")
		s.setExternalIDs(colour, "9", "r red")
		s.setExternalIDs(size, "7")
		s.wantAttributes(Option, "colour v6: r red, b blue", "size v3: r S")
	})
}
