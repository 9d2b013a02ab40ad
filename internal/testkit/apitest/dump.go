package apitest

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
)

// Dump is all that a database holds, by table: one text a row, sorted. Left out are the records of migrations, when a credential was last
// used, which is no change, who of the nodes lives and has which background work, and how far that has come with events.
type Dump map[string][]string

// Dump reads the database.
func (s *Shop) Dump() Dump {
	s.tb.Helper()
	dump := Dump{}
	err := s.App.DB.Snapshot(s.tb.Context(), func(q database.Querier) error {
		columns, err := s.dumps.tables(s.tb.Context(), q)
		if err != nil {
			return err
		}
		for table, names := range columns {
			if dump[table], err = rows(s.tb.Context(), q, table, names); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.tb.Fatalf("dump the database: %v", err)
	}
	return dump
}

// tables returns the columns of each table that a dump shows; they are asked for once.
func (k *dumpCache) tables(ctx context.Context, q database.Querier) (map[string][]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.columns != nil {
		return k.columns, nil
	}
	columns, err := tables(ctx, q)
	if err != nil {
		return nil, err
	}
	for table, names := range columns {
		columns[table] = slices.DeleteFunc(names, func(n string) bool { return isVolatile(table, n) })
		if len(columns[table]) == 0 {
			delete(columns, table)
		}
	}
	k.columns = columns
	return columns, nil
}

func isVolatile(table, column string) bool {
	return table == "goose_db_version" || table == "nodes" || table == "lanes" || table == "event_fanouts" || strings.HasPrefix(table, "sqlite_") || (table == "credentials" && column == "last_used_at") || (table == "operator_sessions" && column == "last_seen_at") ||
		(table == "exchange_runs" && column == "alive_at")
}

// Diff says how now differs from before in the tables of before, a row a line; empty if it does not.
func (d Dump) Diff(now Dump) string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(d)) {
		removed, added := difference(d[table], now[table]), difference(now[table], d[table])
		for _, side := range []struct {
			sign string
			rows []string
		}{{"-", removed}, {"+", added}} {
			for i, row := range side.rows {
				if i == 10 {
					fmt.Fprintf(&b, "%s %s … and %d more\n", side.sign, table, len(side.rows)-i)
					break
				}
				fmt.Fprintf(&b, "%s %s %s\n", side.sign, table, row)
			}
		}
	}
	return b.String()
}

// difference returns the rows that are in a and not in b, as often as they are there more often; both are sorted.
func difference(a, b []string) (rows []string) {
	for _, row := range a {
		for len(b) > 0 && b[0] < row {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == row {
			b = b[1:]
		} else {
			rows = append(rows, row)
		}
	}
	return rows
}

// Unchanged fails the test if the database holds anything else than it did.
func (s *Shop) Unchanged(before Dump, format string, args ...any) {
	s.tb.Helper()
	if diff := before.Diff(s.Dump()); diff != "" {
		s.tb.Errorf("%s: the database has changed:\n%s", fmt.Sprintf(format, args...), diff)
	}
}

// cellText takes whatever a column holds, as text.
type cellText struct{ text string }

// Scan implements sql.Scanner.
func (c *cellText) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		c.text = "NULL"
	case []byte:
		c.text = "x" + hex.EncodeToString(v)
	default:
		c.text = fmt.Sprint(v)
	}
	return nil
}
