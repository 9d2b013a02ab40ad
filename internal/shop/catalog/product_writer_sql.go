package catalog

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// These clauses set the writers of the members that are in written, a productfield.Set; $3 is the writer.
var (
	writerColumns = writersSQL("%[1]s_writer")

	insertedWritersSQL = writersSQL("CASE WHEN written & %[2]d <> 0 THEN CAST($3 AS BIGINT) END")

	updatedWritersSQL = writersSQL("%[1]s_writer = CASE WHEN r.written & %[2]d <> 0 THEN CAST($3 AS BIGINT)" +
		" ELSE products.%[1]s_writer END")
)

// writersSQL returns the clause for each member, in the order of productfield.Fields. In the format of a clause,
// %[1]s is the name of the member and %[2]d its bit.
func writersSQL(clause string) string {
	list := make([]string, len(productfield.Fields))
	for i, f := range productfield.Fields {
		list[i] = fmt.Sprintf("\n\t"+clause, f.Name, int64(f.Set))
	}
	return strings.Join(list, ",")
}

var selectWritersSQL = `
SELECT ` + writerColumns + `
FROM products
WHERE store_id = $1
  AND key = $2`

// Writers returns who wrote each member of the product with this row key last, as far as it is known.
func (s *Products) Writers(
	ctx context.Context, tx store.Tx, productKey int64,
) (writers map[productfield.Set]productfield.Writer, err error) {
	columns := make([]*int64, len(productfield.Fields))
	dest := make([]any, len(columns))
	for i := range columns {
		dest[i] = &columns[i]
	}
	if err := database.QueryRow(ctx, tx, selectWritersSQL, []any{productKey}, dest...); err != nil {
		return nil, err
	}
	writers = map[productfield.Set]productfield.Writer{}
	for i, w := range columns {
		if w != nil {
			writers[productfield.Fields[i].Set] = productfield.Writer(*w)
		}
	}
	return writers, nil
}

// PricesOnly reports whether the write changes nothing that readers see but prices and stock.
func (w *ProductWrite) PricesOnly() bool {
	return w.written()&^(productfield.Price|productfield.Remainders) == 0 && !w.Added && !w.indexedColumnsChange()
}

// written returns the members that the write sets. Texts and variants count if they change, lists if they are sent.
func (w *ProductWrite) written() productfield.Set {
	written := w.WrittenApart | ProductScalars.Changed(&w.Product, &w.Before)
	add := func(m productfield.Set, is bool) {
		if is {
			written |= m
		}
	}
	add(productfield.Name, w.Added)
	if w.Edit.Slug == nil {
		written &^= productfield.Slug // nobody has chosen it
	}
	add(productfield.Images, w.Edit.Images != nil)
	add(productfield.Categories, w.Edit.Categories != nil || w.Edit.CanonicalCategory != nil)
	add(productfield.Features, w.Edit.Features != nil)
	add(productfield.Modifiers, w.Edit.Modifiers != nil)

	if w.Plan == nil {
		return written
	}

	add(productfield.Variants, len(w.Plan.Archived)+len(w.Plan.Deleted) > 0)

	for _, v := range w.Plan.Sent {
		if v.Before == nil {
			add(productfield.Price|productfield.Variants, true)
			add(productfield.Barcodes, v.Barcodes != "")
		} else {
			add(v.scalarsChanged(), true)
			add(productfield.Variants, v.restored() || v.externalIDChanged() || v.CombinationChanged())
		}
		add(productfield.Remainders, v.Quantities != nil)
		add(productfield.Images, v.images != nil)
	}

	return written
}
