package database_test

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/databasetest"
)

// Customers, inquiries and orders of earlier versions are found by their words and counted.
func TestMigrate_fillsWordsAndTotals(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newOldDB(t, engine, 21)
			db.exec(t, `INSERT INTO stores (id, name, timezone, locale, currency, site_url, cors_origins, version, created_at, updated_at)
				VALUES ({1}, 'One', 'UTC', 'en', 'USD', '', '', 1, 1, 1)`)
			db.exec(t, `INSERT INTO customers (key, store_id, id, name, words, version, created_at, updated_at)
				VALUES (7, {1}, {1}, '', ' anna `+strings.Repeat("ы", 90)+` anna a|b', 1, 0, 0)`)
			db.exec(t, `INSERT INTO feedback (key, store_id, id, name, email, phone, message, extra, words, created_at)
				VALUES (8, {1}, {1}, '', '', '', '', '{}', '', 0)`)
			db.exec(t, `INSERT INTO callbacks (key, store_id, id, name, phone, comment, preferred_time, words, created_at)
				VALUES (9, {1}, {1}, '', '', '', '', ' +49', 0)`)
			for key, order := range map[string]string{"1": "'submitted', 30000", "2": "'completed', 25000", "3": "'cancelled', 70000"} {
				db.exec(t, `INSERT INTO orders (key, store_id, id, number, state, total, token, customer_key, name, phone, email, address,
						delivery_comment, comment, currency, words, version, submitted_at, created_at, updated_at)
					VALUES (`+key+`, {1}, {`+key+`}, `+key+`, `+order+`, <1>, 7, '', '', '', '', '', '', 'USD', '', 1, 5, 5, 5)`)
			}
			db.migrate(t)
			db.check(t, map[string]string{
				`SELECT kind || ' ' || key || ' ' || word FROM search_words ORDER BY kind, word`: "callback 9 +49, customer 7 anna, customer 7 a|b, customer 7 " +
					strings.Repeat("ы", 64),
				`SELECT customer_key || ' ' || currency || ' ' || orders || ' ' || whole || ' ' || rest FROM customer_totals`: "7 USD 2 5 5000",
			})
		})
	}
}
