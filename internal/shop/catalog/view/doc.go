// Package view reads the catalogue for lists and pages of people: products by their row keys, their names, summaries
// and first images, stock levels, and how many products use something. It writes nothing. Package catalog has the
// objects themselves and all writes; lists by filters belong to package search.
//
//	product_rows.go, product_rows_sql.go    products with their variants, images and the keys of what they refer to
//	names_sql.go                            the names for those keys
//	product_summary_sql.go                  products as a list of operators shows them
//	product_log.go, list_price_sql.go       products as the log of changes shows them
//	first_image_sql.go                      the first image of each product
//	category_path_sql.go                    categories with the names of those above them
//	attribute_usage_sql.go                  how many products use an option, a feature or a value
//	value_search.go, value_search_sql.go    values of options and features by their texts
//	stock_level.go, stock_level_sql.go      quantities of variants in stocks, and what the deletion of a stock changes
package view
