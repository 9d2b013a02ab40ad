package catalog_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// push pushes products, with hashes of their content as digests, and returns their outcomes.
func (s *catalogFixture) push(items ...ProductPush) []push.Pushed {
	s.Helper()
	for i := range items {
		items[i].Digest = Digest{}
		text, err := json.Marshal(items[i])
		if err != nil {
			s.Fatal(err)
		}

		for _, v := range write.OrEmpty(items[i].Variants) {
			text = fmt.Appendf(text, "%v", v.Price)
		}

		sum := sha256.Sum256(text)
		items[i].Digest = Digest(sum[:16])
	}

	var out []push.Pushed
	s.Write(func(tx store.Tx) (err error) {
		if out, err = s.Pushes.ApplyProducts(s.Context(), tx, items); err != nil {
			return err
		}
		return s.endPush(tx, out)
	})

	return out
}

// endPush calls End for the outcomes of one push.
func (s *catalogFixture) endPush(tx store.Tx, outcomes []push.Pushed) error {
	var e push.PushEnd
	e.Add(outcomes)
	return s.Pushes.End(s.Context(), tx, e)
}

// outcomes writes each outcome as a text: created, updated, unchanged or failed, then the errors as " field:code" and
// the warnings as " ~field:code". It leaves out no_variants, since most products of the tests have no variant.
func outcomes(list []push.Pushed) []string {
	words := map[push.Outcome]string{push.Created: "created", push.Updated: "updated", push.Unchanged: "unchanged",
		push.Failed: "failed"}
	var out []string
	for _, p := range list {
		text := words[p.Outcome]
		for _, f := range p.Errors {
			text += " " + f.Field + ":" + f.Code
		}

		for _, f := range p.Warnings {
			if f.Code != "no_variants" {
				text += " ~" + f.Field + ":" + f.Code
			}
		}

		out = append(out, text)
	}

	return out
}

// wantOutcomes pushes products and checks their outcomes, which are joined by "; ".
func (s *catalogFixture) wantOutcomes(want string, items ...ProductPush) {
	s.Helper()
	if got := strings.Join(outcomes(s.push(items...)), "; "); got != want {
		s.Errorf("the outcomes of the push are %q, want %q", got, want)
	}
}

// describeProduct describes a product in one line: its variants with their external ids, SKUs, prices, options and
// quantities, its features and its categories. An archived product or variant is marked.
func (s *catalogFixture) describeProduct(externalID string) string {
	s.Helper()
	var b strings.Builder

	s.Read(func(tx store.Tx) error {
		b.Reset()
		keys, err := s.Products.KeysByExternalID(s.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		if keys[externalID] == 0 {
			return nil
		}

		p, err := s.readFull(tx, keys[externalID], AnyArchived)
		if err != nil {
			return err
		}

		fmt.Fprintf(&b, "%s%s", p.Name, archivedMark(p.ArchivedAt != nil))

		for _, v := range p.Variants {
			external := "-"
			if v.ExternalID != nil {
				external = *v.ExternalID
			}

			price := "none"
			if amount, ok := v.Price.Amount(); ok {
				price = fmt.Sprint(amount / 10000)
			}

			fmt.Fprintf(&b, " | %s %s %s%s", external, v.SKU, price, archivedMark(v.ArchivedAt != nil))
			for _, o := range v.Options {
				fmt.Fprintf(&b, " %s=%s", o.Name, o.Value.Name)
			}

			for _, m := range v.Remainders {
				fmt.Fprintf(&b, " @%d", m.Quantity/1000)
			}
		}

		for _, f := range p.Features {
			fmt.Fprintf(&b, " #%s=%s", f.Name, f.Value.Name)
		}

		for _, c := range p.Categories {
			fmt.Fprintf(&b, " /%s", c.Name)
		}

		return nil
	})

	return b.String()
}

// productRowsSQL reads, for each product, a number that changes with every write of the product.
const productRowsSQL = "SELECT version + updated_at FROM products WHERE store_id = $1 ORDER BY key"

// productByExternalID returns the product with this external id and all its lists.
func (s *catalogFixture) productByExternalID(externalID string) (p fullProduct) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		keys, err := s.Products.KeysByExternalID(s.Context(), tx, []string{externalID})
		if err == nil {
			p, err = s.readFull(tx, keys[externalID], Live)
		}
		return err
	})
	return p
}

func archivedMark(is bool) string {
	if is {
		return "(archived)"
	}
	return ""
}

