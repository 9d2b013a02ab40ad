package archtest

import (
	"slices"
	"strings"
	"testing"
)

// snippet is one package with one file, and how many findings its rule must give.
type snippet struct {
	name string
	file string // path from the root; its folder is the package
	code string // after the package clause
	want int
}

func check(t *testing.T, rule func(*Package) []string, snippets []snippet) {
	t.Helper()
	for _, s := range snippets {
		t.Run(s.name, func(t *testing.T) {
			folder := s.file[:strings.LastIndex(s.file, "/")]
			p, err := Parse(Module+"/"+folder, map[string]string{s.file: "package x\n" + s.code})
			if err != nil {
				t.Fatal(err)
			}
			found := rule(p)
			if len(found) != s.want {
				t.Errorf("%d findings, want %d: %q", len(found), s.want, found)
			}
			for _, f := range found {
				if !strings.HasPrefix(f, s.file+":") {
					t.Errorf("finding %q does not begin with the place", f)
				}
			}
		})
	}
}

func TestImportsPointDown(t *testing.T) {
	check(t, ImportsPointDown, []snippet{
		{"down", "internal/order/order.go", `import "vitrine/internal/catalog"`, 0},
		{"far down", "cmd/vitrine/main.go", `import "vitrine/internal/fault"`, 0},
		{"up", "internal/catalog/catalog.go", `import "vitrine/internal/order"`, 1},
		{"up into cmd", "internal/app/app.go", `import "vitrine/cmd/vitrine"`, 1},
		{"sideways", "internal/catalog/catalog.go", `import "vitrine/internal/customer"`, 1},
		{"within the area", "internal/database/x/x.go", `import "vitrine/internal/database"`, 0},
		{"below a sideways area", "internal/catalog/catalog.go", `import "vitrine/internal/customer/deep"`, 1},
		{"fault is below the kits", "internal/config/config.go", `import "vitrine/internal/fault"`, 0},
		{"id is below wire", "internal/wire/wire.go", `import "vitrine/internal/id"`, 0},
		{"wire is not below id", "internal/id/id.go", `import "vitrine/internal/wire"`, 1},
		{"nothing is below fault", "internal/fault/fault.go", `import "vitrine/internal/id"`, 1},
		{"a test may", "internal/catalog/catalog_test.go", `import "vitrine/internal/order"`, 0},
		{"on no line", "internal/basket/basket.go", ``, 1},
		{"imports what is on no line", "internal/app/app.go", `import "vitrine/internal/basket"`, 1},
		{"a name that only begins alike", "internal/app/app.go", `import "vitrineer/internal/basket"`, 0},
	})
}

func TestImportsPointDown_saysWhereToAddAPackage(t *testing.T) {
	p, err := Parse("vitrine/internal/basket", map[string]string{"internal/basket/basket.go": "package basket"})
	if err != nil {
		t.Fatal(err)
	}
	found := ImportsPointDown(p)
	if len(found) != 1 || !strings.Contains(found[0], `add "basket" to lines in internal/archtest/imports.go`) {
		t.Errorf("findings %q do not say where to add it", found)
	}
}

func TestTestKitsStayInTests(t *testing.T) {
	const use = `import "vitrine/internal/databasetest"`
	check(t, TestKitsStayInTests, []snippet{
		{"shipped code", "internal/order/order.go", use, 1},
		{"a package below a kit", "cmd/vitrine/main.go", `import "vitrine/internal/databasetest/pgserver"`, 1},
		{"examples", "examples/go/main.go", use, 1},
		{"a test", "internal/order/order_test.go", use, 0},
		{"another kit", "internal/storetest/storetest.go", use, 0},
		{"bench", "bench/main.go", use, 0},
	})
}

