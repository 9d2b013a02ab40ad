package database_test

import (
	"context"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// holdReads starts n reads of a priority and returns when all of them have a connection. They end with the test.
func holdReads(t *testing.T, db *database.DB, p database.Priority, n int) {
	t.Helper()
	begun := make(chan struct{})
	end := make(chan struct{})
	ended := make(chan error, n)

	for range n {
		go func() {
			ended <- db.ReadWith(context.WithoutCancel(t.Context()), p, true, func(database.Querier) error {
				begun <- struct{}{}
				<-end
				return nil
			})
		}()
	}

	for range n {
		<-begun
	}

	t.Cleanup(func() {
		close(end)
		for range n {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}

// wantWaits checks that a read of the priority finds no connection.
func wantWaits(t *testing.T, db *database.DB, p database.Priority) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := db.ReadWith(ctx, p, false, func(database.Querier) error {
		t.Errorf("a read of priority %d got a connection that is kept for others", p)
		return nil
	})
	wantUnavailable(t, err, "database_busy")
}

func TestH6_longReadsLeaveConnectionsToShorterWork(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine), Readers: 8})
			createNumbers(t, db)
			long := db.Connections(database.Long)
			normal := db.Connections(database.Normal)

			short := db.Connections(database.Short)
			if long < 1 || normal <= long || short <= normal || short >= 8 {
				t.Fatalf("of 8 connections: %d for long work, %d for normal work, %d for short work", long, normal,
					short)
			}

			holdReads(t, db, database.Long, long)
			wantWaits(t, db, database.Long)
			holdReads(t, db, database.Normal, normal-long)
			wantWaits(t, db, database.Normal)
			wantWaits(t, db, database.Long)
			holdReads(t, db, database.Short, short-normal)
			wantWaits(t, db, database.Short)

			if err := db.Ping(t.Context()); err != nil {
				t.Errorf("with all other connections in use, Ping returned %v", err)
			}
		})
	}
}

func TestReadWith_worksWithOneConnection(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		for _, p := range []database.Priority{database.Short, database.Normal, database.Long} {
			err := db.ReadWith(t.Context(), p, false, func(database.Querier) error { return nil })
			if err != nil {
				t.Errorf("priority %d: %v", p, err)
			}
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWriteSoon_refusesAWriteThatCannotBegin(t *testing.T) {
	t.Parallel()
	db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, database.SQLite)})
	createNumbers(t, db)
	db.SetBeginTimeout(20 * time.Millisecond)
	begun := make(chan struct{})
	end := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- db.WriteSoon(t.Context(), true, func(database.Querier) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun

	for _, alone := range []bool{false, true} {
		err := db.WriteSoon(t.Context(), alone, func(database.Querier) error {
			t.Error("the write ran beside a write that is alone")
			return nil
		})
		wantUnavailable(t, err, "database_busy")
	}

	close(end)
	if err := <-ended; err != nil {
		t.Errorf("a write that has begun is not limited, and returned %v", err)
	}

	db.SetBeginTimeout(time.Minute)
	err := db.WriteSoon(t.Context(), false, func(q database.Querier) error {
		return database.Exec(t.Context(), q, "INSERT INTO numbers (n) VALUES (1)")
	})
	if err != nil {
		t.Error(err)
	}
	if got := storedNumbers(t, db); len(got) != 1 {
		t.Errorf("stored %v, want one number", got)
	}
}
