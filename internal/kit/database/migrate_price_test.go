package database_test

import (
	"testing"

	"vitrine/internal/testkit/databasetest"
)

// What costs 0 is free and stays so. Only the programs that know it may then find a variant without a price.
func TestMigrate_keepsPricesOfZeroAndAllowsNone(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newOldDB(t, engine, 31)
			db.fill(t, 107)
			db.fill(t, 108)
			db.exec(t, "UPDATE variants SET price = 0 WHERE key = 107")
			db.migrate(t)
			db.check(t, map[string]string{
				"SELECT key || ' ' || price FROM variants ORDER BY key": "107 0, 108 108",
				"SELECT MIN(oldest_program) FROM schema_compatibility":  "36",
			})
			db.exec(t, "UPDATE variants SET price = NULL WHERE key = 108")
			db.check(t, map[string]string{
				"SELECT key || ' ' || COALESCE(CAST(price AS TEXT), 'none') FROM variants ORDER BY key": "107 0, 108 none",
			})
		})
	}
}
