package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// exportOrder lists the entities so that a push of each finds what it refers to.
var exportOrder = []string{Stocks, PriceLists, VariantOptions, Features, Categories, Products, Prices, Remainders}

// export returns an export of an entity.
func (s *fixture) export(entity string) (text string, exported Exported) {
	s.Helper()
	return s.exportChanges(entity, "")
}

// exportChanges returns an export of what changed since a cursor.
func (s *fixture) exportChanges(entity, since string) (text string, exported Exported) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		var b bytes.Buffer
		exported, err = s.Exports.Export(s.Context(), tx,
			ExportParams{Entity: entity, ImageBaseURL: "https://shop.example", ChangedSince: since},
			func(part []byte) error { b.Write(part); return nil })
		text = b.String()
		return err
	})
	if n := int64(strings.Count(text, "\n")); n != exported.Lines {
		s.Errorf("the export of %s has %d lines and says %d", entity, n, exported.Lines)
	}
	return text, exported
}

// exportAll returns the exports of all entities.
func (s *fixture) exportAll() map[string]string {
	s.Helper()
	all := map[string]string{}
	for _, entity := range exportOrder {
		all[entity], _ = s.export(entity)
	}
	return all
}

// catalogChanger changes the catalogue of a store at random, by pushes and by the use cases of the API.
type catalogChanger struct {
	*fixture
	r *rand.Rand
}

func (c *catalogChanger) pick(n int, format string) string { return fmt.Sprintf(format, c.r.IntN(n)) }

