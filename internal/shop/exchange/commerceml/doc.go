// Package commerceml reads files of CommerceML 2, the format in which 1C exchanges data with sites, and maps them to
// the items of the exchange gate. It reads a file as a stream and knows no database: package exchange stores what it
// yields.
//
//   - reader.go: elements of a file and the way through it. scanner.go, scanner_text.go: XML as events. tree.go:
//     elements with all that is inside. room.go: the memory that a file takes.
//   - convert.go: a file → items of the gate. memory.go: what files tell later ones. collector.go, recording.go:
//     items that are put together, and what was passed on.
//   - classifier.go, dictionary.go: groups, properties and their values. packet.go: the head of a catalogue or of a
//     packet of offers.
//   - goods.go, accounting.go, property_text.go, text.go: goods, their members and texts.
//   - offers.go, price.go, price_list.go, currency.go, stock.go: offers, prices and quantities.
//   - not_kept.go: what has no place in the shop.
//   - order.go, document.go: orders to 1C, and documents from it.
package commerceml