func TestSQLInItsFiles(t *testing.T) {
	check(t, SQLInItsFiles, []snippet{
		{"select", "internal/order/order.go", "const q = `\n\tSELECT id\n\tFROM orders`", 1},
		{"joined", "internal/order/order.go", `var q = "UPDATE " + table`, 1},
		{"small letters", "internal/order/order.go", `const q = "delete from orders where id = $1"`, 1},
		{"small letters with a list", "internal/order/order.go", `const q = "select id, name from orders"`, 1},
		{"transaction", "internal/order/order.go", `const q = "BEGIN IMMEDIATE"`, 1},
		{"bare word", "internal/order/order.go", `const q = "COMMIT"`, 1},
		{"its file", "internal/order/order_sql.go", `const q = "SELECT id FROM orders"`, 0},
		{"a test", "internal/order/order_test.go", `const q = "SELECT id FROM orders"`, 0},
		{"a migration", "internal/database/migrations/one.go", `const q = "CREATE TABLE t (id INTEGER)"`, 0},
		{"the kit's pragma", "internal/database/sqlite.go", `const q = "PRAGMA optimize"`, 0},
		{"the kit's transaction", "internal/database/sqlite.go", `const q = "SAVEPOINT one"`, 0},
		{"the kit asks the engine", "internal/database/sqlite.go", `const q = "SELECT sqlite_version()"`, 0},
		{"the kit's rows", "internal/database/batch.go", `const q = "SELECT * FROM unnest("`, 0},
		{"the kit with a table", "internal/database/sqlite.go", `const q = "SELECT id FROM orders"`, 1},
		{"the kit with a table at the end of a line", "internal/database/sqlite.go", `const q = "INSERT INTO t VALUES (1)"`, 1},
		{"a route", "internal/storeapi/routes.go", `const r = "DELETE /v2/options/{id}"`, 0},
		{"delete", "internal/order/order.go", `const q = "DELETE FROM orders"`, 1},
		{"small letters with a function", "internal/order/order.go", `const q = "select count(*) from orders"`, 1},
		{"sentences", "internal/order/order.go", `var m = []string{"Select a delivery from the list", "select a store from the list", "update the price", "with tax", "Create a store", "begin"}`, 0},
		{"a word in capitals", "internal/order/order.go", `var m = []string{"SELECTED", "WITHOUT TAX", "UPDATED_AT"}`, 0},
	})
}

func TestDriversInDatabase(t *testing.T) {
	check(t, DriversInDatabase, []snippet{
		{"pgx", "internal/catalog/catalog.go", `import "github.com/jackc/pgx/v5"`, 1},
		{"sqlite", "internal/catalog/catalog.go", `import _ "github.com/ncruces/go-sqlite3/driver"`, 1},
		{"database/sql", "internal/catalog/catalog_sql.go", `import "database/sql"`, 1},
		{"valuer elsewhere", "internal/catalog/catalog.go", `import "database/sql/driver"`, 1},
		{"the kit", "internal/database/postgres.go", `import "github.com/jackc/pgx/v5/pgxpool"`, 0},
		{"valuer in id", "internal/id/id.go", `import "database/sql/driver"`, 0},
		{"more than the valuer in id", "internal/id/id.go", `import "database/sql"`, 1},
		{"a test", "internal/catalog/catalog_test.go", `import "database/sql"`, 0},
		{"bench", "bench/main.go", `import "github.com/jackc/pgx/v5"`, 0},
	})
}

func TestSettingsInConfig(t *testing.T) {
	const read = "import \"os\"\nvar home = os.Getenv(\"HOME\")"
	check(t, SettingsInConfig, []snippet{
		{"environment", "internal/mail/mail.go", read, 1},
		{"under another name", "internal/mail/mail.go", "import sys \"os\"\nvar home, ok = sys.LookupEnv(\"HOME\")", 1},
		{"as a value", "internal/mail/mail.go", "import \"os\"\nvar getenv = os.Getenv", 1},
		{"another os", "internal/mail/mail.go", "func f(os struct{ Getenv func() }) { os.Getenv() }", 0},
		{"flag", "internal/mail/mail.go", `import "flag"`, 1},
		{"kong", "internal/mail/mail.go", `import "github.com/alecthomas/kong"`, 1},
		{"files are fine", "internal/mail/mail.go", "import \"os\"\nfunc f() { os.Remove(\"x\") }", 0},
		{"cmd", "cmd/vitrine/main.go", read, 0},
		{"config", "internal/config/config.go", read, 0},
		{"a test", "internal/mail/mail_test.go", read, 0},
		{"a test kit", "internal/databasetest/postgres.go", read, 0},
	})
}

