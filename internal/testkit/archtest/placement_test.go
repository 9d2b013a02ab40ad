package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// drivers are the packages that connect to a database or migrate it.
var drivers = []string{
	"database/sql",
	"github.com/jackc/pgx", "github.com/lib/pq",
	"github.com/ncruces/go-sqlite3", "modernc.org/sqlite", "github.com/mattn/go-sqlite3",
	"github.com/pressly/goose",
}

// driverUsers are the areas that may import driver packages, with the packages that each may import.
var driverUsers = map[string][]string{
	"database": drivers,
	"id":       {"database/sql/driver"}, // an id implements driver.Valuer
}

// DriversInDatabase finds imports of database drivers outside the database kit.
func DriversInDatabase(p *Package) []string {
	var findings []string
	for spec, path := range imports(p.productFiles()) {
		if isWithin(path, drivers...) && !isWithin(path, driverUsers[p.Area()]...) {
			findings = append(findings, p.finding(spec, "%s imports %s: only the database kit may import drivers",
				p.Area(), path))
		}
	}
	return findings
}

// SettingsInConfig finds code outside cmd and config that reads the environment or flags. All other packages get their
// settings as values.
func SettingsInConfig(p *Package) []string {
	if slices.Contains([]string{"cmd", "config"}, p.Area()) {
		return nil
	}

	var findings []string
	for spec, path := range imports(p.productFiles()) {
		if isWithin(path, "flag", "github.com/spf13/pflag", "github.com/alecthomas/kong") {
			findings = append(findings, p.finding(spec, "%s imports %s: only cmd and config may read flags",
				p.Area(), path))
		}
	}

	for selector := range nodes[*ast.SelectorExpr](p.productFiles()) {
		switch path, name := p.names.imported(selector); path + "." + name {
		case "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Args", "syscall.Getenv", "syscall.Environ":
			findings = append(findings, p.finding(selector,
				"%s uses %s.%s: only cmd and config may read the environment", p.Area(), path, name))
		}
	}

	return findings
}

// clientAreas are the areas that may create HTTP clients. outbound checks every address, captcha calls only a provider
// or the URL that the operator configured, trace only the collector that the operator configured, and cmd only servers
// of Vitrine.
var clientAreas = []string{"outbound", "captcha", "trace", "cmd"}

// HTTPClientsInOutbound finds HTTP clients that other areas create. Any area may use an *http.Client that it gets.
func HTTPClientsInOutbound(p *Package) []string {
	if slices.Contains(clientAreas, p.Area()) {
		return nil
	}

	received := map[ast.Expr]bool{} // http.Client within the type *http.Client, which creates no client
	for pointer := range nodes[*ast.StarExpr](p.productFiles()) {
		_, name := p.names.imported(pointer.X)
		received[pointer.X] = name == "Client" || name == "Transport"
	}

	var findings []string
	for selector := range nodes[*ast.SelectorExpr](p.productFiles()) {
		path, name := p.names.imported(selector)
		if path != "net/http" || received[selector] {
			continue
		}

		switch name {
		case "Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport":
			findings = append(findings, p.finding(selector,
				"%s uses http.%s: send requests through internal/kit/outbound", p.Area(), name))
		}
	}

	return findings
}

// dialAreas are the areas that may open connections: those that connect to servers that the operator configured, and
// clientAreas.
var dialAreas = append([]string{"database", "blob", "mail"}, clientAreas...)

// ConnectionsInOutbound finds connections that other areas open. Only outbound may connect to addresses that users
// supply.
func ConnectionsInOutbound(p *Package) []string {
	if slices.Contains(dialAreas, p.Area()) {
		return nil
	}
	var findings []string
	for selector := range nodes[*ast.SelectorExpr](p.productFiles()) {
		path, name := p.names.imported(selector)
		if (path == "net" || path == "crypto/tls") && strings.HasPrefix(name, "Dial") {
			findings = append(findings, p.finding(selector,
				"%s uses %s.%s: open connections through internal/kit/outbound", p.Area(), path, name))
		}
	}
	return findings
}

// WeakHashesInTests finds the use of account.Deps.WeakHashes outside of tests and of account itself.
func WeakHashesInTests(p *Package) []string {
	if p.Path == "vitrine/internal/shop/account" || strings.HasPrefix(p.Path, "vitrine/internal/testkit/") {
		return nil
	}
	var findings []string
	for name := range nodes[*ast.Ident](p.sourceFiles()) {
		if name.Name == "WeakHashes" {
			findings = append(findings,
				p.finding(name, "WeakHashes makes passwords easy to guess: it is for tests only"))
		}
	}
	return findings
}

// NoInit finds init functions. Code that runs before main cannot be ordered, tested or skipped.
func NoInit(p *Package) []string {
	var findings []string
	for fn := range nodes[*ast.FuncDecl](p.sourceFiles()) {
		if fn.Recv == nil && fn.Name.Name == "init" {
			findings = append(findings, p.finding(fn, "init function: make it a constructor that app calls"))
		}
	}
	return findings
}

// ProgramTestsStandApart finds tests with apitest in a folder that also has internal tests. With internal tests the go
// command compiles the package a second time, and with it everything between the package and apitest, which imports the
// whole program. Tests with apitest then belong into the folder e2e below the package.
func ProgramTestsStandApart(p *Package) []string {
	const kit = Module + "/internal/testkit/apitest"
	if !slices.Contains([]string{"api", "app", "demo", "shop", "kit"}, p.Level()) || len(p.sourceFiles()) == 0 {
		return nil
	}

	name := p.sourceFiles()[0].Syntax.Name.Name
	internal := slices.IndexFunc(p.Files, func(f *File) bool { return f.IsTest() && f.Syntax.Name.Name == name })
	if internal < 0 {
		return nil
	}

	var findings []string
	for spec, path := range imports(p.Files) {
		if path == kit {
			findings = append(findings,
				p.finding(spec, "a test with apitest beside the internal test %s: move it to %s/e2e",
					p.Files[internal].Name, strings.TrimPrefix(p.Path, Module+"/")))
		}
	}

	return findings
}
