package catalog

const impactVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT v.id, p.id, v.sku
FROM r
CROSS JOIN variants v
CROSS JOIN products p
WHERE v.store_id = $1
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND p.store_id = $1
  AND p.key = v.product_key
ORDER BY v.key`

// collidedCombinationsSQL names the products and combinations in which variants of a piece became equal to others.
const collidedCombinationsSQL = `
WITH r(key) AS (ROWS)
SELECT DISTINCT v.product_key, v.combination
FROM r
CROSS JOIN variants v
WHERE v.store_id = $1
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND v.twin <> 0`

const collisionsSQL = `
WITH r(product_key, combination) AS (ROWS)
SELECT p.id, o.product_key, o.combination, o.id
FROM r
CROSS JOIN variants o
CROSS JOIN products p
WHERE o.store_id = $1
  AND o.product_key = r.product_key
  AND o.combination = r.combination
  AND o.archived_at IS NULL
  AND p.store_id = $1
  AND p.key = r.product_key
ORDER BY p.key, o.key`

// A product that carries two of the removed values is counted once: the mark is undone with everything else.
const impactProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET updated_at = -1
WHERE store_id = $1
  AND updated_at <> -1
  AND archived_at IS NULL
  AND key IN (SELECT key FROM r)
RETURNING id, name`
