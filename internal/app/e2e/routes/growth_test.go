package routes

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// Why a table does not grow without end.
const (
	// ownData is data of the shop, which grows with the shop: it has a row because a person or a push wants it.
	ownData = "data of the shop"
	// fixedSize is a row, or a few, for the installation, a store, a node, or a day and store.
	fixedSize = "fixed size"
	// pruned means that a statement deletes rows that have expired or are done.
	pruned = "pruned"
	// withParent, followed by a table, means that a foreign key deletes the rows with those of the table.
	withParent = "with "
)

// growth says for each table why it does not grow without end.
var growth = map[string]string{
	"accounts": ownData, "attribute_values": ownData, "attributes": ownData, "callbacks": ownData,
	"categories": ownData, "credentials": ownData, "customers": ownData, "feedback": ownData, "images": ownData,
	"operators": ownData, "orders": ownData, "order_items": ownData, "product_categories": ownData,
	"product_values": ownData, "products": ownData, "receivers": ownData, "remainders": ownData,
	"reservations": ownData, "order_tags": ownData, "order_updates": ownData,
	"order_mails": ownData,
	"stocks":      ownData, "stores": ownData, "value_aliases": ownData,
	"variant_barcodes": ownData, "variant_images": ownData, "variant_values": ownData,
	"product_slugs": ownData, "category_slugs": ownData, "variants": ownData, "image_sources": ownData,
	"pending_references": ownData, "customer_totals": ownData, "price_lists": ownData, "variant_prices": ownData,
	"customer_groups": ownData, "customer_group_lists": ownData, "search_pins": ownData, "product_popularity": ownData,
	"list_views":         ownData,
	"changed_categories": ownData, "changed_products": ownData,
	"search_words": ownData, "commerceml_pictures": pruned, "commerceml_orders": ownData,
	"commerceml_goods": pruned,

	"mail_servers":       fixedSize,
	"attribute_versions": fixedSize, "captcha_settings": fixedSize, "catalog_versions": fixedSize,
	"commerceml_stores": fixedSize, "daily_counts": fixedSize, "event_fanouts": fixedSize, "event_sequences": fixedSize,
	"exchange_kept":    fixedSize,
	"goose_db_version": fixedSize, "meta": fixedSize, "order_numbers": fixedSize, "order_totals": fixedSize,
	"order_word_progress": fixedSize, "popularity_progress": fixedSize, "push_locks": fixedSize,
	"schema_compatibility": fixedSize, "search_rules": fixedSize, "change_heads": fixedSize,
	"mail_settings": fixedSize,
	"column_maps":   fixedSize, // exchange.maxColumnMaps
	"feeds":         ownData, "former_paths": fixedSize, "redirects": ownData, "redirect_versions": fixedSize,

	"account_devices": pruned, "account_email_changes": pruned, "account_lockouts": pruned,
	"account_password_resets": pruned, "attempt_hours": pruned,
	"attempts":      pruned,
	"audit_entries": pruned, "bulk_changes": pruned, "captcha_scores": pruned, "captcha_tokens": pruned,
	"commerceml_echoes": pruned, "commerceml_packages": pruned, "commerceml_sessions": pruned,
	"commerceml_recordings": pruned, "commerceml_recording_chunks": pruned,
	"customer_sessions": pruned, "deleted_ids": pruned,
	"deletions": pruned, "deliveries": pruned, "events": pruned, "exchange_runs": pruned, "idempotency": pruned,
	"image_leftovers": pruned, "job_starts": pruned, "jobs": pruned, "lanes": pruned, "login_requests": pruned,
	"mailbox":     pruned,
	"sent_mails":  pruned,
	"node_deaths": pruned, "nodes": pruned, "parked_jobs": pruned, "operator_sessions": pruned,
	"product_changes": pruned, "search_clicks": pruned, "search_days": pruned, "search_queries": pruned,
	"value_merges": pruned, "version_stamps": pruned, "change_days": pruned, "deleted_products": pruned,
	"touched_products": pruned,

	"account_recovery_codes": withParent + "accounts", "operator_invitations": withParent + "operators",
	"withdrawals":       withParent + "order_items",
	"bulk_chunks":       withParent + "bulk_changes",
	"commerceml_chunks": pruned, "commerceml_files": pruned,
	"exchange_archived": withParent + "exchange_runs", "exchange_changes": withParent + "exchange_runs",
	"exchange_notes": withParent + "exchange_runs", "exchange_pieces": withParent + "exchange_runs",
	"exchange_rejects": withParent + "exchange_runs", "idempotency_pieces": withParent + "idempotency",
}