func (s *catalogFixture) wantProduct(externalID, want string) {
	s.Helper()
	if got := s.describeProduct(externalID); got != want {
		s.Errorf("product %s is %q, want %q", externalID, got, want)
	}
}

func variantPush(id, sku string, price int64, options ...ReferencePush) VariantPush {
	v := VariantPush{ID: id, SKU: &sku, Price: new(money.NewPrice(money.Money(price * 10000)))}
	if options != nil {
		v.Options = &options
	}
	return v
}

func productPush(id, name string, variants ...VariantPush) ProductPush {
	p := ProductPush{ID: id}
	if name != "" {
		p.Name = &name
	}
	if variants != nil {
		p.Variants = &variants
	}
	return p
}

func singlePush(id, name string, v VariantPush) ProductPush {
	p := productPush(id, name, v)
	p.Single = true
	return p
}

func TestPushProducts_createsUpdatesAndSkipsUnchanged(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		lamp := productPush("7", "Lamp", variantPush("1", "L-1", 10))
		chair := productPush("8", "Chair", variantPush("1", "C-1", 20))
		s.wantOutcomes("created; created", lamp, chair)
		s.wantOutcomes("unchanged; unchanged", lamp, chair)
		before := s.queryInts(productRowsSQL, s.Store.ID)
		s.drainChanges()
		s.wantOutcomes("unchanged; unchanged", lamp, chair)
		if diff := cmp.Diff(before, s.queryInts(productRowsSQL, s.Store.ID)); diff != "" {
			s.Errorf("an unchanged push changed products:\n%s", diff)
		}

		if keys := s.drainChanges(); keys != nil {
			s.Errorf("an unchanged push recorded changes of the products %v", keys)
		}

		s.wantOutcomes("updated; unchanged; created",
			productPush("7", "", variantPush("1", "L-1", 11), variantPush("2", "L-2", 12)), chair,
			productPush("9", "Table"))
		s.wantProduct("7", "Lamp | 1 L-1 11 | 2 L-2 12")
		s.wantOutcomes("updated", productPush("7", "Lamp, large"))
		s.wantProduct("7", "Lamp, large | 1 L-1 11 | 2 L-2 12")
		s.wantOutcomes("updated", productPush("7", "", variantPush("2", "L-2", 12)))
		s.wantProduct("7", "Lamp, large | 1 L-1 11(archived) | 2 L-2 12")
		s.wantOutcomes("updated", productPush("7", "", variantPush("1", "L-1", 13), variantPush("2", "L-2", 12)))
		s.wantProduct("7", "Lamp, large | 1 L-1 13 | 2 L-2 12")
	})
}

func TestPushProducts_appliesOtherItemsWhenOneFails(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.push(productPush("5", "Sofa", variantPush("1", "S", 1)))
		red := []ReferencePush{{"color", "red"}}
		s.wantOutcomes("failed name:required; created; failed variants[1].options:duplicate_combination; updated "+
			"~variants[1].price:no_price",
			productPush("1", ""), productPush("2", "Good"),
			productPush("3", "Twins", variantPush("1", "A", 1, red...), variantPush("2", "B", 1, red...)),
			productPush("5", "", variantPush("1", "S", 1), VariantPush{ID: "2", SKU: new("T")}))
		s.wantProduct("1", "")
		s.wantProduct("2", "Good")
		s.wantProduct("3", "")
		s.wantProduct("5", "Sofa | 1 S 1 | 2 T none")
	})
}

// After any other change of a product, the same push is applied again and restores what it pushed.
func TestPushProducts_appliesAgainAfterAnotherEdit(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		lamp := productPush("7", "Lamp", variantPush("1", "L-1", 10))
		s.push(lamp)
		p := s.productByExternalID("7")
		s.mustEdit(p.ID, withName("Renamed by hand", ProductEdit{}))
		s.wantOutcomes("updated", lamp)
		s.wantProduct("7", "Lamp | 1 L-1 10")
		s.Write(func(tx store.Tx) error {
			_, err := s.Products.Archive(s.Context(), tx, p.ID, nil)
			return err
		})

		s.wantOutcomes("updated", lamp)
		s.wantProduct("7", "Lamp | 1 L-1 10")
		s.wantOutcomes("unchanged", lamp)
		v := s.productByExternalID("7")
		s.must(s.editVariant(v.ID, v.Variants[0].ID, VariantEdit{Price: new(money.NewPrice(1))}))
		s.wantOutcomes("updated", lamp)
		s.wantProduct("7", "Lamp | 1 L-1 10")
	})
}

