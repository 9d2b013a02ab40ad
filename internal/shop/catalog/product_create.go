package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Create creates a product with everything that the edit names. Ids in the variants are ignored. It returns
// fault.Invalid naming each broken rule, or fault.Conflict if an external id is taken; the caller then rolls back.
func (s *Products) Create(ctx context.Context, tx store.Tx, e ProductEdit) (_ Product, err error) {
	defer fault.AddContext(&err, "create product")
	made, err := s.create(ctx, tx, []ProductEdit{e}, func(int) rule.FieldPath { return "" })
	if err != nil {
		return Product{}, err
	}
	return made[0], audit.Record(ctx, tx, made[0].entry(audit.ProductCreated))
}

// CreateAll creates many products at once, all or none. Faults name fields such as products[7].variants[0].price. The
// number of statements does not depend on the number of products, unless the engine limits the rows of a statement.
func (s *Products) CreateAll(ctx context.Context, tx store.Tx, edits []ProductEdit) (_ []Product, err error) {
	defer fault.AddContext(&err, "create %d products", len(edits))
	return s.create(ctx, tx, edits, func(i int) rule.FieldPath { return rule.FieldPath("").Element("products", i) })
}

func (s *Products) create(
	ctx context.Context, tx store.Tx, edits []ProductEdit, at func(i int) rule.FieldPath,
) ([]Product, error) {
	refs, err := lockReferences(ctx, tx, nil, edits...)
	if err != nil {
		return nil, err
	}

	ws := &ProductWrites{Tx: tx, Time: s.Now().UTC().Truncate(time.Microsecond),
		List: make([]*ProductWrite, len(edits))}
	var wrong rule.Violations
	external := write.NewFirstPositions[string](len(edits))
	for i, e := range edits {
		w := &ProductWrite{Product: Product{ID: id.New[Product](), Version: 1, CreatedAt: ws.Time, UpdatedAt: ws.Time},
			Added: true, Edit: e, Path: at(i)}
		w.PlanWrite(refs, &wrong)
		if e := w.Product.ExternalID; e != nil {
			if first, twice := external.Add(*e, i); twice {
				wrong.Add(w.Path.Member("external_id"), "duplicate_external_id",
					"%s has the same external_id; each product of a store needs its own.", at(first))
			}
		}

		ws.List[i] = w
	}

	if err := ws.check(&wrong); err != nil {
		return nil, err
	}
	if err := ws.Save(ctx); err != nil {
		return nil, err
	}

	return s.finishWrite(ctx, ws)
}

// finishWrite fills in the totals of the written products, records them in the change log, and returns them.
func (s *Products) finishWrite(ctx context.Context, ws *ProductWrites) ([]Product, error) {
	products := make([]Product, len(ws.List))
	keys := make([]int64, len(ws.List))
	for i, w := range ws.List {
		products[i] = w.Product
		keys[i] = w.Product.Key
	}
	if err := fillTotals(ctx, ws.Tx, products); err != nil {
		return nil, err
	}

	kind := priceChange
	for _, w := range ws.List {
		if !w.PricesOnly() {
			kind = anyChange
		}
	}
	return products, s.recordChanges(ctx, ws.Tx, kind, keys)
}
