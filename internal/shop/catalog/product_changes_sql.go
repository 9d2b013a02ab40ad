package catalog

const raiseProductsVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor)
VALUES ($1, 1, 0, 0)
ON CONFLICT (store_id) DO UPDATE
SET version = catalog_versions.version + 1
RETURNING version`

const raiseCategoriesVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor)
VALUES ($1, 0, 1, 0)
ON CONFLICT (store_id) DO UPDATE
SET categories = catalog_versions.categories + 1`

const insertChangesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_changes (store_id, version, product_key, changed_at)
SELECT $1, $2, d.key, $3
FROM (SELECT DISTINCT key FROM r) AS d`

// It looks at the first change of each store.
const storesOfOldChangesSQL = `
SELECT c.store_id
FROM catalog_versions c
WHERE (SELECT p.changed_at FROM product_changes p WHERE p.store_id = c.store_id ORDER BY p.version, p.product_key LIMIT 1) < $1
ORDER BY c.store_id`

// It begins at a version: PostgreSQL would otherwise walk over all that was deleted before, as long as anybody's snapshot shows that.
const lastOldChangeSQL = `
SELECT version, product_key
FROM (
	SELECT version, product_key, changed_at
	FROM product_changes
	WHERE store_id = $1
	  AND version >= $2
	ORDER BY version, product_key
	LIMIT $4) AS first
WHERE changed_at < $3
ORDER BY version DESC, product_key DESC
LIMIT 1`

const raiseFloorSQL = `
UPDATE catalog_versions
SET floor = $2
WHERE store_id = $1
  AND floor < $2`

const deleteChangesSQL = `
DELETE FROM product_changes
WHERE store_id = $1
  AND version >= $2
  AND (version, product_key) <= ($3, $4)`
