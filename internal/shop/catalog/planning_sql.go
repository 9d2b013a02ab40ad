package catalog

// As of the last count; -1 before the first.
const countedProductsSQL = `
SELECT CAST(reltuples AS BIGINT)
FROM pg_class
WHERE oid = to_regclass('products')`

const countProductsAgainSQL = `
ANALYZE products, variants, product_values, variant_values, product_categories, remainders, images, image_sources`
