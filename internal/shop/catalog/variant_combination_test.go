package catalog_test

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

func TestCombination_mustDifferWithinAProduct(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.option("Colour", "red", "blue")
		_, err := s.tryCreate(withName("x",
			withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")), newVariant("b", 1),
				newVariant("c", 1, colour.ref("red"), size.ref("S")))))
		s.wantInvalid(err, "variants[2].options duplicate_combination")

		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")),
			newVariant("b", 1, size.ref("S")), newVariant("c", 1, size.ref("L"), colour.ref("red"))))

		// Another product may have the same combination.
		s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.wantInvalid(s.edit(p.ID,
			withVariants(unchanged(a), unchanged(b), unchanged(c), newVariant("d", 1, size.ref("S")))),
			"variants[3].options duplicate_combination")

		// The error names variant b, whose options change, although a comes after it in the list.
		s.wantInvalid(s.edit(p.ID,
			withVariants(withOptions(b, size.ref("S"), colour.ref("red")), unchanged(a), unchanged(c))),
			"variants[0].options duplicate_combination")
		s.wantVariants(s.load(p.ID), "a: Size S, Colour red", "b: Size S", "c: Size L, Colour red")
	})
}

func TestCombination_ofVariantsWithoutOptionsIsNotCompared(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S")
		p := s.mustCreate(withVariants(newVariant("a", 1), newVariant("b", 1), newVariant("c", 1, size.ref("S"))))
		p = s.mustEdit(p.ID, withVariants(unchanged(p.Variants[0]), unchanged(p.Variants[1]),
			withOptions(p.Variants[2]), newVariant("d", 1)))
		s.wantVariants(p, "a: ", "b: ", "c: ", "d: ")
	})
}

func TestCombination_canBeSwappedInOneRequest(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S")), newVariant("b", 1, size.ref("M")),
			newVariant("c", 1, size.ref("L"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		p = s.mustEdit(p.ID, withVariants(withOptions(a, size.ref("M")), withOptions(b, size.ref("S")), unchanged(c)))
		s.wantVariants(p, "a: Size M", "b: Size S", "c: Size L")
		p = s.mustEdit(p.ID, withVariants(withOptions(a, size.ref("S")), withOptions(b, size.ref("L")),
			withOptions(c, size.ref("M"))))
		s.wantVariants(p, "a: Size S", "b: Size L", "c: Size M")
		// The new variant d gets the combination that c gives up, and b gets the combination of a, which is archived.
		p = s.mustEdit(p.ID, withVariants(withOptions(b, size.ref("S")), withOptions(c, size.ref("L")),
			newVariant("d", 1, size.ref("M"))))
		s.wantVariants(p, "b: Size S", "c: Size L", "d: Size M")
	})
}

func TestCombination_ofArchivedVariantIsFreeUntilRestored(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S")), newVariant("b", 1, size.ref("L"))))
		a, b := p.Variants[0], p.Variants[1]
		p = s.mustEdit(p.ID, withVariants(unchanged(b), newVariant("c", 1, size.ref("S"))))
		s.wantVariants(p, "b: Size L", "c: Size S")
		c := p.Variants[1]
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(b), unchanged(c), unchanged(a))),
			"variants[2].options duplicate_combination")
		p = s.mustEdit(p.ID, withVariants(unchanged(a), unchanged(b), withOptions(c)))
		s.wantVariants(p, "a: Size S", "b: Size L", "c: ")
		p = s.mustEdit(p.ID, withVariants(unchanged(b), unchanged(c)))

		// Variant a is restored with other options.
		p = s.mustEdit(p.ID, withVariants(withOptions(a), unchanged(b), withOptions(c, size.ref("S"))))
		s.wantVariants(p, "a: ", "b: Size L", "c: Size S")
	})
}

func TestCombination_goesToOneOfManyConcurrentWriters(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const writers = 20
		names := make([]string, writers)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}

		size := s.option("Size", names...)
		colour := s.option("Colour", "red")
		list := make([]VariantEdit, writers)
		for i, name := range names {
			list[i] = newVariant(name, 1, size.ref(name))
		}

		p := s.mustCreate(withVariants(list...))
		won := 0
		for i, err := range concurrently(writers, func(i int) error {
			list := make([]VariantEdit, writers)
			for j, v := range p.Variants {
				list[j] = unchanged(v)
			}
			list[i] = withOptions(p.Variants[i], colour.ref("red"))
			return s.edit(p.ID, withVariants(list...))
		}) {
			if err == nil {
				won++
				continue
			}
			s.wantInvalid(err, fmt.Sprintf("variants[%d].options duplicate_combination", i))
		}

		if won != 1 {
			s.Errorf("%d writers got the same combination, want 1", won)
		}

		red := 0
		for _, v := range s.load(p.ID).Variants {
			if formatValues(v.Options) == "Colour red" {
				red++
			}
		}

		if red != 1 {
			s.Errorf("%d variants are red", red)
		}
	})
}