func TestClientsInOutbound(t *testing.T) {
	const imp = "import \"net/http\"\n"
	check(t, ClientsInOutbound, []snippet{
		{"get", "internal/exchange/image.go", imp + `func f() { http.Get("https://example.com") }`, 1},
		{"default client", "internal/exchange/image.go", imp + `var c = http.DefaultClient`, 1},
		{"literal", "internal/exchange/image.go", imp + `var c = http.Client{}`, 1},
		{"pointer to literal", "internal/exchange/image.go", imp + `var c = &http.Client{}`, 1},
		{"new", "internal/exchange/image.go", imp + `var c = new(http.Client)`, 1},
		{"zero value", "internal/exchange/image.go", imp + `func f() { var c http.Client; _ = c }`, 1},
		{"transport", "internal/exchange/image.go", imp + `var c = &http.Transport{}`, 1},
		{"handed in", "internal/exchange/image.go", imp + `func f(c *http.Client) { c.Get("https://example.com") }`, 0},
		{"a server", "internal/httpapi/httpapi.go", imp + `var _ http.Handler = http.HandlerFunc(nil)`, 0},
		{"outbound", "internal/outbound/outbound.go", imp + `var c = &http.Client{}`, 0},
		{"captcha", "internal/captcha/captcha.go", imp + `var c = &http.Client{}`, 0},
		{"cmd", "cmd/vitrine/push.go", imp + `var c = &http.Client{}`, 0},
		{"a test", "internal/exchange/image_test.go", imp + `var c = &http.Client{}`, 0},
		{"examples", "examples/go/main.go", imp + `var c = &http.Client{}`, 0},
	})
}

func TestDialsInOutbound(t *testing.T) {
	const dial = "import \"net\"\nfunc f() { net.Dial(\"tcp\", \"shop.example:80\") }"
	check(t, DialsInOutbound, []snippet{
		{"dial", "internal/exchange/image.go", dial, 1},
		{"dialer", "internal/exchange/image.go", "import \"net\"\nvar d = net.Dialer{}", 1},
		{"TLS", "internal/exchange/image.go", "import \"crypto/tls\"\nfunc f() { tls.Dial(\"tcp\", \"shop.example:443\", nil) }", 1},
		{"a method of what was handed in", "internal/exchange/image.go", "func f(net interface{ Dial() }) { net.Dial() }", 0},
		{"a listener", "internal/app/serve.go", "import \"net\"\nfunc f() { net.Listen(\"tcp\", \":80\") }", 0},
		{"outbound", "internal/outbound/outbound.go", dial, 0},
		{"mail", "internal/mail/mail.go", dial, 0},
		{"blob", "internal/blob/s3.go", dial, 0},
		{"cmd", "cmd/vitrine/push.go", dial, 0},
		{"a test", "internal/exchange/image_test.go", dial, 0},
		{"a test kit", "internal/apitest/client.go", dial, 0},
	})
}

func TestNoInit(t *testing.T) {
	check(t, NoInit, []snippet{
		{"init", "internal/order/order.go", `func init() {}`, 1},
		{"a method", "internal/order/order.go", `type t int; func (t) init() {}`, 0},
		{"a test", "internal/order/order_test.go", `func init() {}`, 0},
	})
}

