package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// tryCreateAll creates products with CreateAll.
func (s *catalogFixture) tryCreateAll(edits ...ProductEdit) (made []Product, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		made, err = s.Products.CreateAll(s.Context(), tx, edits)
		return err
	})
	return made, err
}

func TestCreateProducts_createsSameProductsAsCreate(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		fabric := s.feature("Fabric", "wool", "silk")
		near := s.stock("near")
		shelf := s.category("shelf")
		const many = 210 // more than one chunk on SQLite
		pictures := s.insertImages(many + 1)

		edit := func(i int) ProductEdit {
			small := newVariant(fmt.Sprint("s", i), money.Money(i), size.ref("S"))
			small.Remainders = remainderEdits(near, i)
			small.ExternalID = new("x")

			return ProductEdit{
				Name: new(fmt.Sprint("P", i)), ExternalID: new(fmt.Sprint("e", i)),
				Description: new(fmt.Sprint("d", i)), Modifiers: new(`[{"name":"m"}]`),
				Categories: &[]CategoryID{shelf.ID}, Features: &[]ValueRef{fabric.ref("silk"), fabric.ref("wool")},
				Images:   &[]ImageID{pictures[i]},
				Variants: &[]VariantEdit{small, newVariant("l", 500, size.ref("L")), newVariant("plain", 1)},
			}
		}

		var edits []ProductEdit
		for i := range many {
			edits = append(edits, edit(i))
		}

		edits[7] = withName("P7", ProductEdit{})
		made, err := s.tryCreateAll(edits...)
		s.must(err)

		if got := s.drainChanges(); len(got) != many ||
			!slices.Equal(got, s.queryInts("SELECT key FROM products ORDER BY key")) {
			s.Errorf("%d products are recorded as changed", len(got))
		}

		for i, p := range made {
			if p.Name != fmt.Sprint("P", i) || (i > 0 && p.Key <= made[i-1].Key) {
				s.Fatalf("the product at %d is %s with the key %d", i, p.Name, p.Key)
			}
		}

		alone := s.mustCreate(withName("P", edit(many)))
		for _, i := range []int{0, 199, many - 1} {
			p := s.load(made[i].ID)
			answered := made[i]
			if *p.PriceTo != 500 || *answered.PriceTo != 500 || *answered.Available != money.Quantity(i) ||
				answered.VariantCount != 3 || answered.Version != 1 || *p.ExternalID != fmt.Sprint("e", i) {
				s.Errorf("%d: returned %+v", i, answered)
			}

			s.wantVariants(p, fmt.Sprintf("s%d: Size S", i), "l: Size L", "plain: ")
			s.wantRemainders(p, fmt.Sprint(i), fmt.Sprintf("%d/0 = %[1]d", i), " = none", " = none")

			if formatValues(p.Features) != formatValues(alone.Features) || categoryNames(p) != "shelf" ||
				len(p.Images) != 1 || p.Modifiers != alone.Modifiers || p.Description != fmt.Sprint("d", i) {
				s.Errorf("%d: %+v", i, p)
			}
		}

		if bare := s.load(made[7].ID); len(bare.Variants)+len(bare.Features)+len(bare.Categories)+
			len(bare.Images) != 0 || bare.Modifiers != "[]" || bare.ExternalID != nil {
			s.Errorf("empty product: %+v", bare)
		}

		none, err := s.tryCreateAll()
		if err != nil || len(none) != 0 || len(s.drainChanges()) != 1 {
			s.Errorf("without edits: %v, %v", none, err)
		}
	})
}

