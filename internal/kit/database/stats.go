package database

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

// durationBounds are the upper bounds of the buckets of Durations.
var durationBounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
	5 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute,
}

// Durations is a histogram.
type Durations struct {
	Count  int64
	Total  time.Duration
	counts [len(durationBounds)]int64 // durations up to this bound and longer than the bound before
}

// Buckets returns, for each number of seconds, how many durations were at most that long.
func (d *Durations) Buckets() map[float64]uint64 {
	sums := make(map[float64]uint64, len(durationBounds))
	n := int64(0)
	for i, bound := range durationBounds {
		n += d.counts[i]
		sums[bound.Seconds()] = uint64(n)
	}
	return sums
}

// durations measures durations. It is safe for concurrent use.
type durations struct {
	count, total atomic.Int64
	counts       [len(durationBounds)]atomic.Int64
}

func (d *durations) observe(took time.Duration) {
	d.count.Add(1)
	d.total.Add(int64(took))
	for i, bound := range durationBounds {
		if took <= bound {
			d.counts[i].Add(1)
			return
		}
	}
}

func (d *durations) read() (h Durations) {
	for i := range d.counts {
		h.counts[i] = d.counts[i].Load()
	}
	h.Count, h.Total = d.count.Load(), time.Duration(d.total.Load())
	return h
}

// Kind is a kind of transactions.
type Kind string

// The kinds. ReadKind has the reads whose statements each see the newest state.
const (
	ReadKind     Kind = "read"
	SnapshotKind Kind = "snapshot"
	WriteKind    Kind = "write"
)

// measurements has the durations and failures of the transactions of one kind.
type measurements struct {
	kind        Kind
	took, wait  durations
	unavailable atomic.Int64
}

// begin starts the measurement of a transaction. The caller calls the method wrap and the method end of the result.
func (m *measurements) begin() transactionTimer { return transactionTimer{m: m, start: time.Now()} }

// transactionTimer measures one transaction.
type transactionTimer struct {
	m     *measurements
	start time.Time
	began bool
}

// wrap returns fn with a measurement of how long it waited for its first call.
func (t *transactionTimer) wrap(fn func(Querier) error) func(Querier) error {
	return func(q Querier) error {
		if !t.began {
			t.began = true
			t.m.wait.observe(time.Since(t.start))
		}
		return fn(q)
	}
}

// end measures the duration of the transaction. A transaction that did not begin counts with the time that it waited.
func (t *transactionTimer) end(err error) {
	took := time.Since(t.start)
	t.m.took.observe(took)
	if !t.began {
		t.m.wait.observe(took)
	}
	if fault.KindOf(err) == fault.Unavailable {
		t.m.unavailable.Add(1)
	}
}

// TransactionStats are the statistics of the transactions of one kind since the process started.
type TransactionStats struct {
	Kind Kind
	// Took is from the call to the end, including the wait. Wait is until a connection, or the writer of SQLite, was
	// free and the transaction had begun.
	Took, Wait Durations
	// Unavailable counts the transactions that failed because the database did not work, or because something else that
	// they needed was not available.
	Unavailable int64
}

// ConnectionStats are the statistics of the connections: on PostgreSQL of the whole pool, on SQLite of the connections
// for reading.
type ConnectionStats struct {
	InUse, Idle, Max int64
	// Waits counts the times that no connection of the pool was free, and WaitTotal is the time for which they waited.
	// They are 0 on SQLite.
	Waits     int64
	WaitTotal time.Duration
}

// Stats are the statistics of a database.
type Stats struct {
	Transactions []TransactionStats
	Connections  ConnectionStats
	// WriteQueue is the number of writes that wait for the writer of SQLite.
	WriteQueue int
	// FileBytes and LogBytes are the sizes of the SQLite file and of its write-ahead log.
	FileBytes, LogBytes int64
	// ReadMemory is the memory of the read connections of SQLite, as of their last use. It is not part of Go's heap.
	ReadMemory int64
}

// Stats returns the current statistics. It does not query the database.
func (db *DB) Stats() Stats {
	s := db.engine.stats()
	for i := range db.measured {
		m := &db.measured[i]
		s.Transactions = append(s.Transactions,
			TransactionStats{Kind: m.kind, Took: m.took.read(), Wait: m.wait.read(), Unavailable: m.unavailable.Load()})
	}
	return s
}

func (e *postgresEngine) stats() Stats {
	p := e.pool.Stat()
	return Stats{Connections: ConnectionStats{
		InUse: int64(p.AcquiredConns()), Idle: int64(p.IdleConns()), Max: int64(p.MaxConns()),
		Waits: p.EmptyAcquireCount(), WaitTotal: p.EmptyAcquireWaitTime(),
	}}
}

func (e *sqliteEngine) stats() Stats {
	idle := int64(len(e.idleReaders))
	most := int64(e.readers)
	return Stats{
		Connections: ConnectionStats{InUse: most - idle, Idle: idle, Max: most},
		ReadMemory:  e.readMemory.Load(),
		WriteQueue:  e.writer.queue.len(), FileBytes: fileBytes(e.path), LogBytes: fileBytes(e.path + "-wal"),
	}
}

// fileBytes returns the size of a file, or 0 if there is none.
func fileBytes(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// LogState is the state of the write-ahead log of SQLite.
type LogState struct {
	// Pages is the number of pages in the log, and Pending of how many a checkpoint has not copied them to the database
	// file yet. If Pending stays high, some reader keeps an old snapshot open, or the checkpoints fail.
	Pages, Pending int64
}

// LogState returns the state of the write-ahead log. It does no checkpoint. The result is zero on PostgreSQL.
func (db *DB) LogState(ctx context.Context) (LogState, error) {
	if db.name != SQLite {
		return LogState{}, nil
	}
	var s LogState
	err := db.ReadWith(ctx, Short, false, func(q Querier) error {
		var busy, checkpointed int64
		if err := QueryRow(ctx, q, "PRAGMA wal_checkpoint(NOOP)", nil, &busy, &s.Pages, &checkpointed); err != nil {
			return err
		}
		s.Pages, s.Pending = max(0, s.Pages), max(0, s.Pages-checkpointed)
		return nil
	})
	return s, err
}
