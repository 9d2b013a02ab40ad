package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxWall is the number of lines up to which a function needs no blank line.
const maxWall = 15

// maxColumns is the length of a line, a tab counted as four columns.
const maxColumns = 120

// Paragraphs finds functions of more than 15 lines without a blank line between their steps.
func Paragraphs(p *Package) []string {
	var findings []string
	for _, f := range p.Files {
		lines := strings.Split(f.Text, "\n")
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || !hasSteps(fn.Body) {
				continue
			}

			first := p.fset.Position(fn.Body.Lbrace).Line
			last := p.fset.Position(fn.Body.Rbrace).Line
			if last-first-1 > maxWall && !hasBlankLine(lines[first:last-1]) {
				findings = append(findings, p.finding(fn, "%s has %d lines without a blank line between its steps",
					fn.Name.Name, last-first-1))
			}
		}
	}

	return findings
}

// hasSteps tells whether statements follow each other anywhere in a function. A returned table is one statement.
func hasSteps(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			found = found || len(n.List) > 1
		case *ast.CaseClause:
			found = found || len(n.Body) > 1
		case *ast.CommClause:
			found = found || len(n.Body) > 1
		}
		return !found
	})
	return found
}

func hasBlankLine(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			return true
		}
	}
	return false
}

// LongLines finds lines of more than 120 columns. A struct tag cannot be broken, and a text of several lines between
// backquotes is printed as it stands, unless it is SQL.
func LongLines(p *Package) []string {
	var findings []string
	for _, f := range p.Files {
		unbreakable := p.unbreakableLines(f)
		for i, line := range strings.Split(f.Text, "\n") {
			width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if width > maxColumns && !unbreakable[i+1] {
				findings = append(findings, fmt.Sprintf("%s:%d: the line has %d columns, at most %d are allowed",
					f.Name,
					i+1, width, maxColumns))
			}
		}
	}
	return findings
}

func (p *Package) unbreakableLines(f *File) map[int]bool {
	found := map[int]bool{}
	mark := func(lit *ast.BasicLit) {
		for line := p.fset.Position(lit.Pos()).Line; line <= p.fset.Position(lit.End()).Line; line++ {
			found[line] = true
		}
	}

	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				mark(n.Tag)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && strings.Contains(n.Value, "\n") && !strings.HasSuffix(f.Name, "_sql.go") {
				mark(n)
			}
		}

		return true
	})

	return found
}

func TestParagraphs(t *testing.T) {
	call := strings.Repeat("f()\n", 8)
	checkRule(t, Paragraphs, []ruleCase{
		{"a wall", "internal/app/app.go", "func g() {\n" + call + call + "}", 1},
		{"a wall in a test", "internal/app/app_test.go", "func g() {\n" + call + call + "}", 1},
		{"a short function", "internal/app/app.go", "func g() {\n" + call + "}", 0},
		{"two paragraphs", "internal/app/app.go", "func g() {\n" + call + "\n" + call + "}", 0},
		{"a table", "internal/app/app.go", "func g() []int {\nreturn []int{" + strings.Repeat("1,\n", 20) + "}\n}", 0},
	})
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("a", 120)
	checkRule(t, LongLines, []ruleCase{
		{"a long line", "internal/app/app.go", "const " + long + " = 1", 1},
		{"tabs", "internal/app/app.go", "var (\n\t" + long[:110] + " = 1\n)", 0},
		{"tabs are four columns", "internal/app/app.go", "var (\n\t" + long[:114] + " = 1\n)", 1},
		{"Cyrillic", "internal/app/app.go", "const b = \"" + strings.Repeat("я", 100) + `"`, 0},
		{"a struct tag", "internal/app/app.go", "type b struct {\n\tC string `doc:\"" + long + "\"`\n}", 0},
		{"a text", "internal/app/app.go", "const b = `\n" + long + "a\n`", 0},
		{"SQL", "internal/app/app_sql.go", "const b = `\n" + long + "a\n`", 1},
	})
}
