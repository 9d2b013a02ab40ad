package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// storelessTables have no column store_id.
var storelessTables = []string{"account_devices", "account_email_changes", "account_lockouts",
	"account_password_resets", "account_recovery_codes",
	"accounts", "job_starts",
	"jobs", "lanes", "meta", "node_deaths", "nodes", "parked_jobs", "schema_compatibility", "stores"}

// tableOfSQL matches the tables of a statement, and names that a WITH defines.
var tableOfSQL = regexp.MustCompile(`(?:FROM|JOIN|INTO|UPDATE|LOOKUP \()\s+([a-z_]+)`)

// docs/scaling.md lists every statement on tables of stores that does not name the store, since a database that is
// distributed by store would send it to all of its servers.
func TestDocs_scalingListsStatementsWithoutTheStore(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}

	found := map[string]bool{}
	total := 0
	for _, p := range pkgs {
		if p.Level() != "shop" && p.Level() != "api" {
			continue
		}

		statements := sqlTexts(p)
		total += len(statements)
		for name, text := range statements {
			if !namesStore(text) {
				found[name] = true
			}
		}
	}

	if total < 300 {
		t.Fatalf("only %d statements found", total)
	}

	text, err := os.ReadFile(filepath.Join(root, "docs/scaling.md"))
	if err != nil {
		t.Fatal(err)
	}

	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(\\w+SQL)`").FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = true
	}

	if got, want := slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("docs/scaling.md lists\n%q, but the statements without a store are\n%q", got, want)
	}
}

// namesStore reports whether a statement is about one store, or about no table of stores.
func namesStore(text string) bool {
	if strings.Contains(text, "store_id") ||
		!regexp.MustCompile(`\b(?:SELECT|INSERT|UPDATE|DELETE)\b`).MatchString(text) {
		return true
	}
	for _, m := range tableOfSQL.FindAllStringSubmatch(text, -1) {
		isWith := regexp.MustCompile(`\b` + m[1] + `\(\w+(?:, \w+)*\) AS \(`).MatchString(text)
		if !slices.Contains(storelessTables, m[1]) && !isWith && !strings.HasPrefix(m[1], "pg_") {
			return false
		}
	}
	return true
}

// sqlTexts returns the SQL constants of a package. Parts of other packages are left out.
func sqlTexts(p *Package) map[string]string {
	values := map[string]ast.Expr{}
	for spec := range nodes[*ast.ValueSpec](p.productFiles()) {
		for i, name := range spec.Names {
			if i < len(spec.Values) {
				values[name.Name] = spec.Values[i]
			}
		}
	}

	texts := map[string]string{}
	for name, e := range values {
		if strings.HasSuffix(name, "SQL") {
			texts[name] = literalText(e, values)
		}
	}

	for _, e := range values { // a part of another statement is not one itself
		for x, ok := e.(*ast.BinaryExpr); ok; x, ok = x.X.(*ast.BinaryExpr) {
			if id, isName := x.X.(*ast.Ident); isName {
				delete(texts, id.Name)
			}
		}
	}

	return texts
}

// literalText returns the string literals of an expression, one after the other, with those of the constants in it.
func literalText(e ast.Expr, values map[string]ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return literalText(e.X, values) + literalText(e.Y, values)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.Ident:
		if v := values[e.Name]; v != nil {
			return literalText(v, values)
		}
	}
	return ""
}
