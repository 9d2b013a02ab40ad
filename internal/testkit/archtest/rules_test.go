package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// ruleCase is a package with one file, and the number of findings that the rule must return.
type ruleCase struct {
	name string
	file string // path from the root of the module
	code string // without the package clause
	want int
}

// checkRule runs a rule on each case.
func checkRule(t *testing.T, rule func(*Package) []string, snippets []ruleCase) {
	t.Helper()
	for _, s := range snippets {
		t.Run(s.name, func(t *testing.T) {
			folder := s.file[:strings.LastIndex(s.file, "/")]
			p, err := Parse(Module+"/"+folder, map[string]string{s.file: "package x\n" + s.code})
			if err != nil {
				t.Fatal(err)
			}

			findings := rule(p)
			if len(findings) != s.want {
				t.Errorf("%d findings, want %d: %q", len(findings), s.want, findings)
			}

			for _, f := range findings {
				if !strings.HasPrefix(f, s.file+":") {
					t.Errorf("finding %q does not begin with the file", f)
				}
			}
		})
	}
}

func TestImportsPointDown(t *testing.T) {
	checkRule(t, ImportsPointDown, []ruleCase{
		{"a lower level", "internal/shop/order/order.go", `import "vitrine/internal/kit/database"`, 0},
		{"a much lower level", "cmd/vitrine/main.go", `import "vitrine/internal/kit/fault"`, 0},
		{"a higher level", "internal/shop/catalog/catalog.go", `import "vitrine/internal/api/httpapi"`, 1},
		{"a higher level without areas", "internal/api/httpapi/httpapi.go", `import "vitrine/internal/app"`, 1},
		{"cmd", "internal/app/app.go", `import "vitrine/cmd/vitrine"`, 1},
		{"a level on the same line", "internal/demo/demo.go", `import "vitrine/internal/client/push"`, 1},
		{"a lower area", "internal/shop/order/order.go", `import "vitrine/internal/shop/catalog"`, 0},
		{"a higher area", "internal/shop/catalog/catalog.go", `import "vitrine/internal/shop/order"`, 1},
		{"an area on the same line", "internal/shop/catalog/catalog.go", `import "vitrine/internal/shop/customer"`, 1},
		{"a package below an area on the same line", "internal/shop/catalog/catalog.go",
			`import "vitrine/internal/shop/customer/deep"`, 1},
		{"the same area", "internal/kit/database/x/x.go", `import "vitrine/internal/kit/database"`, 0},
		{"id from wire", "internal/kit/wire/wire.go", `import "vitrine/internal/kit/id"`, 0},
		{"wire from id", "internal/kit/id/id.go", `import "vitrine/internal/kit/wire"`, 1},
		{"anything from fault", "internal/kit/fault/fault.go", `import "vitrine/internal/kit/id"`, 1},
		{"anything from a test", "internal/shop/catalog/catalog_test.go", `import "vitrine/internal/shop/order"`, 0},
		{"a package without a level", "internal/basket/basket.go", ``, 1},
		{"a package without an area", "internal/shop/basket/basket.go", ``, 1},
		{"an import of a package without an area", "internal/app/app.go", `import "vitrine/internal/shop/basket"`, 1},
		{"another module with a similar name", "internal/app/app.go", `import "vitrineer/internal/basket"`, 0},
	})
}

func TestImportsPointDown_namesTheMissingEntry(t *testing.T) {
	for path, want := range map[string]string{
		"internal/basket":      `add "basket" to levels in internal/testkit/archtest/imports_test.go`,
		"internal/shop/basket": `add "basket" to areas["shop"] in internal/testkit/archtest/imports_test.go`,
	} {
		p, err := Parse("vitrine/"+path, map[string]string{path + "/basket.go": "package basket"})
		if err != nil {
			t.Fatal(err)
		}
		if found := ImportsPointDown(p); len(found) != 1 || !strings.Contains(found[0], want) {
			t.Errorf("%s: the findings %q do not contain %q", path, found, want)
		}
	}
}

