package database

import (
	"regexp"
	"strings"
)

// statementName is the name of a statement in traces.
type statementName struct {
	operation string // such as SELECT
	table     string // the first table that it reads or changes; may be empty
}

func (n statementName) String() string { return strings.TrimSpace(n.operation + " " + n.table) }

// statementNamesBudget is the size in bytes of the cache of names. The program has some thousand statements.
const statementNamesBudget = 4 << 20

func statementNameSize(sql string, _ statementName) int { return len(sql) + 128 }

// statementNameOf returns the name of a statement from the cache.
func (db *DB) statementNameOf(sql string) statementName {
	name, ok := db.statementNames.Get(sql)
	if !ok {
		name = nameStatement(sql)
		db.statementNames.Put(sql, name)
	}
	return name
}

var (
	// withNames matches the names that a WITH clause defines, with their columns.
	withNames = regexp.MustCompile(`(?:WITH|RECURSIVE|,` +
		`)\s+(\w+)\s*(?:\([^()]*\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s*)?\(`)
	// changes matches the clauses that change a table. The last one excludes FOR UPDATE and DO UPDATE SET.
	changes = regexp.MustCompile(`(INSERT)\s+INTO\s+(\w+)|(DELETE)\s+FROM\s+(\w+)|(?:^|[^OR])\s+(UPDATE)\s+(\w+)`)
	// sources matches the clauses that name what a query reads.
	sources = regexp.MustCompile(`(?:LOOKUP\s+\(|(?:FROM|JOIN)\s+(?:LOOKUP\s+)?\(?)\s*(\w+)`)
)

// nameStatement returns the operation and the table of a statement. Of several statements in a WITH clause, it names
// the first one that changes something.
func nameStatement(sql string) statementName {
	sql = "\n" + strings.TrimSpace(sql)
	first, _, _ := strings.Cut(sql[1:], "\n")
	operation, _, _ := strings.Cut(first, " ")
	switch operation {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE":
	default:
		return statementName{operation: strings.ToUpper(operation)}
	}

	if m := changes.FindStringSubmatch(sql); m != nil {
		return statementName{m[1] + m[3] + m[5], m[2] + m[4] + m[6]}
	}

	defined := map[string]bool{"SELECT": true, "LOOKUP": true, "LATERAL": true}
	for _, m := range withNames.FindAllStringSubmatch(sql, -1) {
		defined[m[1]] = true
	}

	for _, text := range []string{withoutParentheses(sql), sql} {
		for _, m := range sources.FindAllStringSubmatch(text, -1) {
			if !defined[m[1]] {
				return statementName{"SELECT", m[1]}
			}
		}
	}

	return statementName{operation: "SELECT"}
}

// withoutParentheses returns the text outside of all parentheses.
func withoutParentheses(sql string) string {
	depth := 0
	return strings.Map(func(c rune) rune {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			return c // so that an alias is not taken for a table
		}
		if depth > 0 {
			return -1
		}
		return c
	}, sql)
}
