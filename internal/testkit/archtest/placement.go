package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// drivers are the packages that reach a database.
var drivers = []string{
	"database/sql",
	"github.com/jackc/pgx", "github.com/lib/pq",
	"github.com/ncruces/go-sqlite3", "modernc.org/sqlite", "github.com/mattn/go-sqlite3",
	"github.com/pressly/goose",
}

// driverUsers are the areas that may import a driver's package, and which.
var driverUsers = map[string][]string{
	"database": drivers,
	"id":       {"database/sql/driver"}, // an id is a driver.Valuer: it says how it is stored
}

// DriversInDatabase finds database drivers outside the database kit.
func DriversInDatabase(p *Package) []string {
	var findings []string
	for _, f := range p.productFiles() {
		for _, spec := range f.Syntax.Imports {
			path := importPath(spec)
			if isWithin(path, drivers...) && !isWithin(path, driverUsers[p.Area()]...) {
				findings = append(findings, p.finding(spec, "%s imports %s: only the database kit knows drivers", p.Area(), path))
			}
		}
	}
	return findings
}

// SettingsInConfig finds reads of the environment and of flags outside cmd and config: everybody else is handed values.
func SettingsInConfig(p *Package) []string {
	if slices.Contains([]string{"cmd", "config"}, p.Area()) {
		return nil
	}
	var findings []string
	for _, f := range p.productFiles() {
		for _, spec := range f.Syntax.Imports {
			path := importPath(spec)
			if isWithin(path, "flag", "github.com/spf13/pflag", "github.com/alecthomas/kong") {
				findings = append(findings, p.finding(spec, "%s imports %s: flags are read in cmd and config only", p.Area(), path))
			}
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			switch path, name := p.names.imported(e); path + "." + name {
			case "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Args", "syscall.Getenv", "syscall.Environ":
				findings = append(findings, p.finding(n, "%s uses %s.%s: the environment is read in cmd and config only", p.Area(), path, name))
			}
			return true
		})
	}
	return findings
}

// clientAreas may make HTTP clients: outbound guards every address, captcha calls one the operator set, cmd calls our own.
var clientAreas = []string{"outbound", "captcha", "cmd"}

// HTTPClientsInOutbound finds HTTP clients made elsewhere. To be handed an *http.Client is fine.
func HTTPClientsInOutbound(p *Package) []string {
	if slices.Contains(clientAreas, p.Area()) {
		return nil
	}
	var findings []string
	for _, f := range p.productFiles() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if pointer, ok := n.(*ast.StarExpr); ok && p.isClientType(pointer.X) {
				return false // a client that somebody else made
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			path, name := p.names.imported(e)
			if path != "net/http" {
				return true
			}
			switch name {
			case "Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Client", "Transport":
				findings = append(findings, p.finding(n, "%s uses http.%s: requests go out through internal/kit/outbound", p.Area(), name))
			}
			return true
		})
	}
	return findings
}

// dialAreas may connect to what the operator set, beside those that may make clients.
var dialAreas = append([]string{"database", "blob", "mail"}, clientAreas...)

// ConnectionsInOutbound finds connections that are made past the guard: what a user gave is reached through outbound only.
func ConnectionsInOutbound(p *Package) []string {
	if slices.Contains(dialAreas, p.Area()) {
		return nil
	}
	var findings []string
	for _, f := range p.productFiles() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			path, name := p.names.imported(e)
			if (path == "net" || path == "crypto/tls") && strings.HasPrefix(name, "Dial") {
				findings = append(findings, p.finding(n, "%s uses %s.%s: connections go out through internal/kit/outbound", p.Area(), path, name))
			}
			return true
		})
	}
	return findings
}

func (p *Package) isClientType(e ast.Expr) bool {
	path, name := p.names.imported(e)
	return path == "net/http" && (name == "Client" || name == "Transport")
}

// NoInit finds init functions: what happens before main cannot be ordered, tested or left out.
func NoInit(p *Package) []string {
	var findings []string
	for _, f := range p.sourceFiles() {
		for _, decl := range f.Syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				findings = append(findings, p.finding(fn, "init function: make it a constructor that app calls"))
			}
		}
	}
	return findings
}

// varSpecs returns the specs of a package-level var declaration, nothing for other declarations.
func varSpecs(decl ast.Decl) (*ast.GenDecl, []*ast.ValueSpec) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return nil, nil
	}
	var specs []*ast.ValueSpec
	for _, s := range gen.Specs {
		specs = append(specs, s.(*ast.ValueSpec))
	}
	return gen, specs
}
