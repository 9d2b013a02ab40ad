package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// tryAll creates products with CreateAll.
func (s *productShop) tryAll(edits ...ProductEdit) (made []Product, err error) {
	err = s.db.Write(s.Context(), func(q database.Querier) (err error) {
		made, err = s.Products.CreateAll(s.Context(), store.In(q, s.storeID), edits)
		return err
	})
	return made, err
}

func TestCreateProducts_makesThemAsOneByOne(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, fabric, near, shelf := s.option("Size", "S", "L"), s.feature("Fabric", "wool", "silk"), s.stock("near"), s.category("shelf")
		const many = 210 // more than one chunk on SQLite
		pictures := s.images(many + 1)
		edit := func(i int) ProductEdit {
			small := one(fmt.Sprint("s", i), Money(i), size.is("S"))
			small.Remainders, small.ExternalID = stocks(near, i), new("x")
			return ProductEdit{
				Name: new(fmt.Sprint("P", i)), ExternalID: new(fmt.Sprint("e", i)), Description: new(fmt.Sprint("d", i)), Modifiers: new(`[{"name":"m"}]`),
				Categories: &[]CategoryID{shelf.ID}, Features: &[]ValueRef{fabric.is("silk"), fabric.is("wool")}, Images: &[]ImageID{pictures[i]},
				Variants: &[]VariantEdit{small, one("l", 500, size.is("L")), one("plain", 1)},
			}
		}
		var edits []ProductEdit
		for i := range many {
			edits = append(edits, edit(i))
		}
		edits[7] = named("P7", ProductEdit{})
		made, err := s.tryAll(edits...)
		s.must(err)
		if got := s.changed(); len(got) != many || !slices.Equal(got, s.numbers("SELECT key FROM products ORDER BY key")) {
			s.Errorf("%d products are recorded as changed", len(got))
		}
		for i, p := range made {
			if p.Name != fmt.Sprint("P", i) || (i > 0 && p.Key <= made[i-1].Key) {
				s.Fatalf("the product at %d is %s with the key %d", i, p.Name, p.Key)
			}
		}
		alone := s.make(named("P", edit(many)))
		for _, i := range []int{0, 199, many - 1} {
			p, answered := s.whole(made[i].ID), made[i]
			if *p.PriceTo != 500 || *answered.PriceTo != 500 || *answered.Available != Quantity(i) || answered.VariantCount != 3 || answered.Version != 1 || *p.ExternalID != fmt.Sprint("e", i) {
				s.Errorf("%d: returned %+v", i, answered)
			}
			s.has(p, fmt.Sprintf("s%d: Size S", i), "l: Size L", "plain: ")
			s.keeps(p, fmt.Sprint(i), fmt.Sprintf("%d/0 = %[1]d", i), " = none", " = none")
			if carries(p.Features) != carries(alone.Features) || categoriesOf(p) != "shelf" || len(p.Images) != 1 || p.Modifiers != alone.Modifiers || p.Description != fmt.Sprint("d", i) {
				s.Errorf("%d: %+v", i, p)
			}
		}
		if bare := s.whole(made[7].ID); len(bare.Variants)+len(bare.Features)+len(bare.Categories)+len(bare.Images) != 0 || bare.Modifiers != "[]" || bare.ExternalID != nil {
			s.Errorf("empty product: %+v", bare)
		}
		none, err := s.tryAll()
		if err != nil || len(none) != 0 || len(s.changed()) != 1 {
			s.Errorf("without edits: %v, %v", none, err)
		}
	})
}

