package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// columnPattern matches a column, a star or a function call.
const columnPattern = `(?:\w+\([^)]*\)|[\w.*]+)`

// sqlStatement matches SQL. A statement begins with a keyword in upper case, as in our style. In lower case it must
// begin with words that do not occur at the start of an English sentence. DELETE must be followed by FROM, because
// "DELETE /v2/options/{id}" is a route.
var sqlStatement = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
	`(?:SELECT|INSERT|UPDATE|DELETE\s+FROM|WITH|CREATE|DROP|ALTER|PRAGMA|SAVEPOINT|RELEASE|VACUUM|TRUNCATE)\s`,
	`(?:BEGIN|COMMIT|ROLLBACK)(?:\s|;|$)`,
	`select\s+` + columnPattern + `(?:\s*,\s*` + columnPattern + `)*\s+from\s`,
	`insert\s+(?:or\s+\w+\s+)?into\s`,
	`update\s+\w+\s+set\s`,
	`delete\s+from\s`,
	`with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s*\(`,
	`(?:create|drop|alter)\s+(?:unique\s+)?(?:table|index|view|trigger|database|schema)\s`,
	`pragma\s+\w`,
	`begin\s+(?:immediate|exclusive|deferred|transaction)`,
}, "|") + `)`)

// tableless matches statements that the database kit may have outside *_sql.go: settings, transaction control, and
// queries about the engine. They name no table.
var tableless = regexp.MustCompile(`(?i)^\s*(?:PRAGMA|BEGIN|SAVEPOINT|RELEASE|ROLLBACK|COMMIT|VACUUM|SELECT\s)`)

// fromTable matches FROM with the name of a table. A function such as unnest(…) does not match.
var fromTable = regexp.MustCompile(`(?i)\sFROM\s+[\w."]+(?:[^\w."(]|$)`)

// SQLInSQLFiles finds SQL statements outside *_sql.go files and migrations.
func SQLInSQLFiles(p *Package) []string {
	var findings []string
	for lit := range nodes[*ast.BasicLit](filesWithoutSQL(p)) {
		text, err := strconv.Unquote(lit.Value)
		if lit.Kind != token.STRING || err != nil || !sqlStatement.MatchString(text) ||
			p.Area() == "database" && tableless.MatchString(text) && !fromTable.MatchString(text) {
			continue
		}
		findings = append(findings, p.finding(lit, "SQL outside a *_sql.go file: move it to one: %.40q", text))
	}
	return findings
}

// SQLRunInSQLFiles finds constants with SQL that are used outside *_sql.go files. A function in the constant's
// file must run the statement; its name says what the statement reads or writes.
func SQLRunInSQLFiles(p *Package) []string {
	var findings []string
	for id := range nodes[*ast.Ident](filesWithoutSQL(p)) {
		c, ok := p.names.uses[id].(*types.Const)
		if ok && strings.HasSuffix(id.Name, "SQL") && isPackageLevel(c) {
			findings = append(findings,
				p.finding(id, "%s is used outside a *_sql.go file: add a function there that runs it", id.Name))
		}
	}
	return findings
}

var (
	// joinedTable matches a table that is joined without LOOKUP, with its alias.
	joinedTable = regexp.MustCompile(`CROSS JOIN \w+ (\w)\n`)
	// storeCondition matches the condition that rows of a table are of the store, with the alias of the table.
	storeCondition = regexp.MustCompile(`(?:WHERE|AND) (\w)\.store_id = \$1`)
)

// BatchesJoinedByKeys finds statements that join a batch with the rows of a store. If PostgreSQL has no statistics of
// the table, it expects a few rows there and compares each of them with each row of the batch; see docs/planner.md.
func BatchesJoinedByKeys(p *Package) []string {
	var findings []string
	for lit := range nodes[*ast.BasicLit](p.productFiles()) {
		text, err := strconv.Unquote(lit.Value)
		if lit.Kind != token.STRING || err != nil || !strings.Contains(text, "(ROWS)") {
			continue
		}

		for _, condition := range storeCondition.FindAllStringSubmatch(text, -1) {
			for _, joined := range joinedTable.FindAllStringSubmatch(text, -1) {
				if joined[1] == condition[1] {
					findings = append(findings, p.finding(lit, "a batch is joined with the rows of a store: use "+
						"LOOKUP, or join by %s.key and write (%s.store_id = $1) IS TRUE", joined[1], joined[1]))
				}
			}
		}
	}
	return findings
}

// filesWithoutSQL returns the shipped files that may not contain SQL.
func filesWithoutSQL(p *Package) []*File {
	return slices.DeleteFunc(p.productFiles(), func(f *File) bool {
		return strings.HasSuffix(f.Name, "_sql.go") || path.Base(path.Dir(f.Name)) == "migrations"
	})
}
