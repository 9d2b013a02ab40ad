package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"
)

const (
	buildRounds = 3
	// bytesAim is how many bytes a product with eight features may take, its words aside.
	bytesAim = 64
	// buildAim is how long the columns of a million products may take to come.
	buildAim = 15 * time.Second
)

// buildColumns measures what the columns of a product take in memory, and compares the time from the first request at a server that has
// just started until the columns answer with the bare read of the same rows by the same driver.
func buildColumns(ctx context.Context, e *environment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		storage, _, err := e.shops.filled(ctx, e.engine, n)
		if err != nil {
			return nil, err
		}
		var filters, words float64
		ours := func() (took time.Duration, err error) {
			took, filters, words, err = e.buildOnce(ctx, n)
			return took, err
		}
		raw := func() (time.Duration, error) {
			return timed(func() error { return readBare(ctx, e.engine, storage.DatabaseURL()) })
		}
		o, r, err := inTurn(buildRounds, ours, raw)
		if err != nil {
			return nil, err
		}
		each := filters / float64(n)
		size := figure{
			name: fmt.Sprintf("columns of %s, bytes for each", thousands(n)), engine: e.engine,
			ours: fmt.Sprintf("%.1f, and %.1f of words", each, words/float64(n)), raw: "–",
		}
		build := figure{
			name: fmt.Sprintf("columns of %s, until they answer", thousands(n)), engine: e.engine,
			ours: fine(o), raw: fine(r) + " bare read", ratio: r.Seconds() / o.Seconds(),
		}
		if n == million {
			size.aim, size.met = fmt.Sprintf("≤ %d", bytesAim), each <= bytesAim
			build.aim, build.met = "≤ 15 s", o <= buildAim
		}
		return []figure{size, build}, nil
	})
}

// buildOnce starts a server, has it build the columns, and ends it.
func (e *environment) buildOnce(ctx context.Context, n int) (took time.Duration, filters, words float64, err error) {
	s, err := e.serveProducts(ctx, n)
	if err != nil {
		return 0, 0, 0, err
	}
	c := client()
	if took, err = s.awaitColumns(ctx, c); err != nil {
		return 0, 0, 0, err
	}
	if filters, err = s.metric(c, `vitrine_search_memory_bytes{part="filters"}`); err != nil {
		return 0, 0, 0, err
	}
	if words, err = s.metric(c, `vitrine_search_memory_bytes{part="words"}`); err != nil {
		return 0, 0, 0, err
	}
	return took, filters, words, s.stop()
}

// bareRead is one table of those that the columns are made of, in whatever order the database likes best.
type bareRead struct {
	sql     string
	numbers int // how many of its columns are numbers: the first ones
}

func bareReads() []bareRead {
	return []bareRead{
		{"SELECT key, created_at, sort_name, words FROM products", 2},
		{"SELECT product_key, attribute_key, value_key FROM product_values", 3},
		{"SELECT product_key, category_key FROM product_categories", 2},
		{"SELECT product_key, key, price, available, combination FROM variants", 4},
	}
}

// readBare reads the rows by the driver and does nothing with them.
func readBare(ctx context.Context, engine, url string) error {
	if engine == "postgres" {
		return readBarePostgres(ctx, url)
	}
	return readBareSQLite(url)
}

func readBarePostgres(ctx context.Context, url string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	for _, read := range bareReads() {
		rows, err := c.Query(ctx, read.sql)
		if err != nil {
			return err
		}
		for rows.Next() {
			rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

func readBareSQLite(path string) error {
	c, err := sqlite3.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	for _, read := range bareReads() {
		s, _, err := c.Prepare(read.sql)
		if err != nil {
			return err
		}
		columns := s.ColumnCount()
		for s.Step() {
			for i := range read.numbers {
				s.ColumnInt64(i)
			}
			for i := read.numbers; i < columns; i++ {
				s.ColumnRawBlob(i)
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
