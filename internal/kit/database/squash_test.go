package database_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// The one file makes the same schema as the chain of migrations that it replaces: tables, columns, types, collations,
// defaults, generated columns, identities, storage options, constraints and indexes with their names, triggers, views,
// and rows. The order of columns may differ.
func TestSquash_makesTheSchemaOfTheChain(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			chain := databasetest.Open(t, engine)
			squashed := openDB(t, database.Config{URL: databasetest.NewURL(t, engine)})
			if err := squashed.MigrateWith(t.Context(), os.DirFS("squashed")); err != nil {
				t.Fatal(err)
			}

			want := fullSchema(t, chain)
			got := fullSchema(t, squashed)
			t.Logf("%d lines describe the schema", len(want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the schema of the chain (-) and of the file (+) differ:\n%s", diff)
			}

			before := rowCounts(t, chain)
			after := rowCounts(t, squashed)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the rows of the chain (-) and of the file (+) differ:\n%s", diff)
			}
		})
	}
}

// rowCounts returns the tables that have rows. The row in meta that marks the new schema is not counted.
func rowCounts(t *testing.T, db *database.DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for table := range (oldDB{db}).columns(t) {
		sql := "SELECT COUNT(*) FROM " + table
		if table == "meta" {
			sql += " WHERE name <> 'first_migration'"
		}
		if n := queryInt(t, db, sql); n > 0 {
			counts[table] = int(n)
		}
	}
	return counts
}

var (
	blanks   = regexp.MustCompile(`\s+`)
	comments = regexp.MustCompile(`--[^\n]*`)
)

// fullSchema describes all that a database stores about its schema.
func fullSchema(t *testing.T, db *database.DB) (all []string) {
	t.Helper()
	statements := map[string][]string{database.SQLite: fullSQLiteSQL, database.Postgres: fullPostgresSQL}
	err := db.Read(t.Context(), func(q database.Querier) error {
		all = nil
		for _, sql := range statements[db.Engine()] {
			err := database.QueryEach(t.Context(), q, sql, nil, func(r database.Rows) error {
				var line string
				err := r.Scan(&line)
				line = comments.ReplaceAllString(line, "")
				line = blanks.ReplaceAllString(line, " ")
				all = append(all, line)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// One table of the chain has the type bigint and is not STRICT.
	for i, line := range all {
		if strings.HasPrefix(line, "schema_compatibility") {
			all[i] = strings.NewReplacer("bigint", "INTEGER", "strict 0", "strict 1").Replace(line)
		}
	}
	slices.Sort(all)
	return all
}

var fullSQLiteSQL = []string{
	`SELECT l.name || ' table ' || l.type || ' columns ' || l.ncol || ' without rowid ' || l.wr || ' strict ' || l.strict
		|| ' autoincrement ' || (m.sql LIKE '%AUTOINCREMENT%') || ' generated ' || (m.sql LIKE '%GENERATED ALWAYS%')
		|| ' check ' || (m.sql LIKE '%CHECK (%')
	FROM pragma_table_list AS l
	JOIN sqlite_master AS m ON m.name = l.name
	WHERE l.schema = 'main'`,
	`SELECT m.name || ' column ' || c.name || ' ' || c.type || ' notnull ' || c."notnull" || ' default '
		|| COALESCE(c.dflt_value, '-') || ' pk ' || c.pk || ' hidden ' || c.hidden
	FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
	WHERE m.type = 'table'`,
	`SELECT m.name || ' generated ' || substr(m.sql, instr(m.sql, 'GENERATED ALWAYS'), 60)
	FROM sqlite_master AS m
	WHERE m.type = 'table' AND m.sql LIKE '%GENERATED ALWAYS%'`,
	`SELECT m.name || ' index ' || i.name || ' unique ' || i."unique" || ' origin ' || i.origin || ' partial ' || i.partial
		|| ' on ' || (SELECT group_concat(COALESCE(x.name, 'expression') || ' ' || x.desc || ' ' || x.coll || ' ' || x.key,
			', ' ORDER BY x.seqno) FROM pragma_index_xinfo(i.name) AS x WHERE x.key)
	FROM sqlite_master AS m, pragma_index_list(m.name) AS i
	WHERE m.type = 'table' AND i.origin = 'c'`,
	`SELECT m.name || ' constraint unique ' || i."unique" || ' origin ' || i.origin
		|| ' on ' || (SELECT group_concat(x.name, ', ' ORDER BY x.seqno) FROM pragma_index_xinfo(i.name) AS x WHERE x.key)
	FROM sqlite_master AS m, pragma_index_list(m.name) AS i
	WHERE m.type = 'table' AND i.origin <> 'c'`,
	`SELECT tbl_name || ' ' || type || ' ' || name || ' ' || sql
	FROM sqlite_master
	WHERE type <> 'table' AND sql IS NOT NULL`,
	`SELECT m.name || ' foreign key ' || group_concat(f."from", ', ' ORDER BY f.seq) || ' references ' || f."table" || ' ('
		|| group_concat(f."to", ', ' ORDER BY f.seq) || ') on update ' || f.on_update || ' on delete ' || f.on_delete
	FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
	WHERE m.type = 'table'
	GROUP BY m.name, f.id`,
}

var fullPostgresSQL = []string{
	`SELECT c.relname || ' ' || c.relkind::text || ' ' || c.relpersistence::text || ' ' || COALESCE(array_to_string(c.reloptions, ', '), '-')
	FROM pg_class AS c
	WHERE c.relnamespace = 'public'::regnamespace`,
	`SELECT c.relname || ' column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' not null ' || a.attnotnull::text
		|| ' identity ' || a.attidentity::text || ' generated ' || a.attgenerated::text || ' storage ' || a.attstorage::text
		|| ' compression ' || a.attcompression::text || ' collation ' || COALESCE(l.collname, '-')
		|| ' default ' || COALESCE(pg_get_expr(d.adbin, d.adrelid), '-')
	FROM pg_attribute AS a
	JOIN pg_class AS c ON c.oid = a.attrelid
	LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
	LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
	WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`,
	`SELECT conrelid::regclass || ' constraint ' || conname || ' ' || contype::text || ' ' || convalidated::text || ' '
		|| pg_get_constraintdef(oid)
	FROM pg_constraint
	WHERE connamespace = 'public'::regnamespace`,
	`SELECT tablename || ' index ' || indexname || ' ' || indexdef FROM pg_indexes WHERE schemaname = 'public'`,
	`SELECT tgrelid::regclass || ' trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`,
	`SELECT sequencename || ' sequence ' || data_type || ' ' || start_value || ' ' || increment_by || ' ' || cycle::text
	FROM pg_sequences
	WHERE schemaname = 'public'`,
}