func TestTestKitsStayInTests(t *testing.T) {
	const use = `import "vitrine/internal/testkit/databasetest"`
	checkRule(t, OnlyTestsImportTestKits, []ruleCase{
		{"shipped code", "internal/shop/order/order.go", use, 1},
		{"a package below a kit", "cmd/vitrine/main.go", `import "vitrine/internal/testkit/databasetest/pgserver"`, 1},
		{"examples", "examples/go/main.go", use, 1},
		{"a test", "internal/shop/order/order_test.go", use, 0},
		{"another kit", "internal/testkit/storetest/storetest.go", use, 0},
		{"bench", "bench/main.go", use, 0},
	})
}

func TestSQLInSQLFiles(t *testing.T) {
	checkRule(t, SQLInSQLFiles, []ruleCase{
		{"select", "internal/shop/order/order.go", "const q = `\n\tSELECT id\n\tFROM orders`", 1},
		{"a concatenation", "internal/shop/order/order.go", `var q = "UPDATE " + table`, 1},
		{"lower case", "internal/shop/order/order.go", `const q = "delete from orders where id = $1"`, 1},
		{"lower case with a list", "internal/shop/order/order.go", `const q = "select id, name from orders"`, 1},
		{"transaction", "internal/shop/order/order.go", `const q = "BEGIN IMMEDIATE"`, 1},
		{"a single word", "internal/shop/order/order.go", `const q = "COMMIT"`, 1},
		{"a *_sql.go file", "internal/shop/order/order_sql.go", `const q = "SELECT id FROM orders"`, 0},
		{"a test", "internal/shop/order/order_test.go", `const q = "SELECT id FROM orders"`, 0},
		{"a migration", "internal/kit/database/migrations/one.go", `const q = "CREATE TABLE t (id INTEGER)"`, 0},
		{"a pragma of the kit", "internal/kit/database/sqlite.go", `const q = "PRAGMA optimize"`, 0},
		{"transaction control of the kit", "internal/kit/database/sqlite.go", `const q = "SAVEPOINT one"`, 0},
		{"a query of the kit about the engine", "internal/kit/database/sqlite.go",
			`const q = "SELECT sqlite_version()"`, 0},
		{"a batch of the kit", "internal/kit/database/batch.go", `const q = "SELECT * FROM unnest("`, 0},
		{"a query of the kit with a table", "internal/kit/database/sqlite.go", `const q = "SELECT id FROM orders"`, 1},
		{"an insert of the kit", "internal/kit/database/sqlite.go", `const q = "INSERT INTO t VALUES (1)"`, 1},
		{"a route", "internal/api/storeapi/routes.go", `const r = "DELETE /v2/options/{id}"`, 0},
		{"delete", "internal/shop/order/order.go", `const q = "DELETE FROM orders"`, 1},
		{"lower case with a function", "internal/shop/order/order.go", `const q = "select count(*) from orders"`, 1},
		{"sentences", "internal/shop/order/order.go",
			`var m = []string{"Select a delivery from the list", "select a store from the list", "update the price", ` +
				`"with tax", "Create a store", "begin"}`, 0},

		{"words in upper case", "internal/shop/order/order.go",
			`var m = []string{"SELECTED", "WITHOUT TAX", "UPDATED_AT"}`, 0},
	})
}

func TestBatchesJoinedByKeys(t *testing.T) {
	const file, batch = "internal/shop/order/order_sql.go", "const q = `\nWITH r(id) AS (ROWS)\nSELECT o.key\nFROM r\n"
	checkRule(t, BatchesJoinedByKeys, []ruleCase{
		{"rows of a store", file, batch + "CROSS JOIN orders o\nWHERE o.store_id = $1\n  AND o.id = r.id`", 1},
		{"a lookup", file, batch + "CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.id = r.id)`", 0},
		{"a key", file, batch + "CROSS JOIN orders o\nWHERE (o.store_id = $1) IS TRUE\n  AND o.key = r.id`", 0},
		{"a key that is looked up", file, batch + "CROSS JOIN orders o\n" +
			"WHERE o.key = (SELECT x.key FROM orders x WHERE x.store_id = $1 AND x.id = r.id)`", 0},
		{"no batch", file, "const q = `\nSELECT o.key\nFROM stores s\nCROSS JOIN orders o\nWHERE o.store_id = $1`", 0},
	})
}

