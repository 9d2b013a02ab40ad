package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// makeWithExternalIDs creates a product with an external id and a variant for each of variantIDs; "" is a variant
// without an external id. The SKUs of product p1 are "p1 0", "p1 1" and so on.
func (s *catalogFixture) makeWithExternalIDs(externalID string, variantIDs ...string) fullProduct {
	s.Helper()
	list := make([]VariantEdit, len(variantIDs))
	for i, v := range variantIDs {
		list[i] = VariantEdit{Price: new(money.NewPrice(100)), SKU: new(fmt.Sprint(externalID, " ", i))}
		if v != "" {
			list[i].ExternalID = &variantIDs[i]
		}
	}
	return s.mustCreate(ProductEdit{ExternalID: &externalID, Variants: &list})
}

// variantNames lists names by which a push may refer to the variants that makeNamedVariants creates: the external id of
// a variant and, unless it is empty, the external id of its product. The last string is the SKU of the variant that the
// name matches, or the expected failure.
var variantNames = []struct{ variant, product, want string }{
	{"v1", "", "p1 0"}, // the other v1 belongs to an archived product
	{"shared", "p1", "p1 1"},
	{"shared", "p2", "p2 0"},
	{"shared", "", ambiguousVariant},
	{"shared", "p3", unknownVariant},
	{"shared", "p9", unknownVariant},
	{"gone", "", "p1 2"},
	{"again", "", "p2 1"}, // the other variant with this id, p6 0, is archived
	{"again", "p6", "p6 0"},
	{"v1", "p5", "p5 0"},
	{"old", "", "p5 1"},
	{"old2", "", ambiguousVariant}, // p6 1 is archived, and so is the product of p5 2
	{"p3", "", "p3 0"},
	{"p3", "p3", "p3 0"},
	{"p3", "p1", unknownVariant},
	{"p4", "", unknownVariant}, // the product has two variants
	{"p7", "", unknownVariant}, // the only variant of the product has an external id
	{"elsewhere", "", unknownVariant},
	{"nothing", "", unknownVariant},
}

const (
	unknownVariant   = "failed variant_id:unknown_variant"
	ambiguousVariant = "failed variant_id:ambiguous_variant"
)

// productOrNil returns nil for an item that names no product.
func productOrNil(externalID string) *string {
	if externalID == "" {
		return nil
	}
	return &externalID
}

// makeNamedVariants creates the variants that variantNames name, and sets the push digests of their products.
func (s *catalogFixture) makeNamedVariants() {
	s.Helper()
	s.makeWithExternalIDs("p1", "v1", "shared", "gone")
	s.makeWithExternalIDs("p2", "shared", "again")
	s.makeWithExternalIDs("p3", "")
	s.makeWithExternalIDs("p4", "", "")
	s.makeWithExternalIDs("p5", "v1", "old", "old2")
	s.makeWithExternalIDs("p6", "again", "old2")
	s.makeWithExternalIDs("p7", "v7")
	s.otherStore().makeWithExternalIDs("p1", "v1", "shared", "elsewhere")
	s.Exec("UPDATE variants SET archived_at = 7 WHERE store_id = $1 AND sku IN ('p1 2', 'p6 0', 'p6 1')", s.Store.ID)
	s.Exec("UPDATE products SET archived_at = 7 WHERE store_id = $1 AND external_id = 'p5'", s.Store.ID)
	d := digestOf("pushed")
	s.Exec("UPDATE products SET pushed = $1", d[:])
	s.Exec("DELETE FROM product_changes")
}

// variantNameOutcomes returns the expected outcomes of a push that has one item for each of variantNames and changes
// every variant that is matched.
func variantNameOutcomes() (want []string) {
	for _, n := range variantNames {
		if strings.HasPrefix(n.want, "failed") {
			want = append(want, n.want)
		} else {
			want = append(want, "updated")
		}
	}
	return want
}

