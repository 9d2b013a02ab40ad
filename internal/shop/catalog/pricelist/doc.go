// Package pricelist has the use cases of price lists and of customer groups, and decides which prices a reader gets.
//
//   - list.go, list_service.go, list_sql.go: price lists.
//   - price.go, price_sql.go: the prices of variants for a chain of lists.
//   - group.go, group_service.go, group_sql.go: customer groups and the lists whose prices they get.
package pricelist
