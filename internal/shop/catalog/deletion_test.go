package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// eachEngineHiding is like eachEngine, with a service that hides whatever a deletion finds links to.
func eachEngineHiding(t *testing.T, fn func(s *hidingFixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		s := fixtureOf(f, Deps{Now: f.Clock.Now, MaxDirectLinks: -1})
		fn(newHidingFixture(s))
		s.checkInvariants()
	})
}

// hidingFixture is a store with three products that all refer to the same things.
type hidingFixture struct {
	*catalogFixture
	colour, size testAttribute // options
	brand        testAttribute
	sale, summer Category
	near, far    Stock
	products     []ProductID
}

func newHidingFixture(s *catalogFixture) *hidingFixture {
	h := &hidingFixture{catalogFixture: s, colour: s.option("Colour", "red", "blue"), size: s.option("Size", "S", "M"),
		brand: s.feature("Brand", "Acme", "Best"), sale: s.category("sale"), summer: s.category("summer"),
		near: s.stock("near"), far: s.stock("far")}
	s.Exec("UPDATE attributes SET external_id = name WHERE store_id = $1", s.Store.ID)
	s.Exec("UPDATE attribute_values SET external_id = name WHERE store_id = $1", s.Store.ID)
	for range 3 {
		p := s.mustCreate(ProductEdit{
			Categories: &[]CategoryID{h.sale.ID, h.summer.ID},
			Features:   &[]ValueRef{h.brand.ref("Acme"), h.brand.ref("Best")},
			Variants: &[]VariantEdit{
				h.variant("1", h.colour.ref("red"), h.size.ref("S")),
				h.variant("2", h.colour.ref("red"), h.size.ref("M")),
				h.variant("3", h.colour.ref("blue"), h.size.ref("S")), h.variant("4"),
			},
		})

		h.products = append(h.products, p.ID)
	}

	return h
}

func (h *hidingFixture) variant(sku string, options ...ValueRef) VariantEdit {
	e := newVariant(sku, 100, options...)
	e.Remainders = remainderEdits(h.near, 2000, h.far, 1000)
	return e
}

// deletionCase deletes something that all products use. want describes a product afterwards, as describe does.
type deletionCase struct {
	name   string
	delete func(h *hidingFixture, tx store.Tx) error
	want   string
}

const undeleted = "sale summer | Brand Acme, Brand Best | 1: Colour red, Size S 2/3000; 2: Colour red, " +
	"Size M 2/3000; " +
	"3: Colour blue, Size S 2/3000; 4:  2/3000 | 12000"

// overlapping names the cases whose values are deleted by other cases.
var overlapping = []string{"option", "feature", "pushed feature value"}

func deletionCases() []deletionCase {
	remove := func(a func(h *hidingFixture) testAttribute, value string) func(h *hidingFixture, tx store.Tx) error {
		return func(h *hidingFixture, tx store.Tx) error {
			_, err := h.Attributes.Edit(h.Context(), tx, a(h).Kind, a(h).ID, removeEdit(a(h), value), nil)
			return err
		}
	}

	push := func(kind Kind, externalID, valueID string) func(h *hidingFixture, tx store.Tx) error {
		return func(h *hidingFixture, tx store.Tx) error {
			items := []AttributePush{{ID: externalID, Removed: []string{valueID}}}
			outcomes, err := h.Pushes.ApplyAttributes(h.Context(), tx, kind, items)
			if err != nil {
				return err
			}
			return h.endPush(tx, outcomes)
		}
	}

	return []deletionCase{
		{"pushed option value", push(Option, "Size", "M"), strings.Replace(undeleted, ", Size M", "", 1)},
		{"pushed feature value", push(Feature, "Brand", "Acme"), strings.Replace(undeleted, "Brand Acme, ", "", 1)},
		{"option", func(h *hidingFixture, tx store.Tx) error {
			return h.Attributes.Delete(h.Context(), tx, Option, h.colour.ID, nil)
		}, strings.NewReplacer("Colour red, ", "", "Colour blue, ", "").Replace(undeleted)},
		{"option value", remove(func(h *hidingFixture) testAttribute { return h.colour }, "red"),
			strings.ReplaceAll(undeleted, "Colour red, ", "")},
		{"feature", func(h *hidingFixture, tx store.Tx) error {
			return h.Attributes.Delete(h.Context(), tx, Feature, h.brand.ID, nil)
		}, strings.Replace(undeleted, "Brand Acme, Brand Best", "", 1)},
		{"feature value", remove(func(h *hidingFixture) testAttribute { return h.brand }, "Acme"),
			strings.Replace(undeleted, "Brand Acme, ", "", 1)},
		{"category", func(h *hidingFixture, tx store.Tx) error {
			return h.Categories.Delete(h.Context(), tx, h.sale.ID, nil)
		}, strings.Replace(undeleted, "sale ", "", 1)},
		{"stock", func(h *hidingFixture, tx store.Tx) error {
			return h.Stocks.Delete(h.Context(), tx, h.near.ID, nil)
		}, strings.NewReplacer("2/3000", "1/1000", "12000", "4000").Replace(undeleted)},
	}
}

