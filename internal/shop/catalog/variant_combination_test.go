package catalog

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

func TestCombination_mustDifferWithinAProduct(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "L"), s.option("Colour", "red", "blue")
		_, err := s.try(named("x", variants(one("a", 1, size.is("S"), colour.is("red")), one("b", 1), one("c", 1, colour.is("red"), size.is("S")))))
		s.refused(err, "variants[2].options duplicate_combination")

		p := s.make(variants(one("a", 1, size.is("S"), colour.is("red")), one("b", 1, size.is("S")), one("c", 1, size.is("L"), colour.is("red"))))
		s.make(variants(one("a", 1, size.is("S"), colour.is("red")))) // another product may have the same combination
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.refused(s.edit(p.ID, variants(again(a), again(b), again(c), one("d", 1, size.is("S")))), "variants[3].options duplicate_combination")
		// The error names the variant that changes, in any position.
		s.refused(s.edit(p.ID, variants(with(b, size.is("S"), colour.is("red")), again(a), again(c))), "variants[0].options duplicate_combination")
		s.has(s.whole(p.ID), "a: Size S, Colour red", "b: Size S", "c: Size L, Colour red")
	})
}

func TestCombination_ofVariantsWithoutOptionsIsNotCompared(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size := s.option("Size", "S")
		p := s.make(variants(one("a", 1), one("b", 1), one("c", 1, size.is("S"))))
		p = s.change(p.ID, variants(again(p.Variants[0]), again(p.Variants[1]), with(p.Variants[2]), one("d", 1)))
		s.has(p, "a: ", "b: ", "c: ", "d: ")
	})
}

func TestCombination_canBeSwappedAndHandedOnInOneRequest(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size := s.option("Size", "S", "M", "L")
		p := s.make(variants(one("a", 1, size.is("S")), one("b", 1, size.is("M")), one("c", 1, size.is("L"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		p = s.change(p.ID, variants(with(a, size.is("M")), with(b, size.is("S")), again(c)))
		s.has(p, "a: Size M", "b: Size S", "c: Size L")
		p = s.change(p.ID, variants(with(a, size.is("S")), with(b, size.is("L")), with(c, size.is("M"))))
		s.has(p, "a: Size S", "b: Size L", "c: Size M")
		// A new variant gets the combination that a changed variant has left, and a changed variant that of an archived
		// one.
		p = s.change(p.ID, variants(with(b, size.is("S")), with(c, size.is("L")), one("d", 1, size.is("M"))))
		s.has(p, "b: Size S", "c: Size L", "d: Size M")
	})
}

func TestCombination_ofAnArchivedVariantIsFreeUntilItComesBack(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size := s.option("Size", "S", "L")
		p := s.make(variants(one("a", 1, size.is("S")), one("b", 1, size.is("L"))))
		a, b := p.Variants[0], p.Variants[1]
		p = s.change(p.ID, variants(again(b), one("c", 1, size.is("S"))))
		s.has(p, "b: Size L", "c: Size S")
		c := p.Variants[1]
		s.refused(s.edit(p.ID, variants(again(b), again(c), again(a))), "variants[2].options duplicate_combination")
		p = s.change(p.ID, variants(again(a), again(b), with(c)))
		s.has(p, "a: Size S", "b: Size L", "c: ")
		p = s.change(p.ID, variants(again(b), again(c)))
		p = s.change(p.ID, variants(with(a), again(b), with(c, size.is("S")))) // it is restored with other options
		s.has(p, "a: ", "b: Size L", "c: Size S")
	})
}

func TestCombination_isGivenToOneOfManyWritersAtOnce(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		const writers = 20
		names := make([]string, writers)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		size, colour := s.option("Size", names...), s.option("Colour", "red")
		list := make([]VariantEdit, writers)
		for i, name := range names {
			list[i] = one(name, 1, size.is(name))
		}
		p := s.make(variants(list...))
		won := 0
		for i, err := range atOnce(writers, func(i int) error {
			list := make([]VariantEdit, writers)
			for j, v := range p.Variants {
				list[j] = again(v)
			}
			list[i] = with(p.Variants[i], colour.is("red"))
			return s.edit(p.ID, variants(list...))
		}) {
			if err == nil {
				won++
				continue
			}
			s.refused(err, fmt.Sprintf("variants[%d].options duplicate_combination", i))
		}
		if won != 1 {
			s.Errorf("%d writers got the same combination, want 1", won)
		}
		red := 0
		for _, v := range s.whole(p.ID).Variants {
			if carries(v.Options) == "Colour red" {
				red++
			}
		}
		if red != 1 {
			s.Errorf("%d variants are red", red)
		}
	})
}

