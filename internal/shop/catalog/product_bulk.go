package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// AddCategoryToAll puts products, by row key, into a category and returns the keys of those that were not in it. It
// returns fault.NotFound if there is no such category. Keys that the store does not have are ignored.
func (s *Products) AddCategoryToAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "add %d products to category %s", len(keys), categoryID)
	return s.changeCategoryOfAll(ctx, tx, keys, categoryID, addCategory)
}

// RemoveCategoryFromAll is like AddCategoryToAll, but takes products out of the category and returns the keys of those
// that were in it.
func (s *Products) RemoveCategoryFromAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "remove %d products from category %s", len(keys), categoryID)
	return s.changeCategoryOfAll(ctx, tx, keys, categoryID, removeCategory)
}

// changeCategoryOfAll changes the links between products and a category. Lock order: references before products.
func (s *Products) changeCategoryOfAll(
	ctx context.Context, tx store.Tx, keys []int64, categoryID CategoryID, change linkChange,
) ([]int64, error) {
	category := map[CategoryID]int64{categoryID: 0}
	if err := lockCategories(ctx, tx, category); err != nil {
		return nil, err
	}
	if category[categoryID] == 0 {
		return nil, fault.Missing("category")
	}
	return s.changeLinks(ctx, tx, keys, change, category[categoryID])
}

// AddFeatureToAll gives products, by row key, a value of a feature and returns the keys of those that did not have it.
// Other values of the feature stay. It returns fault.NotFound if there is no such value. Keys that the store does not
// have are ignored.
func (s *Products) AddFeatureToAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "give %d products value %s", len(keys), ref.Value)
	return s.changeFeatureOfAll(ctx, tx, keys, ref, addFeature)
}

// RemoveFeatureFromAll is like AddFeatureToAll, but takes the value away and returns the keys of the products that had
// it.
func (s *Products) RemoveFeatureFromAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef,
) (changed []int64, err error) {
	defer fault.AddContext(&err, "take value %s from %d products", ref.Value, len(keys))
	return s.changeFeatureOfAll(ctx, tx, keys, ref, removeFeature)
}

func (s *Products) changeFeatureOfAll(
	ctx context.Context, tx store.Tx, keys []int64, ref ValueRef, change linkChange,
) ([]int64, error) {
	attributes := map[AttributeID]KnownAttribute{ref.Attribute: {}}
	values := map[ValueID]KnownValue{ref.Value: {}}
	if err := lockAttributes(ctx, tx, attributes); err != nil {
		return nil, err
	}
	if err := findValues(ctx, tx, values); err != nil {
		return nil, err
	}
	a, v := attributes[ref.Attribute], values[ref.Value]
	if a.Key == 0 || a.Kind != Feature || v.Key == 0 || v.AttributeKey != a.Key {
		return nil, fault.Missing("value")
	}
	return s.changeLinks(ctx, tx, keys, change, a.Key, v.Key)
}

// changeLinks locks the products, changes their links to what the arguments identify, and raises the versions of those
// that had another link before. It returns their keys.
func (s *Products) changeLinks(
	ctx context.Context, tx store.Tx, keys []int64, change linkChange, args ...any,
) (changed []int64, err error) {
	var existing []int64
	err = lockProductRows(ctx, tx, keys, func(key int64, _ *int64) { existing = append(existing, key) })
	if err != nil {
		return nil, err
	}
	if changed, err = change.apply(ctx, tx, existing, s.Now(), args); err != nil {
		return nil, err
	}
	return changed, s.RecordChanges(ctx, tx, changed...)
}

// Cell is a member of a product or of one of its variants, as operators edit many of them at once.
type Cell struct {
	Product int64 `json:"p"` // row key
	Variant int64 `json:"v,omitzero"`
	// Member is the name of a scalar of products or, if the cell has a variant, of variants. StockMember returns that
	// of the quantity in a stock.
	Member string `json:"m"`
	// From is the text that the cell has, To the one that it gets. The text of a number has no groups of digits and a
	// point. A quantity without a text is not counted.
	From string `json:"f,omitzero"`
	To   string `json:"t,omitzero"`
}

// stockMember begins the member of the quantity in a stock. Its id follows.
const stockMember = "stock."

// StockMember returns the member of cells with the quantity in a stock.
func StockMember(stockID StockID) string { return stockMember + stockID.String() }

// IsQuantity reports whether the cell is a quantity in a stock.
func (c Cell) IsQuantity() bool { return strings.HasPrefix(c.Member, stockMember) }

// Canonical returns the cell with its new text as it will be stored, or the rule that the text breaks.
func (c Cell) Canonical() (_ Cell, broken *fault.Field) {
	text, isStock := strings.CutPrefix(c.Member, stockMember)
	switch {
	case isStock && c.To == "":
		return c, &fault.Field{Code: "required",
			Message: "Write 0 if nothing is left. Counting is stopped on the page of the product."}
	case isStock:
		if _, err := id.Parse[Stock](text); err != nil || c.Variant == 0 {
			return c, &fault.Field{Code: "unknown_stock", Message: "There is no such warehouse."}
		}
		if _, ok := money.ParseDecimal(c.To); !ok {
			return c, notNumber()
		}
		quantity, broken := money.ParseQuantity(c.To)
		c.To = quantity.Text()
		return c, broken

	case c.Variant == 0:
		c.To, broken = ProductScalars.canonical(c.Member, c.To)
	default:
		c.To, broken = VariantScalars.canonical(c.Member, c.To)
	}

	return c, broken
}

