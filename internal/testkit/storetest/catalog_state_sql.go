package storetest

import (
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// CatalogState returns the catalogue of the store as text, by external ids and without times, so that it does not
// depend on when and in how many pushes it was created.
func (f *Fixture) CatalogState() string {
	f.Helper()
	var lines []string
	f.Read(func(tx store.Tx) error {
		lines = nil
		for _, sql := range catalogStateSQL {
			err := database.QueryEach(f.Context(), tx.Unscoped(), sql, []any{f.Store.ID}, database.AppendColumn(&lines))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return strings.Join(lines, "\n")
}

// catalogStateSQL selects the lines of CatalogState.
var catalogStateSQL = []string{
	`SELECT 'product ' || external_id || ' ' || name || ' ' || description || ' ' || modifiers
		|| COALESCE(' unit ' || unit, '') || COALESCE(' vat ' || CAST(vat_rate AS TEXT), '')
		|| COALESCE(' weight ' || CAST(weight AS TEXT), '') || CASE
		WHEN archived_at IS NULL THEN '' ELSE ' archived' END
FROM products WHERE store_id = $1 ORDER BY external_id`,
	`SELECT 'variant ' || p.external_id || '/' || COALESCE(v.external_id,
		'-') || ' ' || v.sku || ' ' || v.name || ' ' || COALESCE(CAST(v.price AS TEXT), 'none')
	|| ' ' || COALESCE(CAST(v.available AS TEXT), '-') || CASE WHEN v.archived_at IS NULL THEN '' ELSE ' archived' END
	|| CASE WHEN v.twin = 0 THEN '' ELSE ' twin' END || CASE WHEN v.barcodes = '' THEN '' ELSE ' ' || v.barcodes END
FROM variants v JOIN products p ON p.key = v.product_key WHERE v.store_id = $1 ORDER BY p.external_id,
	v.external_id, v.sku`,
	`SELECT 'option ' || p.external_id || '/' || COALESCE(v.external_id,
		'-') || ' ' || a.external_id || '=' || w.external_id
FROM variant_values x JOIN variants v ON v.key = x.variant_key JOIN products p ON p.key = v.product_key
JOIN attributes a ON a.key = x.attribute_key JOIN attribute_values w ON w.key = x.value_key
WHERE x.store_id = $1 ORDER BY p.external_id, v.external_id, a.external_id, w.external_id`,
	`SELECT 'barcode ' || p.external_id || '/' || COALESCE(v.external_id, '-') || ' ' || x.barcode
FROM variant_barcodes x JOIN variants v ON v.key = x.variant_key JOIN products p ON p.key = v.product_key
WHERE x.store_id = $1 ORDER BY p.external_id, v.external_id, x.barcode`,
	`SELECT 'feature ' || p.external_id || ' ' || a.external_id || '=' || w.external_id
FROM product_values x JOIN products p ON p.key = x.product_key JOIN attributes a ON a.key = x.attribute_key
	JOIN attribute_values w ON w.key = x.value_key
WHERE x.store_id = $1 ORDER BY p.external_id, a.external_id, w.external_id`,
	`SELECT 'in ' || p.external_id || ' ' || c.external_id || CASE WHEN x.canonical THEN ' canonical' ELSE '' END
FROM product_categories x JOIN products p ON p.key = x.product_key JOIN categories c ON c.key = x.category_key
WHERE x.store_id = $1 ORDER BY p.external_id, c.external_id`,
	`SELECT 'remainder ' || p.external_id || '/' || COALESCE(v.external_id,
		'-') || ' ' || s.external_id || '=' || CAST(m.quantity AS TEXT)
FROM remainders m JOIN variants v ON v.key = m.variant_key JOIN products p ON p.key = v.product_key JOIN stocks s
	ON s.key = m.stock_key
WHERE m.store_id = $1 ORDER BY p.external_id, v.external_id, s.external_id`,
	`SELECT 'price ' || p.external_id || '/' || COALESCE(v.external_id, '-') || ' ' || l.external_id || ' from '
		|| CAST(x.from_quantity AS TEXT) || '=' || CAST(x.price AS TEXT)
FROM variant_prices x JOIN variants v ON v.key = x.variant_key JOIN products p ON p.key = v.product_key
	JOIN price_lists l ON l.key = x.list_key
WHERE x.store_id = $1 AND l.deleted_at IS NULL ORDER BY p.external_id, v.external_id, l.external_id, x.from_quantity`,
	`SELECT 'price list ' || COALESCE(external_id, '-') || ' ' || name || ' ' || currency
FROM price_lists WHERE store_id = $1 AND deleted_at IS NULL AND awaited_since IS NULL ORDER BY external_id, name`,
	`SELECT 'stock ' || external_id || ' ' || name FROM stocks WHERE store_id = $1 ORDER BY external_id`,
	`SELECT 'category ' || c.external_id || ' ' || c.name || ' under ' || COALESCE(p.external_id, '-')
FROM categories c LEFT JOIN categories p ON p.key = c.parent_key WHERE c.store_id = $1 ORDER BY c.external_id`,
	`SELECT kind || ' ' || external_id || ' ' || name || ' ' || field_type || ' ' || CAST(value_count AS TEXT) ` +
		`FROM attributes WHERE store_id = $1 ORDER BY kind, external_id`,
	`SELECT 'value ' || a.external_id || ' ' || v.external_id || ' ' || v.name
FROM attribute_values v JOIN attributes a ON a.key = v.attribute_key WHERE v.store_id = $1 ORDER BY a.external_id,
	v.external_id`,
	`SELECT 'pending ' || r.kind || ' ' || r.external_id || ' ' || r.value_id || CASE
		WHEN r.canonical THEN 'canonical' ELSE '' END || ' of ' || COALESCE(p.external_id,
		'') || COALESCE(q.external_id || '/' || v.external_id, '') || COALESCE(c.external_id, '')
FROM pending_references r LEFT JOIN products p ON p.key = r.product_key LEFT JOIN variants v ON v.key = r.variant_key
LEFT JOIN products q ON q.key = v.product_key LEFT JOIN categories c ON c.key = r.category_key
WHERE r.store_id = $1 ORDER BY r.kind, r.external_id, r.value_id, p.external_id, q.external_id, v.external_id,
	c.external_id`,
}
