// Package exchange owns pushes of the exchange gate. It applies their items in batches through package catalog/push,
// and records the outcome of each push in its run. Package item decodes the items, package catalog/push stores them,
// package exchangeapi receives pushes over HTTP, and package onec makes pushes of the files of 1C.
//
// A push passes these functions, in this order:
//
//   - Pushes.Push inserts the run. A push of a few items goes to pushSmall, which does all of it in one transaction.
//   - pushRun.pushBody ranges over the batches of entityOf.stream, which decodes ahead, and calls pushBatch for each.
//   - pushRun.pushBatch calls commitPart until all items of the batch are applied, and then links pending references.
//   - pushRun.commitPart opens a transaction, and fillTransaction puts as many items into it as other writes allow.
//   - pushRun.applyItems applies the items of a step, and counts their outcomes in appliedItems.
//   - batchOf.write calls the use case of the entity, such as Pushes.ApplyProducts of package catalog/push.
//   - pushRun.finish stores the outcome. Runs.End ends the run and emits its event.
//
// A push that must be applied as a whole goes from pushBody to pushInOneTransaction, whose wholePush has a transaction
// for all batches. A push in the background is stored by Pushes.Spool; the queue calls Pushes.runJob, which calls
// pushBody.
//
//	service.go log.go              dependencies, the types Service, Pushes, Runs, Exports and Bodies
//	entity.go batch.go             the entities of the gate, their items in batches
//	push.go push_batch.go          a push, a batch of it
//	small_push.go whole_*.go       pushes in one transaction: of a few items, all or nothing
//	spool*.go bodies.go upload*.go pushes in the background, their bodies in the database, files of operators
//	seen_rows.go archive*.go       duplicates of a push, products that are missing from it
//	change*.go                     what a dry run would change
//	undo*.go                       a file is reverted
//	column_map*.go match.go        which columns of files are which members, variants found by SKU
//	kept*.go                       what is kept of runs
//	pace.go store_lock.go          consideration for other writes
//	ownership.go large_item.go     members that a token does not own, items that take much memory
//	interrupt.go span.go           the end of the process, traces
//	run*.go note*.go end.go        runs, their errors and warnings, their ends, what is kept of them
//	parked*.go retention*.go       runs that are set aside, the deletion of old ones
//	health*.go                     the summary of the newest runs
//	export*.go                     exports
package exchange