func TestSQLRunInSQLFiles(t *testing.T) {
	p, err := Parse(Module+"/internal/shop/order", map[string]string{
		"internal/shop/order/order_sql.go": "package order\nconst (\n\tlistSQL = `SELECT id " +
			"FROM orders`\n\tpageSQL = listSQL + ` LIMIT $1`\n\tpageSize = 5\n)\nfunc list() string { return listSQL }",
		"internal/shop/order/order.go": "package order\nfunc f() (string, int) { return list(), " +
			"pageSize }\nfunc g() string { return pageSQL }\nfunc h(rowsSQL string) string { return rowsSQL }",
		"internal/shop/order/o_test.go": "package order\nvar asked = listSQL",
	})
	if err != nil {
		t.Fatal(err)
	}
	found := SQLRunInSQLFiles(p)
	if len(found) != 1 || !strings.HasPrefix(found[0], "internal/shop/order/order.go:3: pageSQL") {
		t.Errorf("the findings are %q, want only pageSQL on line 3 of order.go", found)
	}
}

func TestNoShadowing(t *testing.T) {
	const found = "type found struct{ n int }\n"

	checkRule(t, NoShadowing, []ruleCase{
		{"a parameter", "internal/shop/order/order.go", found + `func f(found int) {}`, 1},
		{"a result", "internal/shop/order/order.go", found + `func f() (found int) { return 0 }`, 1},
		{"a receiver", "internal/shop/order/order.go", found + `func (found *found) f() {}`, 1},
		{"a variable", "internal/shop/order/order.go", found + `func f() { found := 1; _ = found }`, 1},
		{"a variable of an imported type", "internal/shop/order/order.go",
			`import "elsewhere"` + "\n" + found + `func f() { found, err := elsewhere.Find(); _, _ = found, err }`, 1},
		{"a variable of a loop", "internal/shop/order/order.go",
			found + `func f(list []int) { for _, found := range list { _ = found } }`, 1},
		{"a variable of a type switch", "internal/shop/order/order.go",
			found + `func f(v any) { switch found := v.(type) { case int: _ = found } }`, 1},
		{"a constant", "internal/shop/order/order.go", found + `func f() { const found = 1 }`, 1},
		{"a type", "internal/shop/order/order.go", found + `func f() { type found int }`, 1},
		{"a type parameter", "internal/shop/order/order.go", found + `func f[found any]() {}`, 1},
		{"in a function literal", "internal/shop/order/order.go", found + `var g = func(found int) {}`, 1},
		{"a function of the package", "internal/shop/order/order.go",
			`func has() {}` + "\n" + `func f(has bool) {}`, 1},
		{"a constant of the package", "internal/shop/order/order.go",
			`const limit = 1` + "\n" + `func f(limit int) {}`, 1},
		{"a field", "internal/shop/order/order.go", found + `type t struct{ found int }`, 0},
		{"an embedded field", "internal/shop/order/order.go", found + `type t struct{ found }`, 0},
		{"a method", "internal/shop/order/order.go", found + `type t int` + "\n" + `func (t) found() {}`, 0},
		{"a use", "internal/shop/order/order.go", found + `func f() { _ = found{n: 1} }`, 0},
		{"a label", "internal/shop/order/order.go", found + `func f() { found: for { break found } }`, 0},
		{"an import", "internal/shop/order/order.go", `import "strings"` + "\n" + `func f(strings int) {}`, 0},
		{"blank", "internal/shop/order/order.go", `var _ = 1` + "\n" + `func f(_ int) {}`, 0},
		{"a test", "internal/shop/order/order_test.go", found + `func f(found int) {}`, 0},
	})
}

func TestDriversInDatabase(t *testing.T) {
	checkRule(t, DriversInDatabase, []ruleCase{
		{"pgx", "internal/shop/catalog/catalog.go", `import "github.com/jackc/pgx/v5"`, 1},
		{"sqlite", "internal/shop/catalog/catalog.go", `import _ "github.com/ncruces/go-sqlite3/driver"`, 1},
		{"database/sql", "internal/shop/catalog/catalog_sql.go", `import "database/sql"`, 1},
		{"driver.Valuer in another area", "internal/shop/catalog/catalog.go", `import "database/sql/driver"`, 1},
		{"the database kit", "internal/kit/database/postgres.go", `import "github.com/jackc/pgx/v5/pgxpool"`, 0},
		{"driver.Valuer in id", "internal/kit/id/id.go", `import "database/sql/driver"`, 0},
		{"database/sql in id", "internal/kit/id/id.go", `import "database/sql"`, 1},
		{"a test", "internal/shop/catalog/catalog_test.go", `import "database/sql"`, 0},
		{"bench", "bench/main.go", `import "github.com/jackc/pgx/v5"`, 0},
	})
}

