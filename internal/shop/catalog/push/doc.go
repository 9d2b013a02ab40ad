// Package push writes the items that accounting pushes into the catalogue: products, options, features, categories,
// stocks, prices and remainders. Items name things by external ids. An item that cannot be applied fails alone, and a
// reference to a thing that is not pushed yet is kept until the thing arrives. The rows themselves are written by
// package catalog, and the bodies of pushes, their runs and transactions belong to package exchange.
//
//	push.go                                    outcomes of items, the end of a transaction
//	product*.go                                products: digests, plan, rows
//	part.go, digest.go                         parts of a product in separate files, what a row keeps of its pushes
//	unchanged.go                               items that change nothing, compared with an export
//	repeated_sql.go                            lines of mapped files that change nothing, so they are not decoded
//	variant_match.go, offer_plan.go            which stored variant an item means
//	variant*.go, offered.go                    variants that prices and remainders name
//	price.go, price_list.go, price_list_sql.go,
//	remainder.go, free_stock.go                prices, their lists, and quantities
//	good_barcode.go                            barcodes of goods with one variant
//	image*.go                                  images by URL and their order
//	attribute*.go                              options, features and their values
//	category*.go                               the tree of categories
//	stock*.go                                  stocks
//	reference*.go                              external ids → keys, and references to things that do not exist yet
//	lock*.go                                   members that people have locked
//	mark*.go, version*.go                      deletions, archived products, items that are older than the stored ones
package push
