package pricing

// ChainSQL returns a scalar subquery with the chain of the customer group with the row key groupKey, NULL for none. The
// statement has the store as `stores AS s`. A list in another currency than the store's is left out.
func ChainSQL(groupKey string) string {
	return `(SELECT string_agg(CAST(gl.key AS TEXT) || ':' || CAST(gl.created_at AS TEXT), ',' ORDER BY gx.list_order)
	FROM customer_group_lists gx
	JOIN price_lists gl ON gl.store_id = gx.store_id AND gl.key = gx.list_key
	WHERE gx.store_id = s.id
	  AND gx.group_key = ` + groupKey + `
	  AND gl.currency = s.currency
	  AND gl.deleted_at IS NULL)`
}
