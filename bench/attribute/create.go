// Package attribute measures options with very many values.
package attribute

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"

	"vitrine/bench/harness"
)

const createdValues = 100_000

// CreateOption compares a POST of an option with 100,000 values with a bare multi-row INSERT of the same rows, by
// the same driver into the same table, in one durable transaction.
func CreateOption(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	s, err := e.StartServer(ctx)
	if err != nil {
		return nil, err
	}

	body := optionBody("Bench", createdValues)
	c := harness.NewClient()
	ours := func() (time.Duration, error) {
		return harness.MeasureTime(func() error {
			_, err := s.Do(c, "POST", "/v2/variant-options", body)
			return err
		})
	}

	attribute, err := createBareAttribute(ctx, e, s)
	if err != nil {
		return nil, err
	}
	insert, end, err := openBareInsert(ctx, e)
	if err != nil {
		return nil, err
	}

	names := make([]string, createdValues)
	for i := range names {
		names[i] = valueName(i)
	}

	raw := func() (time.Duration, error) {
		ids := make([]uuid.UUID, createdValues)
		for i := range ids {
			ids[i] = uuid.Must(uuid.NewV7())
		}
		return harness.MeasureTime(func() error { return insert(uuid.UUID(s.Keys.StoreID), attribute, ids, names) })
	}
	if _, err := ours(); err != nil { // warm up both sides
		return nil, err
	}

	if _, err := raw(); err != nil {
		return nil, err
	}

	o, r, err := harness.MeasureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	end()
	if err := s.Stop(); err != nil {
		return nil, err
	}

	ratio := r.Seconds() / o.Seconds()
	return []harness.Figure{{
		Name: "create an option with 100,000 values", Engine: e.Engine,
		Ours: harness.FormatRate(createdValues, o) + " values/s", Raw: harness.FormatRate(createdValues, r) + " rows/s",
		Ratio: ratio, Aim: "≥ 0.5", Met: ratio >= 0.5,
	}}, nil
}

func optionBody(name string, n int) []byte {
	var b strings.Builder
	b.WriteString(`{"name":"` + name + `","values":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":"` + valueName(i) + `"}`)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func valueName(i int) string { return "value number " + strconv.Itoa(i) }

// createBareAttribute creates the option to which the bare INSERT adds values, and returns its key.
func createBareAttribute(ctx context.Context, e *harness.Environment, s *harness.Server) (int64, error) {
	if _, err := s.Do(harness.NewClient(), "POST", "/v2/variant-options", []byte(`{"name":"bare"}`)); err != nil {
		return 0, err
	}

	if e.Engine == "postgres" {
		c, err := pgx.Connect(ctx, e.URL)
		if err != nil {
			return 0, err
		}
		defer func() { _ = c.Close(ctx) }()
		var key int64
		err = c.QueryRow(ctx, "SELECT MAX(key) FROM attributes").Scan(&key)
		return key, err
	}

	c, err := sqlite3.Open(e.URL)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }()

	q, _, err := c.Prepare("SELECT MAX(key) FROM attributes")
	if err != nil {
		return 0, err
	}
	defer func() { _ = q.Close() }()

	q.Step()
	return q.ColumnInt64(0), q.Err()
}

type insertFunc func(storeID uuid.UUID, attribute int64, ids []uuid.UUID, names []string) error

// openBareInsert returns an insert function that uses only the database driver.
func openBareInsert(ctx context.Context, e *harness.Environment) (insertFunc, func(), error) {
	if e.Engine == "postgres" {
		return bareInsertPostgres(ctx, e.URL)
	}
	return bareInsertSQLite(e.URL)
}

func bareInsertPostgres(ctx context.Context, url string) (insertFunc, func(), error) {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, nil, err
	}

	const insert = `INSERT INTO attribute_values (store_id, attribute_key, id, name, number, created_at, updated_at)
		SELECT $1, $2, u.id, u.name, NULL, $3, $3 FROM unnest($4::uuid[], $5::text[]) AS u(id, name)`
	return func(storeID uuid.UUID, attribute int64, ids []uuid.UUID, names []string) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}

		const chunkSize = 5000
		for from := 0; from < len(ids); from += chunkSize {
			to := min(from+chunkSize, len(ids))
			raw := make([][16]byte, 0, chunkSize)
			for _, i := range ids[from:to] {
				raw = append(raw, i)
			}

			if _, err := tx.Exec(ctx, insert, [16]byte(storeID), attribute, time.Now().
				UnixMicro(), raw, names[from:to]); err != nil {
				return err
			}
		}

		return tx.Commit(ctx)
	}, func() { _ = c.Close(ctx) }, nil
}

func bareInsertSQLite(path string) (insertFunc, func(), error) {
	c, err := sqlite3.Open("file:" + path +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(on)" +
		"&_pragma=cache_size(-16000)")
	if err != nil {
		return nil, nil, err
	}

	const chunkSize = 200
	rows := make([]string, chunkSize)
	for i := range rows {
		rows[i] = fmt.Sprintf("(?1,?2,?%d,?%d,NULL,?3,?3)", 4+2*i, 5+2*i)
	}

	insert, _, err := c.Prepare("INSERT INTO attribute_values (store_id, attribute_key, id, name, number, " +
		"created_at, updated_at) VALUES " + strings.Join(rows, ","))
	if err != nil {
		return nil, nil, err
	}

	return func(storeID uuid.UUID, attribute int64, ids []uuid.UUID, names []string) error {
		if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}

		now := time.Now().UnixMicro()
		for from := 0; from+chunkSize <= len(ids); from += chunkSize {
			if err := insert.BindBlob(1, storeID[:]); err != nil {
				return err
			}

			_ = insert.BindInt64(2, attribute)
			_ = insert.BindInt64(3, now)

			for i := range chunkSize {
				_ = insert.BindBlob(4+2*i, ids[from+i][:])
				_ = insert.BindText(5+2*i, names[from+i])
			}

			if err := insert.Exec(); err != nil {
				return err
			}
		}

		return c.Exec("COMMIT")
	}, func() { _ = insert.Close(); _ = c.Close() }, nil
}