func TestSettingsInConfig(t *testing.T) {
	const read = "import \"os\"\nvar home = os.Getenv(\"HOME\")"
	checkRule(t, SettingsInConfig, []ruleCase{
		{"environment", "internal/kit/mail/mail.go", read, 1},
		{"a renamed import", "internal/kit/mail/mail.go",
			"import sys \"os\"\nvar home, ok = sys.LookupEnv(\"HOME\")", 1},
		{"a function value", "internal/kit/mail/mail.go", "import \"os\"\nvar getenv = os.Getenv", 1},
		{"a local named os", "internal/kit/mail/mail.go", "func f(os struct{ Getenv func() }) { os.Getenv() }", 0},
		{"flag", "internal/kit/mail/mail.go", `import "flag"`, 1},
		{"kong", "internal/kit/mail/mail.go", `import "github.com/alecthomas/kong"`, 1},
		{"files", "internal/kit/mail/mail.go", "import \"os\"\nfunc f() { os.Remove(\"x\") }", 0},
		{"cmd", "cmd/vitrine/main.go", read, 0},
		{"config", "internal/kit/config/config.go", read, 0},
		{"a test", "internal/kit/mail/mail_test.go", read, 0},
		{"a test kit", "internal/testkit/databasetest/postgres.go", read, 0},
	})
}

func TestHTTPClientsInOutbound(t *testing.T) {
	const imp = "import \"net/http\"\n"

	checkRule(t, HTTPClientsInOutbound, []ruleCase{
		{"get", "internal/shop/exchange/image.go", imp + `func f() { http.Get("https://example.com") }`, 1},
		{"default client", "internal/shop/exchange/image.go", imp + `var c = http.DefaultClient`, 1},
		{"literal", "internal/shop/exchange/image.go", imp + `var c = http.Client{}`, 1},
		{"pointer to literal", "internal/shop/exchange/image.go", imp + `var c = &http.Client{}`, 1},
		{"new", "internal/shop/exchange/image.go", imp + `var c = new(http.Client)`, 1},
		{"zero value", "internal/shop/exchange/image.go", imp + `func f() { var c http.Client; _ = c }`, 1},
		{"transport", "internal/shop/exchange/image.go", imp + `var c = &http.Transport{}`, 1},
		{"a parameter", "internal/shop/exchange/image.go",
			imp + `func f(c *http.Client) { c.Get("https://example.com") }`, 0},
		{"a server", "internal/api/httpapi/httpapi.go", imp + `var _ http.Handler = http.HandlerFunc(nil)`, 0},
		{"outbound", "internal/kit/outbound/outbound.go", imp + `var c = &http.Client{}`, 0},
		{"captcha", "internal/kit/captcha/captcha.go", imp + `var c = &http.Client{}`, 0},
		{"cmd", "cmd/vitrine/push.go", imp + `var c = &http.Client{}`, 0},
		{"a test", "internal/shop/exchange/image_test.go", imp + `var c = &http.Client{}`, 0},
		{"examples", "examples/go/main.go", imp + `var c = &http.Client{}`, 0},
	})
}