// describe describes a product: its categories, its features, its variants with the number of their remainders and
// their availability, and its availability.
func describe(p fullProduct) string {
	var categories, variants []string
	for _, c := range p.Categories {
		categories = append(categories, c.Name)
	}
	for _, v := range p.Variants {
		variants = append(variants, fmt.Sprintf("%s: %s %d/%s", v.SKU, formatValues(v.Options), len(v.Remainders),
			textOrDash(v.Available)))
	}
	return fmt.Sprintf("%s | %s | %s | %s", strings.Join(categories, " "), formatValues(p.Features),
		strings.Join(variants, "; "), textOrDash(p.Available))
}

// everything reads all that a client can read of the catalogue.
func (h *hidingFixture) everything() (all []any) {
	h.Helper()
	for _, productID := range h.products {
		all = append(all, h.load(productID))
	}

	h.Read(func(tx store.Tx) error {
		for _, kind := range []Kind{Option, Feature} {
			list, total, err := ListAttributes(h.Context(), tx, kind, "", 100, 0)
			if err != nil {
				return err
			}

			all = append(all, list, total)
			for _, a := range list {
				err := h.Attributes.EachValue(h.Context(), tx, a, func(v Value) error {
					all = append(all, v)
					return nil
				})
				if err != nil {
					return err
				}
			}
		}

		categories, total, err := h.Categories.List(h.Context(), tx, CategoryFilter{}, 100, 0)
		if err != nil {
			return err
		}

		stocks, stockTotal, err := h.Stocks.List(h.Context(), tx, "", 100, 0)
		all = append(all, categories, total, stocks, stockTotal)
		return err
	})

	return all
}

// wantSame checks that a client reads the same as before.
func (h *hidingFixture) wantSame(when string, before []any) {
	h.Helper()
	if diff := cmp.Diff(before, h.everything(), cmp.AllowUnexported(Category{})); diff != "" {
		h.Errorf("%s a client reads something else (- before, + now):\n%s", when, diff)
	}
}

// Everybody sees the deletion when it commits. Nobody sees anything when the links are deleted afterwards, by a process
// that is killed after each transaction.
func TestDeletion_isVisibleAtOnceAndWhole(t *testing.T) {
	for _, c := range deletionCases() {
		t.Run(c.name, func(t *testing.T) {
			eachEngineHiding(t, func(h *hidingFixture) {
				version := h.load(h.products[0]).Version
				h.must(h.TryWrite(func(tx store.Tx) error { return c.delete(h, tx) }))

				if n := h.Count("deletions"); n != 1 {
					h.Fatalf("%d deletions are recorded, want 1", n)
				}

				for _, productID := range h.products {
					p := h.load(productID)
					if got := describe(p); got != c.want {
						h.Errorf("a product is\n%s\nwant\n%s", got, c.want)
					}
					if p.Version <= version || !p.UpdatedAt.Equal(p.CreatedAt) {
						h.Errorf("the product has version %d after %d, updated at %s", p.Version, version, p.UpdatedAt)
					}
				}

				before := h.everything()
				for more, n := true, 0; more; n++ {
					h.Write(func(tx store.Tx) (err error) {
						more, err = h.Deletions.CompleteChunk(h.Context(), tx, &DeletionPosition{})
						return err
					})
					h.wantSame(fmt.Sprint("after transaction ", n), before)
				}

				h.completeDeletions()
				h.wantSame("after the last transaction", before)

				if n := h.Count("deletions"); n != 0 {
					h.Errorf("%d deletions are left", n)
				}

				hidden := h.Count("attribute_values WHERE deleted_at IS NOT NULL") +
					h.Count("attributes WHERE kind = 'deleted'") +
					h.Count("categories WHERE deleted_at IS NOT NULL") + h.Count("stocks WHERE deleted_at IS NOT NULL")
				if hidden != 0 {
					h.Errorf("%d hidden rows are left", hidden)
				}
			})
		})
	}
}