func TestCreateProducts_createsAllOrNoneAndNamesFields(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S")
		fabric := s.feature("Fabric", "wool")
		near := s.stock("near")
		picture := s.insertImages(1)[0]
		s.mustCreate(ProductEdit{ExternalID: new("taken"), Name: new("Old")})
		called := func(name, external string) ProductEdit {
			return withName(name, ProductEdit{ExternalID: &external})
		}

		fine := withName("fine", withVariants(newVariant("a", 1, size.ref("S"))))
		for _, c := range []struct {
			edits []ProductEdit
			want  []string
		}{
			{[]ProductEdit{fine, {}}, []string{"products[1].name required"}},
			{[]ProductEdit{fine, fine, withName("x", withVariants(VariantEdit{}))},
				[]string{"products[2].variants[0].price required"}},
			{[]ProductEdit{fine,
				withName("x", ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), fabric.ref("wool")},
					Categories: &[]CategoryID{{}}})},
				[]string{"products[1].categories[0] unknown_category", "products[1].features[1] duplicate_value"}},
			{[]ProductEdit{withName("x",
				withVariants(newVariant("a", 1, size.ref("S")), newVariant("b", 1, size.ref("S")))), fine},
				[]string{"products[0].variants[1].options duplicate_combination"}},
			{[]ProductEdit{withName("x",
				withVariants(VariantEdit{Price: new(money.NewPrice(1)),
					Remainders: remainderEdits(near, 1, near, 1)}))},
				[]string{"products[0].variants[0].remainders[1].stock_id duplicate_stock"}},
			{[]ProductEdit{called("x", "e"), called("y", "f"), called("z", "e")},
				[]string{"products[2].external_id duplicate_external_id"}},
			{[]ProductEdit{withName("x", ProductEdit{Images: &[]ImageID{picture}}),
				withName("y", ProductEdit{Images: &[]ImageID{picture}})},
				[]string{"products[1].images[0] image_taken"}},
		} {
			_, err := s.tryCreateAll(c.edits...)
			s.wantInvalid(err, c.want...)
		}

		_, err := s.tryCreateAll(fine, called("x", "taken"), called("y", "free"))
		s.wantExternalIDTaken(err, "products[1].external_id")

		if s.Count("products") != 1 || s.Count("variants")+s.Count("variant_values") != 0 {
			s.Error("a refused request left rows")
		}

		many := make([]ProductEdit, 300)
		_, err = s.tryCreateAll(many...)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Fields) != 100 {
			s.Errorf("got %v, want 100 fields", err)
		}
	})
}

// statementRecorder is a Querier that records the statements.
type statementRecorder struct {
	database.Querier
	statements []string
}

func (c *statementRecorder) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	c.statements = append(c.statements, sql)
	return c.Querier.Exec(ctx, sql, args...)
}

func (c *statementRecorder) Query(ctx context.Context, sql string, args ...any) (database.Rows, error) {
	c.statements = append(c.statements, sql)
	return c.Querier.Query(ctx, sql, args...)
}

func (c *statementRecorder) ExecLater(ctx context.Context, sql string, batch *database.Batch, args ...any) error {
	c.statements = append(c.statements, sql)
	return c.Querier.ExecLater(ctx, sql, batch, args...)
}

func (c *statementRecorder) ExecRows(
	ctx context.Context, sql string, batch *database.Batch, args ...any,
) (int64, error) {
	c.statements = append(c.statements, sql)
	return c.Querier.ExecRows(ctx, sql, batch, args...)
}

func (c *statementRecorder) QueryRows(
	ctx context.Context, sql string, batch *database.Batch, each func(database.Rows) error, args ...any,
) error {
	c.statements = append(c.statements, sql)
	return c.Querier.QueryRows(ctx, sql, batch, each, args...)
}

func TestCreateProducts_numberOfStatementsIsConstant(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S")
		near := s.stock("near")

		statements := func(n int) int {
			edits := make([]ProductEdit, n)
			for i := range edits {
				v := newVariant("a", 1, size.ref("S"))
				v.Remainders = remainderEdits(near, 1)
				edits[i] = withName("x"+strconv.Itoa(n+i), withVariants(v))
				edits[i].Images = &[]ImageID{}
			}

			run := &statementRecorder{}
			s.Write(func(tx store.Tx) error {
				run.Querier = tx.Unscoped()
				run.statements = nil
				_, err := s.Products.CreateAll(s.Context(), store.In(run, s.Store.ID), edits)
				return err
			})
			if last := run.statements[len(run.statements)-1]; !strings.Contains(last, "product_changes") {
				s.Errorf("the last statement is %s", last)
			}

			return len(run.statements)
		}
		if few, many := statements(1), statements(50); few != many {
			s.Errorf("%d statements for one product, %d for many", few, many)
		}
	})
}
