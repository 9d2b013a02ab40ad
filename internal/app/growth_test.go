package app_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
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
	"reservations": ownData, "stocks": ownData, "stores": ownData, "value_aliases": ownData, "variant_values": ownData,
	"variants": ownData, "image_sources": ownData, "pending_references": ownData, "customer_totals": ownData,
	"order_words": ownData, "search_words": ownData, "commerceml_pictures": ownData,

	"attribute_versions": fixedSize, "captcha_settings": fixedSize, "catalog_versions": fixedSize,
	"commerceml_stores": fixedSize, "daily_counts": fixedSize, "event_fanouts": fixedSize, "event_sequences": fixedSize,
	"goose_db_version": fixedSize, "meta": fixedSize, "order_numbers": fixedSize, "order_totals": fixedSize,
	"order_word_progress": fixedSize, "push_locks": fixedSize, "schema_compatibility": fixedSize,

	"account_devices": pruned, "account_lockouts": pruned, "attempt_hours": pruned, "attempts": pruned,
	"audit_entries": pruned, "bulk_changes": pruned, "captcha_scores": pruned, "captcha_tokens": pruned,
	"commerceml_echoes": pruned, "commerceml_sessions": pruned, "customer_sessions": pruned, "deleted_ids": pruned,
	"deletions": pruned, "deliveries": pruned, "events": pruned, "exchange_runs": pruned, "idempotency": pruned,
	"image_leftovers": pruned, "jobs": pruned, "lanes": pruned, "login_requests": pruned, "mailbox": pruned,
	"nodes": pruned, "operator_invitations": pruned, "operator_sessions": pruned, "product_changes": pruned,
	"value_merges": pruned, "version_stamps": pruned,

	"account_recovery_codes": withParent + "accounts", "bulk_chunks": withParent + "bulk_changes",
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
	pattern, tables := regexp.MustCompile(`DELETE FROM ([a-z_]+)`), map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
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
