package catalog_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

type productAction func(context.Context, store.Tx, ProductID, fault.Precondition) (Product, error)

// tryAction archives or restores a product.
func (s *catalogFixture) tryAction(
	to productAction, productID ProductID, pre fault.Precondition,
) (p Product, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		p, err = to(s.Context(), tx, productID, pre)
		return err
	})
	return p, err
}

// mustAction calls tryAction and fails the test on an error.
func (s *catalogFixture) mustAction(to productAction, productID ProductID) Product {
	s.Helper()
	p, err := s.tryAction(to, productID, nil)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *catalogFixture) isFound(productID ProductID, which Archived) bool {
	s.Helper()
	err := s.TryRead(func(tx store.Tx) error {
		_, err := s.Products.Find(s.Context(), tx, productID, which)
		return err
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		s.Fatal(err)
	}
	return err == nil
}

func TestArchiveProduct_hidesProductUntilRestore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		near := s.stock("near")
		kept := newVariant("a", 1, size.ref("S"))
		kept.Remainders = remainderEdits(near, 5)
		p := s.mustCreate(withVariants(kept, newVariant("b", 2, size.ref("L"))))
		p = s.mustEdit(p.ID, withVariants(unchanged(p.Variants[0])))
		archived := s.mustAction(s.Products.Archive, p.ID)
		if archived.ArchivedAt == nil || !archived.ArchivedAt.Equal(archived.UpdatedAt) ||
			archived.Version != p.Version+1 || !archived.UpdatedAt.After(p.UpdatedAt) {
			s.Errorf("archived: %+v", archived)
		}

		if *archived.PriceTo != 1 || *archived.Available != 5 || archived.VariantCount != 1 {
			s.Errorf("the totals of the archived product are wrong: %+v", archived)
		}

		if s.isFound(p.ID, Live) || !s.isFound(p.ID, AnyArchived) || !s.isFound(p.ID, OnlyArchived) ||
			len(s.search("")) != 0 {
			s.Error("the product is not archived, or not found")
		}

		// An archived product can be edited and stays archived.
		edited := s.mustEdit(p.ID,
			ProductEdit{Name: new("Coat"), Variants: &[]VariantEdit{unchanged(p.Variants[0]), newVariant("c", 3)}})
		if edited.ArchivedAt == nil || !edited.ArchivedAt.Equal(*archived.ArchivedAt) || edited.Name != "Coat" {
			s.Errorf("edited: %+v", edited)
		}

		s.wantVariants(edited, "a: Size S", "c: ")
		restored := s.mustAction(s.Products.Restore, p.ID)
		if restored.ArchivedAt != nil || !s.isFound(p.ID, Live) || s.isFound(p.ID, OnlyArchived) {
			s.Errorf("restored: %+v", restored)
		}

		s.wantVariants(s.load(p.ID), "a: Size S", "c: ") // without b, which was archived before
	})
}

func TestArchiveProduct_isIdempotent(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(withVariants(newVariant("a", 1)))
		for _, to := range []productAction{s.Products.Restore, s.Products.Archive, s.Products.Archive,
			s.Products.Restore, s.Products.Restore} {
			before := s.load(p.ID)
			moves := (before.ArchivedAt == nil) != (s.mustAction(to, p.ID).ArchivedAt == nil)
			s.drainChanges()

			after := s.mustAction(to, p.ID) // the second call must change nothing
			if now := s.load(p.ID); after.Version != now.Version || now.Version-before.Version > 1 ||
				(now.Version > before.Version) != moves || *after.PriceFrom != 1 {
				s.Errorf("version %d → %d, returned %d; state changes: %t", before.Version, now.Version, after.Version,
					moves)
			}

			if changed := s.drainChanges(); len(changed) != 0 {
				s.Errorf("%d products are recorded as changed, want none", len(changed))
			}
		}
	})
}

func TestArchiveProduct_refusesStaleVersionOrOtherStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(ProductEdit{})
		theirs := s.otherStore().mustCreate(ProductEdit{})
		for _, to := range []productAction{s.Products.Archive, s.Products.Restore} {
			if _, err := s.tryAction(to, p.ID, func(v int64) bool { return v == 7 }); fault.KindOf(err) != fault.Stale {
				s.Errorf("got %v, want stale", err)
			}
			if _, err := s.tryAction(to, theirs.ID, nil); fault.KindOf(err) != fault.NotFound {
				s.Errorf("product of another store: got %v, want not found", err)
			}
		}
		if got := s.load(p.ID); got.Version != 1 || got.ArchivedAt != nil {
			s.Errorf("a refused call has changed the product: %+v", got)
		}
	})
}

