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

// CustomerGroupSQL returns a scalar subquery with the row key of the group of the customer with this alias, NULL for
// none. The row of a customer may name a group that was deleted.
func CustomerGroupSQL(customer string) string {
	return `(SELECT cg.key FROM customer_groups cg WHERE cg.store_id = ` + customer + `.store_id AND cg.key = ` +
		customer + `.group_key)`
}
