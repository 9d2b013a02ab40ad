package push

import (
	"context"
	"slices"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// pushReferences holds the rows that pushed products refer to by external id, as far as they exist.
type pushReferences struct {
	*catalog.References
	attributes map[attributeName]pushedRow
	values     map[valueName]pushedRow
	categories map[string]pushedRow
	stocks     map[string]stockRow
	lists      map[string]listRow
	// missingStocks maps provisional negative keys to the external ids of stocks that do not exist. See createStocks.
	missingStocks map[int64]string
}

type attributeName struct {
	kind       catalog.Kind
	externalID string
}

type valueName struct {
	attributeKey int64
	externalID   string
}

// pushedRow is a row that was found by its external id.
type pushedRow struct {
	key int64
	id  [16]byte
}

// lockReferences finds all rows that the items with these indexes refer to, with one query for each table, and locks
// them against deletion until the transaction ends.
func (b *productPushes) lockReferences(ctx context.Context, indexes []int) (*pushReferences, error) {
	r := &pushReferences{
		References: catalog.NewReferences(), attributes: map[attributeName]pushedRow{},
		values:     map[valueName]pushedRow{},
		categories: map[string]pushedRow{}, missingStocks: map[int64]string{},
	}
	stocks := map[string]bool{}
	lists := namedLists{}
	pairs := map[attributeName]map[string]bool{}

	note := func(kind catalog.Kind, refs []catalog.ReferencePush) {
		for _, ref := range refs {
			a := attributeName{kind, ref.Attribute}
			if pairs[a] == nil {
				pairs[a] = map[string]bool{}
			}
			pairs[a][ref.Value] = true
		}
	}
	for _, i := range indexes {
		p := &b.items[i]
		for _, c := range write.OrEmpty(p.Categories) {
			r.categories[c] = pushedRow{}
		}
		if c := p.CanonicalCategory; c != nil && *c != "" {
			r.categories[*c] = pushedRow{}
		}

		currencies := map[string]string{}
		for _, c := range p.Currencies {
			currencies[c.List] = c.Currency
		}

		note(catalog.Feature, write.OrEmpty(p.Features))

		for _, v := range write.OrEmpty(p.Variants) {
			note(catalog.Option, write.OrEmpty(v.Options))
			for _, m := range write.OrEmpty(v.Remainders) {
				stocks[m.Stock] = true
			}
			for _, priced := range write.OrEmpty(v.Prices) {
				lists.add(priced.List, priced.Price, currencies[priced.List])
			}
		}

		if p.EmptyStock != "" {
			stocks[p.EmptyStock] = true
		}
	}

	if err := r.lockAttributes(ctx, b.tx, pairs); err != nil {
		return nil, err
	}
	if err := r.lockCategories(ctx, b.tx); err != nil {
		return nil, err
	}

	names := write.SortedStrings(stocks)
	var err error
	if r.stocks, err = findStocks(ctx, b.tx, names); err != nil {
		return nil, err
	}

	for i, name := range names {
		row, found := r.stocks[name]
		if !found {
			row = stockRow{key: -int64(i + 1), id: id.New[catalog.Stock]()}
			r.stocks[name], r.missingStocks[row.key] = row, name
		}
		r.References.Stocks[row.id] = row.key
	}

	if r.lists, err = b.s.findOrAwaitLists(ctx, b.tx, lists); err != nil {
		return nil, err
	}
	b.lists = r.lists
	for _, row := range r.lists {
		r.References.PriceLists[row.id] = row.key
	}

	return r, nil
}

// createStocks creates the missing stocks that the products to be written need, and replaces their provisional keys.
func (r *pushReferences) createStocks(ctx context.Context, s *Pushes, tx store.Tx, writes []*pushWrite) error {
	needed := map[string]bool{}
	var missing []*catalog.StockQuantity
	for _, w := range writes {
		for _, p := range w.Plan.Variants() {
			for i := range p.Quantities {
				if m := &p.Quantities[i]; m.Stock < 0 {
					missing = append(missing, m)
					needed[r.missingStocks[m.Stock]] = true
				}
			}
		}
	}

	err := s.createStocks(ctx, tx, write.SortedStrings(needed), r.stocks)
	for _, m := range missing {
		m.Stock = r.stocks[r.missingStocks[m.Stock]].key
	}

	return err
}

// remainderEdits returns the pushed remainders of a variant as edits; nil if none were pushed.
func (r *pushReferences) remainderEdits(sent *[]catalog.StockedPush) *[]catalog.RemainderEdit {
	if sent == nil {
		return nil
	}
	edits := make([]catalog.RemainderEdit, len(*sent))
	for i, m := range *sent {
		edits[i] = catalog.RemainderEdit{Stock: r.stocks[m.Stock].id, Quantity: m.Quantity}
	}
	return &edits
}

// priceEdits returns the pushed prices of a variant in lists as edits; nil if none were pushed. Prices in lists that
// are missing in r.lists are left out: they are null, or checkIDs has failed the item.
func (r *pushReferences) priceEdits(sent *[]catalog.PricedPush) *[]catalog.ListPriceEdit {
	if sent == nil {
		return nil
	}
	edits := make([]catalog.ListPriceEdit, 0, len(*sent))
	for _, p := range *sent {
		if row, found := r.lists[p.List]; found {
			edits = append(edits, catalog.ListPriceEdit{List: row.id, FromQuantity: p.FromQuantity, Price: p.Price})
		}
	}
	return &edits
}

// isKept is the end of each warning about a pending reference.
const isKept = " The reference is kept, and is linked by itself when it arrives."

// splitValues splits references into existing values and pending references. The function at returns the path of the
// list.
func (w *pushWrite) splitValues(
	refs *pushReferences, kind catalog.Kind, list []catalog.ReferencePush, at func() string,
) (known []catalog.ValueRef, pending []catalog.ReferencePush) {
	known = make([]catalog.ValueRef, 0, len(list))
	seen := make(map[int64]bool, len(list))
	for i, ref := range list {
		a := refs.attributes[attributeName{kind, ref.Attribute}]
		v := refs.values[valueName{a.key, ref.Value}]
		if v.key != 0 {
			if !seen[v.key] { // the ids of merged values mean the same value
				known = append(known, catalog.ValueRef{Attribute: a.id, Value: v.id})
			}
			seen[v.key] = true
			continue
		}

		pending = append(pending, ref)
		path := rule.FieldPath(at()).Index(i)
		if a.key == 0 {
			w.warnings = append(w.warnings, newField(path.Member("id"), "unknown_"+string(kind),
				"There is no %s with the id %s yet."+isKept, kind.Noun(), ref.Attribute))
		} else {
			w.warnings = append(w.warnings, newField(path.Member("value_id"), "unknown_value",
				"The %s %s has no value with the id %s yet."+isKept, kind.Noun(), ref.Attribute, ref.Value))
		}
	}

	return known, pending
}

// splitCategories splits the categories of the product into existing ones and pending references.
func (w *pushWrite) splitCategories(refs *pushReferences, list []string) (known []catalog.CategoryID,
	pending []catalog.ReferencePush) {
	known = make([]catalog.CategoryID, 0, len(list))
	for i, c := range list {
		if row := refs.categories[c]; row.key != 0 {
			known = append(known, row.id)
			continue
		}
		pending = append(pending, catalog.ReferencePush{Attribute: c})
		w.warnings = append(w.warnings, newField(string(rule.FieldPath("categories").Index(i)), "unknown_category",
			"There is no category with the id %s yet."+isKept, c))
	}
	return known, pending
}

// planCanonical finds the canonical category among the categories of the product and those that it waits for.
func (w *pushWrite) planCanonical(refs *pushReferences, stored *lockedLists, wrong *rule.Violations) {
	sent := w.push.CanonicalCategory
	if sent == nil {
		return
	}
	w.StoredCategories = stored.categories[w.Product.Key]
	w.Edit.CanonicalCategory = &catalog.CategoryID{}
	if *sent == "" {
		return
	}

	row := refs.categories[*sent]
	_, isIn := w.StoredCategories[row.key]
	isAwaited := slices.Contains(stored.awaitedCategories[w.Product.Key], *sent)
	if w.push.Categories != nil {
		isIn = slices.Contains(*w.push.Categories, *sent) && row.key != 0
		isAwaited = slices.Contains(*w.push.Categories, *sent) && row.key == 0
	}

	switch {
	case isIn:
		*w.Edit.CanonicalCategory = row.id
	case isAwaited:
		w.AwaitedCanonical = *sent
	default:
		wrong.Add("canonical_category", "not_in_category",
			"The product is not in the category %s; name one of its categories.", *sent)
	}
	if isAwaited && w.push.Categories == nil {
		w.warnings = append(w.warnings, newField("canonical_category", "unknown_category",
			"There is no category with the id %s yet."+isKept, *sent))
	}
}
