// Package pricing has the rule by which a reader gets a price: of the lists of the reader's chain the first that has a
// price for the quantity, else the price of the variant itself. Price lists and customer groups belong to package
// pricelist.
//
//   - chain.go, chain_sql.go: Chain, the price lists of a reader. price.go: the price of a variant for a quantity.
package pricing