func TestCreateProducts_makesAllOrNoneAndNamesThePlaces(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, fabric, near := s.option("Size", "S"), s.feature("Fabric", "wool"), s.stock("near")
		picture := s.images(1)[0]
		s.make(ProductEdit{ExternalID: new("taken"), Name: new("Old")})
		called := func(name, external string) ProductEdit { return named(name, ProductEdit{ExternalID: &external}) }
		fine := named("fine", variants(one("a", 1, size.is("S"))))
		for _, c := range []struct {
			edits []ProductEdit
			want  []string
		}{
			{[]ProductEdit{fine, {}}, []string{"products[1].name required"}},
			{[]ProductEdit{fine, fine, named("x", variants(VariantEdit{}))}, []string{"products[2].variants[0].price required"}},
			{[]ProductEdit{fine, named("x", ProductEdit{Features: &[]ValueRef{fabric.is("wool"), fabric.is("wool")}, Categories: &[]CategoryID{{}}})},
				[]string{"products[1].categories[0] unknown_category", "products[1].features[1] duplicate_value"}},
			{[]ProductEdit{named("x", variants(one("a", 1, size.is("S")), one("b", 1, size.is("S")))), fine}, []string{"products[0].variants[1].options duplicate_combination"}},
			{[]ProductEdit{named("x", variants(VariantEdit{Price: new(Money(1)), Remainders: stocks(near, 1, near, 1)}))}, []string{"products[0].variants[0].remainders[1].stock_id duplicate_stock"}},
			{[]ProductEdit{called("x", "e"), called("y", "f"), called("z", "e")}, []string{"products[2].external_id duplicate_external_id"}},
			{[]ProductEdit{named("x", ProductEdit{Images: &[]ImageID{picture}}), named("y", ProductEdit{Images: &[]ImageID{picture}})}, []string{"products[1].images[0] image_taken"}},
		} {
			_, err := s.tryAll(c.edits...)
			s.refused(err, c.want...)
		}
		_, err := s.tryAll(fine, called("x", "taken"), called("y", "free"))
		s.taken(err, "products[1].external_id")
		if s.count("products") != 1 || s.count("variants")+s.count("variant_values") != 0 {
			s.Error("a refused request left rows")
		}
		many := make([]ProductEdit, 300)
		_, err = s.tryAll(many...)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Fields) != 100 {
			s.Errorf("got %v, want 100 fields", err)
		}
	})
}

// counting is a Querier that records the statements.
type counting struct {
	database.Querier
	texts []string
}

func (c *counting) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	c.texts = append(c.texts, sql)
	return c.Querier.Exec(ctx, sql, args...)
}

func (c *counting) Query(ctx context.Context, sql string, args ...any) (database.Rows, error) {
	c.texts = append(c.texts, sql)
	return c.Querier.Query(ctx, sql, args...)
}

func (c *counting) ExecRows(ctx context.Context, sql string, batch *database.Batch, args ...any) (int64, error) {
	c.texts = append(c.texts, sql)
	return c.Querier.ExecRows(ctx, sql, batch, args...)
}

func (c *counting) QueryRows(ctx context.Context, sql string, batch *database.Batch, each func(database.Rows) error, args ...any) error {
	c.texts = append(c.texts, sql)
	return c.Querier.QueryRows(ctx, sql, batch, each, args...)
}

func TestCreateProducts_takesAsManyStatementsForManyAsForOne(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, near := s.option("Size", "S"), s.stock("near")
		statements := func(n int) int {
			edits := make([]ProductEdit, n)
			for i := range edits {
				v := one("a", 1, size.is("S"))
				v.Remainders = stocks(near, 1)
				edits[i] = named("x", variants(v))
				edits[i].Images = &[]ImageID{}
			}
			run := &counting{}
			s.write(func(q database.Querier) error {
				run.Querier, run.texts = q, nil
				_, err := s.Products.CreateAll(s.Context(), store.In(run, s.storeID), edits)
				return err
			})
			if last := run.texts[len(run.texts)-1]; !strings.Contains(last, "product_changes") {
				s.Errorf("the last statement is %s", last)
			}
			return len(run.texts)
		}
		if few, many := statements(1), statements(50); few != many {
			s.Errorf("%d statements for one product, %d for many", few, many)
		}
	})
}
