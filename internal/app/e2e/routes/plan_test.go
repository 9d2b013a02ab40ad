package routes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest/pgserver"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// The work of a statement is measured in buffers: pages of tables and indexes that it looks at, and pages of temporary
// files. A lookup by an index takes 3 to 5 of them, and so does each foreign key of a row that is written. A row of
// variants is in six indexes and has two foreign keys to it.
const (
	buffersPerCall    = 150
	buffersPerRead    = 20
	buffersPerWrite   = 80
	buffersPerScanned = 30 // for each product of a store; it has up to three variants, with two values each
)

// wholeStoreStatements are the statements that look at all products of a store, or at all its orders, images and so on,
// of which it has no more. Their limit is buffersPerScanned for each product of the store.
var wholeStoreStatements = []struct {
	pattern *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`(?s)^\s*SELECT (COUNT\(\*\)|p\.key|MIN\((w\.price|COALESCE)).*FROM products p\n`),
		"lists of products and their facets that are not answered from the columns, with base prices or a group's"},
	{regexp.MustCompile(`(?s)^\s*SELECT a\.key.*SELECT x\.attribute_key.*FROM products p\n`),
		"facets of features and options that are not computed from the columns"},
	{regexp.MustCompile(`(?s)FROM \(\s*WITH RECURSIVE below`), "lists of the products in a category, and their facets"},
	{regexp.MustCompile(`(?s)^\s*SELECT\s+(COUNT\(\*\)|\(SELECT COUNT\(\*\) FROM (images|products))`),
		"a list says how many entries it has"},
	{regexp.MustCompile(`(?s)^WITH r\(key\).*SELECT p\.key, p\.created_at, p\.sort_name, p\.name`),
		"the columns look up again all products that changed, and find none if they were archived"},
	{regexp.MustCompile(`SELECT (x\.variant_key, x\.attribute_key, x\.value_key\nFROM r|x\.variant_key, ` +
		`x\.value_key\nFROM k|s\.product_key, s\.variant_key, s\.key, s\.position, s\.url|` +
		`l\.variant_key, l\.position, i\.key)`),
		"an export or a feed looks up what belongs to all products of a store, and some have nothing"},
	{regexp.MustCompile(`SELECT v\.id, i\.id, i\.format, i\.opaque\nFROM r`),
		"the file of orders looks up the images of the variants in all orders, and most have none"},
	{regexp.MustCompile(`SELECT DISTINCT i\.category_key\s+FROM r`),
		"what is learned of images later, such as their colors, looks up the categories whose pictures they are, and " +
			"most belong to products"},
	{regexp.MustCompile(`SELECT s\.slug, s\.(product|category)_key, s\.is_current\nFROM r`),
		"a push looks up the slugs of all its new products, and most are free"},
	{regexp.MustCompile(`(?s)^\s*SELECT store_id\s+FROM (products|categories)\s+WHERE slug IS NULL`),
		"the index of what has no slug yet keeps the entries of what has got one until a vacuum"},
	{regexp.MustCompile(`words LIKE`), "a search of words in orders, customers and so on reads all of them"},
}

// hiddenLinkStatement finds the links of products to something that is being deleted. It looks at all links of up to
// hiddenLinkProducts products, and returns few of them or none, or of all products that it returns.
var hiddenLinkStatement = regexp.MustCompile(`(?s)^WITH r\(key\).*FROM deletions d`)

const hiddenLinkProducts = 50

// No plan depends on statistics. PostgreSQL here has none: it has just been filled, as after a large push or a
// pg_restore, and nobody runs ANALYZE. Yet no statement may touch more than a fixed number of buffers for each row that
// it returns or changes, neither in a large store nor in a small one beside it. The large store has 100,000 products
// with VITRINE_PROVE, 25,000 otherwise.
func TestPlans_needNoStatistics(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	p := newPlanTest(t)
	for _, s := range p.stores {
		t.Run(s.name, func(t *testing.T) {
			p := p.withT(t)
			p.requests(s)
			p.report()
		})
	}
	p.wantNoStatistics()
}

// planTest is a PostgreSQL server with two filled stores, and two nodes.
type planTest struct {
	t      *testing.T
	conn   *pgx.Conn
	stores []planStore
	// columns answers lists from memory, sql answers them with SQL.
	columns, sql *apitest.Server
	failures     map[string]planFailure // by statement
}

func newPlanTest(t *testing.T) *planTest {
	t.Helper()
	server, err := pgserver.Start(pgserver.Options{Settings: []string{
		"autovacuum = off", "shared_preload_libraries = 'pg_stat_statements'", "pg_stat_statements.max = 5000",
		"shared_buffers = '512MB'", "max_wal_size = '4GB'",
	}})
	if err != nil {
		t.Fatalf("start PostgreSQL with pg_stat_statements, which Debian has in its package postgresql: %v", err)
	}

	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	p := &planTest{t: t}
	if p.conn, err = pgx.Connect(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = p.conn.Close(context.Background()) })
	p.exec("CREATE EXTENSION pg_stat_statements")

	first := apitest.StartServer(t, database.Postgres, apitest.WithDatabase(server.URL), apitest.DevMode())
	products := 25_000
	if promise.ProveAll() {
		products = 100_000
	}

	products = promise.Number(t, "VITRINE_PLAN_PRODUCTS", products)
	t.Logf("%d products", products)
	p.stores = []planStore{
		// A scan of 10,000 orders touches more buffers than a statement may.
		{Keys: first.Keys, name: "large", products: products, orders: max(products/10, 10_000), number: 1},
		{Keys: first.Other, name: "small", products: 2_000, orders: 200, number: 2},
	}
	for _, s := range p.stores {
		first.WithKeys(s.Keys).DoAdmin("POST", "/api/store/webhook-receivers",
			`{"url": "http://127.0.0.1:1/", "webhook_types": ["*"], "enabled": false}`)
	}

	first.Stop()
	p.fillAll()
	p.refuseAnalyze(server.URL)

	// These nodes have no plans from the time when the tables were empty.
	p.columns = first.StartNode(apitest.DevMode())
	p.sql = first.StartNode(apitest.DevMode(), apitest.WithConfig(func(c *config.Serve) { c.SearchMemory = 0 }))
	return p
}