func TestPackageVariablesConstant_declaration(t *testing.T) {
	check(t, PackageVariablesConstant, []snippet{
		{"error", "internal/order/order.go", "import \"errors\"\nvar ErrGone = errors.New(\"gone\")", 0},
		{"regexp", "internal/order/order.go", "import \"regexp\"\nvar sku = regexp.MustCompile(`x`)", 0},
		{"table", "internal/order/order.go", `var names = map[string]int{"a": 1}`, 0},
		{"assertion", "internal/order/order.go", `var _ interface{} = (*int)(nil)`, 0},
		{"once", "internal/order/order.go", "import \"sync\"\nvar get = sync.OnceValue(func() int { var m sync.Mutex; m.Lock(); return 1 })", 0},
		{"embedded", "internal/adminui/ui.go", "import \"embed\"\n//go:embed assets\nvar assets embed.FS", 0},
		{"embedded in a group", "internal/adminui/ui.go", "import \"embed\"\nvar (\n//go:embed assets\nassets embed.FS\n)", 0},
		{"empty", "internal/order/order.go", `var count int`, 1},
		{"empty map", "internal/order/order.go", `var cache = map[string]int{}`, 1},
		{"made map", "internal/order/order.go", `var cache = make(map[string]int)`, 1},
		{"pointer to nothing", "internal/order/order.go", `type t struct{ n int }; var state = &t{}`, 1},
		{"mutex", "internal/order/order.go", "import \"sync\"\nvar mu = sync.Mutex{}", 1},
		{"atomic", "internal/order/order.go", "import \"sync/atomic\"\nvar n = new(atomic.Int64)", 2}, // empty, and an atomic
		{"pool", "internal/order/order.go", "import \"sync\"\nvar pool = sync.Pool{New: func() any { return nil }}", 0},
		{"a test", "internal/order/order_test.go", `var count int`, 0},
	})
}

func TestPackageVariablesConstant_change(t *testing.T) {
	const table = "type row struct{ n int; list []int }\nvar table = map[string]row{\"a\": {}}\nvar first = row{n: 1}\nvar list = []int{1}\n"
	check(t, PackageVariablesConstant, []snippet{
		{"read", "internal/order/order.go", table + `func f() int { x := table["a"]; y := list[0]; return x.n + y + first.n }`, 0},
		{"assign", "internal/order/order.go", table + `func f() { first = row{} }`, 1},
		{"assign a field", "internal/order/order.go", table + `func f() { first.n = 2 }`, 1},
		{"assign an element", "internal/order/order.go", table + `func f() { table["b"] = row{} }`, 1},
		{"assign deep", "internal/order/order.go", table + `func f() { first.list[0] = 2 }`, 1},
		{"append", "internal/order/order.go", table + `func f() { list = append(list, 1) }`, 1},
		{"count", "internal/order/order.go", table + `func f() { list[0]++ }`, 1},
		{"add", "internal/order/order.go", table + `func f() { first.n += 2 }`, 1},
		{"range", "internal/order/order.go", table + `func f() { for _, first.n = range list {} }`, 1},
		{"delete", "internal/order/order.go", table + `func f() { delete(table, "a") }`, 1},
		{"clear", "internal/order/order.go", table + `func f() { clear(table) }`, 1},
		{"copy into", "internal/order/order.go", table + `func f() { copy(list[:1], []int{2}) }`, 1},
		{"address", "internal/order/order.go", table + `func f() *row { return &first }`, 1},
		{"address of an element", "internal/order/order.go", table + `func f() *int { return &list[0] }`, 0},
		{"in a literal", "internal/order/order.go", table + `var f = func() { list[0] = 2 }`, 1},
		{"a local of the same name", "internal/order/order.go", table + `func f() { first := row{}; first.n = 2; list := []int{}; list[0] = 1 }`, 0},
		{"a parameter of the same name", "internal/order/order.go", table + `func f(list []int) { list[0] = 1 }`, 0},
		{"a local of another type", "internal/order/order.go", table + `func f() { var x row; x.n, x.list = 1, nil; p := &x; p.n++ }`, 0},
		{"another package's", "internal/order/order.go", "import \"net/http\"\nfunc f() { http.DefaultMaxHeaderBytes = 1 }", 1},
	})
}

func TestPackageVariablesConstant_seesChangesInOtherFiles(t *testing.T) {
	p, err := Parse("vitrine/internal/order", map[string]string{
		"internal/order/a.go": "package order\nvar list = []int{1}",
		"internal/order/b.go": "package order\nfunc f() { list[0] = 2 }",
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := PackageVariablesConstant(p); len(found) != 1 || !strings.HasPrefix(found[0], "internal/order/b.go:2:") {
		t.Errorf("findings %q, want one in b.go", found)
	}
}

func TestLines_nameEachAreaOnce(t *testing.T) {
	seen := slices.Concat(lines...)
	slices.Sort(seen)
	if n := len(slices.Compact(slices.Clone(seen))); n != len(seen) {
		t.Errorf("an area is on two lines: %q", seen)
	}
}
