package catalog

const pendingKeysSQL = `
SELECT key
FROM pending_references
WHERE store_id = $1
  AND kind = $2
  AND external_id = $3
  AND value_id = ''
  AND key > $4
ORDER BY key
LIMIT $5`

// The order of the keys is the order in which the rows are locked, here and below.
const shareLockPendingCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT c.key
FROM categories c
WHERE c.store_id = $1
  AND c.key IN (SELECT (SELECT w.category_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY c.key`

const lockPendingProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key
FROM products p
WHERE p.store_id = $1
  AND p.key IN (SELECT (SELECT w.product_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY p.key`