// wantOnlyChanged checks that these products, and no others of any store, were written exactly once since
// makeNamedVariants.
func (s *catalogFixture) wantOnlyChanged(externalIDs ...string) {
	s.Helper()
	for what, where := range map[string]string{
		"have version 2":       "version = 2",
		"have a later version": "version > 1",
		"have no push digest":  "pushed IS NULL",
		"have a later time":    "updated_at > created_at",
	} {
		if got := s.Texts("SELECT external_id FROM products WHERE " + where +
			" ORDER BY store_id, external_id"); !slices.Equal(got, externalIDs) {
			s.Errorf("%q %s, want %q", got, what, externalIDs)
		}
	}

	got := s.Texts("SELECT p.external_id FROM product_changes c JOIN products p ON p.key = c.product_key " +
		"ORDER BY p.external_id")
	if !slices.Equal(got, externalIDs) {
		s.Errorf("changes are recorded of %q, want %q", got, externalIDs)
	}
}

// columnBySKU returns a column of the variants as "sku value". Variants whose value is the parameter but are left out.
func (s *catalogFixture) columnBySKU(column, but string) []string {
	s.Helper()
	return s.Texts("SELECT sku || ' ' || " + column + " FROM variants v WHERE " + column + " <> " + but +
		" ORDER BY sku")
}

func TestPushPrices_findsVariantsByTheirIDs(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.makeNamedVariants()
		var items []PricePush
		found := map[string]PricePush{} // by SKU; if two names match one variant, the last item wins
		for i, n := range variantNames {
			items = append(items,
				PricePush{Variant: n.variant, Product: productOrNil(n.product),
					Price: money.NewPrice(money.Money(1000 + i))})
			if n.want != unknownVariant && n.want != ambiguousVariant {
				found[n.want] = items[i]
			}
		}

		expectPush(s, s.Pushes.ApplyPrices, items, variantNameOutcomes()...)
		var want []string
		for sku, item := range found {
			amount, _ := item.Price.Amount()
			want = append(want, fmt.Sprint(sku, " ", amount))
		}

		slices.Sort(want)
		if got := s.columnBySKU("price", "100"); !slices.Equal(got, want) {
			s.Errorf("changed prices:\n%q\nwant:\n%q", got, want)
		}

		s.wantOnlyChanged("p1", "p2", "p3", "p5", "p6")
		expectPush(s, s.Pushes.ApplyPrices, slices.Collect(maps.Values(found)),
			slices.Repeat([]string{"unchanged"}, len(found))...)
		s.wantOnlyChanged("p1", "p2", "p3", "p5", "p6")
	})
}

func TestPushRemainders_setQuantitiesAndNothingElse(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.makeNamedVariants()
		s.pushStock("near", "created")
		var items []RemainderPush
		for i, n := range variantNames {
			items = append(items, RemainderPush{Variant: n.variant, Product: productOrNil(n.product),
				Stock:    "near",
				Quantity: money.Quantity(1000 + i)})
		}

		items[3].Stock = "never" // the item fails, so this stock is not created
		list := expectPush(s, s.Pushes.ApplyRemainders, items, variantNameOutcomes()...)
		s.wantOnlyChanged("p1", "p2", "p3", "p5", "p6")

		left := []string{"p1 0 1000", "p1 1 1001", "p1 2 1006", "p2 0 1002", "p2 1 1007", "p3 0 1013", "p5 0 1009",
			"p5 1 1010", "p6 0 1008"}
		if got := s.columnBySKU("available", "-1"); !slices.Equal(got, left) {
			s.Errorf("available quantities:\n%q\nwant:\n%q", got, left)
		}

		s.wantStocks("near near v1")

		// The second push has quantities of variant v1, a part of which is reserved, in two stocks. The stock far is
		// new.
		s.Exec("UPDATE remainders SET reserved = 300 WHERE store_id = $1 AND variant_key = $2", s.Store.ID, list[0].Key)
		d := digestOf("pushed")
		s.Exec("UPDATE products SET pushed = $1, version = 1, updated_at = created_at", d[:])
		s.Exec("DELETE FROM product_changes")
		second := expectPush(s, s.Pushes.ApplyRemainders, []RemainderPush{
			{Variant: "v1", Stock: "near", Quantity: 1000}, {Variant: "v1", Stock: "far", Quantity: 0},
			{Variant: "shared", Product: new("p2"), Stock: "near", Quantity: 1002},
			{Variant: "gone", Product: new("p1"), Stock: "near", Quantity: 5},
		}, "unchanged", "updated", "unchanged", "updated")
		s.wantStocks("near near v1", "far far v1")
		if list[0].Part == 0 || second[0].Part != list[0].Part || second[1].Part == list[0].Part ||
			second[1].Key != list[0].Key {
			s.Errorf("the rows are %v, %v and %v, want the same variant, and another stock in the last",
				list[0], second[0], second[1])
		}

		left[0], left[2] = "p1 0 700", "p1 2 5"
		if got := s.columnBySKU("available", "-1"); !slices.Equal(got, left) {
			s.Errorf("available quantities:\n%q\nwant:\n%q", got, left)
		}

		s.wantOnlyChanged("p1")

		// A reserved quantity stays, even if it exceeds the quantity.
		expectPush(s, s.Pushes.ApplyRemainders, []RemainderPush{{Variant: "v1", Stock: "near", Quantity: 100}},
			"updated")

		if got := s.queryInts("SELECT reserved FROM remainders WHERE quantity = 100"); !slices.Equal(got,
			[]int64{300}) {
			s.Errorf("reserved quantities are %d, want 300", got)
		}

		left[0] = "p1 0 0"
		if got := s.columnBySKU("available", "-1"); !slices.Equal(got, left) {
			s.Errorf("available quantities:\n%q\nwant:\n%q", got, left)
		}
	})
}

