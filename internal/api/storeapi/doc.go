// Package storeapi serves the public API under /v2, and image files. A handler reads the request, calls one use case
// and writes JSON. Business rules and SQL are in the packages of internal/shop. Reads of products are answered by
// package productcache; the wire types and their descriptions are in package spec.
//
//   - routes.go: the services, the caches and the table of routes.
//   - product.go, product_list.go, variant.go: products and variants.
//   - attribute*.go, value_cache.go: options and features, their values and the cache of rendered values.
//   - named.go with category.go, stock.go: resources that have little more than a name.
//   - image.go, image_read.go, image_render.go, image_file.go: images, and their files.
//   - order.go, order_item.go, order_read.go: carts and orders.
//   - search_rule.go, search_log.go: what a store tells its search, and what people search.
//   - auth.go, customer.go: customers, who sign in with a code.
//   - feedback.go, callback.go, inquiry.go, form_text.go: what visitors write to the shop.
//   - price_list.go, customer_group.go: prices of groups. feed.go, change.go, suggest.go: feeds, changes, suggestions.
//   - resolve.go, redirect.go, sitemap.go: addresses of the site.
//   - guard.go: captcha and limits of visitors. body.go: request bodies. store.go: the store itself.
package storeapi