// list returns the elements of up to n random lists, joined.
func (c *catalogChanger) list(n int, one func(i int) string) string {
	parts := []string{}
	for i := range n {
		if c.r.IntN(2) == 0 {
			parts = append(parts, one(i))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// change makes one random change. A change that breaks a rule is no failure: it changes nothing.
func (c *catalogChanger) change() {
	c.Helper()
	changes := []func(){
		c.pushProduct, c.pushProduct, c.pushProduct, c.pushAttribute, c.pushCategory, c.pushStock, c.pushPrice,
		c.pushPriceList, c.pushListPrice,
		c.editProduct, c.archiveProduct, c.editVariant, c.orderValues, c.moveCategory, c.renameThings,
	}
	changes[c.r.IntN(len(changes))]()
}

func (c *catalogChanger) pushAny(entity, items string) {
	c.Helper()
	if _, err := c.tryPush(entity, payload(items)); err != nil {
		c.Fatalf("push of %s: %v", items, err)
	}
}

func (c *catalogChanger) pushAttribute() {
	c.Helper()
	values := c.list(5, func(i int) string { return fmt.Sprintf(`{"id": "v%d", "name": "%d"}`, i, c.r.IntN(50)) })
	if c.r.IntN(2) == 0 {
		c.pushAny(VariantOptions, fmt.Sprintf(`{"id": %q, "name": "Option %d", "values": %s}`,
			c.pick(3, "o%d"), c.r.IntN(9), values))
		return
	}
	types := []string{`"field_type": "select"`, `"field_type": "range", "range_type": "integer"`, `"filterable": true`,
		`"field_type": "range"`, `"filterable": false`}
	c.pushAny(Features, fmt.Sprintf(`{"id": %q, "name": "Feature \"%d\"", %s, "values": %s}`,
		c.pick(3, "f%d"), c.r.IntN(9), types[c.r.IntN(len(types))], values))
}

func (c *catalogChanger) pushCategory() {
	c.Helper()
	parent := "null"
	if c.r.IntN(3) > 0 {
		parent = `"` + c.pick(7, "c%d") + `"` // it may not exist yet
	}
	c.pushAny(Categories, fmt.Sprintf(`{"id": %q, "name": "Category %d", "parent_id": %s}`,
		c.pick(6, "c%d"), c.r.IntN(9), parent))
}

func (c *catalogChanger) pushStock() {
	c.Helper()
	c.pushAny(Stocks, fmt.Sprintf(`{"id": %q, "name": "Stock %d"}`, c.pick(3, "s%d"), c.r.IntN(9)))
}

func (c *catalogChanger) pushPrice() {
	c.Helper()
	c.pushAny(Prices, fmt.Sprintf(`{"product_id": %q, "variant_id": %q, "price": %s}`,
		c.pick(8, "p%d"), c.pick(4, "v%d"), c.price()))
}

func (c *catalogChanger) pushPriceList() {
	c.Helper()
	c.pushAny(PriceLists, fmt.Sprintf(`{"id": %q, "name": "List %d", "currency": "EUR"}`, c.pick(2, "l%d"),
		c.r.IntN(9)))
}

func (c *catalogChanger) pushListPrice() {
	c.Helper()
	c.pushAny(Prices, fmt.Sprintf(`{"product_id": %q, "variant_id": %q, %s}`, c.pick(8, "p%d"), c.pick(4, "v%d"),
		c.listPrice(c.r.IntN(3))))
}

// listPrice returns the members of a price in the i-th list, of which the last never comes. The price is not null: an
// export does not say which prices were removed.
func (c *catalogChanger) listPrice(i int) string {
	return fmt.Sprintf(`"price_list_id": "l%d", "from_quantity": %d.5, "price": %d`, i, c.r.IntN(3), c.r.IntN(99))
}

// price returns a price as JSON, or null.
func (c *catalogChanger) price() string {
	if c.r.IntN(5) == 0 {
		return "null"
	}
	return fmt.Sprintf("%d.%d", c.r.IntN(99), c.r.IntN(9))
}

func (c *catalogChanger) references(n int, attribute, value string) string {
	return c.list(n, func(i int) string {
		return fmt.Sprintf(`{"id": "%s%d", "value_id": %q}`, attribute, i, c.pick(6, value)) // the last may not exist
	})
}

func (c *catalogChanger) variant(prefix string, i int) string {
	remainders := c.list(4, func(i int) string {
		return fmt.Sprintf(`{"stock_id": "s%d", "quantity": %d.5}`, i, c.r.IntN(9))
	})
	prices := c.list(3, func(i int) string { return "{" + c.listPrice(i) + "}" })
	return fmt.Sprintf(`"%[1]sname": "Variant %[2]d", "%[1]ssku": "sku-%[2]d", "%[1]sprice": %[3]s, `+
		`"%[1]soptions": %[4]s, "%[1]sremainders": %[5]s, "%[1]sprices": %[6]s`, prefix, i, c.price(),
		c.references(3, "o", "v%d"), remainders, prices)
}

func (c *catalogChanger) pushProduct() {
	c.Helper()
	variants := `"single_variant": true, ` + c.variant("variant_", 0)
	if c.r.IntN(4) > 0 {
		variants = `"variants": ` +
			c.list(4, func(i int) string { return fmt.Sprintf(`{"id": "v%d", %s}`, i, c.variant("", i)) })
	}
	modifiers := `[]`
	if c.r.IntN(2) == 0 {
		modifiers = fmt.Sprintf("[ {\"id\": %d,\n \"name\": \"Sauce\", \"colour\": {\"a\": [1.50, \"é\"]}, "+
			"\"items\": []} ]", c.r.IntN(9))
	}
	categories := c.list(7, func(i int) string { return fmt.Sprintf(`"c%d"`, i) })
	canonical := "null"
	if first, _, _ := strings.Cut(strings.Trim(categories, "[] "), ","); first != "" && c.r.IntN(2) == 0 {
		canonical = first
	}

	c.pushAny(Products, fmt.Sprintf(`{"id": %q, "name": "Product %d", "description": "One\nTwo %d", `+
		`"categories": %s, "canonical_category": %s, "features": %s, "modifiers": %s, %s}`,
		c.pick(8, "p%d"), c.r.IntN(9), c.r.IntN(9), categories, canonical, c.references(3, "f", "v%d"), modifiers,
		variants))
}

// write runs a use case of the API. It may refuse the change.
func (c *catalogChanger) write(fn func(tx store.Tx) error) {
	c.Helper()
	err := c.DB.Write(c.Context(), func(q querier) error { return fn(store.In(q, c.Store.ID)) })
	if err != nil && fault.KindOf(err) == fault.Internal && !errors.Is(err, errNothing) {
		c.Fatal(err)
	}
}

// errNothing says that there is nothing to change.
var errNothing = errors.New("there is nothing to change")

// anyProduct returns a random product with its variants.
func (c *catalogChanger) anyProduct(tx store.Tx) (p view.ProductRows, err error) {
	external := c.pick(8, "p%d")
	keys, err := c.Catalog.Products.KeysByExternalID(c.Context(), tx, []string{external})
	if err != nil || len(keys) == 0 {
		return p, errors.Join(err, errNothing)
	}
	list, _, err := view.ReadRows(c.Context(), tx, []int64{keys[external]}, view.Parts{Variants: true},
		catalog.AnyArchived)
	if err != nil || len(list) == 0 {
		return p, errors.Join(err, errNothing)
	}
	return list[0], nil
}

func (c *catalogChanger) editProduct() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		p, err := c.anyProduct(tx)
		if err != nil {
			return err
		}
		_, err = c.Catalog.Products.Edit(c.Context(), tx, p.ID,
			catalog.ProductEdit{Name: new(c.pick(9, "Edited %d")), Categories: &[]catalog.CategoryID{}}, nil)
		return err
	})
}

