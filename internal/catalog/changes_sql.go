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

const oldChangesSQL = `
SELECT store_id, MAX(version)
FROM product_changes
WHERE changed_at < $1
GROUP BY store_id`

const raiseFloorSQL = `
UPDATE catalog_versions
SET floor = $2
WHERE store_id = $1
  AND floor < $2`

const deleteChangesSQL = `
DELETE FROM product_changes
WHERE store_id = $1
  AND version <= $2`

const countProductsAgainSQL = `
ANALYZE products, variants, product_values, variant_values, product_categories, remainders`
