// Package search lists products: it filters, sorts, matches words and counts facets. A store's products are indexed in
// columns in memory. Package search builds the columns in the background, refreshes them from the catalogue's change
// records, and keeps them in files across restarts. SQL answers where there are no columns, and always for archived
// products. SQL is authoritative: a property test compares the columns with it. Only of words it knows less. The
// product rows themselves belong to package catalog.
//
//   - search.go: Query and Result. service.go: Service; Find, which chooses between columns and SQL.
//   - memory.go: FindInMemory, which needs no database, and the cache of what filters refer to.
//   - column_wait.go: the wait of a query for columns that are being made.
//   - filter.go, filter_sql.go: the filter of a query, with the row keys of what the query names.
//   - index.go: the columns of one store with their lock. columns.go, category_tree.go, combinations.go, sets.go,
//     price_column.go, price_summary.go, cluster.go: what the columns have.
//   - product_texts.go, word_index.go, code_index.go, row_lists.go, text_cluster.go: texts of products and their
//     index. vocabulary.go, lexicon.go, member_words.go: the words of a store. terms.go, synonyms.go: what the store
//     says of them.
//   - text_plan.go, text_match.go: what a query for words matches. relevance.go, text_rank.go: its order.
//     text_result.go: how it was understood. explain.go: why products stand where they stand. suggest.go: suggestions.
//   - scan.go, scan_variants.go, scan_facets.go, row_bits.go: one scan of the columns. page.go: the order of its rows.
//     facet_builder.go: the facets of a scan or of SQL.
//   - listing_sql.go, facets_sql.go, cheap_sql.go: answers from SQL, and whether they are cheap.
//   - navigation.go, navigation_sql.go: products by category. popularity_sql.go: how popular products are.
//   - worker.go, build.go, load_sql.go, refresh.go, poll.go: columns are built, and refreshed with the catalogue.
//   - chain.go, chain_build.go: the prices of a chain of price lists are added to the columns.
//   - save.go, column_files.go, columns_file.go, columns_sections.go, field_codec.go: columns are kept in files.
package search