func (c *catalogChanger) archiveProduct() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		p, err := c.anyProduct(tx)
		if err != nil {
			return err
		}
		if p.ArchivedAt != nil {
			_, err = c.Catalog.Products.Restore(c.Context(), tx, p.ID, nil)
		} else {
			_, err = c.Catalog.Products.Archive(c.Context(), tx, p.ID, nil)
		}
		return err
	})
}

func (c *catalogChanger) editVariant() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		p, err := c.anyProduct(tx)
		if err != nil || len(p.Variants) == 0 {
			return errors.Join(err, errNothing)
		}

		v := p.Variants[c.r.IntN(len(p.Variants))]
		switch {
		case v.ArchivedAt != nil:
			return errNothing
		case c.r.IntN(3) == 0 && v.ExternalID != nil:
			err = c.Catalog.Products.ArchiveVariant(c.Context(), tx, p.ID, v.ID, nil)
		default:
			err = c.Catalog.Products.EditVariant(c.Context(), tx, p.ID, v.ID,
				catalog.VariantEdit{Price: new(money.NewPrice(money.Money(c.r.IntN(1e6)))),
					SKU: new(c.pick(9, "edited-%d"))}, nil)
		}

		return err
	})
}

// anyAttribute returns a random option or feature with its values.
func (c *catalogChanger) anyAttribute(tx store.Tx) (a catalog.Attribute, values []catalog.Value, err error) {
	kind := []catalog.Kind{catalog.Option, catalog.Feature}[c.r.IntN(2)]
	list, _, err := c.Catalog.Attributes.List(c.Context(), tx, kind, "", 10, 0)
	if err != nil || len(list) == 0 {
		return a, nil, errors.Join(err, errNothing)
	}
	a = list[c.r.IntN(len(list))]
	err = c.Catalog.Attributes.EachValue(c.Context(), tx, a, func(v catalog.Value) error {
		values = append(values, v)
		return nil
	})
	if err == nil && len(values) == 0 {
		err = errNothing
	}
	return a, values, err
}

func (c *catalogChanger) orderValues() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		a, values, err := c.anyAttribute(tx)
		if err != nil {
			return err
		}
		_, _, err = c.Catalog.Attributes.PlaceValue(c.Context(), tx, a.Kind, a.ID, values[c.r.IntN(len(values))].ID,
			1+c.r.IntN(len(values)), nil)
		return err
	})
}

func (c *catalogChanger) anyCategory(tx store.Tx) (catalog.Category, error) {
	list, _, err := c.Catalog.Categories.List(c.Context(), tx, catalog.CategoryFilter{}, 10, 0)
	if err != nil || len(list) == 0 {
		return catalog.Category{}, errors.Join(err, errNothing)
	}
	return list[c.r.IntN(len(list))], nil
}

func (c *catalogChanger) moveCategory() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		moved, err := c.anyCategory(tx)
		if err != nil {
			return err
		}
		parent, err := c.anyCategory(tx)
		if err != nil {
			return err
		}

		to := &parent.ID
		if c.r.IntN(2) == 0 {
			to = nil
		}

		_, err = c.Catalog.Categories.Move(c.Context(), tx, moved.ID, to, 1, nil)
		return err
	})
}

func (c *catalogChanger) renameThings() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		a, values, err := c.anyAttribute(tx)
		if err != nil {
			return err
		}
		v := values[c.r.IntN(len(values))]
		_, err = c.Catalog.Attributes.RenameValue(c.Context(), tx, a.Kind, a.ID, v.ID, v.Name, c.pick(50, "%d"))
		return err
	})
}
