// Package searchrule owns what a store tells its search: synonyms, and pins, which are the products that come first for
// a query. Load returns all of it for the index. How the search uses it belongs to package search.
//
//   - synonym.go, synonym_service.go: synonyms. pin.go, pin_service.go: pins.
//   - rules.go: Load. rules_sql.go: the statements.
package searchrule