// A deletion that fails after it has hidden something changes nothing.
func TestDeletion_rollsBackWhole(t *testing.T) {
	for _, c := range deletionCases() {
		t.Run(c.name, func(t *testing.T) {
			eachEngineHiding(t, func(h *hidingFixture) {
				before := h.everything()
				failure := errors.New("failed")
				err := h.TryWrite(func(tx store.Tx) error { return errors.Join(c.delete(h, tx), failure) })
				if !errors.Is(err, failure) {
					h.Fatal(err)
				}

				h.wantSame("after a rollback", before)
				if n := h.Count("deletions"); n != 0 {
					h.Errorf("%d deletions are recorded", n)
				}
			})
		})
	}
}

// Products are edited while links are hidden, at every point of the cleaning.
func TestDeletion_editsWhileLinksAreHidden(t *testing.T) {
	for _, c := range deletionCases() {
		t.Run(c.name, func(t *testing.T) {
			eachEngineHiding(t, func(h *hidingFixture) {
				stale := h.load(h.products[0]).Version
				h.must(h.TryWrite(func(tx store.Tx) error { return c.delete(h, tx) }))
				for i, productID := range h.products {
					if i == 2 {
						h.completeDeletions()
					}

					current := h.load(productID).Version
					description := "new"
					e := ProductEdit{Description: &description}
					if err := h.editIf(productID, e, isVersion(stale)); fault.KindOf(err) != fault.Stale {
						h.Errorf("an edit of the version before the deletion: %v", err)
					}

					h.must(h.editIf(productID, e, isVersion(current)))
					p := h.load(productID)
					if got := describe(p); got != c.want || p.Version != current+1 {
						h.Errorf("the edited product has version %d after %d and is\n%s\nwant\n%s", p.Version, current,
							got, c.want)
					}
				}

				h.completeDeletions()
			})
		})
	}
}

// Names, external ids and pushes of deleted things are free at once; what refers to them refers to nothing.
func TestDeletion_pushesWhileLinksAreHidden(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		s := fixtureOf(f, Deps{Now: f.Clock.Now, MaxDirectLinks: -1})
		options := []AttributePush{attributePush("colour", "r red", "b blue")}
		features := []AttributePush{attributePush("brand", "a Acme")}
		category := CategoryPush{ID: "sale", Name: new("sale"), Digest: digestOf("sale")}
		product := func() ProductPush {
			return ProductPush{ID: "p", Name: new("Shirt"), Categories: &[]string{"sale"},
				Features: &[]ReferencePush{{"brand", "a"}}, Variants: &[]VariantPush{
					{ID: "1", Price: new(money.NewPrice(1)), Options: &[]ReferencePush{{"colour", "r"}},
						Remainders: &[]StockedPush{{Stock: "near", Quantity: 1000}}}}}
		}
		pushAll := func() {
			s.pushAttributes(Option, options, "created")
			s.pushAttributes(Feature, features, "created")
			s.pushCategories([]CategoryPush{category}, "created")
		}
		describePushed := func() string { return describe(s.load(s.productByExternalID("p").ID)) }
		pushAll()
		s.wantOutcomes("created", product())
		want := describePushed()

		for round := range int64(2) {
			s.wantOutcomes("unchanged", product())
			colour := s.attributeNamed(Option, "colour")
			brand := s.attributeNamed(Feature, "brand")

			s.Write(func(tx store.Tx) error {
				stocks, _, err := s.Stocks.List(s.Context(), tx, "", 10, 0)
				if err != nil {
					return err
				}
				categories, _, err := s.Categories.List(s.Context(), tx, CategoryFilter{}, 10, 0)
				if err != nil {
					return err
				}

				return errors.Join(s.Attributes.Delete(s.Context(), tx, Option, colour.ID, nil),
					s.Attributes.Delete(s.Context(), tx, Feature, brand.ID, nil),
					s.Categories.Delete(s.Context(), tx, categories[0].ID, nil),
					s.Stocks.Delete(s.Context(), tx, stocks[0].ID, nil))
			})
			if n := s.Count("deletions"); n != 4*(round+1) {
				s.Errorf("%d deletions are recorded, want 4 more", n)
			}

			if got := describePushed(); got != " |  | :  0/- | -" {
				s.Errorf("the product is %s", got)
			}

			// References to what is deleted become pending, and the same push is applied again.
			s.wantOutcomes("updated ~categories[0]:unknown_category ~features[0].id:unknown_feature "+
				"~variants[0].options[0].id:unknown_option", product())
			pushAll()

			for _, link := range []func() (int64, error){
				func() (int64, error) {
					return s.Links.LinkAttributes(s.Context(), s.DB, s.Store.ID, Option, []string{"colour"})
				},
				func() (int64, error) {
					return s.Links.LinkAttributes(s.Context(), s.DB, s.Store.ID, Feature, []string{"brand"})
				},
				func() (int64, error) {
					return s.Links.LinkCategories(s.Context(), s.DB, s.Store.ID, []string{"sale"})
				},
			} {
				n, err := link()
				if err != nil || n != 1 {
					s.Errorf("%d references were linked, %v", n, err)
				}
			}

			if got := describePushed(); got != want {
				s.Errorf("the product is %s, want %s", got, want)
			}
		}

		s.checkInvariants()
	})
}

