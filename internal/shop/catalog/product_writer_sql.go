package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// These clauses set the writers of the members that are in written, a productfield.Set; $3 is the writer.
const (
	writerColumns = `
	name_writer, description_writer, images_writer, categories_writer, features_writer, price_writer,
		variants_writer, remainders_writer,
	modifiers_writer`

	insertedWritersSQL = `
	CASE WHEN written & 1 <> 0 THEN CAST($3 AS BIGINT) END, CASE WHEN written & 2 <> 0 THEN CAST($3 AS BIGINT) END,
	CASE WHEN written & 4 <> 0 THEN CAST($3 AS BIGINT) END, CASE WHEN written & 8 <> 0 THEN CAST($3 AS BIGINT) END,
	CASE WHEN written & 16 <> 0 THEN CAST($3 AS BIGINT) END, CASE WHEN written & 32 <> 0 THEN CAST($3 AS BIGINT) END,
	CASE WHEN written & 64 <> 0 THEN CAST($3 AS BIGINT) END, CASE WHEN written & 128 <> 0 THEN CAST($3 AS BIGINT) END,
	CASE WHEN written & 256 <> 0 THEN CAST($3 AS BIGINT) END`

	updatedWritersSQL = `
	name_writer = CASE WHEN r.written & 1 <> 0 THEN CAST($3 AS BIGINT) ELSE products.name_writer END,
	description_writer = CASE WHEN r.written & 2 <> 0 THEN CAST($3 AS BIGINT) ELSE products.description_writer END,
	images_writer = CASE WHEN r.written & 4 <> 0 THEN CAST($3 AS BIGINT) ELSE products.images_writer END,
	categories_writer = CASE WHEN r.written & 8 <> 0 THEN CAST($3 AS BIGINT) ELSE products.categories_writer END,
	features_writer = CASE WHEN r.written & 16 <> 0 THEN CAST($3 AS BIGINT) ELSE products.features_writer END,
	price_writer = CASE WHEN r.written & 32 <> 0 THEN CAST($3 AS BIGINT) ELSE products.price_writer END,
	variants_writer = CASE WHEN r.written & 64 <> 0 THEN CAST($3 AS BIGINT) ELSE products.variants_writer END,
	remainders_writer = CASE WHEN r.written & 128 <> 0 THEN CAST($3 AS BIGINT) ELSE products.remainders_writer END,
	modifiers_writer = CASE WHEN r.written & 256 <> 0 THEN CAST($3 AS BIGINT) ELSE products.modifiers_writer END`
)

const selectWritersSQL = `
SELECT name_writer, description_writer, images_writer, categories_writer, features_writer, price_writer,
	variants_writer, remainders_writer,
	modifiers_writer
FROM products
WHERE store_id = $1
  AND key = $2`

// Writers returns who wrote each member of the product with this row key last, as far as it is known.
func (s *Products) Writers(
	ctx context.Context, tx store.Tx, productKey int64,
) (writers map[productfield.Set]productfield.Writer, err error) {
	columns := make([]*int64, len(productfield.All.Words()))
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
			writers[1<<i] = productfield.Writer(*w)
		}
	}
	return writers, nil
}

// written returns the members that the write sets. Texts and variants count if they change, lists if they are sent.
func (w *ProductWrite) written() productfield.Set {
	written := w.WrittenApart
	add := func(m productfield.Set, is bool) {
		if is {
			written |= m
		}
	}
	add(productfield.Name, w.Added || w.Product.Name != w.Before.Name)
	add(productfield.Description, w.Product.Description != w.Before.Description)
	add(productfield.Images, w.Edit.Images != nil)
	add(productfield.Categories, w.Edit.Categories != nil)
	add(productfield.Features, w.Edit.Features != nil)
	add(productfield.Modifiers, w.Edit.Modifiers != nil)

	if w.Plan == nil {
		return written
	}

	add(productfield.Variants, len(w.Plan.Archived)+len(w.Plan.Deleted) > 0)

	for _, v := range w.Plan.Sent {
		add(productfield.Price, v.Before == nil || v.Price != v.Before.Price)
		add(productfield.Variants, v.Before == nil || v.otherRowChanged() || v.CombinationChanged())
		add(productfield.Remainders, v.Quantities != nil)
	}

	return written
}