func TestConnectionsInOutbound(t *testing.T) {
	const dial = "import \"net\"\nfunc f() { net.Dial(\"tcp\", \"shop.example:80\") }"

	checkRule(t, ConnectionsInOutbound, []ruleCase{
		{"dial", "internal/shop/exchange/image.go", dial, 1},
		{"dialer", "internal/shop/exchange/image.go", "import \"net\"\nvar d = net.Dialer{}", 1},
		{"TLS", "internal/shop/exchange/image.go",
			"import \"crypto/tls\"\nfunc f() { tls.Dial(\"tcp\", \"shop.example:443\", nil) }", 1},
		{"a method of a parameter", "internal/shop/exchange/image.go",
			"func f(net interface{ Dial() }) { net.Dial() }", 0},
		{"a listener", "internal/app/serve.go", "import \"net\"\nfunc f() { net.Listen(\"tcp\", \":80\") }", 0},
		{"outbound", "internal/kit/outbound/outbound.go", dial, 0},
		{"mail", "internal/kit/mail/mail.go", dial, 0},
		{"blob", "internal/kit/blob/s3.go", dial, 0},
		{"cmd", "cmd/vitrine/push.go", dial, 0},
		{"a test", "internal/shop/exchange/image_test.go", dial, 0},
		{"a test kit", "internal/testkit/apitest/client.go", dial, 0},
	})
}

func TestWeakHashesInTests(t *testing.T) {
	const weak = "var d = struct{ WeakHashes bool }{WeakHashes: true}"
	checkRule(t, WeakHashesInTests, []ruleCase{
		{"the program", "internal/app/core.go", weak, 2},
		{"the package itself", "internal/shop/account/service.go", weak, 0},
		{"a test kit", "internal/testkit/apitest/apitest.go", weak, 0},
		{"a test", "internal/app/core_test.go", weak, 0},
	})
}

func TestProgramTestsStandApart(t *testing.T) {
	const program = "import \"vitrine/internal/testkit/apitest\"\n"
	for name, c := range map[string]struct {
		folder, internal string
		want             int
	}{
		"beside an internal test":    {"internal/api/storeapi", "package storeapi", 1},
		"beside external tests":      {"internal/api/storeapi", "package storeapi_test", 0},
		"a level outside of apitest": {"internal/client/push", "package push", 0},
	} {
		t.Run(name, func(t *testing.T) {
			product := c.folder[strings.LastIndex(c.folder, "/")+1:]
			p, err := Parse(Module+"/"+c.folder, map[string]string{
				c.folder + "/a.go":      "package " + product,
				c.folder + "/b_test.go": c.internal,
				c.folder + "/c_test.go": "package " + product + "_test\n" + program,
			})
			if err != nil {
				t.Fatal(err)
			}

			if findings := ProgramTestsStandApart(p); len(findings) != c.want {
				t.Errorf("%d findings, want %d: %q", len(findings), c.want, findings)
			}
		})
	}
}

func TestNoInit(t *testing.T) {
	checkRule(t, NoInit, []ruleCase{
		{"init", "internal/shop/order/order.go", `func init() {}`, 1},
		{"a method", "internal/shop/order/order.go", `type t int; func (t) init() {}`, 0},
		{"a test", "internal/shop/order/order_test.go", `func init() {}`, 0},
	})
}

func TestNoMutablePackageVariables_declarations(t *testing.T) {
	checkRule(t, NoMutablePackageVariables, []ruleCase{
		{"error", "internal/shop/order/order.go", "import \"errors\"\nvar ErrGone = errors.New(\"gone\")", 0},
		{"regexp", "internal/shop/order/order.go", "import \"regexp\"\nvar sku = regexp.MustCompile(`x`)", 0},
		{"table", "internal/shop/order/order.go", `var names = map[string]int{"a": 1}`, 0},
		{"assertion", "internal/shop/order/order.go", `var _ interface{} = (*int)(nil)`, 0},
		{"once", "internal/shop/order/order.go",
			"import \"sync\"\nvar get = sync.OnceValue(func() int { var m sync.Mutex; m.Lock(); return 1 })", 0},
		{"embedded", "internal/api/adminui/ui.go", "import \"embed\"\n//go:embed assets\nvar assets embed.FS", 0},
		{"embedded in a group", "internal/api/adminui/ui.go",
			"import \"embed\"\nvar (\n//go:embed assets\nassets embed.FS\n)", 0},
		{"empty", "internal/shop/order/order.go", `var count int`, 1},
		{"empty map", "internal/shop/order/order.go", `var cache = map[string]int{}`, 1},
		{"make", "internal/shop/order/order.go", `var cache = make(map[string]int)`, 1},
		{"pointer to an empty struct", "internal/shop/order/order.go", `type t struct{ n int }; var state = &t{}`, 1},
		{"mutex", "internal/shop/order/order.go", "import \"sync\"\nvar mu = sync.Mutex{}", 1},
		// There are two findings: the variable is empty, and it is an atomic.
		{"atomic", "internal/shop/order/order.go", "import \"sync/atomic\"\nvar n = new(atomic.Int64)", 2},
		{"pool", "internal/shop/order/order.go",
			"import \"sync\"\nvar pool = sync.Pool{New: func() any { return nil }}", 0},
		{"a test", "internal/shop/order/order_test.go", `var count int`, 0},
	})
}

