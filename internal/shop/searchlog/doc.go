// Package searchlog owns what visitors search for: how often each query was asked on each day, what it found, how often
// its results were clicked, and how many orders followed. It knows no visitors: what it counts cannot be traced to a
// person, and queries with an e-mail address or a phone number are not kept.
//
//   - log.go: Log, which counts in memory. buffer.go: what it has counted. flush.go, flush_sql.go: adds it to the
//     database.
//   - personal.go: which queries are not kept.
//   - list.go, list_sql.go: List, Sum, and Popular for suggestions. retention.go, retention_sql.go: what is deleted.
package searchlog