// A variant gets another value of an option although its hidden value is still stored, and combinations are compared
// as if it were not.
func TestDeletion_combinationsWhileLinksAreHidden(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		h.removeValues(h.colour, "red")
		p := h.load(h.products[0])
		keep := func(i int) VariantEdit { return unchanged(p.Variants[i]) }

		// Variant 1 has only the size S left.
		err := h.edit(p.ID, withVariants(keep(0), keep(1), keep(2), keep(3), newVariant("5", 1, h.size.ref("S"))))
		h.wantInvalid(err, "variants[4].options duplicate_combination")
		p = h.mustEdit(p.ID, withVariants(withOptions(p.Variants[0], h.colour.ref("blue"), h.size.ref("M")), keep(1),
			keep(2),
			keep(3), newVariant("5", 1, h.size.ref("S"))))
		h.wantVariants(p, "1: Colour blue, Size M", "2: Size M", "3: Colour blue, Size S", "4: ", "5: Size S")

		// Deleting the size makes variants 2, 3 and 5 of the other products lose more.
		h.must(h.TryWrite(func(tx store.Tx) error {
			return h.Attributes.Delete(h.Context(), tx, Option, h.size.ID, nil)
		}))
		h.wantVariants(h.load(h.products[1]), "1: ", "2: ", "3: Colour blue", "4: ")
		h.wantVariants(h.load(p.ID), "1: Colour blue", "2: ", "3: Colour blue", "4: ", "5: ")
		before := h.everything()
		h.completeDeletions()
		h.wantSame("after the deletions", before)

		if n := h.Count("variants WHERE twin <> 0"); n != 1 {
			h.Errorf("%d variants are duplicates, want variant 3 of the first product", n)
		}
	})
}

// An attribute is deleted whose values are hidden already.
func TestDeletion_ofAnAttributeWithHiddenValues(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		h.removeValues(h.brand, "Acme")
		h.removeValues(h.colour, "red", "blue")

		for _, a := range []testAttribute{h.brand, h.colour} {
			h.must(h.TryWrite(func(tx store.Tx) error {
				return h.Attributes.Delete(h.Context(), tx, a.Kind, a.ID, nil)
			}))
		}

		if n := h.Count("deletions"); n != 2 {
			h.Errorf("%d deletions are recorded, want those of the attributes", n)
		}

		before := h.everything()
		h.completeDeletions()
		h.wantSame("after the deletions", before)

		if n := h.Count("attribute_values"); n != 2 {
			h.Errorf("%d values are left, want 2 of the size", n)
		}
	})
}

// Impact does not count hidden links.
func TestDeletion_impactWhileLinksAreHidden(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		h.removeValues(h.colour, "red")
		impact, err := h.Attributes.Impact(h.Context(), h.DB.Write, h.Store.ID, Option, h.colour.ID,
			removeEdit(h.colour, "blue"))
		h.must(err)
		if impact.VariantsTotal != 3 || len(impact.Collisions) != 3 || len(impact.Collisions[0].VariantIDs) != 2 {
			h.Errorf("the impact is %+v, want variants 3 of all products, which become equal to variants 1", impact)
		}
		_, err = h.Attributes.Impact(h.Context(), h.DB.Write, h.Store.ID, Option, h.colour.ID,
			removeEdit(h.colour, "red"))
		h.wantInvalid(err, "removed_values[0] unknown_value")
	})
}