func TestCombination_isHeldByTheDatabaseTooAndItsWordIsARefusal(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		p := s.make(ProductEdit{})
		write := func(q database.Querier, plan *variantPlan) error {
			ws := &productWrites{tx: store.In(q, s.storeID), at: p.UpdatedAt, list: []*productWrite{{p: p, plan: plan}}}
			return ws.writeVariants(s.Context())
		}
		twice := func(change func(v *plannedVariant)) error {
			return s.db.Write(s.Context(), func(q database.Querier) error {
				plan := &variantPlan{}
				for range 2 {
					v := &plannedVariant{Variant: Variant{ID: id.New[Variant]()}}
					change(v)
					plan.sent = append(plan.sent, v)
				}
				return write(q, plan)
			})
		}
		s.refused(twice(func(v *plannedVariant) { v.combination = "the same" }), "variants duplicate_combination")
		s.taken(twice(func(v *plannedVariant) { v.ExternalID = new("the same") }), "variants")

		size := s.option("Size", "S", "L")
		p = s.make(variants(one("a", 1, size.is("S")), one("b", 1, size.is("L"))))
		s.refused(s.db.Write(s.Context(), func(q database.Querier) error {
			var stored []storedVariant
			if err := storedVariants(s.Context(), store.In(q, s.storeID), []int64{p.Key}, func(v storedVariant) { stored = append(stored, v) }); err != nil {
				return err
			}
			a, b := &stored[0], &stored[1]
			return write(q, &variantPlan{sent: []*plannedVariant{{Variant: b.Variant, was: b, combination: a.combination}}})
		}), "variants duplicate_combination")
	})
}

func TestVariant_carriesTenThousandOptions(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		const many = 10_000
		refs := s.manyOptions(many)
		p := s.make(variants(one("a", 1, refs...)))
		a := p.Variants[0]
		if len(a.Options) != many || a.Options[many-1].AttributeID != refs[many-1].Attribute {
			s.Fatalf("read %d options", len(a.Options))
		}
		s.refused(s.edit(p.ID, variants(again(a), one("b", 1, refs...))), "variants[1].options duplicate_combination")
		p = s.change(p.ID, variants(with(a, refs[1:]...)))
		if n := len(p.Variants[0].Options); n != many-1 {
			s.Errorf("after removing one there are %d options", n)
		}
	})
}

// manyOptions inserts options with one value each, with two statements.
func (s *productShop) manyOptions(n int) []ValueRef {
	s.Helper()
	refs := make([]ValueRef, n)
	batch := database.NewBatch(database.UUID, database.UUID)
	for i := range refs {
		refs[i] = ValueRef{id.New[Attribute](), id.New[Value]()}
		batch.Add(refs[i].Attribute, refs[i].Value)
	}
	s.write(func(q database.Querier) error {
		_, err := q.ExecRows(s.Context(), `
WITH r(id, value_id) AS (ROWS)
INSERT INTO attributes (store_id, id, kind, name, words, filterable, field_type, value_count, version, created_at, updated_at)
SELECT $1, id, 'option', 'n', ' n', $2, 'select', 1, 1, 1, 1
FROM r`, batch, s.storeID, false)
		if err != nil {
			return err
		}
		_, err = q.ExecRows(s.Context(), `
WITH r(id, value_id) AS (ROWS)
INSERT INTO attribute_values (store_id, attribute_key, id, name, created_at, updated_at)
SELECT $1, a.key, r.value_id, 'v', 1, 1
FROM r
CROSS JOIN attributes a
WHERE a.store_id = $1
  AND a.id = r.id`, batch, s.storeID)
		return err
	})
	return refs
}

func TestProduct_writesBesideEditsOfItsOptionsNeverFailOtherwiseThanByRules(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		const values, rounds = 12, 6
		names := make([]string, values)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		size, colour := s.option("Size", names...), s.option("Colour", names...)
		var made []Product
		for range 4 {
			list := make([]VariantEdit, values)
			for i, name := range names {
				list[i] = one(name, 1, size.is(name), colour.is(names[0]))
			}
			made = append(made, s.make(variants(list...)))
		}
		errs := atOnce(2+2*len(made), func(i int) error {
			switch i {
			case 0, 1: // two writers that remove values, each from one option
				for _, name := range names[:rounds] {
					a := []testAttribute{size, colour}[i]
					err := s.db.WriteAlone(s.Context(), func(q database.Querier) error {
						_, err := s.Attributes.Edit(s.Context(), store.In(q, s.storeID), Option, a.ID, removal(a, name), nil)
						return err
					})
					if err != nil {
						return err
					}
				}
				return nil
			}
			p := made[i%len(made)]
			for round := range rounds {
				list := make([]VariantEdit, values)
				for j, v := range p.Variants {
					list[j] = again(v)
				}
				at := (i + round) % values
				list[at] = with(p.Variants[at], colour.is(names[round+1]), size.is(names[at]))
				if err := s.edit(p.ID, variants(list...)); err != nil && fault.KindOf(err) != fault.Invalid {
					return err
				}
			}
			return nil
		})
		for _, err := range errs {
			if err != nil {
				s.Error(err)
			}
		}
	})
}