// interferingQuerier executes a statement just before products are locked, as a concurrent transaction could.
type interferingQuerier struct {
	database.Querier
	sql  string
	args []any
}

func (m *interferingQuerier) QueryRows(
	ctx context.Context, sql string, batch *database.Batch, each func(database.Rows) error, args ...any,
) error {
	if strings.Contains(sql, "SELECT p.key, p.updated_at, p.locks\nFROM r\n") {
		if _, err := m.Exec(ctx, m.sql, m.args...); err != nil {
			return err
		}
	}
	return m.Querier.QueryRows(ctx, sql, batch, each, args...)
}

// Prices and quantities are compared once more after the products are locked. If a variant was deleted or got another
// external id before the lock, the push ends with ErrOvertaken.
func TestVariantPushes_compareAgainAfterLocking(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for i, c := range []struct{ meanwhile, price, remainder string }{
			{"UPDATE variants SET price = 7 WHERE store_id = $1", "unchanged", "updated"},
			{"UPDATE remainders SET quantity = 7 WHERE store_id = $1", "updated", "unchanged"},
			{"DELETE FROM remainders WHERE store_id = $1", "updated", "updated"},
			{"UPDATE variants SET external_id = 'x' WHERE store_id = $1", "overtaken", "overtaken"},
			{"DELETE FROM variants WHERE store_id = $1", "overtaken", "overtaken"},
		} {
			s := s.otherStore()
			s.makeWithExternalIDs("p", "v")
			expectPush(s, s.Pushes.ApplyRemainders, []RemainderPush{{Variant: "v", Stock: "near", Quantity: 1}},
				"updated")

			check := func(want string, apply func(q database.Querier) ([]push.Pushed, error)) {
				s.Helper()
				var got string
				err := s.TryWrite(func(tx store.Tx) error {
					list, err := apply(&interferingQuerier{tx.Unscoped(), c.meanwhile, []any{s.Store.ID}})
					if got = "overtaken"; err == nil {
						got = outcomes(list)[0]
					}
					return errors.Join(err, errRollback)
				})
				if got != want || (want == "overtaken") != errors.Is(err, push.ErrOvertaken) {
					s.Errorf("case %d: got %s (%v), want %s", i, got, err, want)
				}
			}

			check(c.price, func(q database.Querier) ([]push.Pushed, error) {
				return s.Pushes.ApplyPrices(s.Context(), store.In(q, s.Store.ID),
					[]PricePush{{Variant: "v", Price: money.NewPrice(7)}})
			})
			check(c.remainder, func(q database.Querier) ([]push.Pushed, error) {
				return s.Pushes.ApplyRemainders(s.Context(), store.In(q, s.Store.ID),
					[]RemainderPush{{Variant: "v", Stock: "near", Quantity: 7}})
			})
		}
	})
}