// The children of a hidden category move to its parent, and products of the hidden one are no products of the parent.
func TestDeletion_categoryTreeWhileLinksAreHidden(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		h.must(h.moveCategory(h.sale, h.summer))
		child := h.category("child", h.sale)
		h.must(h.deleteCategory(h.sale))
		h.wantTree("summer v1", "child < summer v2")
		err := h.moveCategory(child, h.sale)
		h.wantInvalid(err, "parent_id unknown_category")
		if _, err := h.tryCreate(ProductEdit{Name: new("x"), Categories: &[]CategoryID{h.sale.ID}}); err == nil {
			h.Error("a product was created in a deleted category")
		}
		if err := h.deleteCategory(h.sale); fault.KindOf(err) != fault.NotFound {
			h.Errorf("the second deletion returned %v", err)
		}
	})
}

func reserveOne(h *hidingFixture, tx store.Tx, p fullProduct, quantity money.Quantity) (Reservation, error) {
	r, err := h.Stocks.Reserve(h.Context(), tx, []Wanted{{p.Variants[0].ID, quantity}})
	if err != nil {
		return r, err
	}
	return r, h.Stocks.RecordChanges(h.Context(), tx, r.Products...)
}

// Orders reserve nothing in a deleted stock, and a stock in which something is reserved is not deleted.
func TestDeletion_reservationsWhileLinksAreHidden(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		p := h.load(h.products[0])
		h.must(h.deleteStock(h.near))
		r, err := inTx(h.catalogFixture, func(tx store.Tx) (Reservation, error) { return reserveOne(h, tx, p, 2000) })
		if err != nil || r.Complete() || r.Left[0] != 1000 {
			h.Errorf("Reserve returned %+v, %v; want 1 of 2 in the other stock", r, err)
		}

		r, err = inTx(h.catalogFixture, func(tx store.Tx) (Reservation, error) { return reserveOne(h, tx, p, 1000) })
		if err != nil || !r.Complete() || r.Parts[0][0].Stock != h.far.Key {
			h.Errorf("Reserve returned %+v, %v; want the other stock", r, err)
		}
		if got := *h.load(p.ID).Variants[0].Available; got != 0 {
			h.Errorf("%d are available, want 0", got)
		}

		h.wantStockReserved(h.deleteStock(h.far))
		before := h.everything()
		h.completeDeletions()
		h.wantSame("after the deletion", before)
		h.Write(func(tx store.Tx) error {
			products, err := h.Stocks.Release(h.Context(), tx, r.Parts[0])
			if err != nil {
				return err
			}
			return h.Stocks.RecordChanges(h.Context(), tx, products...)
		})
		h.must(h.deleteStock(h.far))

		if got := h.load(p.ID).Available; got != nil {
			h.Errorf("%d are available, want no limit without stocks", *got)
		}
	})
}

// On PostgreSQL the deletion of a stock waits for an order that is reserving something in it, and is then refused.
func TestDeletion_ofAStockWaitsForReservations(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		if h.DB.Engine() != database.Postgres {
			return // SQLite has a single writer
		}

		p := h.load(h.products[0])
		deleted := make(chan error, 1)

		h.Write(func(tx store.Tx) error {
			if _, err := reserveOne(h, tx, p, 2000); err != nil {
				return err
			}

			go func() { deleted <- h.deleteStock(h.near) }()

			for waiting := int64(0); waiting == 0 && len(deleted) == 0; {
				err := database.QueryRow(h.Context(), tx.Unscoped(),
					"SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid",
					nil, &waiting)
				if err != nil {
					return err
				}
			}

			return nil
		})

		h.wantStockReserved(<-deleted)
	})
}

