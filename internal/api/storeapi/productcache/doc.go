// Package productcache responds with products. It owns no data: everything in it can be dropped at any time. A response
// never shows an older product than the database had when the request arrived, on any node.
//
// Cache.List tries four tiers. Each of them answers more requests than the tier before it, and costs more:
//
//  1. page: the rendered list, without its dates. Its key contains the state of the catalogue (page_tier.go).
//  2. product: the search columns in memory find the products, and rendered products and names are put together,
//     without the database (memory.go, product_tier.go, names.go).
//  3. columns: the search columns find the products in a snapshot of the database. Products and names that the product
//     tier does not have are read from the snapshot and added to the tier (snapshot.go).
//  4. SQL: like columns, but the database finds the products.
//
// search.Service.Find chooses between the tiers columns and SQL, and owns the retries. Cache.Show uses the product
// tier, and then the database. Cache.Write shows a product as a transaction has it and uses no tier. ADR 17 explains
// why versions of the catalogue suffice to keep the tiers current.
//
//   - cache.go: Cache with List, Show and Write, which try the tiers in turn.
//   - page_tier.go: the page tier.
//   - memory.go: responses without the database, from the tiers page and product.
//   - product_tier.go: the product tier: which cached products a snapshot may use, and what a change removes.
//   - snapshot.go: responses from a snapshot, and what it adds to the tiers.
//   - parts.go: a product as the product tier caches it: JSON without names, dates and the address of images.
//   - names.go: the names that products refer to. facets.go: facets as JSON, and their cache.
//   - cached.go: other responses that follow the state of the catalogue: navigation.go, suggest.go.
//   - text.go: how a query was understood. jsonld.go: what search engines read. tag.go: the tags of responses.
//   - price.go: whose prices a response shows.
//   - render.go, variant.go: the JSON of products, and of single variants.
package productcache
