package database

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/periodic"
)

const (
	// clockInterval is how often Clock compares the clocks.
	clockInterval = 30 * time.Second
	// clockTolerance is the difference that Clock leaves alone. The leases of nodes last many times as long, and time
	// does not jump with the length of a round trip.
	clockTolerance = 500 * time.Millisecond
)

// Clock tells the time of the PostgreSQL server. The nodes of a database compare times that others of them have
// written, such as the end of a lease, so that they must agree on the time although a machine's clock may be wrong.
type Clock struct {
	db     *DB
	log    *slog.Logger
	local  func() time.Time
	offset atomic.Int64 // what the server's clock is ahead of the local one
}

// NewClock compares the local clock with that of the server. On SQLite there is one process and one clock.
func NewClock(ctx context.Context, db *DB, local func() time.Time, log *slog.Logger) (*Clock, error) {
	c := &Clock{db: db, log: log, local: local}
	return c, c.compare(ctx)
}

// Now returns the time of the server.
func (c *Clock) Now() time.Time { return c.local().Add(time.Duration(c.offset.Load())) }

// Run compares the clocks every half minute until ctx ends.
func (c *Clock) Run(ctx context.Context) error {
	if c.db.Engine() == SQLite {
		return nil
	}
	return periodic.Run(ctx, c.log, periodic.Task{Name: "compare the clock with the database's", Every: clockInterval,
		Do: c.compare})
}

// compare measures the difference of the clocks. The server is asked in the middle of the round trip.
func (c *Clock) compare(ctx context.Context) error {
	if c.db.Engine() == SQLite {
		return nil
	}

	var server, before time.Time
	err := c.db.ReadWith(ctx, Short, false, func(q Querier) (err error) {
		before = c.local()
		server, err = selectServerTime(ctx, q)
		return err
	})
	if err != nil {
		return err
	}

	roundTrip := c.local().Sub(before)
	offset := server.Sub(before.Add(roundTrip / 2))
	changed := (offset - time.Duration(c.offset.Load())).Abs()
	if changed <= clockTolerance+roundTrip/2 {
		return nil
	}

	c.offset.Store(int64(offset))
	c.log.WarnContext(ctx, "the clock of this machine differs from that of the database, which is used; "+
		"run a time service such as chrony on both", "ahead_ms", -offset.Milliseconds())
	return nil
}