// When a product changes from a single variant to several or back, a stored variant is kept: the one whose SKU is
// pushed or, if there is none, the only one.
func TestPushProducts_keepsTheVariantBetweenSingleAndMany(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		ids := func(externalID string) (list []string) {
			for _, v := range s.productByExternalID(externalID).Variants {
				list = append(list, v.ID.String())
			}
			return list
		}
		s.wantOutcomes("created", singlePush("1", "Tee", variantPush("", "TEE-M", 10)))
		first := ids("1")
		s.wantOutcomes("updated", productPush("1", "", variantPush("s", "TEE-S", 10), variantPush("m", "TEE-M", 10)))
		s.wantProduct("1", "Tee | m TEE-M 10 | s TEE-S 10")
		if !slices.Contains(ids("1"), first[0]) {
			s.Error("the variant with the matching SKU was replaced")
		}

		s.wantOutcomes("updated", singlePush("1", "", variantPush("", "TEE-M", 12)))
		s.wantProduct("1", "Tee | - TEE-M 12 | s TEE-S 10(archived)")

		if got := ids("1"); len(got) != 1 || got[0] != first[0] {
			s.Errorf("after the change back to a single variant, the variants are %v, want %v", got, first)
		}

		s.wantOutcomes("updated", singlePush("1", "", variantPush("", "OTHER", 12)))
		if got := ids("1"); len(got) != 1 || got[0] != first[0] {
			s.Errorf("after a change of the SKU, the variants are %v, want %v", got, first)
		}

		s.wantOutcomes("created", singlePush("2", "Mug", variantPush("", "MUG", 5)))
		only := ids("2")
		s.wantOutcomes("updated", productPush("2", "", variantPush("a", "MUG-A", 5), variantPush("b", "MUG-B", 6)))
		if got := ids("2"); len(got) != 2 || got[0] != only[0] {
			s.Errorf("the variants are %v, want the first to be %v", got, only)
		}
	})
}

// References to objects that do not exist are stored as pending, each with a warning. Variants that differ only in
// pending options have different combinations.
func TestPushProducts_storesPendingReferences(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := func(v string) []ReferencePush { return []ReferencePush{{"size", v}} }
		p := productPush("1", "Tee", variantPush("s", "S", 1, size("s")...), variantPush("m", "M", 1, size("m")...))
		p.Categories = &[]string{"shirts"}
		p.Features = &[]ReferencePush{{"fabric", "cotton"}}
		const warned = " ~categories[0]:unknown_category ~features[0].id:unknown_feature " +
			"~variants[0].options[0].id:unknown_option ~variants[1].options[0].id:unknown_option"
		s.wantOutcomes("created"+warned, p)
		s.wantProduct("1", "Tee | s S 1 | m M 1")
		s.wantOutcomes("unchanged"+warned, p)
		p.Name = new("Tea")
		s.wantOutcomes("updated"+warned, p)

		if n := s.Count("pending_references"); n != 4 {
			s.Errorf("%d references are pending, want 4", n)
		}

		p.Categories, p.Features = &[]string{}, &[]ReferencePush{}
		p.Variants = &[]VariantPush{variantPush("s", "S", 1, []ReferencePush{}...)}
		(*p.Variants)[0].Options = &[]ReferencePush{}
		s.wantOutcomes("updated", p)

		if n := s.Count("pending_references"); n != 1 {
			s.Errorf("%d references are pending, want 1, of the archived variant", n)
		}
	})
}

// A stock that does not exist is created. A push sets quantities, and reserved quantities stay unchanged.
func TestPushProducts_createsUnknownStocks(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		v := variantPush("1", "A", 1)
		v.Remainders = &[]StockedPush{{"main", 5000}, {"shop", 2000}}
		s.wantOutcomes("created", productPush("1", "Lamp", v))
		s.wantProduct("1", "Lamp | 1 A 1 @5 @2")
		s.Exec("UPDATE remainders SET reserved = 1000 WHERE store_id = $1", s.Store.ID)
		v.Remainders = &[]StockedPush{{"main", 7000}}
		s.wantOutcomes("updated", productPush("1", "Lamp", v))
		s.wantProduct("1", "Lamp | 1 A 1 @7 @0")
		if n := s.queryInts("SELECT COUNT(*) FROM remainders WHERE store_id = $1 AND reserved = 1000",
			s.Store.ID)[0]; n != 2 {
			s.Errorf("%d remainders have the same reserved quantity, want 2", n)
		}
	})
}
