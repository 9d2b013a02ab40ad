package database

import "testing"

func TestNameStatement(t *testing.T) {
	t.Parallel()

	for sql, want := range map[string]string{
		"SELECT a\nFROM products p\nWHERE store_id = $1 FOR UPDATE": "SELECT products",
		"SELECT 1": "SELECT",
		"\nINSERT INTO orders (id)\nVALUES ($1)\nON CONFLICT DO UPDATE SET id = 1": "INSERT orders",
		"UPDATE stocks\nSET a = 1":                                                           "UPDATE stocks",
		"DELETE FROM jobs WHERE key IN (SELECT key FROM lanes)":                              "DELETE jobs",
		"WITH r(id, name) AS (ROWS)\nINSERT INTO t (id)\nSELECT id FROM r":                   "INSERT t",
		"WITH r(id) AS (ROWS)\nSELECT v.id\nFROM r\nJOIN variants v ON v.id = r.id":          "SELECT variants",
		"WITH r(id) AS (ROWS)\nSELECT v.id\nFROM r, LOOKUP (values v WHERE v.id = r.id)":     "SELECT values",
		"WITH a AS (SELECT 1 FROM x), b AS (SELECT 1 FROM y FOR UPDATE)\nUPDATE z SET c = 1": "UPDATE z",
		"SELECT n FROM (SELECT n FROM inner_table) s":                                        "SELECT inner_table",
		"SELECT (SELECT MAX(v) FROM versions)\nFROM credentials c":                           "SELECT credentials",
		"WITH r(id) AS (ROWS)\nSELECT 1 FROM r JOIN LOOKUP (t x WHERE x.id = r.id) ON TRUE":  "SELECT t",
		"SAVEPOINT attempt":           "SAVEPOINT",
		"PRAGMA wal_checkpoint(NOOP)": "PRAGMA",
		"":                            "",
	} {
		if got := nameStatement(sql).String(); got != want {
			t.Errorf("the name of %q is %q, want %q", sql, got, want)
		}
	}
}
