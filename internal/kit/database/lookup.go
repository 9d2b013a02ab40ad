package database

import "strings"

// lookupPlaceholder begins a lookup in a statement, which is joined to the tables before it:
//
//	FROM r
//	CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.key)
//	CROSS JOIN LOOKUP (images i WHERE i.store_id = $1 AND i.product_key = p.key)
//
// For each row so far, the rows of one table are looked up by an index. PostgreSQL cannot choose another plan: it
// neither changes the order nor reads the whole table, whatever its statistics say. The condition must fit an index.
const lookupPlaceholder = "LOOKUP ("

// toPostgresLookups turns each lookup into a LATERAL subquery. OFFSET 0 keeps PostgreSQL from turning it into a join.
func toPostgresLookups(sql string) string {
	return replaceLookups(sql, func(table, alias, condition string) string {
		return "LATERAL (SELECT * FROM " + table + " " + alias + " WHERE " + condition + " OFFSET 0) AS " + alias
	})
}

// toSQLiteLookups turns each lookup into a table with a condition. SQLite keeps the order of tables in a CROSS JOIN.
func toSQLiteLookups(sql string) string {
	return replaceLookups(sql, func(table, alias, condition string) string {
		return table + " " + alias + " ON (" + condition + ")"
	})
}

// replaceLookups replaces the lookups in a statement. Statements are our own, so a malformed lookup is a bug, which the
// database reports as a syntax error.
func replaceLookups(sql string, replace func(table, alias, condition string) string) string {
	before, rest, found := strings.Cut(sql, lookupPlaceholder)
	if !found {
		return sql
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		end := closingParenthesis(rest)
		name, condition, _ := strings.Cut(rest[:end], " WHERE ")
		table, alias, _ := strings.Cut(name, " ")
		b.WriteString(replace(table, alias, condition))
		before, rest, found = strings.Cut(rest[min(end+1, len(rest)):], lookupPlaceholder)
	}
	b.WriteString(before)
	return b.String()
}

// closingParenthesis takes the text after an opening parenthesis. It returns the index of the parenthesis that closes
// it, or the length of the text if there is none.
func closingParenthesis(text string) int {
	open := 1
	for i, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return len(text)
}
