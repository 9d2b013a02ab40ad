// Package productapi reads requests about products, for the public API and the administration, so that both have the
// same rules and limits. It does not write responses.
//
//   - query.go: the query parameters of lists of products. A link of one surface works in the other.
//   - product_body.go, variant_body.go: the JSON bodies that write products and variants. The forms of the
//     administration are turned into such bodies.
//   - image.go: the upload of an image file.
package productapi