func (p *planTest) withT(t *testing.T) *planTest {
	c := *p
	c.t, c.columns, c.sql = t, p.columns.WithTB(t), p.sql.WithTB(t)
	c.failures = map[string]planFailure{}
	return &c
}

func (p *planTest) exec(sql string) {
	p.t.Helper()
	if _, err := p.conn.Exec(p.t.Context(), sql); err != nil {
		p.t.Fatalf("%s: %v", sql, err)
	}
}

// refuseAnalyze locks all tables until the test ends, so that the program's ANALYZE skips them.
func (p *planTest) refuseAnalyze(url string) {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), url)
	if err != nil {
		p.t.Fatal(err)
	}

	p.t.Cleanup(func() { _ = conn.Close(context.Background()) })

	_, err = conn.Exec(p.t.Context(), `
BEGIN;
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' LOOP
		EXECUTE 'LOCK TABLE ' || name || ' IN SHARE UPDATE EXCLUSIVE MODE';
	END LOOP;
END $$`)
	if err != nil {
		p.t.Fatal(err)
	}
}

// wantNoStatistics fails the test if there are statistics of the catalogue. The first node has made some of tables that
// had rows when it started.
func (p *planTest) wantNoStatistics() {
	p.t.Helper()
	rows, _ := p.conn.Query(p.t.Context(), `
SELECT DISTINCT CAST(tablename AS text)
FROM pg_stats
WHERE schemaname = 'public'
  AND tablename NOT IN ('audit_entries', 'credentials', 'goose_db_version', 'meta', 'nodes', 'receivers', 'schema_compatibility', 'stores')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) > 0 {
		p.t.Errorf("there are statistics of %v (%v): the test proves nothing", tables, err)
	}
}

// planStatement is what one statement did during a request.
type planStatement struct {
	text                 string
	calls, rows, buffers int64
}

// statements returns what was done since the last reset.
func (p *planTest) statements() []planStatement {
	p.t.Helper()
	rows, _ := p.conn.Query(p.t.Context(), `
SELECT query, calls, rows, shared_blks_hit + shared_blks_read + local_blks_hit + local_blks_read + temp_blks_read + temp_blks_written
FROM pg_stat_statements(TRUE)
WHERE query NOT LIKE '%pg_stat_statements%'`)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s planStatement, err error) {
		err = row.Scan(&s.text, &s.calls, &s.rows, &s.buffers)
		return s, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// check runs a request and fails the test if one of its statements touched too many buffers. The request names or reads
// this many things, such as the items of a push: a statement that looks all of them up may find none.
func (p *planTest) check(s planStore, name string, things int, request func()) {
	p.t.Helper()
	p.exec("SELECT pg_stat_statements_reset()")
	request()
	for _, st := range p.statements() {
		limit, over := st.over(s, int64(things))
		if excess := float64(st.buffers) / float64(limit); over && excess > p.failures[st.text].excess {
			p.failures[st.text] = planFailure{fmt.Sprintf("%s: %d buffers in %d calls for %d rows, at most %d", name,
				st.buffers, st.calls, st.rows, limit), excess}
		}
	}
}

// planFailure is the worst failure of a statement.
type planFailure struct {
	message string
	excess  float64
}

// report fails the test for each statement that touched too many buffers, the worst first.
func (p *planTest) report() {
	p.t.Helper()
	texts := slices.SortedFunc(maps.Keys(p.failures), func(a, b string) int {
		return cmp.Compare(p.failures[b].excess, p.failures[a].excess)
	})
	for _, text := range texts {
		p.t.Errorf("%s:\n%s", p.failures[text].message, strings.TrimSpace(text))
	}
}

var writesRows = regexp.MustCompile(`(?m)^\s*(INSERT|UPDATE|DELETE)`)

// over reports whether a statement touched more buffers than it may, and returns the limit.
func (st planStatement) over(s planStore, things int64) (limit int64, over bool) {
	perRow := int64(buffersPerRead)
	if writesRows.MatchString(st.text) {
		perRow = buffersPerWrite
	}
	limit = buffersPerCall*st.calls + perRow*(st.rows+things)
	if hiddenLinkStatement.MatchString(st.text) {
		limit += buffersPerScanned * max(hiddenLinkProducts*st.calls, st.rows)
	}
	for _, whole := range wholeStoreStatements {
		if whole.pattern.MatchString(st.text) {
			limit += buffersPerScanned * int64(s.products) * st.calls
		}
	}
	return limit, st.buffers > limit
}

// waitForColumns waits until the node answers lists of the store from memory.
func (p *planTest) waitForColumns(s planStore) {
	p.t.Helper()
	node := p.columns.WithKeys(s.Keys)
	byColumns := regexp.MustCompile(`vitrine_search_queries_total\{by="columns"\} (\S+)`)
	count := func() string { return strings.Join(byColumns.FindStringSubmatch(node.Metrics()), "") }
	page := 0
	storetest.Eventually(p.t, "lists are answered from the columns", func() bool {
		page++
		before := count()
		node.Get(fmt.Sprintf("/v2/products?per_page=1&page=%d", page))
		return count() != before
	})
}