func TestArchiveAll_returnsArchivedProductsForRestoreAll(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.mustCreate(withVariants(newVariant("a", 1)))
		b := s.mustCreate(ProductEdit{})
		c := s.mustCreate(ProductEdit{})
		s.mustAction(s.Products.Archive, b.ID)
		theirs := s.otherStore().mustCreate(ProductEdit{})
		s.Exec("UPDATE products SET pushed = $2 WHERE store_id = $1", s.Store.ID, make([]byte, 16))
		s.drainChanges()
		at := s.Clock.Now().Add(time.Hour).Truncate(time.Microsecond)
		archive := func(keys ...int64) (archived []int64) {
			s.Write(func(tx store.Tx) (err error) {
				archived, err = s.Products.ArchiveAll(s.Context(), tx, keys, at)
				return err
			})
			return archived
		}

		restore := func(list ...ArchivedProduct) (restored []int64) {
			s.Write(func(tx store.Tx) (err error) {
				restored, err = s.Products.RestoreAll(s.Context(), tx, list)
				return err
			})
			return restored
		}
		if got := archive(c.Key, theirs.Key, b.Key, a.Key, a.Key, -1); !slices.Equal(got, []int64{a.Key, c.Key}) {
			s.Errorf("archived %d", got)
		}

		if got := s.drainChanges(); !slices.Equal(got, []int64{a.Key, c.Key}) {
			s.Errorf("recorded as changed: %d", got)
		}

		if got := s.load(a.ID); !got.ArchivedAt.Equal(at) || got.Version != a.Version+1 || !got.UpdatedAt.Equal(at) ||
			!s.isFound(a.ID, OnlyArchived) {
			s.Errorf("archived: %+v", got)
		}

		if again := archive(a.Key, c.Key); len(again) != 0 || len(archive()) != 0 || len(s.drainChanges()) != 0 {
			s.Errorf("archived again: %d", again)
		}

		// b was archived at another time, so it is not restored.
		if got := restore(ArchivedProduct{c.Key, at}, ArchivedProduct{b.Key, at}, ArchivedProduct{a.Key, at},
			ArchivedProduct{theirs.Key, at}); !slices.Equal(got, []int64{a.Key, c.Key}) {
			s.Errorf("restored %d", got)
		}

		if got := s.drainChanges(); !slices.Equal(got, []int64{a.Key, c.Key}) {
			s.Errorf("recorded as changed: %d", got)
		}

		if got := s.load(a.ID); got.ArchivedAt != nil || got.Version != a.Version+2 || !got.UpdatedAt.After(at) ||
			*got.PriceTo != 1 || s.isFound(b.ID, Live) {
			s.Errorf("restored: %+v", got)
		}

		if again := restore(ArchivedProduct{a.Key, at}); len(again) != 0 || len(restore()) != 0 ||
			len(s.drainChanges()) != 0 {
			s.Errorf("restored again: %d", again)
		}

		if n := s.queryInts("SELECT COUNT(*) FROM products WHERE store_id = $1 AND pushed IS NOT NULL",
			s.Store.ID); n[0] != 1 {
			s.Errorf("%d products have a push digest, want only the unchanged one", n)
		}
	})
}

// Every write of a product is recorded in the change log.
func TestProductWrites_areRecordedInChangeLog(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(withVariants(newVariant("a", 1), newVariant("b", 2)))
		bystander := s.mustCreate(ProductEdit{})
		if got := s.drainChanges(); !slices.Equal(got, []int64{p.Key, bystander.Key}) {
			s.Errorf("recorded after creation: %d", got)
		}

		v := p.Variants[0].ID
		for i, write := range []func() error{
			func() error { return s.edit(p.ID, ProductEdit{Name: new("x")}) },
			func() error { return s.editVariant(p.ID, v, VariantEdit{Price: new(money.NewPrice(7))}) },
			func() error { _, err := s.addVariant(p.ID, newVariant("c", 3)); return err },
			func() error { return s.tryVariantAction(s.Products.ArchiveVariant, p.ID, v) },
			func() error { return s.tryVariantAction(s.Products.RestoreVariant, p.ID, v) },
			func() error { return s.tryVariantAction(s.Products.DeleteVariant, p.ID, v) },
			func() error { _, err := s.tryAction(s.Products.Archive, p.ID, nil); return err },
			func() error { _, err := s.tryAction(s.Products.Restore, p.ID, nil); return err },
			func() error {
				return s.TryWrite(func(tx store.Tx) error {
					return s.Products.Delete(s.Context(), tx, p.ID, nil)
				})
			},
		} {
			if err := write(); err != nil {
				s.Fatal(err)
			}
			if got := s.drainChanges(); !slices.Equal(got, []int64{p.Key}) {
				s.Errorf("write %d: recorded %d as changed, want %d", i, got, p.Key)
			}
		}
	})
}

func TestProductsByKeys_returnsProductsInOrderOfKeys(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near := s.stock("near")
		a := s.mustCreate(withVariants(newVariant("a", 5)))
		b := s.mustCreate(withVariants(VariantEdit{Price: new(money.NewPrice(7)), Remainders: remainderEdits(near, 3)},
			newVariant("x", 2)))
		c := s.mustCreate(ProductEdit{})
		s.mustAction(s.Products.Archive, b.ID)
		theirs := s.otherStore().mustCreate(ProductEdit{})

		s.Read(func(tx store.Tx) error {
			list, err := s.Products.ByKeys(s.Context(), tx,
				[]int64{c.Key, b.Key, theirs.Key, -1, a.Key})
			if err != nil || len(list) != 3 || list[0].ID != c.ID || list[1].ID != b.ID || list[2].ID != a.ID {
				s.Fatalf("%+v, %v", list, err)
			}

			if b := list[1]; b.ArchivedAt == nil || *b.PriceFrom != 2 || *b.PriceTo != 7 || *b.Available != 3 ||
				b.VariantCount != 2 || list[0].Available != nil || list[0].PriceTo != nil {
				s.Errorf("%+v", list)
			}

			none, err := s.Products.ByKeys(s.Context(), tx, nil)
			if len(none) != 0 {
				s.Errorf("without keys: %+v", none)
			}

			return err
		})
	})
}
