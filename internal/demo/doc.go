// Package demo generates the catalogue of a fictional shop and fills a store with it. The catalogue depends only on a
// seed, has any number of products, and has distributions like those of a real shop. There is one in English and one in
// Russian. Fill writes it through the services of package catalog. The package knows neither HTTP nor the command line.
//
//   - demo.go, catalogue.go, department.go, vocabulary.go: what a catalogue consists of. department_home.go,
//     department_leisure.go, department_wear.go: the English one.
//   - russian.go, russian_file.go, russian_text.go, agreement.go: the Russian one, from texts.
//   - generator.go, variant.go, text.go, price.go, random.go: products by number.
//   - fill.go, references.go: the catalogue is written into a store.
//   - kind.go, picture.go, picture_draw.go, picture_upload.go: which pictures there are, drawn and stored.
//   - people.go, order_plan.go, inquiry_plan.go, orders.go: people, what they order and ask, written into a store.
package demo
