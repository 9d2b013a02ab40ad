package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// outline writes the syntax tree of a file as text, without comments and positions.
func outline(name, source string, rewritten bool) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}

	p := &printer{foldSQL: rewritten && strings.HasSuffix(name, "_sql.go")}
	if rewritten {
		ast.Inspect(file, rewrite)
	}
	p.print(reflect.ValueOf(file), 0)
	return p.String(), nil
}

// printer prints nodes by reflection, so that no part of a node can be forgotten.
type printer struct {
	strings.Builder
	foldSQL bool
}

var position = reflect.TypeFor[token.Pos]()

func (p *printer) print(v reflect.Value, depth int) {
	indent := strings.Repeat("\t", depth)
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			fmt.Fprintf(p, "%snil\n", indent)
			return
		}
		p.print(v.Elem(), depth)

	case reflect.Slice:
		for i := range v.Len() {
			p.print(v.Index(i), depth)
		}

	case reflect.Struct:
		fmt.Fprintf(p, "%s%s\n", indent, v.Type())
		for i := range v.NumField() {
			p.printField(v.Type().Field(i), v.Field(i), depth+1)
		}

	case reflect.String:
		text := v.String()
		if unquoted, err := strconv.Unquote(text); p.foldSQL && err == nil {
			text = strings.Join(strings.Fields(unquoted), " ")
		}
		fmt.Fprintf(p, "%s%q\n", indent, text)

	default:
		fmt.Fprintf(p, "%s%v\n", indent, v)
	}
}

// printField prints a field of a node. Of a position it prints only whether there is one: f(a...) has an ellipsis, and
// a declaration may have parentheses.
func (p *printer) printField(field reflect.StructField, v reflect.Value, depth int) {
	switch field.Name {
	case "Doc", "Comment", "Comments", "FileStart", "FileEnd", "ValueEnd", "Obj", "Scope", "Unresolved", "Imports":
		return
	}

	fmt.Fprintf(p, "%s%s\n", strings.Repeat("\t", depth), field.Name)
	if field.Type == position {
		fmt.Fprintf(p, "%s%t\n", strings.Repeat("\t", depth+1), token.Pos(v.Int()).IsValid())
		return
	}
	p.print(v, depth+1)
}

// rewrite brings what -rewritten compares as equal into one form. It is for ast.Inspect.
func rewrite(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		n.List = oneByOne(n.List)
	case *ast.CaseClause:
		n.Body = oneByOne(n.Body)
	case *ast.CommClause:
		n.Body = oneByOne(n.Body)
	}
	if n != nil {
		foldStrings(reflect.ValueOf(n).Elem())
	}
	return true
}

// oneByOne splits parallel assignments and writes n += x and n++ as n = n + x.
func oneByOne(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			one := &ast.BasicLit{Kind: token.INT, Value: "1", ValuePos: 1}
			sum := &ast.BinaryExpr{X: s.X, Op: s.Tok + token.ADD - token.INC, Y: one, OpPos: 1}
			out = append(out, &ast.AssignStmt{Lhs: []ast.Expr{s.X}, Tok: token.ASSIGN, TokPos: 1, Rhs: []ast.Expr{sum}})

		case *ast.AssignStmt:
			out = append(out, assignments(s)...)

		default:
			out = append(out, s)
		}
	}

	return out
}

func assignments(s *ast.AssignStmt) (out []ast.Stmt) {
	if s.Tok >= token.ADD_ASSIGN && s.Tok <= token.AND_NOT_ASSIGN {
		sum := &ast.BinaryExpr{X: s.Lhs[0], Op: s.Tok + token.ADD - token.ADD_ASSIGN, Y: s.Rhs[0], OpPos: 1}
		return []ast.Stmt{&ast.AssignStmt{Lhs: s.Lhs, Tok: token.ASSIGN, TokPos: 1, Rhs: []ast.Expr{sum}}}
	}
	if len(s.Lhs) != len(s.Rhs) {
		return []ast.Stmt{s}
	}

	for i := range s.Lhs {
		one := &ast.AssignStmt{Lhs: s.Lhs[i : i+1], Tok: s.Tok, TokPos: 1, Rhs: s.Rhs[i : i+1]}
		out = append(out, one)
	}
	return out
}

var expression = reflect.TypeFor[ast.Expr]()

// foldStrings joins strings that are added, in the fields of a node.
func foldStrings(node reflect.Value) {
	for i := range node.NumField() {
		field := node.Field(i)
		switch {
		case field.Type() == expression && !field.IsNil():
			field.Set(reflect.ValueOf(fold(field.Interface().(ast.Expr))))
		case field.Kind() == reflect.Slice && field.Type().Elem() == expression:
			for j := range field.Len() {
				if !field.Index(j).IsNil() {
					field.Index(j).Set(reflect.ValueOf(fold(field.Index(j).Interface().(ast.Expr))))
				}
			}
		}
	}
}

// fold joins the strings of a sum that stand beside each other: a + "b" + "c" is a + "bc".
func fold(e ast.Expr) ast.Expr {
	sum, ok := e.(*ast.BinaryExpr)
	if !ok {
		return literal(e)
	}

	sum.X, sum.Y = fold(sum.X), fold(sum.Y)
	if sum.Op != token.ADD {
		return sum
	}

	right, ok := stringOf(sum.Y)
	if !ok {
		return sum
	}
	if left, ok := stringOf(sum.X); ok {
		return stringLiteral(left + right)
	}

	if inner, ok := sum.X.(*ast.BinaryExpr); ok && inner.Op == token.ADD {
		if left, ok := stringOf(inner.Y); ok {
			return &ast.BinaryExpr{X: inner.X, Op: token.ADD, OpPos: 1, Y: stringLiteral(left + right)}
		}
	}

	return sum
}

// literal writes a raw string as an interpreted string.
func literal(e ast.Expr) ast.Expr {
	if text, ok := stringOf(e); ok {
		return stringLiteral(text)
	}
	return e
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func stringLiteral(text string) *ast.BasicLit {
	return &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(text), ValuePos: 1}
}
