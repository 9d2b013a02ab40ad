// Package relevance measures the quality of search: it fills two stores with the demo catalogues, English and Russian,
// sends labelled queries to GET /v2/products and compares what comes with what the labels want. The labels are in
// queries/*.txt, the synonyms that are set first in synonyms.txt.
//
//   - label.go: the lines of the files. document.go, predicate.go: products, and what a label says of them.
//   - shop.go: the server with its stores. score.go: what a query found. relevance.go: all queries, and the table.
//   - measure: the command that runs one group and prints what was missed.
//
// # Labels
//
// A line is "group | language | query | what is relevant". The last part has terms, which must all hold. A term is a
// choice of patterns, as in "name:лампа|ночник brand:philips". Before a colon stands where a word is looked for: name
// (the default), category, brand, colour (features and options), value (features), option, text (all of them and the
// description). A word that ends with a star is a beginning, words joined by _ follow each other, and "!" before a term
// negates it. The words of products and patterns are compared without case, ё and diacritics.
//
// A query can name a product of the catalogue, whichever the seed has made: {sku 17} is the first SKU of the first
// product, from number 17 on, that has one; so are barcode, external, model and brand. What follows the number changes
// the text: lower, glued (without dashes and spaces), spaced and dotted (other separators), head (without the last
// part), number (only the digits between the separators), layout (typed with the other keyboard layout). Then the term
// "same" means this product, "first" means that it has to come first, "model" and "brand" mean all products with this
// model or brand. The term "nothing" means that no product is relevant.
package relevance
