// Package spec describes the public API: the types of its JSON, examples of them, and the documentation of each route
// in the OpenAPI document. Responses are marshalled from these types, and the schemas of the document are derived from
// them. Requests are not decoded into them. The package does not depend on the handlers, and of internal/shop only on
// event/payload.
//
//   - describe.go: what the API says of itself, and the table of all documentation. example.go: examples that others
//     use.
//   - product.go, product_list.go, variant.go, search.go, image.go: products.
//   - attribute.go, option.go, feature.go, category.go, stock.go, price_list.go, customer_group.go: what products
//     refer to.
//   - address.go, change.go, feed.go, store.go: addresses, changes, feeds, the store.
//   - order.go, customer.go, login.go, inquiry.go: what visitors do.
package spec
