// Package feed owns product feeds: files with the offers of a store, in the formats that marketplaces and advertising
// systems read. An offer is a variant, and its id is that of the variant in every format.
//
//   - feed.go, definition.go: feeds and the rules of their definitions. feed_service.go, feed_sql.go: use cases.
//   - plan.go, plan_sql.go: a definition with the row keys of what it refers to.
//   - render.go, render_sql.go: the walk over the products, page by page. offer.go: one offer.
//   - yml.go, google.go: the formats. text.go: texts, amounts and codes as the formats want them.
//   - report.go: what a feed leaves out, and why.
package feed
