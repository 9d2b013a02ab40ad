package apitest

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/database"
)

// Dump is all that a database holds, by table: one text a row, sorted. Left out are the records of migrations and when a credential was last
// used: using one is no change.
type Dump map[string][]string

// Dump reads the database.
func (s *Shop) Dump() Dump {
	s.tb.Helper()
	dump := Dump{}
	err := s.App.DB.Snapshot(s.tb.Context(), func(q database.Querier) error {
		columns, err := tables(s.tb.Context(), q)
		if err != nil {
			return err
		}
		for table, names := range columns {
			names = slices.DeleteFunc(names, func(n string) bool { return volatile(table, n) })
			if len(names) == 0 {
				continue
			}
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

func volatile(table, column string) bool {
	return table == "goose_db_version" || strings.HasPrefix(table, "sqlite_") || (table == "credentials" && column == "last_used_at") || (table == "operator_sessions" && column == "last_seen_at")
}

// Diff says how now differs from before; empty if it does not.
func (d Dump) Diff(now Dump) string { return cmp.Diff(d, now) }

// Unchanged fails the test if the database holds anything else than it did.
func (s *Shop) Unchanged(before Dump, format string, args ...any) {
	s.tb.Helper()
	if diff := before.Diff(s.Dump()); diff != "" {
		s.tb.Errorf("%s: the database has changed:\n%s", fmt.Sprintf(format, args...), diff)
	}
}

// cell takes whatever a column holds, as text.
type cell struct{ text string }

// Scan implements sql.Scanner.
func (c *cell) Scan(v any) error {
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
