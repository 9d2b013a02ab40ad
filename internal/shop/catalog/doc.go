// Package catalog owns what a shop sells: products and their variants, options, features, categories, stocks and
// images. Its packages push and export write and read it for accounting, and view reads it for lists and pages.
// Searching the catalogue belongs to package search, the exchange with accounting to package exchange, and HTTP to
// package storeapi.
//
//	service.go                                  the use cases by subject, and Core, which they share
//	product.go, variant.go, modifier.go         what a product is
//	product_service.go, product_create.go,
//	product_edit.go, product_archive.go,
//	product_bulk*.go, variant_service.go        use cases of products: create, edit, archive, change many
//	product_write.go, variant_plan.go,
//	variant_write*.go, variant_combination*.go  a planned write of products, for edits and pushes
//	product_reference*.go                       what edits refer to, locked
//	product_version_sql.go, product_writer_sql.go, product_changes*.go
//	                                            versions, who wrote what, the log of changed products
//	product_lock_sql.go                         products locked for a write, and what a lock against pushes drops
//	attribute*.go, value_*.go, lazy_list.go     options and features, their values, merging and deleting them
//	scalar.go, unit.go, barcode.go              members of products and variants with one value
//	variant_match.go, product_sql.go,
//	product_values_sql.go, variant_sql.go,
//	variant_price_sql.go, price_list.go         rows of products and variants, their prices in lists
//	log.go, product_log.go                      what the log says of changes
//	category*.go                                categories and their tree
//	stock*.go, reserve*.go, remainder_*.go     stocks, quantities, reservations of orders
//	image*.go                                   images of products, and those that are downloaded
//	pushed.go                                   the items of a push
//	pending*.go                                 references to things that are not pushed yet
//	deletion*.go, deleted_id*.go                long deletions, and external ids that are gone
//	analyze_sql.go                              statistics of PostgreSQL
package catalog
