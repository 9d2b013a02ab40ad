// Package onec exchanges goods and orders with 1C: sessions, the files that come in them, their import in the
// background, and orders in both directions. Package commerceml reads and writes the files, package exchange applies
// the items that they have, and package exchangeapi speaks the protocol.
//
// A file passes these functions: Service.ReceivePart stores its parts, Service.Import queues it and waits for its
// end, importFile maps it with commerceml.Convert to the bodies of runs, and Runs.Enqueue queues these. Then package
// exchange applies them like other pushes in the background.
//
//	service.go               dependencies, periodic work
//	session*.go chunk_sql.go sessions, their files and the parts of files
//	package.go archive.go    the files of a session, also those inside archives
//	directory*.go            the directories of archives, and their cache
//	import.go limit.go       the queue of files, what an import may hold in memory
//	mapping.go               one attempt to import a file
//	recording*.go            files that come again, which are not mapped again
//	missing*.go              full packages, and the goods that they lack
//	parked*.go               files whose import is set aside
//	sale*.go order_*.go      orders to 1C, and their states back, which are runs, too
//	state*.go picture_sql.go settings, the report of the last exchange, images
//	contact.go               the last request of 1C
//	property_sql.go          names of features and values
package onec
