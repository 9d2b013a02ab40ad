package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"
)

const (
	buildRounds = 3
	// bytesAim is the maximum number of bytes per product with eight features, without its words.
	bytesAim = 64
	// buildAim is the maximum time to build the columns of a million products.
	buildAim = 15 * time.Second
)

// benchBuildColumns measures the memory of the search columns per product. It compares the time from the first request
// to a new server until the columns are ready with a bare read of the same rows by the same driver.
func benchBuildColumns(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		storage, _, err := e.stores.ensureFilled(ctx, e.engine, n)
		if err != nil {
			return nil, err
		}

		var filters, words float64
		ours := func() (took time.Duration, err error) {
			took, filters, words, err = e.buildColumnsOnce(ctx, n)
			return took, err
		}
		raw := func() (time.Duration, error) {
			return measureTime(func() error { return readTables(ctx, e.engine, storage.DatabaseURL()) })
		}
		o, r, err := measureAlternately(buildRounds, ours, raw)
		if err != nil {
			return nil, err
		}

		each := filters / float64(n)
		size := figure{
			name: fmt.Sprintf("columns of %s, bytes for each", formatThousands(n)), engine: e.engine,
			ours: fmt.Sprintf("%.1f, and %.1f of words", each, words/float64(n)), raw: "–",
		}
		build := figure{
			name: fmt.Sprintf("columns of %s, until they answer", formatThousands(n)), engine: e.engine,
			ours: formatDuration(o), raw: formatDuration(r) + " bare read", ratio: r.Seconds() / o.Seconds(),
		}
		if n == million {
			size.aim = fmt.Sprintf("≤ %d", bytesAim)
			size.met = each <= bytesAim
			build.aim = "≤ 15 s"
			build.met = o <= buildAim
		}

		return []figure{size, build}, nil
	})
}

// buildColumnsOnce starts a server, waits for its columns and stops it.
func (e *benchEnvironment) buildColumnsOnce(
	ctx context.Context, n int,
) (took time.Duration, filters, words float64, err error) {
	storage, keys, err := e.stores.ensureFilled(ctx, e.engine, n)
	if err != nil {
		return 0, 0, 0, err
	}
	if err := os.RemoveAll(storage.SearchDir()); err != nil { // else the columns would be read from their file
		return 0, 0, 0, err
	}

	s, err := startServerAt(ctx, storage, &keys)
	if err != nil {
		return 0, 0, 0, err
	}

	c := newClient()
	if took, err = s.waitForColumns(ctx, c); err != nil {
		return 0, 0, 0, err
	}
	if filters, err = s.readMetric(c, `vitrine_search_memory_bytes{part="filters"}`); err != nil {
		return 0, 0, 0, err
	}
	if words, err = s.readMetric(c, `vitrine_search_memory_bytes{part="words"}`); err != nil {
		return 0, 0, 0, err
	}

	return took, filters, words, s.stop()
}

// tableRead is a query for one of the tables that the columns are built from, without ORDER BY.
type tableRead struct {
	sql     string
	numbers int // number of integer columns, which come first
}

func columnTables() []tableRead {
	return []tableRead{
		{"SELECT key, created_at, sort_name, words FROM products", 2},
		{"SELECT product_key, attribute_key, value_key FROM product_values", 3},
		{"SELECT product_key, category_key FROM product_categories", 2},
		{"SELECT product_key, key, price, available, combination FROM variants", 4},
	}
}

// readTables reads the rows with the database driver and discards them.
func readTables(ctx context.Context, engine, url string) error {
	if engine == "postgres" {
		return readTablesPostgres(ctx, url)
	}
	return readTablesSQLite(url)
}

func readTablesPostgres(ctx context.Context, url string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()

	for _, read := range columnTables() {
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

func readTablesSQLite(path string) error {
	c, err := sqlite3.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()

	for _, read := range columnTables() {
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
