package database_test

import (
	"testing"

	"vitrine/internal/testkit/databasetest"
)

// Operators of earlier versions keep their password, sessions, devices, invitations and lockouts.
func TestMigrate_turnsOperatorsIntoAccounts(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newOldDB(t, engine, 16)
			db.exec(t, `INSERT INTO stores (id, name, timezone, locale, currency, site_url, cors_origins, version, created_at, updated_at)
				VALUES ({1}, 'One', 'UTC', 'en', 'USD', '', '', 1, 1, 1), ({2}, 'Two', 'UTC', 'en', 'USD', '', '', 1, 1, 1)`)
			db.exec(t, `INSERT INTO operators (id, store_id, email, role, password_hash, failures, locked_until, created_at, updated_at, disabled_at)
				VALUES ({3}, {1}, 'anna@one.example', 'owner', 'hash of anna', 4, 50, 60, 70, NULL),
					({4}, {1}, 'boris@one.example', 'viewer', '', 0, 0, 61, 71, NULL),
					({5}, {2}, 'clara@two.example', 'manager', 'hash of clara', 0, 0, 62, 72, 80)`)
			db.exec(t, `INSERT INTO operator_sessions (hash, store_id, operator_id, created_at, last_seen_at)
				VALUES (<1>, {1}, {3}, 90, 95), (<2>, {1}, {3}, 91, 92)`)
			db.exec(t, `INSERT INTO operator_invitations (hash, store_id, operator_id, expires_at) VALUES (<3>, {1}, {4}, 100)`)
			db.exec(t, `INSERT INTO operator_devices (hash, store_id, operator_id, network, last_seen_at) VALUES (<4>, {1}, {3}, 'net', 93)`)
			db.exec(t, `INSERT INTO operator_lockouts (store_id, operator_id, source, failures, locked_until, updated_at)
				VALUES ({2}, {5}, 'network net', 2, 3, 94)`)
			db.migrate(t)
			db.check(t, map[string]string{
				`SELECT email || ' ' || password_hash || ' ' || failures || ' ' || locked_until FROM accounts ORDER BY email`: "anna@one.example hash of anna 4 50, boris@one.example  0 0, clara@two.example hash of clara 0 0",
				`SELECT a.email || ' ' || o.role || ' ' || s.name || ' ' || COALESCE(o.joined_at, -1) || ' ' || COALESCE(o.disabled_at, -1) || ' ' || COALESCE(o.signed_in_at, -1) || ' ' || o.updated_at
					FROM operators o JOIN accounts a ON a.id = o.account_id JOIN stores s ON s.id = o.store_id ORDER BY 1`: "anna@one.example owner One 60 -1 91 70, boris@one.example viewer One -1 -1 -1 71, clara@two.example manager Two 62 80 -1 72",
				`SELECT a.email || ' ' || x.created_at || ' ' || x.last_seen_at FROM operator_sessions x JOIN operators o ON o.store_id = x.store_id AND o.id = x.operator_id JOIN accounts a ON a.id = o.account_id ORDER BY 1`: "anna@one.example 90 95, anna@one.example 91 92",
				`SELECT a.email || ' ' || i.expires_at FROM operator_invitations i JOIN operators o ON o.store_id = i.store_id AND o.id = i.operator_id JOIN accounts a ON a.id = o.account_id`:                                  "boris@one.example 100",
				`SELECT a.email || ' ' || d.network || ' ' || d.last_seen_at FROM account_devices d JOIN accounts a ON a.id = d.account_id`:                                                                                      "anna@one.example net 93",
				`SELECT a.email || ' ' || l.source || ' ' || l.failures FROM account_lockouts l JOIN accounts a ON a.id = l.account_id`:                                                                                          "clara@two.example network net 2",
			})
		})
	}
}
