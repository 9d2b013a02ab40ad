// Package app assembles the program. Only cmd, bench and the packages below it import it; it imports all areas.
//
//   - app.go: Core, which is what commands need: a database with its key and the services. storage.go, schema.go: the
//     data directory, the secret key, the lock and the schema. first_run.go: the first store and its keys.
//   - assemble.go: App, which is the server: all services and both listeners. admin.go, webhook.go, notify.go,
//     protection.go, outbound.go, jobs.go, demo_page.go: the parts that need more than a constructor.
//   - serve.go: Run, the workers, and the shutdown. readiness.go, warm_up.go, operations.go: /readyz and the routes
//     for operators.
//   - images.go, image_storage.go: the image storage, and that it belongs to the database. transfer.go: exports and
//     imports of stores. secret.go: another secret key.
//   - memory.go, admission.go, connections.go: the division of memory, slots and connections.
//   - metrics*.go, tracing.go: what is measured.
//
// Package backup has the commands backup and restore, package check has check and diagnose; they need no server.
// Package profile serves the profiles of the process.
package app
