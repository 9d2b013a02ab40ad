package database

import "testing"

func TestLookups_perEngine(t *testing.T) {
	t.Parallel()
	tests := []struct{ sql, postgres, sqlite string }{
		{"SELECT 1", "SELECT 1", "SELECT 1"},
		{
			"FROM r\nCROSS JOIN LOOKUP (a x WHERE x.k = f(r.k))\nCROSS JOIN LOOKUP (b y WHERE y.k = x.k " +
				"AND y.n IN (1, 2))\nORDER BY 1",
			"FROM r\nCROSS JOIN LATERAL (SELECT * FROM a x WHERE x.k = f(r.k) OFFSET 0) AS x\n" +
				"CROSS JOIN LATERAL (SELECT * FROM b y WHERE y.k = x.k AND y.n IN (1, 2) OFFSET 0) AS y\nORDER BY 1",
			"FROM r\nCROSS JOIN a x ON (x.k = f(r.k))\nCROSS JOIN b y ON (y.k = x.k AND y.n IN (1, 2))\nORDER BY 1",
		},
	}
	for _, test := range tests {
		if got := toPostgresLookups(test.sql); got != test.postgres {
			t.Errorf("toPostgresLookups(%q) = %q, want %q", test.sql, got, test.postgres)
		}

		if got := toSQLiteLookups(test.sql); got != test.sqlite {
			t.Errorf("toSQLiteLookups(%q) = %q, want %q", test.sql, got, test.sqlite)
		}
	}
}