func TestNoMutablePackageVariables_changes(t *testing.T) {
	const table = "type row struct{ n int; list []int }\nvar table = map[string]row{\"a\": {}}\nvar first = row{n: " +
		"1}\nvar list = []int{1}\n"

	checkRule(t, NoMutablePackageVariables, []ruleCase{
		{"read", "internal/shop/order/order.go",
			table + `func f() int { x := table["a"]; y := list[0]; return x.n + y + first.n }`, 0},
		{"assign", "internal/shop/order/order.go", table + `func f() { first = row{} }`, 1},
		{"assign a field", "internal/shop/order/order.go", table + `func f() { first.n = 2 }`, 1},
		{"assign an element", "internal/shop/order/order.go", table + `func f() { table["b"] = row{} }`, 1},
		{"assign to an element of a field", "internal/shop/order/order.go",
			table + `func f() { first.list[0] = 2 }`, 1},
		{"append", "internal/shop/order/order.go", table + `func f() { list = append(list, 1) }`, 1},
		{"increment", "internal/shop/order/order.go", table + `func f() { list[0]++ }`, 1},
		{"add and assign", "internal/shop/order/order.go", table + `func f() { first.n += 2 }`, 1},
		{"range", "internal/shop/order/order.go", table + `func f() { for _, first.n = range list {} }`, 1},
		{"delete", "internal/shop/order/order.go", table + `func f() { delete(table, "a") }`, 1},
		{"clear", "internal/shop/order/order.go", table + `func f() { clear(table) }`, 1},
		{"copy into", "internal/shop/order/order.go", table + `func f() { copy(list[:1], []int{2}) }`, 1},
		{"address", "internal/shop/order/order.go", table + `func f() *row { return &first }`, 1},
		{"address of an element", "internal/shop/order/order.go", table + `func f() *int { return &list[0] }`, 0},
		{"in a function literal", "internal/shop/order/order.go", table + `var f = func() { list[0] = 2 }`, 1},
		{"a local of the same name", "internal/shop/order/order.go",
			table + `func f() { first := row{}; first.n = 2; list := []int{}; list[0] = 1 }`, 0},
		{"a parameter of the same name", "internal/shop/order/order.go",
			table + `func f(list []int) { list[0] = 1 }`, 0},
		{"a local of another type", "internal/shop/order/order.go",
			table + `func f() { var x row; x.n, x.list = 1, nil; p := &x; p.n++ }`, 0},
		{"a variable of another package", "internal/shop/order/order.go",
			"import \"net/http\"\nfunc f() { http.DefaultMaxHeaderBytes = 1 }", 1},
	})
}

func TestNoMutablePackageVariables_findsChangesInOtherFiles(t *testing.T) {
	p, err := Parse("vitrine/internal/shop/order", map[string]string{
		"internal/shop/order/a.go": "package order\nvar list = []int{1}",
		"internal/shop/order/b.go": "package order\nfunc f() { list[0] = 2 }",
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := NoMutablePackageVariables(p); len(found) != 1 ||
		!strings.HasPrefix(found[0], "internal/shop/order/b.go:2:") {
		t.Errorf("the findings are %q, want one in b.go", found)
	}
}

func TestLevelsAndAreas_haveNoDuplicates(t *testing.T) {
	tables := map[string][][]string{"levels": levels}
	maps.Copy(tables, areas)
	for name, table := range tables {
		seen := slices.Concat(table...)
		slices.Sort(seen)
		if n := len(slices.Compact(slices.Clone(seen))); n != len(seen) {
			t.Errorf("%s: a name appears twice: %q", name, seen)
		}
	}
}
