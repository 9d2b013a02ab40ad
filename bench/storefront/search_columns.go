package storefront

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"

	"vitrine/bench/harness"
)

const (
	buildRounds = 3
	// bytesAim is the maximum number of bytes per product with eight features, without its words.
	bytesAim = 64
	// buildAim is the maximum time to build the columns of a million products.
	buildAim = 15 * time.Second
)

// BuildColumns measures the memory of the search columns per product. It compares the time from the first request
// to a new server until the columns are ready with a bare read of the same rows by the same driver.
func BuildColumns(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		storage, _, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
		if err != nil {
			return nil, err
		}

		var filters, words float64
		ours := func() (took time.Duration, err error) {
			took, filters, words, err = buildColumnsOnce(ctx, e, n)
			return took, err
		}
		raw := func() (time.Duration, error) {
			return harness.MeasureTime(func() error { return readTables(ctx, e.Engine, storage.DatabaseURL()) })
		}
		o, r, err := harness.MeasureAlternately(buildRounds, ours, raw)
		if err != nil {
			return nil, err
		}

		each := filters / float64(n)
		size := harness.Figure{
			Name: fmt.Sprintf("columns of %s, bytes for each", harness.FormatThousands(n)), Engine: e.Engine,
			Ours: fmt.Sprintf("%.1f, and %.1f of words", each, words/float64(n)), Raw: "–",
		}
		build := harness.Figure{
			Name: fmt.Sprintf("columns of %s, until they answer", harness.FormatThousands(n)), Engine: e.Engine,
			Ours: harness.FormatDuration(o), Raw: harness.FormatDuration(r) + " bare read",
			Ratio: r.Seconds() / o.Seconds(),
		}
		if n == harness.Million {
			size.Aim = fmt.Sprintf("≤ %d", bytesAim)
			size.Met = each <= bytesAim
			build.Aim = "≤ 15 s"
			build.Met = o <= buildAim
		}

		return []harness.Figure{size, build}, nil
	})
}

// buildColumnsOnce starts a server, waits for its columns and stops it.
func buildColumnsOnce(
	ctx context.Context, e *harness.Environment, n int,
) (took time.Duration, filters, words float64, err error) {
	storage, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
	if err != nil {
		return 0, 0, 0, err
	}
	if err := os.RemoveAll(storage.SearchDir()); err != nil { // else the columns would be read from their file
		return 0, 0, 0, err
	}

	s, err := harness.StartServerAt(ctx, storage, &keys)
	if err != nil {
		return 0, 0, 0, err
	}

	c := harness.NewClient()
	if took, err = s.WaitForColumns(ctx, c); err != nil {
		return 0, 0, 0, err
	}
	if filters, err = s.ReadMetric(c, `vitrine_search_memory_bytes{part="filters"}`); err != nil {
		return 0, 0, 0, err
	}
	if words, err = s.ReadMetric(c, `vitrine_search_memory_bytes{part="words"}`); err != nil {
		return 0, 0, 0, err
	}

	return took, filters, words, s.Stop()
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
