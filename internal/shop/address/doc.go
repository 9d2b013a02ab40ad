// Package address owns what a path of a store's site leads to: products and categories by their slugs, and redirects of
// the store's own. The slugs themselves belong to package slug, and the forms of the paths to the settings of the store
// (store.Paths).
//
//   - path.go: how paths are compared.
//   - redirect.go, redirect_service.go, redirect_sql.go: redirects.
//   - resolve.go, resolve_sql.go: Resolve.
package address
