// Package frame has what all pages of the administration share: the layout with its navigation, the embedded assets,
// the texts in each language, forms, sessions, and the transactions in which handlers call use-cases. It has no
// business rules and no SQL.
//
//   - frame.go, pages.go: Frame with the services of all parts, and the pages of one part. view.go, nav.go: the data
//     of the layout, the navigation. assets.go, icon.go: files that pages load.
//   - language.go, words.go, constant_text.go, fault_text.go: texts in the languages of the pages, also those of
//     faults.
//   - form.go, refusal.go, days.go: forms, their refusals, periods of days.
//   - session.go, session_ended.go: cookies, and forms whose session has ended. problem.go: errors as pages.
//     toast.go: what the next page says.
//   - views.go, columns.go: saved views of lists, and their columns. live.go: lists that tell of their changes.
//     embedded.go: documents in an iframe.
//   - compress.go: pages are compressed. chart.go: figures with a chart. waiting.go: what waits for somebody.
//     products.go: searches for products. table_file.go: lists as files.
package frame
