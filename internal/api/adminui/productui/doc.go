// Package productui serves the pages of products: the list with its filters and bulk changes, the page of a product
// with its variants, features, categories, modifiers and images, and the shop as visitors and customer groups see it.
//
//   - routes.go: the pages and their rights.
//   - list.go, list_view.go: the list of products. bulk.go, bulk_prices.go: changes of many. sheet.go: the sheet.
//     download.go: the list as a table.
//   - product.go, product_save.go, product_archive.go: the page of a product, and what its buttons do. images.go:
//     its images.
//   - form.go, form_stored.go, form_complete.go: the form, from the stored product, and what can be chosen in it.
//   - form_edit.go, form_errors.go: the edit that a form asks for, and its refusals. form_lines.go, form_merge.go:
//     two edits at the same time.
//   - form_steps.go, form_fill.go, form_pictures.go, form_locks.go, modifiers.go: rows of the grid, columns that are
//     filled, images of variants, locks, modifiers. suggest.go: names of values.
//     form_new.go: features and options that are made in the form.
//   - not_on_sale.go: why nobody can buy a product.
//   - shop.go, storefront.go: the shop and a product as customers see them.
package productui