// errRollback makes a transaction roll back.
var errRollback = errors.New("roll back")

// Pushes of prices and remainders do not deadlock with each other, with pushes of stocks or with edits of the same
// products.
func TestVariantPushes_doNotDeadlockWithOtherWriters(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		products := []fullProduct{s.makeWithExternalIDs("p0", "a0", "b0"), s.makeWithExternalIDs("p1", "a1", "b1"),
			s.makeWithExternalIDs("p2", "a2", "b2")}
		names := []string{"b2", "a0", "b1", "a1", "a2", "b0"}
		for i, err := range concurrently(8, func(i int) error {
			switch i % 4 {
			case 0:
				var items []PricePush
				for _, n := range names {
					items = append(items, PricePush{Variant: n, Price: money.NewPrice(money.Money(1000 + i))})
				}
				_, err := tryPush(s, s.Pushes.ApplyPrices, items...)
				return err

			case 1:
				var items []RemainderPush
				for n, name := range names {
					items = append(items,
						RemainderPush{Variant: name, Stock: fmt.Sprint("s", n%2), Quantity: money.Quantity(1000 + i)})
				}
				_, err := tryPush(s, s.Pushes.ApplyRemainders, items...)
				return err
			case 2:
				return s.edit(products[i%3].ID, ProductEdit{Variants: &[]VariantEdit{
					{ExternalID: new(fmt.Sprint("a", i%3)), Remainders: &[]RemainderEdit{}}}})
			}

			_, err := tryPush(s, s.Pushes.ApplyStocks, stockPush("s1", "one"), stockPush("s0", "nought"))
			return err
		}) {
			if err != nil {
				s.Errorf("writer %d: %v", i, err)
			}
		}

		if n := s.Count("stocks"); n != 2 {
			s.Errorf("there are %d stocks, want 2", n)
		}
	})
}

// The number of statements does not depend on the number of items. The first statement takes the lock of LockPushes.
// The last statement of a push of prices or remainders records the changed products.
func TestPushes_numberOfStatementsIsConstant(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		ids := make([]string, 30)
		for i := range ids {
			ids[i] = fmt.Sprint("v", i)
		}

		s.makeWithExternalIDs("p", ids...)
		s.makeWithExternalIDs("q", "other")
		few := map[string]int{}
		for round, n := range []int{4, len(ids)} {
			categories, stocks := make([]CategoryPush, n), make([]StockPush, n)
			prices, remainders := make([]PricePush, n), make([]RemainderPush, n)
			for i := range n {
				categories[i] = categoryPush(fmt.Sprint("c", round, " ", i), fmt.Sprint("c", round, " ", n-1-i/2))
				stocks[i] = stockPush(fmt.Sprint("s", i), fmt.Sprint("s", round))
				prices[i] = PricePush{Variant: ids[i], Price: money.NewPrice(money.Money(500 + round))}
				remainders[i] = RemainderPush{Variant: ids[i], Stock: fmt.Sprint("t", i),
					Quantity: money.Quantity(500 + round)}
			}

			for what, statements := range map[string][]string{
				"categories": statementsOf(s, s.Pushes.ApplyCategories, categories),
				"stocks":     statementsOf(s, s.Pushes.ApplyStocks, stocks),
				"prices":     statementsOf(s, s.Pushes.ApplyPrices, prices),
				"remainders": statementsOf(s, s.Pushes.ApplyRemainders, remainders),
			} {
				if round == 0 {
					few[what] = len(statements)
				} else if len(statements) != few[what] {
					s.Errorf("%s: %d statements for four, %d for many", what, few[what], len(statements))
				}

				if !strings.Contains(statements[0], "push_locks") {
					s.Errorf("%s: the first statement is %s, want the push lock", what, statements[0])
				}

				if last := statements[len(statements)-1]; (what == "prices" || what == "remainders") &&
					!strings.Contains(last, "product_changes") {
					s.Errorf("%s: the last statement is %s, want one over product_changes", what, last)
				}
			}
		}
	})
}