// Every table has a reason why it does not grow without end, and the reason holds: something deletes its rows, or rows
// of a table on which they depend.
func TestTables_haveARetention(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	statements := deleteStatements(t)

	tables := columnOf(t, s, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	for _, table := range tables {
		reason := growth[table]
		parent, dependent := strings.CutPrefix(reason, withParent)
		switch {
		case reason == "":
			t.Errorf("%s: add to growth why the table does not grow without end", table)
		case reason == pruned && !statements[table]:
			t.Errorf("%s is pruned, but no statement deletes from it", table)
		case dependent && !slices.Contains(columnOf(t, s, `SELECT "table" FROM pragma_foreign_key_list('`+table+
			`') WHERE on_delete = 'CASCADE'`), parent):
			t.Errorf("%s: no foreign key deletes its rows with those of %s", table, parent)
		case dependent && growth[parent] == "":
			t.Errorf("%s depends on %s, which is not in growth", table, parent)
		}
	}

	for _, table := range slices.Sorted(maps.Keys(growth)) {
		if !slices.Contains(tables, table) {
			t.Errorf("there is no table %s", table)
		}
	}

	t.Logf("%d tables", len(tables))
}

// columnOf returns the texts that a query selects.
func columnOf(t *testing.T, s *apitest.Server, sql string) (texts []string) {
	t.Helper()
	err := s.App.DB.Read(t.Context(), func(q database.Querier) error {
		texts = nil
		return database.QueryEach(t.Context(), q, sql, nil, func(r database.Rows) error {
			var text string
			err := r.Scan(&text)
			texts = append(texts, text)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// deleteStatements returns the tables from which the SQL of the program deletes.
func deleteStatements(t *testing.T) map[string]bool {
	t.Helper()
	pattern := regexp.MustCompile(`DELETE FROM ([a-z_]+)`)
	tables := map[string]bool{}

	err := filepath.WalkDir("../../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_sql.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range pattern.FindAllStringSubmatch(string(source), -1) {
			tables[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return tables
}

// lastRows are the tables that are pruned but keep some rows: how many at most, in the shop of
// TestTables_loseTheirRowsAfterTheirRetention, and the reason.
var lastRows = map[string]struct {
	rows   int
	reason string
}{
	"nodes":           {1, "the node itself"},
	"deleted_ids":     {1, "the time of the last deletion of something that others referred to, for each store"},
	"bulk_changes":    {1, "the next change of the store deletes old ones"},
	"bulk_chunks":     {1, "with bulk_changes"},
	"product_changes": {50_000, "the last 50,000 changes of a store, which readers follow"},
	"version_stamps":  {3000, "the last 1,000 versions of a store's attributes, categories and search"},
}

// Years after a request to every route, the tables that are pruned are empty, except for lastRows.
func TestTables_loseTheirRowsAfterTheirRetention(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		if engine == database.Postgres && !promise.ProveAll() {
			t.Log("PostgreSQL only with VITRINE_PROVE")
			continue
		}

		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newRouteWalk(t, engine)
			c.wantSuccesses(c.listRoutes())
			c.useOtherTables()
			filled := 0

			for table, rows := range c.DumpAll() {
				if isPruned(table) && len(rows) > 0 {
					filled++
				}
			}

			if filled < 25 {
				t.Errorf("only %d tables that are pruned have rows; the test proves less than it says", filled)
			}

			// Deliveries and jobs end in the first round. In the second one they have expired.
			c.passYears()
			storetest.Eventually(t, "no job is left", func() bool { return len(c.DumpAll()["jobs"]) == 0 })
			c.createProductChange()
			c.passYears()
			storetest.EventuallyEqual(t, "rows that are left:", "", c.rowsLeft)
		})
	}
}

// isPruned reports whether the rows of a table, or of the table on which it depends, are deleted after some time.
func isPruned(table string) bool {
	parent, _ := strings.CutPrefix(growth[table], withParent)
	return growth[table] == pruned || growth[parent] == pruned
}

// useOtherTables sends requests that fill tables which the requests of the walk do not.
func (c *routeWalk) useOtherTables() {
	c.t.Helper()
	c.OK(201, "POST", "/v2/stocks", `{"name": "Main"}`, apitest.Header("Idempotency-Key", "k"))
	c.OK(200, "POST", "/v2/sync-gate/"+c.Exchange+"/commerceml?type=catalog&mode=file&filename=a.xml", "<x/>",
		apitest.Header("Content-Type", "application/octet-stream"))
	form := url.Values{"email": {c.email}, "password": {"wrong"}}
	for range 10 {
		c.DoAdmin("POST", "/login", form.Encode(), apitest.Header("Content-Type", formType), apitest.As(""))
	}
}

// passYears stops the server, moves the clock, and starts the server with retentions of a month. Its workers begin at
// once.
func (c *routeWalk) passYears() {
	c.t.Helper()
	c.Stop()
	c.Clock.Advance(3 * 365 * 24 * time.Hour)
	c.Server = c.StartNode(apitest.DevMode(), apitest.WithConfig(func(c *config.Serve) {
		const month = 30 * 24 * time.Hour
		c.ExchangeRetention = month
		c.EventRetention = month
		c.AuditRetention = month
		c.DraftRetention = month
	}))
}

// rowsLeft returns the tables that are pruned and have more rows than lastRows allows, with one of these.
func (c *routeWalk) rowsLeft() (text string) {
	c.t.Helper()
	dump := c.DumpAll()
	for _, table := range slices.Sorted(maps.Keys(dump)) {
		if rows := dump[table]; isPruned(table) && len(rows) > lastRows[table].rows {
			text += fmt.Sprintf("\n%s has %d, such as %.300s", table, len(rows), rows[0])
		}
	}
	return text
}