func TestCombination_uniqueIndexViolationIsInvalid(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(ProductEdit{})
		write := func(tx store.Tx, plan *VariantPlan) error {
			ws := &ProductWrites{Tx: tx, Time: p.UpdatedAt, List: []*ProductWrite{{Product: p.Product, Plan: plan}}}
			return ws.WriteVariants(s.Context())
		}

		twice := func(change func(v *PlannedVariant)) error {
			return s.TryWrite(func(tx store.Tx) error {
				plan := &VariantPlan{}
				for range 2 {
					v := &PlannedVariant{Variant: Variant{ID: id.New[Variant]()}}
					change(v)
					plan.Sent = append(plan.Sent, v)
				}
				return write(tx, plan)
			})
		}

		s.wantInvalid(twice(func(v *PlannedVariant) { v.Combination = "the same" }), "variants duplicate_combination")
		s.wantExternalIDTaken(twice(func(v *PlannedVariant) { v.ExternalID = new("the same") }), "variants")

		size := s.option("Size", "S", "L")
		p = s.mustCreate(withVariants(newVariant("a", 1, size.ref("S")), newVariant("b", 1, size.ref("L"))))

		s.wantInvalid(s.TryWrite(func(tx store.Tx) error {
			var stored []StoredVariant
			if err := StoredVariants(s.Context(), tx, []int64{p.Key},
				func(v StoredVariant) { stored = append(stored, v) }); err != nil {
				return err
			}
			a, b := &stored[0], &stored[1]
			return write(tx, &VariantPlan{Sent: []*PlannedVariant{{Variant: b.Variant, Before: b,
				Combination: a.Combination}}})
		}), "variants duplicate_combination")
	})
}

func TestVariant_hasTenThousandOptions(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const many = 10_000
		refs := s.insertOptions(many)
		p := s.mustCreate(withVariants(newVariant("a", 1, refs...)))
		a := p.Variants[0]
		if len(a.Options) != many || a.Options[many-1].AttributeID != refs[many-1].Attribute {
			s.Fatalf("read %d options", len(a.Options))
		}
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(a), newVariant("b", 1, refs...))),
			"variants[1].options duplicate_combination")
		p = s.mustEdit(p.ID, withVariants(withOptions(a, refs[1:]...)))
		if n := len(p.Variants[0].Options); n != many-1 {
			s.Errorf("after removing one there are %d options", n)
		}
	})
}

// insertOptions inserts options with one value each, with two statements.
func (s *catalogFixture) insertOptions(n int) []ValueRef {
	s.Helper()
	refs := make([]ValueRef, n)
	batch := database.NewBatch(database.UUID, database.UUID)
	for i := range refs {
		refs[i] = ValueRef{id.New[Attribute](), id.New[Value]()}
		batch.Add(refs[i].Attribute, refs[i].Value)
	}

	s.Write(func(tx store.Tx) error {
		_, err := tx.Unscoped().ExecRows(s.Context(), `
WITH r(id, value_id) AS (ROWS)
INSERT INTO attributes (store_id, id, kind, name, words, filterable, field_type, value_count, version, created_at, updated_at)
SELECT $1, id, 'option', 'n', ' n', $2, 'select', 1, 1, 1, 1
FROM r`, batch, s.Store.ID, false)
		if err != nil {
			return err
		}

		_, err = tx.Unscoped().ExecRows(s.Context(), `
WITH r(id, value_id) AS (ROWS)
INSERT INTO attribute_values (store_id, attribute_key, id, name, created_at, updated_at)
SELECT $1, a.key, r.value_id, 'v', 1, 1
FROM r
CROSS JOIN attributes a
WHERE a.store_id = $1
  AND a.id = r.id`, batch, s.Store.ID)
		return err
	})

	return refs
}

func TestProduct_writesDoNotDeadlockWithEditsOfOptions(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const values, rounds = 12, 6
		names := make([]string, values)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}

		size := s.option("Size", names...)
		colour := s.option("Colour", names...)
		var made []fullProduct
		for range 4 {
			list := make([]VariantEdit, values)
			for i, name := range names {
				list[i] = newVariant(name, 1, size.ref(name), colour.ref(names[0]))
			}
			made = append(made, s.mustCreate(withVariants(list...)))
		}

		errs := concurrently(2+2*len(made), func(i int) error {
			switch i {
			case 0, 1: // two writers remove values, one those of Size, the other those of Colour
				for _, name := range names[:rounds] {
					a := []testAttribute{size, colour}[i]
					err := s.DB.WriteAlone(s.Context(), func(q database.Querier) error {
						_, err := s.Attributes.Edit(s.Context(), store.In(q, s.Store.ID), Option, a.ID,
							removeEdit(a, name), nil)
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
					list[j] = unchanged(v)
				}

				at := (i + round) % values
				list[at] = withOptions(p.Variants[at], colour.ref(names[round+1]), size.ref(names[at]))
				if err := s.edit(p.ID, withVariants(list...)); err != nil && fault.KindOf(err) != fault.Invalid {
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