// SetCells changes canonical cells, and returns those that it has changed: a cell whose text is not From any more
// stays as it is, and so does one of a product or variant that is deleted or archived. The number of statements does
// not depend on the number of cells. It returns fault.Invalid if the cells together break a rule; the caller then
// rolls back.
//
// Lock order: references before products.
func (s *Products) SetCells(ctx context.Context, tx store.Tx, cells []Cell) (changed []Cell, err error) {
	defer fault.AddContext(&err, "set %d cells", len(cells))

	byProduct := map[int64][]Cell{}
	var stocks []RemainderEdit
	for _, c := range cells {
		byProduct[c.Product] = append(byProduct[c.Product], c)
		if text, ok := strings.CutPrefix(c.Member, stockMember); ok {
			if stockID, err := id.Parse[Stock](text); err == nil {
				stocks = append(stocks, RemainderEdit{Stock: stockID})
			}
		}
	}

	refs, err := lockReferences(ctx, tx, nil, ProductEdit{Variants: &[]VariantEdit{{Remainders: &stocks}}})
	if err != nil {
		return nil, err
	}
	locked, err := LockProducts(ctx, tx, slices.Sorted(maps.Keys(byProduct)), nil)
	if err != nil {
		return nil, err
	}

	counted := map[RemainderKey]Remainder{}
	if len(stocks) > 0 {
		if counted, err = LockRemainders(ctx, tx, variantKeysOf(cells)); err != nil {
			return nil, err
		}
	}

	ws := &ProductWrites{Tx: tx}
	var latest time.Time
	var wrong rule.Violations
	for _, key := range slices.Sorted(maps.Keys(locked)) {
		w := locked[key]
		done := w.setCells(byProduct[key], refs, counted)
		if len(done) == 0 {
			continue
		}

		changed = append(changed, done...)
		w.Path = rule.FieldPath("").Element("products", len(ws.List))
		w.MergesVariants = true
		w.PlanWrite(refs, &wrong)
		ws.List = append(ws.List, w)
		if w.Product.UpdatedAt.After(latest) {
			latest = w.Product.UpdatedAt
		}
	}

	if len(ws.List) == 0 {
		return nil, nil
	}
	ws.Time = s.UpdateTimeAfter(latest)
	_, err = s.saveVersions(ctx, ws, &wrong)
	return changed, err
}

func variantKeysOf(cells []Cell) []int64 {
	keys := map[int64]bool{}
	for _, c := range cells {
		if c.Variant != 0 {
			keys[c.Variant] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// setCells puts the cells of the product into the edit of the write, and returns those that it has put there.
func (w *ProductWrite) setCells(cells []Cell, refs *References, counted map[RemainderKey]Remainder) (done []Cell) {
	if w.Product.ArchivedAt != nil {
		return nil
	}

	edits := map[int64]*VariantEdit{}
	for i := range w.Stored {
		if v := &w.Stored[i]; v.Live() {
			edits[v.Key] = &VariantEdit{ID: v.ID}
		}
	}

	touched := map[int64]bool{}
	for _, c := range cells {
		if w.setCell(c, edits[c.Variant], refs, counted) {
			done = append(done, c)
			touched[c.Variant] = c.Variant != 0
		}
	}

	var variants []VariantEdit
	for i := range w.Stored {
		if key := w.Stored[i].Key; touched[key] {
			variants = append(variants, *edits[key])
		}
	}
	if len(variants) > 0 {
		w.Edit.Variants = &variants
	}

	return done
}

// setCell reports whether the cell has the text that the operator saw. If so, it puts the new one into the edit.
func (w *ProductWrite) setCell(
	c Cell, e *VariantEdit, refs *References, counted map[RemainderKey]Remainder,
) bool {
	if c.Variant == 0 {
		m, ok := ProductScalars.named(c.Member)
		return ok && m.Text(&w.Product) == c.From && ProductScalars.SetText(&w.Edit, c.Member, c.To) == nil
	}
	if e == nil {
		return false
	}

	if text, ok := strings.CutPrefix(c.Member, stockMember); ok {
		stockID, err := id.Parse[Stock](text)
		key := RemainderKey{c.Variant, refs.Stocks[stockID]}
		if err != nil || key.Stock == 0 {
			return false
		}

		present := ""
		if m, ok := counted[key]; ok {
			present = m.Quantity.Text()
		}
		quantity, broken := money.ParseQuantity(c.To)
		if present != c.From || broken != nil {
			return false
		}

		e.Remainders = new(append(write.OrEmpty(e.Remainders), RemainderEdit{stockID, quantity}))
		return true
	}

	m, ok := VariantScalars.named(c.Member)
	at := slices.IndexFunc(w.Stored, func(v StoredVariant) bool { return v.Key == c.Variant })
	return ok && m.Text(&w.Stored[at].Variant) == c.From && VariantScalars.SetText(e, c.Member, c.To) == nil
}

// Inverse returns the cell that undoes this one.
func (c Cell) Inverse() Cell {
	c.From, c.To = c.To, c.From
	return c
}
