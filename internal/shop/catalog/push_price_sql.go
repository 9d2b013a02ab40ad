package catalog

const setPricesSQL = `
WITH r(key, price) AS (ROWS)
UPDATE variants
SET price = r.price, updated_at = $2
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key`