// Products are written, ordered and deleted while workers of two nodes delete the links.
func TestDeletion_concurrentWrites(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		for range 30 {
			h.products = append(h.products, h.mustCreate(ProductEdit{
				Categories: &[]CategoryID{h.sale.ID}, Features: &[]ValueRef{h.brand.ref("Acme")},
				Variants: &[]VariantEdit{h.variant("1", h.colour.ref("red"), h.size.ref("S")),
					h.variant("2", h.colour.ref("blue"), h.size.ref("S"))},
			}).ID)
		}

		var list []fullProduct
		for _, productID := range h.products {
			list = append(list, h.load(productID))
		}

		cases := slices.Collect(func(yield func(deletionCase) bool) {
			for _, c := range deletionCases() {
				if !slices.Contains(overlapping, c.name) && !yield(c) {
					return
				}
			}
		})

		writes := []func(p fullProduct) error{
			func(p fullProduct) error {
				description := "new"
				return h.edit(p.ID, ProductEdit{Description: &description})
			},
			func(p fullProduct) error {
				return h.TryWrite(func(tx store.Tx) error { _, err := reserveOne(h, tx, p, 500); return err })
			},
			func(p fullProduct) error {
				return h.edit(p.ID, ProductEdit{Features: &[]ValueRef{h.brand.ref("Best")},
					Categories: &[]CategoryID{h.summer.ID}})
			},
		}
		for _, err := range concurrently(len(cases)+2+len(writes), func(i int) error {
			switch {
			case i < len(cases):
				return h.TryWrite(func(tx store.Tx) error { return cases[i].delete(h, tx) })
			case i < len(cases)+2:
				for range 5 {
					if err := h.Deletions.Complete(h.Context(), h.DB); err != nil {
						return err
					}
				}
				return nil
			}

			for _, p := range list {
				if err := writes[i-len(cases)-2](p); err != nil {
					return err
				}
			}

			return nil
		}) {
			var f *fault.Error
			if err != nil && (!errors.As(err, &f) || f.Code != "stock_reserved") {
				h.Error(err)
			}
		}

		before := h.everything()
		h.completeDeletions()
		h.wantSame("after the deletions", before)
	})
}

// The worker starts with what an earlier process left, and then deletes what is added.
func TestDeletionsRun_completesDeletions(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		other := New(Deps{Now: h.Clock.Now, MaxDirectLinks: -1}) // its worker does not run
		h.Write(func(tx store.Tx) error { return other.Categories.Delete(h.Context(), tx, h.sale.ID, nil) })
		stop := h.Start(func(ctx context.Context) error {
			return h.Deletions.Run(ctx, h.DB, slog.New(slog.DiscardHandler))
		})
		h.Eventually("the first deletion is completed", func() bool { return h.Count("categories") == 1 })
		h.must(h.deleteStock(h.near))
		h.Eventually("the second deletion is completed", func() bool { return h.Count("stocks") == 1 })
		stop()
	})
}

// A deletion that fails does not stop those of other stores.
func TestDeletionsComplete_failsForOneStoreOnly(t *testing.T) {
	eachEngineHiding(t, func(h *hidingFixture) {
		fixture := h.WithStore(h.NewStore(store.Edit{}))
		other := newHidingFixture(fixtureOf(fixture, Deps{Now: h.Clock.Now, MaxDirectLinks: -1}))
		for _, broken := range []*hidingFixture{h, other} {
			working := h
			if broken == h {
				working = other
			}

			// Without the key of its attribute, no links to the value are found, and it cannot be deleted.
			broken.Exec("INSERT INTO deletions (store_id, kind, target_key, attribute_key) SELECT store_id, 'value', "+
				"key, 0 "+
				"FROM attribute_values WHERE id = $1", broken.colour.values["red"])
			h.must(working.deleteStock(working.near))

			if err := h.Deletions.Complete(h.Context(), h.DB); err == nil {
				h.Error("the broken deletion did not fail")
			}
			if n := h.Count("stocks WHERE key = $1", working.near.Key); n != 0 {
				h.Error("the deletion of the other store is not completed")
			}

			h.Exec("DELETE FROM deletions")
		}
	})
}

// A deletion with few links deletes them itself.
func TestDeletion_withFewLinksNeedsNoWorker(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		h := newHidingFixture(s)
		for _, c := range deletionCases() {
			if slices.Contains(overlapping, c.name) {
				continue
			}
			h.must(h.TryWrite(func(tx store.Tx) error { return c.delete(h, tx) }))
		}
		if n := h.Count("deletions"); n != 0 {
			h.Errorf("%d deletions are left to the worker", n)
		}
	})
}

// isVersion is the precondition that the product has this version.
func isVersion(want int64) fault.Precondition {
	return func(version int64) bool { return version == want }
}
