package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/database"
)

// databaseMetrics are the metrics of the database that need no query.
type databaseMetrics struct{ db *database.DB }

// The metrics of transactions have the label kind: read, snapshot or write.
var (
	transactionSeconds = prometheus.NewDesc("vitrine_database_transaction_seconds",
		"Duration of transactions, including the wait for a connection, by kind: read, snapshot or write.",
		[]string{"kind"}, nil)
	transactionWait = prometheus.NewDesc("vitrine_database_wait_seconds",
		"How long transactions waited until they began: for a connection or, on SQLite, for other writes.",
		[]string{"kind"}, nil)
	transactionsUnavailable = prometheus.NewDesc("vitrine_database_unavailable_total",
		"Transactions that failed because the database did not work, or had no room, by kind.", []string{"kind"}, nil)
	databaseConnections = prometheus.NewDesc("vitrine_database_connections",
		"Connections by state, in_use or idle. On SQLite only those that read.", []string{"state"}, nil)
	databaseMaxConnections = prometheus.NewDesc("vitrine_database_connections_max",
		"How many connections there can be. On SQLite only those that read.", nil, nil)
	poolWaits = prometheus.NewDesc("vitrine_database_pool_waits_total",
		"How often no connection of the pool was free (PostgreSQL).", nil, nil)
	poolWaitSeconds = prometheus.NewDesc("vitrine_database_pool_wait_seconds_total",
		"How long transactions waited for a connection of the pool, together (PostgreSQL).", nil, nil)
	writeQueueLength = prometheus.NewDesc("vitrine_database_write_queue",
		"Writes that wait for the writer (SQLite).", nil, nil)
	databaseReadMemory = prometheus.NewDesc("vitrine_database_read_memory_bytes",
		"Memory of the connections that read, as of their last use (SQLite). It is not part of Go's heap.", nil, nil)
	databaseFileBytes = prometheus.NewDesc("vitrine_database_file_bytes",
		"Sizes of the SQLite files: database and wal, the write-ahead log.", []string{"file"}, nil)
	replicaReads = prometheus.NewDesc("vitrine_database_replica_reads_total",
		"Catalogue reads for which the replica was asked, by outcome: answered, "+
			"behind (it lacked changes of the store), "+
			"busy (its connections were in use) or failed. The primary answered the last three.", []string{"outcome"},
		nil)
	replicaWorks = prometheus.NewDesc("vitrine_database_replica_up",
		"1 if the replica worked when it was last asked, at most 5 seconds ago, else 0. Only with --database-replica.",
		nil, nil)
)

// Describe implements prometheus.Collector.
func (m databaseMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{transactionSeconds, transactionWait, transactionsUnavailable,
		databaseConnections, databaseMaxConnections, poolWaits, poolWaitSeconds, writeQueueLength, databaseReadMemory,
		databaseFileBytes, replicaReads, replicaWorks} {
		out <- d
	}
}

// Collect implements prometheus.Collector. Metrics of the other engine are left out.
func (m databaseMetrics) Collect(out chan<- prometheus.Metric) {
	s := m.db.Stats()
	for _, t := range s.Transactions {
		kind := string(t.Kind)
		out <- prometheus.MustNewConstHistogram(transactionSeconds, uint64(t.Took.Count), t.Took.Total.Seconds(),
			t.Took.Buckets(), kind)
		out <- prometheus.MustNewConstHistogram(transactionWait, uint64(t.Wait.Count), t.Wait.Total.Seconds(),
			t.Wait.Buckets(), kind)
		out <- prometheus.MustNewConstMetric(transactionsUnavailable, prometheus.CounterValue, float64(t.Unavailable),
			kind)
	}

	gauge := func(d *prometheus.Desc, value int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
	}
	if r, ok := m.db.ReplicaStats(); ok {
		up := int64(0)
		if r.Up {
			up = 1
		}

		gauge(replicaWorks, up)

		for outcome, n := range map[string]int64{"answered": r.Reads, "behind": r.Behind, "busy": r.Busy,
			"failed": r.Failed} {
			out <- prometheus.MustNewConstMetric(replicaReads, prometheus.CounterValue, float64(n), outcome)
		}
	}

	c := s.Connections
	gauge(databaseConnections, c.InUse, "in_use")
	gauge(databaseConnections, c.Idle, "idle")
	gauge(databaseMaxConnections, c.Max)

	if m.db.Engine() == database.SQLite {
		gauge(writeQueueLength, int64(s.WriteQueue))
		gauge(databaseReadMemory, s.ReadMemory)
		gauge(databaseFileBytes, s.FileBytes, "database")
		gauge(databaseFileBytes, s.LogBytes, "wal")
		return
	}

	out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(c.Waits))
	out <- prometheus.MustNewConstMetric(poolWaitSeconds, prometheus.CounterValue, c.WaitTotal.Seconds())
}
