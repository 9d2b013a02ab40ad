// Package export reads the catalogue in the form in which it is pushed, so that a push of an export changes nothing. It
// also gives external ids to things without one. Package item writes the bytes of an export, and package exchange
// serves them.
//
//	export.go                           products in pages, and what is exported of them
//	product_sql.go                      the rows of products
//	attribute_sql.go, category_sql.go   options, features, categories and stocks
//	names*.go                           keys → external ids
//	changes_sql.go                      what changed since an earlier export
//	sku_sql.go                          variants by their SKUs
//	assign*.go                          external ids for things without one
package export
