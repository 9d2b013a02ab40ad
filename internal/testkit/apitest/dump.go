package apitest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Dump is the content of a database: the rows of each table as sorted texts. It leaves out what changes without a
// request: the records of migrations, when a credential or a session was last used, the nodes and their leases, the
// heartbeats of runs, the progress of the event fan-out, the words of orders, the counts of searches, and the log of
// product changes, which the search service prunes. The version of the catalogue, which every product change raises, is
// in the dump.
//
// In a test that shares its server, a dump has the rows of the stores of the test, their jobs and the accounts of their
// operators. That a refused request changes nothing in other stores is checked by the tests of every route in app,
// which have servers of their own.
type Dump map[string][]string

// Dump reads the database.
func (s *Server) Dump() Dump {
	s.tb.Helper()
	var dump Dump
	err := s.App.DB.Snapshot(s.tb.Context(), func(q database.Querier) error {
		columns, err := s.dumps.schema.tables(s.tb.Context(), q)
		if err != nil {
			return err
		}
		dump, err = dumpRows(s.tb.Context(), q, columns, s.test.ownStores())
		return err
	})
	if err != nil {
		s.tb.Fatalf("dump the database: %v", err)
	}

	// A worker writes the words of orders, and guests with theirs.
	dump["search_words"] = slices.DeleteFunc(dump["search_words"], func(row string) bool {
		return strings.Contains(row, string(store.SearchedOrders)) ||
			strings.Contains(row, "kind="+string(store.SearchedCustomers))
	})
	dump["customers"] = slices.DeleteFunc(dump["customers"], func(row string) bool {
		return strings.Contains(row, " guest=1") || strings.Contains(row, " guest=true")
	})
	return dump
}

// DumpAll reads the whole database, with what Dump leaves out.
func (s *Server) DumpAll() (dump Dump) {
	s.tb.Helper()
	s.needsAlone("DumpAll")
	err := s.App.DB.Snapshot(s.tb.Context(), func(q database.Querier) error {
		columns, err := databaseTables(s.tb.Context(), q)
		if err != nil {
			return err
		}
		dump, err = dumpRows(s.tb.Context(), q, columns, nil)
		return err
	})
	if err != nil {
		s.tb.Fatalf("dump the database: %v", err)
	}
	return dump
}

// tables returns the columns of each table that a dump includes. It reads them from the database once.
func (k *dumpSchema) tables(ctx context.Context, q database.Querier) (map[string][]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()

	if k.columns != nil {
		return k.columns, nil
	}

	columns, err := databaseTables(ctx, q)
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
	return table == "goose_db_version" || table == "nodes" || table == "lanes" || table == "job_starts" ||
		table == "node_deaths" || table == "event_fanouts" ||
		strings.HasPrefix(table, "sqlite_") || (table == "credentials" && column == "last_used_at") ||
		(table == "operator_sessions" && column == "last_seen_at") ||
		(table == "exchange_runs" && column == "alive_at") || table == "product_changes" || table == "version_stamps" ||
		(table == "catalog_versions" && (column == "floor" || column == "search")) || column == "mark" ||
		table == "order_word_progress" || table == "product_popularity" || table == "popularity_progress" ||
		column == "popularity_removed" || column == "guest_key" || table == "customer_totals" ||
		table == "daily_counts" || table == "search_queries" ||
		table == "search_clicks" || table == "search_days" ||
		table == "change_heads" || table == "changed_products" || table == "changed_categories" ||
		table == "change_days" || table == "touched_products" || table == "deleted_products"
}

// Diff returns the rows in which a later dump differs from d, one per line, or "" if there are none. It compares only
// the tables of d.
func (d Dump) Diff(now Dump) string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(d)) {
		removed := rowDifference(d[table], now[table])
		added := rowDifference(now[table], d[table])
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

// rowDifference returns the rows of the list a that the list b lacks. Both lists are sorted. A row that occurs more
// often in a than in b is returned once per additional occurrence.
func rowDifference(a, b []string) (rows []string) {
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

// WantUnchanged fails the test if the database differs from the dump, which was taken before a request.
func (s *Server) WantUnchanged(before Dump, format string, args ...any) {
	s.tb.Helper()
	if diff := before.Diff(s.Dump()); diff != "" {
		s.tb.Errorf("%s: the database has changed:\n%s", fmt.Sprintf(format, args...), diff)
	}
}
